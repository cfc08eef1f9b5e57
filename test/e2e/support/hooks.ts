import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS, VsCode } from './VsCode.ts';

/** A failed end-to-end test leaves a picture and the logs; nothing that a test started outlives the run. */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    for (const code of VsCode.running) {
      const picture = await code.screenshot(`failed-${test.fullTitle()}`);
      console.log(`  picture: ${picture}`);
      const log = join(RESULTS, `${picture.slice(RESULTS.length + 1, -'.png'.length)}.log`);
      writeFileSync(log, [...code.console, '', code.server.log()].join('\n'));
    }
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(60_000);
    for (const code of VsCode.running) await code.stop();
  },
};
