// Mocha's own reporter on the screen (LATHE_TEST_REPORTER: dot or spec), and the counts in the file LATHE_TEST_RESULT,
// written after each test, so that a run that is stopped still says what it saw.
// A skipped test counts as failed: a suite either says something about the product or should not be there.
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
    const counts = { passed: 0, failed: 0, complete: false };
    /** @type {string[]} */
    const skipped = [];
    const save = () => {
      const path = process.env.LATHE_TEST_RESULT;
      if (path) writeFileSync(path, JSON.stringify(counts));
    };
    runner.on('pass', () => {
      counts.passed++;
      save();
    });
    runner.on('fail', () => {
      counts.failed++;
      save();
    });
    runner.on('pending', (/** @type {import('mocha').Test} */ test) => {
      counts.failed++;
      skipped.push(test.fullTitle());
      save();
    });
    runner.once('end', () => {
      for (const title of skipped) console.log(`  skipped, which counts as failed: ${title}`);
      counts.complete = true;
      save();
    });
  }
}
