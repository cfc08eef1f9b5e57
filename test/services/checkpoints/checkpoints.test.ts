import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Checkpoints, folderOf } from '../../../src/core/checkpoints/Checkpoints.ts';
import { NodeFileHost } from '../../../src/hosts/node/NodeFileHost.ts';
import type { CheckpointDifference } from '../../../src/shared/checkpoints.ts';
import { isGit, snapshot } from '../../support/checkpoints/snapshot.ts';

const signal = new AbortController().signal;

describe('Checkpoints', function () {
  this.timeout(60_000);
  let root: string;
  let home: string;
  let checkpoints: Checkpoints;
  let budget: number;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'lathe-work-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    budget = 1024 ** 3;
    checkpoints = new Checkpoints({ home, files: new NodeFileHost(), budget: () => budget });
  });
  afterEach(async () => {
    await checkpoints.dispose();
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  });

  function put(path: string, content: string | Uint8Array, mode = 0o644): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  }

  const text = (path: string): string => readFileSync(join(root, path), 'utf8');

  async function save(edits: string[] = []): Promise<string> {
    const about = { taskId: 't1', reason: 'step' as const, callId: 'c1' };
    return (await checkpoints.do(root, { type: 'save', about, edits }, signal)).id;
  }

  async function finish(id: string): Promise<void> {
    await checkpoints.do(root, { type: 'finish', id }, signal);
  }

  async function difference(id: string, ids = [id]): Promise<CheckpointDifference> {
    return (await checkpoints.do(root, { type: 'difference', id, ids }, signal)).difference;
  }

  async function restore(id: string, leave: string[] = []) {
    const about = { taskId: 't1', reason: 'restore' as const };
    const { id: undoId } = await checkpoints.do(root, { type: 'save', about, edits: [] }, signal);
    const { restored } = await checkpoints.do(root, { type: 'restore', id, undoId, leave }, signal);
    return { undoId, ...restored };
  }

  function git(cwd: string, ...args: string[]): void {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', [...identity, '-c', 'protocol.file.allow=always', ...args], {
      cwd,
      env,
      stdio: 'pipe',
    });
  }

  /** A repository with a submodule, a repository within, links, binaries, bits and empty folders. */
  function fillWorkspace(): void {
    const library = join(home, 'library');
    mkdirSync(library);
    git(library, 'init', '-q');
    writeFileSync(join(library, 'lib.c'), 'int answer = 42;\n');
    git(library, 'add', '.');
    git(library, 'commit', '-qm', 'library');
    git(root, 'init', '-q');
    put('README.md', '# Work\n');
    put('bin/run', '#!/bin/sh\necho run\n', 0o755);
    put('data/picture.bin', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 31) % 256)));
    put('names/ümläut – 名前 😀.txt', 'names\r\n');
    put('private.txt', 'mine alone', 0o600);
    mkdirSync(join(root, 'empty/inner'), { recursive: true });
    chmodSync(join(root, 'empty/inner'), 0o700);
    symlinkSync('README.md', join(root, 'link'));
    symlinkSync('bin', join(root, 'linked-folder'));
    symlinkSync('/nowhere/at/all', join(root, 'dangling'));
    git(root, 'submodule', '--quiet', 'add', library, 'modules/library');
    git(root, 'add', '.');
    git(root, 'commit', '-qm', 'work');
    mkdirSync(join(root, 'nested'));
    git(join(root, 'nested'), 'init', '-q');
    put('nested/deep/inner.txt', 'nested repository\n');
    git(join(root, 'nested'), 'add', '.');
    git(join(root, 'nested'), 'commit', '-qm', 'nested');
  }

  function damageWorkspace(): void {
    put('README.md', '# Changed\n');
    chmodSync(join(root, 'bin/run'), 0o644);
    rmSync(join(root, 'data'), { recursive: true });
    put('data', 'a file where a folder was');
    rmSync(join(root, 'names'), { recursive: true });
    put('modules/library/lib.c', 'int answer = 41;\n');
    put('modules/library/new.c', 'int more;\n');
    put('nested/deep/inner.txt', 'changed\n', 0o755);
    rmSync(join(root, 'nested/deep'), { recursive: true });
    unlinkSync(join(root, 'link'));
    put('link/below.txt', 'a folder where a link was');
    unlinkSync(join(root, 'linked-folder'));
    symlinkSync('data', join(root, 'linked-folder'));
    unlinkSync(join(root, 'dangling'));
    put('dangling', 'a file where a link was');
    rmSync(join(root, 'empty'), { recursive: true });
    chmodSync(join(root, 'private.txt'), 0o644);
    mkdirSync(join(root, 'new/empty'), { recursive: true });
  }

  it('#4509 #8164 restores a workspace with submodules, repositories within, links, binaries and bits byte for byte', async () => {
    fillWorkspace();
    const before = snapshot(root);
    const id = await save();
    damageWorkspace();
    const damaged = snapshot(root);
    assert.notDeepEqual(damaged, before);
    const { undoId, problems } = await restore(id);
    assert.deepEqual(problems, []);
    assert.deepEqual(snapshot(root), before);
    assert.deepEqual((await restore(undoId)).problems, []);
    assert.deepEqual(snapshot(root), damaged);
  });

  it('#2868 #5598 #9590 leaves every .git as it is, with saves, restores and the end of a repository', async () => {
    fillWorkspace();
    const gits = snapshot(root, isGit);
    assert.ok(Object.keys(gits).length > 100);
    const id = await save();
    damageWorkspace();
    await finish(id);
    await restore(id);
    assert.deepEqual(snapshot(root, isGit), gits);
    // A repository that is made afterwards keeps its own too, though its files go.
    put('later/file.txt', 'later');
    git(join(root, 'later'), 'init', '-q');
    const later = snapshot(root, (path) => path.startsWith('later/.git'));
    const { problems } = await restore(id);
    assert.deepEqual(
      problems.map(({ path, reason }) => ({ path, reason })),
      [{ path: 'later', reason: 'holds_more' }],
    );
    assert.equal(existsSync(join(root, 'later/file.txt')), false);
    assert.deepEqual(
      snapshot(root, (path) => path.startsWith('later/.git')),
      later,
    );
  });

  it('leaves out what git ignores, caches, secrets, what is hidden, and large files, and names them', async () => {
    git(root, 'init', '-q');
    put('.gitignore', `${'*a'.repeat(30)}b\ndist/\n*.log\n!keep.log\n`);
    put('a'.repeat(60), 'not matched for ever');
    put('sub/.gitignore', '/local.txt\n');
    put('.latheignore', 'hidden/\n');
    for (const path of ['dist/out.js', 'a.log', 'keep.log', 'sub/local.txt', 'sub/deeper/local.txt'])
      put(path, path);
    put('hidden/x.txt', 'hidden');
    put('.env', 'TOKEN=canary');
    put('node_modules/pkg/index.js', 'package');
    put('target/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55');
    put('src.ts', 'source');
    put('huge.bin', '');
    truncateSync(join(root, 'huge.bin'), 17 * 1024 * 1024);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const id = await save();
    const { leftOut } = await difference(id);
    assert.deepEqual(leftOut, {
      count: 9,
      files: [
        { path: '.env', reason: 'secret' },
        { path: 'a.log', reason: 'ignored' },
        { path: 'dist/', reason: 'ignored' },
        { path: 'hidden/', reason: 'hidden' },
        { path: 'huge.bin', reason: 'too_large' },
        { path: 'node_modules/', reason: 'cache' },
        { path: 'pipe', reason: 'special' },
        { path: 'sub/local.txt', reason: 'ignored' },
        { path: 'target/', reason: 'cache' },
      ],
    });
    for (const path of ['dist/out.js', 'keep.log', 'sub/deeper/local.txt', '.env', 'src.ts'])
      put(path, 'changed');
    assert.deepEqual((await restore(id)).problems, []);
    assert.deepEqual(['dist/out.js', 'keep.log', 'sub/deeper/local.txt', '.env', 'src.ts'].map(text), [
      'changed',
      'keep.log',
      'sub/deeper/local.txt',
      'changed',
      'source',
    ]);
    // Not a byte of a secret in the whole store.
    const kept = readdirSync(folderOf(home, root), { recursive: true, withFileTypes: true });
    for (const entry of kept)
      if (entry.isFile()) assert.ok(!readFileSync(join(entry.parentPath, entry.name)).includes('canary'));
  });

  it('saves what the agent edits although git ignores it', async () => {
    git(root, 'init', '-q');
    put('.gitignore', 'dist/\n');
    put('dist/a.js', 'built');
    put('dist/b.js', 'built too');
    const id = await save(['dist/a.js', 'dist/new/c.js']);
    put('dist/a.js', 'edited');
    put('dist/b.js', 'edited too');
    put('dist/new/c.js', 'made');
    assert.deepEqual((await restore(id)).problems, []);
    assert.deepEqual([text('dist/a.js'), text('dist/b.js')], ['built', 'edited too']);
    assert.equal(existsSync(join(root, 'dist/new/c.js')), false);
  });

  it('a repository that another one ignores is saved by its own rules', async () => {
    git(root, 'init', '-q');
    put('.gitignore', 'checkouts/\n*.tmp\n');
    mkdirSync(join(root, 'checkouts'));
    git(join(root, 'checkouts'), 'init', '-q');
    put('checkouts/.gitignore', 'x.o\n');
    put('checkouts/x.o', 'object');
    put('checkouts/y.tmp', 'kept here');
    const id = await save();
    put('checkouts/y.tmp', 'changed');
    put('checkouts/x.o', 'changed');
    await restore(id);
    assert.deepEqual([text('checkouts/y.tmp'), text('checkouts/x.o')], ['kept here', 'changed']);
  });

  it('saves nothing while the ignore file cannot be understood', async () => {
    put('.latheignore', '[z-a]\n');
    put('a.txt', 'a');
    await assert.rejects(save(), { name: 'CheckpointError', reason: 'hidden' });
  });

  it('names what somebody else has changed since, and leaves it where that is wished', async () => {
    put('agent.txt', '1');
    put('person.txt', '1');
    put('both.txt', '1');
    const first = await save();
    put('agent.txt', '2');
    put('both.txt', '2');
    await finish(first);
    put('person.txt', '2');
    const second = await save();
    put('agent.txt', '3\n');
    await finish(second);
    put('both.txt', '3');
    const { files } = await difference(first, [first, second]);
    assert.deepEqual(
      files.map(({ path, change, outside, added, removed }) => ({ path, change, outside, added, removed })),
      [
        { path: 'agent.txt', change: 'changed', outside: false, added: 1, removed: 1 },
        { path: 'both.txt', change: 'changed', outside: true, added: 1, removed: 1 },
        { path: 'person.txt', change: 'changed', outside: true, added: 1, removed: 1 },
      ],
    );
    await restore(first, ['person.txt']);
    assert.deepEqual(['agent.txt', 'both.txt', 'person.txt'].map(text), ['1', '1', '2']);
  });

  it('shows one file before and after, and says of others that they are no text', async () => {
    put('a.txt', 'one\ntwo\n');
    put('b.bin', Buffer.from([0, 1, 2]));
    const id = await save();
    put('a.txt', 'one\nthree\n');
    put('b.bin', Buffer.from([0, 1, 3]));
    const shown = async (path: string) =>
      (await checkpoints.do(root, { type: 'file', id, path }, signal)).file;
    assert.deepEqual(await shown('a.txt'), {
      text: true,
      path: 'a.txt',
      before: 'one\nthree\n',
      after: 'one\ntwo\n',
      patch: '@@ -1,2 +1,2 @@\n one\n-three\n+two',
    });
    assert.deepEqual(await shown('b.bin'), { text: false, path: 'b.bin' });
  });

  it('sees every change, though size and times are the same', async () => {
    put('a.txt', 'aaaa');
    const ids: string[] = [];
    for (const content of ['bbbb', 'cccc', 'dddd', 'eeee']) {
      ids.push(await save());
      put('a.txt', content);
    }
    const contents: string[] = [];
    for (const id of ids) {
      await restore(id);
      contents.push(text('a.txt'));
    }
    assert.deepEqual(contents, ['aaaa', 'bbbb', 'cccc', 'dddd']);
  });

  it('writes nothing through a link, and nothing over what has changed meanwhile', async () => {
    put('folder/a.txt', 'a');
    put('b.txt', 'b');
    const id = await save();
    put('folder/a.txt', 'changed');
    put('b.txt', 'changed');
    const about = { taskId: 't1', reason: 'restore' as const };
    const { id: undoId } = await checkpoints.do(root, { type: 'save', about, edits: [] }, signal);
    renameSync(join(root, 'folder'), join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(root, 'folder'));
    put('b.txt', 'once more');
    const { restored } = await checkpoints.do(root, { type: 'restore', id, undoId, leave: [] }, signal);
    assert.deepEqual(
      restored.problems.map(({ path, reason }) => ({ path, reason })),
      [
        { path: 'b.txt', reason: 'changed' },
        { path: 'folder/a.txt', reason: 'changed' },
      ],
    );
    assert.equal(readFileSync(join(home, 'elsewhere/a.txt'), 'utf8'), 'changed');
    assert.equal(text('b.txt'), 'once more');
  });

  it('#4388 stays within its bound: the oldest go, and what only they held', async () => {
    const ids: string[] = [];
    for (let step = 0; step < 12; step++) {
      put('big.bin', randomBytes(200_000));
      put(`small-${step}.txt`, String(step));
      ids.push(await save());
    }
    budget = 700_000;
    await checkpoints.prune(root);
    const kept = (await checkpoints.do(root, { type: 'list', ids }, signal)).rows.map(({ id }) => id);
    assert.ok(kept.length >= 2 && kept.length < 12, String(kept.length));
    assert.deepEqual(kept, ids.slice(-kept.length));
    const objects = join(folderOf(home, root), 'objects');
    const size = execFileSync('du', ['-sb', objects]).toString().split('\t')[0];
    assert.ok(Number(size) < 2_000_000, size);
    await assert.rejects(restore(ids[0]!), { name: 'CheckpointError', reason: 'gone' });
    await restore(kept[0]!);
    assert.equal(existsSync(join(root, 'small-11.txt')), false);
  });

  it('says that a workspace holds more than a checkpoint may', async () => {
    budget = 1000;
    put('a.txt', 'x'.repeat(2000));
    await assert.rejects(save(), { name: 'CheckpointError', reason: 'too_large' });
  });

  it('goes on in another process with what is kept, and two at once do not disturb each other', async () => {
    put('a.txt', '1');
    const first = await save();
    const other = new Checkpoints({ home, files: new NodeFileHost(), budget: () => budget });
    try {
      put('a.txt', '2');
      const about = { taskId: 't2', reason: 'step' as const };
      const saved = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? checkpoints : other).do(root, { type: 'save', about, edits: [] }, signal),
        ),
      );
      assert.equal(new Set(saved.map(({ tree }) => tree)).size, 1);
      put('a.txt', '3');
      await other.do(root, { type: 'restore', id: first, undoId: saved[0]!.id, leave: [] }, signal);
      assert.equal(text('a.txt'), '3', 'what is not as it was saved is left');
      await restore(first);
      assert.equal(text('a.txt'), '1');
    } finally {
      await other.dispose();
    }
  });

  it('damaged objects are named, never written into the workspace', async () => {
    put('a.txt', 'a'.repeat(500));
    const id = await save();
    put('a.txt', 'b');
    const objects = join(folderOf(home, root), 'objects');
    await save();
    await checkpoints.dispose();
    checkpoints = new Checkpoints({ home, files: new NodeFileHost(), budget: () => budget });
    for (const name of readdirSync(objects)) {
      const bytes = readFileSync(join(objects, name));
      bytes[3] = (bytes[3] ?? 0) ^ 0xff;
      writeFileSync(join(objects, name), bytes);
    }
    const { problems } = await restore(id).catch((error: unknown) => {
      assert.equal((error as { reason?: string }).reason, 'gone');
      return { problems: [{ path: 'a.txt' }] };
    });
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['a.txt'],
    );
    assert.equal(text('a.txt'), 'b');
  });

  it('ends what it has begun before it is disposed of, and begins nothing after', async () => {
    put('a.txt', 'a'.repeat(100_000));
    const begun = [save(), checkpoints.prune(root), save()];
    await checkpoints.dispose();
    await Promise.all(begun);
    rmSync(home, { recursive: true });
    await assert.rejects(save(), { name: 'CheckpointError', reason: 'failed' });
    assert.equal(existsSync(home), false);
  });

  it('is for its owner alone', async () => {
    put('a.txt', 'a');
    await save();
    const listed = snapshot(folderOf(home, root));
    assert.ok(Object.keys(listed).length > 3);
    for (const [path, what] of Object.entries(listed)) assert.match(what, /^(file 600|folder 700) ?/, path);
  });
});
