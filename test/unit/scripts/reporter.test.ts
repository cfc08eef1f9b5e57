import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../../scripts/lib/processes.mjs';

const ROOT = dirname(dirname(dirname(import.meta.dirname)));

describe('the counts of a suite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lathe-reporter-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs mocha with our reporter on one file; gives what it left in the result file. */
  async function countsOf(suite: string): Promise<unknown> {
    const [file, result] = [join(folder, 'suite.cjs'), join(folder, 'result.json')];
    writeFileSync(file, suite);
    const mocha = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const reporter = join(ROOT, 'scripts', 'lib', 'reporter.mjs');
    await run(process.execPath, [mocha, '--no-config', '--reporter', reporter, file], {
      env: { ...process.env, LATHE_TEST_RESULT: result },
      onLine: () => undefined,
    });
    return JSON.parse(readFileSync(result, 'utf8'));
  }

  it('holds passed and failed tests, and takes a skipped one as failed', async () => {
    const suite = `
      it('passes', () => {});
      it('fails', () => { throw new Error('no'); });
      it.skip('is skipped', () => {});
      it('is empty');
    `;
    assert.deepEqual(await countsOf(suite), {
      passed: 1,
      failed: 3,
      complete: true,
      failures: ['fails: no', 'is skipped: skipped', 'is empty: skipped'],
      again: [],
    });
  });

  it('names what passed only when it was run again', async () => {
    const suite = `
      let runs = 0;
      it('passes the second time', function () {
        this.retries(1);
        runs++;
        if (runs === 1) throw new Error('not yet\\nand more');
      });
    `;
    assert.deepEqual(await countsOf(suite), {
      passed: 1,
      failed: 0,
      complete: true,
      failures: [],
      again: ['passes the second time: not yet\n  and more'],
    });
  });

  it('are there for a run that broke off', async () => {
    const suite = `it('passes', () => {}); it('breaks off', () => process.exit(0));`;
    assert.deepEqual(await countsOf(suite), {
      passed: 1,
      failed: 0,
      complete: false,
      failures: [],
      again: [],
    });
  });

  it('are zero for a suite without tests', async () => {
    assert.deepEqual(await countsOf(''), { passed: 0, failed: 0, complete: true, failures: [], again: [] });
  });
});
