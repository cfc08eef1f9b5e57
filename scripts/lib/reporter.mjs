// Mocha's own reporter on the screen (LATHE_TEST_REPORTER: dot or spec), and the counts in the file LATHE_TEST_RESULT.
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
    /** @type {string[]} */
    const skipped = [];
    runner.on('pending', (/** @type {import('mocha').Test} */ test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      for (const title of skipped) console.log(`  skipped, which counts as failed: ${title}`);
      const { passes = 0, failures = 0 } = runner.stats ?? {};
      const path = process.env.LATHE_TEST_RESULT;
      if (path) writeFileSync(path, JSON.stringify({ passed: passes, failed: failures + skipped.length }));
    });
  }
}
