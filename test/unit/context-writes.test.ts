import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../src/core/host/Host.ts';
import { modeOf, PolicyBench } from '../support/PolicyBench.ts';

const { signal } = new AbortController();
const bytes = new TextEncoder().encode('agent\n');

describe('a write goes where the gate said', () => {
  let bench: PolicyBench;
  beforeEach(async () => {
    bench = await PolicyBench.open();
  });
  afterEach(() => bench.close());

  const write = async (path: string): Promise<string> => {
    const { real } = await bench.gate.resolve(path, 'edit', modeOf('code'), signal);
    return (await bench.host.files.write(real, bytes, null)).hash;
  };

  it('creates folders, replaces files with their mode, and leaves nothing else', async () => {
    assert.match(await write('a/b/c.txt'), /^[0-9a-f]{64}$/);
    assert.equal(readFileSync(join(bench.root, 'a/b/c.txt'), 'utf8'), 'agent\n');
    bench.write('workspace/run.sh', 'old');
    const run = join(bench.root, 'run.sh');
    chmodSync(run, 0o751);
    const { hash } = await bench.host.files.read(run, { limit: 100, signal });
    await bench.host.files.write(run, bytes, hash);
    assert.equal(statSync(run).mode & 0o777, 0o751);
    assert.deepEqual(readdirSync(join(bench.root, 'a/b')), ['c.txt']);
    assert.deepEqual(readdirSync(bench.root).sort(), ['a', 'run.sh']);
  });

  it('a folder that became a link is refused: no file, no new folder, beyond it', async () => {
    mkdirSync(join(bench.base, 'other'));
    bench.write('workspace/src/x', '');
    const { real } = await bench.gate.resolve('src/new/file.txt', 'edit', modeOf('code'), signal);
    await rename(join(bench.root, 'src'), join(bench.root, 'old'));
    bench.link('workspace/src', '../other');
    await assert.rejects(
      bench.host.files.write(real, bytes, null),
      (error) =>
        error instanceof FileError &&
        error.reason === 'not_permitted' &&
        error.message === `${join(bench.root, 'src')} is no plain folder`,
    );
    assert.deepEqual(readdirSync(join(bench.base, 'other')), []);
  });

  it('a file that became a link is not followed', async () => {
    bench.write('other/target', 'theirs');
    const { real } = await bench.gate.resolve('file.txt', 'edit', modeOf('code'), signal);
    bench.link('workspace/file.txt', '../other/target');
    await assert.rejects(bench.host.files.write(real, bytes, null), FileError);
    assert.equal(readFileSync(join(bench.base, 'other/target'), 'utf8'), 'theirs');
  });

  // Elsewhere a folder cannot be pinned, only compared: a moment stays open.
  if (process.platform === 'linux')
    it('while folders are swapped for links all the time, nothing lands outside', async () => {
      mkdirSync(join(bench.base, 'other'));
      mkdirSync(join(bench.root, 'src'));
      bench.link('workspace/link', '../other');
      const [src, link, aside] = [
        join(bench.root, 'src'),
        join(bench.root, 'link'),
        join(bench.root, 'aside'),
      ];
      const over = new AbortController();
      let made = 0;
      /** What a write made in the place of the folder that was away is set aside too. */
      const move = async (from: string, to: string): Promise<void> => {
        try {
          await rename(from, to);
        } catch (error) {
          assert.ok(error instanceof Error && 'code' in error, String(error));
          assert.ok(['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(String(error.code)), String(error));
          await rename(to, join(bench.root, `made-${made++}`));
          await move(from, to);
        }
      };
      const swapping = (async (): Promise<void> => {
        while (!over.signal.aborted) {
          await move(src, aside);
          await move(link, src);
          await move(src, link);
          await move(aside, src);
        }
      })();
      let landed = 0;
      for (let index = 0; index < 400; index++) {
        try {
          // The name that the gate would have given a moment ago.
          await bench.host.files.write(join(src, `file-${index}`), bytes, null);
          landed++;
        } catch (error) {
          assert.ok(error instanceof FileError, String(error));
        }
      }
      over.abort();
      await swapping;
      assert.deepEqual(readdirSync(join(bench.base, 'other')), []);
      const folders = readdirSync(bench.root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      const written = folders.flatMap(({ name }) => readdirSync(join(bench.root, name)));
      assert.equal(written.length, landed);
      assert.deepEqual(
        written.filter((name) => !/^file-\d+$/.test(name)),
        [],
      );
    });
});
