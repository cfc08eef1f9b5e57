import { renameSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/**
 * Runs the test files inside the extension host, which is what VS Code calls for `extensionTestsPath`.
 * The counts go into the file LATHE_TEST_RESULT: the page that hosts VS Code has no exit code.
 */
export async function runTests(files: readonly (() => Promise<unknown>)[]): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, color: false, retries: 1 });
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, '', mocha);
  let problem = '';
  try {
    for (const load of files) await load();
  } catch (error) {
    problem = `A test file could not be loaded: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const lines: string[] = [];
  const counts = { passed: 0, failed: 0, failures: [] as string[], again: [] as string[] };
  if (problem) {
    counts.failed = 1;
    counts.failures.push('A test file could not be loaded');
    lines.push(problem);
  } else {
    await new Promise<void>((resolve) => {
      const runner = mocha.reporter(Silent).run(() => resolve());
      runner.on('pass', (test) => {
        counts.passed++;
        lines.push(`  passed  ${test.fullTitle()}`);
      });
      runner.on('pending', (test) => {
        counts.failed++;
        counts.failures.push(`${test.fullTitle()}: skipped`);
        lines.push(`  skipped, which counts as failed: ${test.fullTitle()}`);
      });
      runner.on('retry', (test: Mocha.Test, error: Error) => {
        counts.again.push(`${test.fullTitle()}: ${error.message}`);
        lines.push(`  run again  ${test.fullTitle()}`, error.stack ?? error.message);
      });
      runner.on('fail', (test, error: unknown) => {
        counts.failed++;
        counts.failures.push(test.fullTitle());
        lines.push(`  FAILED  ${test.fullTitle()}`, String(error instanceof Error ? error.stack : error));
      });
    });
  }
  const result = process.env['LATHE_TEST_RESULT'];
  if (!result) throw new Error('LATHE_TEST_RESULT is not set');
  writeFileSync(`${result}.part`, JSON.stringify({ ...counts, complete: true, lines }));
  renameSync(`${result}.part`, result);
}

class Silent extends Mocha.reporters.Base {}
