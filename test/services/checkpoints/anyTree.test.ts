import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { CheckpointStore, type Walk } from '../../../src/services/checkpoints/CheckpointStore.ts';
import { snapshot } from '../../support/checkpoints/snapshot.ts';

const walk: Walk = {
  limits: { file: 1e7, entries: 1e5, bytes: 1e9 },
  withheld: () => undefined,
  withheldStamp: '',
  isUsablePattern: () => true,
  signal: new AbortController().signal,
};

/** One thing that somebody does to a workspace: what cannot be done there is passed over. */
type Edit =
  | { type: 'write'; path: string; content: string; mode: number }
  | { type: 'link'; path: string; target: string }
  | { type: 'folder'; path: string; mode: number }
  | { type: 'remove'; path: string };

const name = fc.constantFrom('a', 'b', 'C', 'ü', 'long name', '.hidden', '-rf', 'a\nb', '\\');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    type: fc.constant('write' as const),
    path,
    content: fc.constantFrom('', 'x', 'y', 'same length', 'other words', '\0\u00ff', 'z'.repeat(4000)),
    mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444),
  }),
  fc.record({
    type: fc.constant('link' as const),
    path,
    target: fc.oneof(path, fc.constantFrom('/nowhere', '..', '.')),
  }),
  fc.record({ type: fc.constant('folder' as const), path, mode: fc.constantFrom(0o755, 0o700) }),
  fc.record({ type: fc.constant('remove' as const), path }),
);

describe('checkpoints of any tree', function () {
  this.timeout(240_000);
  let base: string;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'lathe-any-'));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  function apply(root: string, one: Edit): void {
    const target = join(root, one.path);
    // Not through a link: that would leave the workspace.
    let folder = root;
    for (const part of one.path.split('/').slice(0, -1)) {
      folder = join(folder, part);
      const found = lstatSync(folder, { throwIfNoEntry: false });
      if (found && !found.isDirectory()) rmSync(folder, { force: true });
    }
    if (one.type === 'remove') {
      rmSync(target, { recursive: true, force: true });
      return;
    }
    mkdirSync(dirname(target), { recursive: true });
    const status = lstatSync(target, { throwIfNoEntry: false });
    switch (one.type) {
      case 'write':
        if (status && !status.isFile()) rmSync(target, { recursive: true, force: true });
        if (status?.isFile() === true) chmodSync(target, 0o644);
        writeFileSync(target, one.content);
        chmodSync(target, one.mode);
        break;
      case 'link':
        if (status) rmSync(target, { recursive: true, force: true });
        symlinkSync(one.target, target);
        break;
      case 'folder':
        if (status && !status.isDirectory()) rmSync(target, { force: true });
        mkdirSync(target, { recursive: true });
        chmodSync(target, one.mode);
        break;
    }
  }

  it('every state that was saved comes back byte for byte, in any order, also after a cleaning and in another process', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 8 }), { minLength: 2, maxLength: 5 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        async (phases, order) => {
          const root = join(base, `work-${++run}`);
          const folder = join(base, `store-${run}`);
          mkdirSync(root);
          let store = new CheckpointStore(root, folder);
          const saved: { id: string; was: Record<string, string> }[] = [];
          for (const phase of phases) {
            for (const one of phase) apply(root, one);
            const { id } = await store.save({ taskId: 't', reason: 'step' }, [], walk);
            saved.push({ id, was: snapshot(root) });
          }
          store.prune({ bytes: 1e9, count: 100 });
          store = new CheckpointStore(root, folder);
          for (const number of order) {
            const target = saved[number % saved.length]!;
            const undo = await store.save({ taskId: 't', reason: 'restore' }, [], walk);
            const { problems } = await store.restore(target.id, undo.id, new Set(), walk);
            assert.deepEqual(problems, []);
            assert.deepEqual(snapshot(root), target.was);
          }
          rmSync(root, { recursive: true });
          rmSync(folder, { recursive: true });
        },
      ),
      { numRuns: 150 },
    );
    assert.deepEqual(readdirSync(base), []);
  });
});
