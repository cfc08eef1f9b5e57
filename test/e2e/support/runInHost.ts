// Runs test/inhost/*.test.ts inside the extension host of a real VS Code, and leaves the counts in LATHE_TEST_RESULT.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { REPOSITORY, VsCode } from './VsCode.ts';

/** VS Code's own start, then the tests. */
const LONGEST_MS = 6 * 60_000;

const tests = join(REPOSITORY, 'dist', 'test', 'inhost.mjs');
const result = process.env['LATHE_TEST_RESULT'] ?? join(REPOSITORY, 'dist', 'test', 'inhost.json');
rmSync(result, { force: true });

const files = globSync('test/inhost/**/*.test.ts', { cwd: REPOSITORY }).sort();
await build({
  stdin: {
    contents: [
      `import { runTests } from './test/inhost/runTests.ts';`,
      `export const run = () => runTests([`,
      ...files.map((file) => `  () => import(${JSON.stringify(`./${file}`)}),`),
      `]);`,
    ].join('\n'),
    resolveDir: REPOSITORY,
    loader: 'ts',
  },
  outfile: tests,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
});

const workspace = mkdtempSync(join(tmpdir(), 'lathe-inhost-'));
writeFileSync(join(workspace, 'readme.md'), '# A workspace\n');
const code = await VsCode.start({
  workspace,
  env: { LATHE_TEST_RESULT: result },
  development: { extension: REPOSITORY, tests },
});
try {
  for (const end = Date.now() + LONGEST_MS; Date.now() < end && !existsSync(result);) await sleep(200);
  if (existsSync(result)) {
    const { lines } = JSON.parse(readFileSync(result, 'utf8')) as { lines: string[] };
    console.log(lines.join('\n'));
  } else {
    console.log('The tests inside the extension host did not end.');
    console.log(`Picture: ${await code.screenshot('inhost')}`);
    console.log(code.console.slice(-30).join('\n'), '\n', code.server.log().slice(-3000));
    process.exitCode = 1;
  }
} finally {
  await code.stop();
  rmSync(workspace, { recursive: true, force: true });
}
