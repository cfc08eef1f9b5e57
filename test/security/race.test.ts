import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FileError } from '../../src/core/host/Host.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { modeOf, PolicyBench } from '../support/PolicyBench.ts';

/** Milliseconds of swapping. */
const DURATION = 5000;

/** A thread that does nothing but swap a folder and a link to another place, as fast as the disk goes. */
const SWAPPER = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: [folder, link, aside, stop] } = require('node:worker_threads');
  const view = new Int32Array(stop);
  let swaps = 0;
  const move = (from, to) => { try { renameSync(from, to); } catch (error) { if (!['ENOENT', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error; renameSync(to, to + '-' + swaps++); renameSync(from, to); } };
  while (Atomics.load(view, 0) === 0) { move(folder, aside); move(link, folder); move(folder, link); move(aside, folder); swaps++; }
  parentPort.postMessage(swaps);
`;

// Elsewhere a folder cannot be pinned, only compared: a moment stays open.
if (process.platform === 'linux')
  describe('a race for the place of a write', function () {
    this.timeout(60_000);
    let bench: PolicyBench;
    beforeEach(async () => {
      bench = await PolicyBench.open();
    });
    afterEach(async () => bench.close());

    it('CVE-2026-88968, CVE-2026-21523 · Claude Code, GitHub Copilot · five seconds of swapping a folder for a link: no write and no read gets out', async () => {
      mkdirSync(join(bench.base, 'other'));
      writeFileSync(join(bench.base, 'other', 'read.txt'), 'outside');
      bench.write('workspace/src/read.txt', 'inside');
      bench.link('workspace/link', '../other');
      const stop = new SharedArrayBuffer(4);
      const places = ['src', 'link', 'aside'].map((name) => join(bench.root, name));
      const worker = new Worker(SWAPPER, { eval: true, workerData: [...places, stop] });
      const failed = new Promise<never>((_, reject) => worker.once('error', reject));
      const swaps = new Promise<number>((resolve) => worker.once('message', resolve));
      const mode = modeOf('code');
      const { signal } = new AbortController();
      const tally = { tried: 0, written: 0, read: 0, outside: 0 };
      const until = Date.now() + DURATION;
      while (Date.now() < until) {
        const name = `made-${tally.tried++}`;
        try {
          // As a tool does it: the gate first, and then the host, with what the gate said.
          const { real, insideWorkspace } = await bench.gate.resolve(`src/${name}`, 'edit', mode, signal);
          if (insideWorkspace) {
            await bench.host.files.write(real, Buffer.from('x'), null);
            tally.written++;
          }
          const source = await bench.gate.resolve('src/read.txt', 'read', mode, signal);
          if (source.insideWorkspace) {
            const { bytes } = await bench.host.files.read(source.real, { limit: 100, signal });
            tally.read++;
            if (Buffer.from(bytes).toString() === 'outside') tally.outside++;
          }
        } catch (error) {
          assert.ok(error instanceof FileError || error instanceof ToolError, String(error));
        }
      }
      Atomics.store(new Int32Array(stop), 0, 1);
      const swapped = await Promise.race([swaps, failed]);
      await worker.terminate();
      assert.deepEqual(readdirSync(join(bench.base, 'other')), ['read.txt']);
      assert.equal(tally.outside, 0);
      assert.ok(swapped > 0 && tally.written > 0 && tally.read > 0, JSON.stringify({ swapped, ...tally }));
      process.stdout.write(
        `    ${swapped} swaps, ${tally.tried} tries, ${tally.written} writes and ${tally.read} reads inside, 0 outside\n`,
      );
    });
  });
