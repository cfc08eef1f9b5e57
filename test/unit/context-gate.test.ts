import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { FileGate } from '../../src/core/context/FileGate.ts';
import type { ResolvedPath } from '../../src/core/tools/TaskContext.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { modeOf, PolicyBench } from '../support/PolicyBench.ts';

const { signal } = new AbortController();
const code = modeOf('code');

describe('the gate of every path', () => {
  let bench: PolicyBench;
  const resolve = (path: string, access: 'read' | 'edit' | 'list' = 'edit'): Promise<ResolvedPath> =>
    bench.gate.resolve(path, access, code, signal);

  beforeEach(async () => {
    bench = await PolicyBench.open();
  });
  afterEach(() => bench.close());

  it('says where a path really is, from however it is written', async () => {
    bench.write('workspace/src/a.ts');
    const real = join(bench.root, 'src/a.ts');
    const found: ResolvedPath = { real, shown: 'src/a.ts', insideWorkspace: true, protected: false };
    for (const path of [
      'src/a.ts',
      './src//a.ts',
      'src/../src/a.ts',
      'no/../src/a.ts',
      real,
      `${bench.root}/./src/a.ts`,
    ])
      assert.deepEqual(await resolve(path), found, path);
    assert.deepEqual(await resolve('src/new/deep.ts'), {
      real: join(bench.root, 'src/new/deep.ts'),
      shown: 'src/new/deep.ts',
      insideWorkspace: true,
      protected: false,
    });
    assert.deepEqual(await resolve('.', 'list'), {
      real: bench.root,
      shown: '.',
      insideWorkspace: true,
      protected: false,
    });
  });

  it('is not led by a neighbour whose name begins alike', async () => {
    for (const neighbour of ['workspace-evil', 'workspace\\evil', 'workspace.', 'workspac']) {
      bench.write(`${neighbour}/a`);
      assert.deepEqual(await resolve(`../${neighbour}/a`), {
        real: join(bench.base, neighbour, 'a'),
        shown: join(bench.base, neighbour, 'a'),
        insideWorkspace: false,
        protected: false,
      });
    }
  });

  it('follows links before it judges: out, in, through folders, in a chain', async () => {
    bench.write('other/x');
    bench.write('workspace/.git/config');
    bench.link('workspace/out', '../other');
    bench.link('workspace/chain', 'out');
    bench.link('workspace/innocent.txt', '.git/config');
    bench.link('other/back', '../workspace');
    const judge = async (path: string): Promise<unknown> => {
      const { real, insideWorkspace, protected: guarded } = await resolve(path);
      return [real.slice(bench.base.length + 1), insideWorkspace, guarded];
    };
    assert.deepEqual(await judge('out/x'), ['other/x', false, false]);
    assert.deepEqual(await judge('chain/new/file'), ['other/new/file', false, false]);
    assert.deepEqual(await judge('innocent.txt'), ['workspace/.git/config', true, true]);
    assert.deepEqual(await judge('out/back/src/a.ts'), ['workspace/src/a.ts', true, false]);
  });

  it('keeps a protected name that is a link to somewhere harmless protected', async () => {
    bench.write('workspace/conf/settings.json');
    bench.link('workspace/.vscode', 'conf');
    assert.equal((await resolve('.vscode/settings.json')).protected, true);
    bench.write('workspace/conf/env');
    bench.link('workspace/.env', 'conf/env');
    assert.equal((await resolve('.env', 'read')).protected, true);
  });

  it('works where the workspace itself is reached by a link', async () => {
    bench.write('workspace/a');
    bench.write('workspace/.env');
    bench.link('shortcut', 'workspace');
    const gate = new FileGate({ root: join(bench.base, 'shortcut'), homes: [], files: bench.host.files });
    const real = join(bench.root, 'a');
    assert.deepEqual(await gate.resolve('a', 'edit', code, signal), {
      real,
      shown: 'a',
      insideWorkspace: true,
      protected: false,
    });
    assert.deepEqual(gate.withholds('.env', { deny: [], secrets: false }), true);
    assert.deepEqual(
      gate.withholds('a', { deny: [{ type: 'file', access: 'read', path: real }], secrets: false }),
      true,
    );
  });

  it('does not take a folder of the kind for a protected one when the workspace lies in it', async () => {
    bench.write('.config/project/src/a.ts');
    const gate = new FileGate({
      root: join(bench.base, '.config/project'),
      homes: [],
      files: bench.host.files,
    });
    assert.equal((await gate.resolve('src/a.ts', 'edit', code, signal)).protected, false);
    assert.equal((await gate.resolve('.config/a', 'edit', code, signal)).protected, true);
  });

  it('refuses what it cannot decide', async () => {
    bench.link('workspace/nowhere', 'missing');
    bench.link('workspace/loop', 'loop');
    bench.write('workspace/file');
    const refused: [string, RegExp][] = [
      ['nowhere', /cannot be resolved: .*link to nothing/],
      ['nowhere/below', /cannot be resolved/],
      ['loop', /cannot be resolved/],
      ['file/below', /cannot be resolved/],
      ['x'.repeat(300), /cannot be resolved/],
      ['', /empty/],
      ['  \t', /empty/],
      ['a\0b', /control or invisible/],
      ['a\nb', /control or invisible/],
      ['.g\u200bit/config', /control or invisible/],
      ['src/\u{e0041}.ts', /control or invisible/],
      ['~', /not expanded/],
      ['~/.ssh/id_rsa', /not expanded/],
      ['.', /workspace itself/],
      ['src/..', /workspace itself/],
      ['..', /workspace itself/],
      ['/', /workspace itself/],
      ['/dev/zero', /system's own/],
      ['/proc/self/mem', /system's own/],
      ['/sys/power/state', /system's own/],
    ];
    for (const [path, words] of refused)
      await assert.rejects(
        resolve(path),
        (error) => error instanceof ToolError && words.test(error.message),
        path,
      );
  });

  it('judges what is there now, not what was there before', async () => {
    bench.write('workspace/src/a');
    bench.write('other/a');
    assert.equal((await resolve('src/a')).insideWorkspace, true);
    renameSync(join(bench.root, 'src'), join(bench.root, 'old'));
    symlinkSync('../other', join(bench.root, 'src'));
    assert.equal((await resolve('src/a')).insideWorkspace, false);
    rmSync(join(bench.root, 'src'));
    mkdirSync(join(bench.root, 'src'));
    assert.equal((await resolve('src/a')).insideWorkspace, true);
  });

  it('while a folder is swapped for a link and back, a path counts as inside only where it was', async () => {
    bench.write('workspace/src/a');
    bench.write('other/a');
    const src = join(bench.root, 'src');
    const aside = join(bench.root, 'aside');
    symlinkSync('../other', join(bench.root, 'link'));
    for (let round = 0; round < 100; round++) {
      const judged = Promise.allSettled([resolve('src/a'), resolve('src/a'), resolve('src/a')]);
      renameSync(src, aside);
      renameSync(join(bench.root, 'link'), src);
      await new Promise((done) => setImmediate(done));
      renameSync(src, join(bench.root, 'link'));
      renameSync(aside, src);
      for (const one of await judged) {
        if (one.status === 'rejected') assert.ok(one.reason instanceof ToolError, String(one.reason));
        else assert.equal(one.value.insideWorkspace, one.value.real.startsWith(`${bench.root}/`));
      }
    }
  });

  it('a walk passes over what is hidden, denied, or may hold secrets', async () => {
    bench.write('workspace/.latheignore', 'private/\n');
    await resolve('.', 'list');
    const deny = [{ type: 'file', access: 'read', path: join(bench.root, 'src/denied.ts') } as const];
    const withheld = (path: string, secrets = false): boolean =>
      bench.gate.withholds(path, { deny, secrets });
    const paths = [
      'src/a.ts',
      'private/a',
      '.env',
      'deep/.env.local',
      'src/denied.ts',
      'key.pem',
      '.git/config',
    ];
    assert.deepEqual(
      paths.map((path) => withheld(path)),
      [false, true, true, true, true, true, true],
    );
    // Agreed to: secrets, never what is hidden or denied.
    assert.deepEqual(
      paths.map((path) => withheld(path, true)),
      [false, true, false, false, true, false, false],
    );
    assert.equal(withheld(join(bench.base, 'other/.ssh/id_rsa')), true);
  });

  it('names nothing that is hidden, and nothing at all while the rules are broken', async () => {
    bench.write('workspace/.latheignore', 'private/\n*.key\n');
    const names = ['src/', 'private/', 'a.key', 'b.ts'];
    assert.deepEqual(await bench.gate.nameable(names, signal), ['src/', 'b.ts']);
    bench.write('workspace/.latheignore', '[broken\n');
    assert.deepEqual(await bench.gate.nameable(names, signal), []);
  });
});
