// Mocha's own reporter on the screen (LATHE_TEST_REPORTER: dot or spec), and the counts in the file LATHE_TEST_RESULT,
// written after each test, so that a run that is stopped still says what it saw.
// A skipped test counts as failed: a suite either says something about the product or should not be there. A test that passed only
// when it was run again (suites that drive a real program may) is passed, and named.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const Mocha = createRequire(import.meta.url)('mocha');
const Screen = process.env.LATHE_TEST_REPORTER === 'spec' ? Mocha.reporters.Spec : Mocha.reporters.Dot;

export default class Reporter extends Screen {
  /**
   * @param {import('mocha').Runner} runner
   * @param {import('mocha').MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    const result = {
      passed: 0,
      failed: 0,
      complete: false,
      failures: /** @type {string[]} */ ([]),
      again: /** @type {string[]} */ ([]),
    };
    /** @type {string[]} */
    const skipped = [];
    const save = () => {
      const path = process.env.LATHE_TEST_RESULT;
      if (path) writeFileSync(path, JSON.stringify(result));
    };
    /** @param {import('mocha').Runnable} test @param {string} [why] */
    const fail = (test, why) => {
      result.failed++;
      result.failures.push(why ? `${test.fullTitle()}: ${why}` : test.fullTitle());
      save();
    };
    runner.on('pass', () => {
      result.passed++;
      save();
    });
    runner.on('retry', (/** @type {import('mocha').Test} */ test, /** @type {Error} */ error) => {
      result.again.push(`${test.fullTitle()}: ${firstLines(error, 4)}`);
      save();
    });
    runner.on('fail', (test, error) => fail(test, firstLines(error)));
    runner.on('pending', (/** @type {import('mocha').Test} */ test) => {
      skipped.push(test.fullTitle());
      fail(test, 'skipped');
    });
    runner.once('end', () => {
      for (const title of skipped) console.log(`  skipped, which counts as failed: ${title}`);
      result.complete = true;
      save();
      // What a test left open would keep the process until the step's limit: it is named, and the run ends.
      setTimeout(() => {
        const left = process.getActiveResourcesInfo().filter((name) => !KEPT_ALIVE.has(name));
        console.log(`  left open by a test: ${left.join(', ') || 'nothing that can be named'}`);
        process.exit(result.failed > 0 ? 1 : 0);
      }, LONGEST_END).unref();
    });
  }
}

/** Milliseconds that what closes after the last test may take. */
const LONGEST_END = 60_000;
/** The process's own. */
const KEPT_ALIVE = new Set(['PipeWrap', 'TTYWrap', 'Timeout']);

/**
 * The seed of a property is among the first: what is needed to see it again when only the end of the output was kept.
 * @param {unknown} error
 */
function firstLines(error, most = 12) {
  const whole = error instanceof Error ? error.message : String(error);
  return whole
    .split('\n', most)
    .map((line) => line.slice(0, 400))
    .join('\n  ');
}
