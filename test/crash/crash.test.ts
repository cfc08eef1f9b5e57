import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import { TaskLease } from '../../src/core/task/TaskLease.ts';
import { TaskStore } from '../../src/core/TaskStore.ts';
import { CheckpointStore, type Walk } from '../../src/services/checkpoints/CheckpointStore.ts';
import { isGit, snapshot } from '../support/checkpoints/snapshot.ts';
import { CrashProgram, type KillPoint } from '../support/crash/crashes.ts';

const walk: Walk = {
  limits: { file: 1e7, entries: 1e5, bytes: 1e9 },
  withheld: () => undefined,
  withheldStamp: '',
  isUsablePattern: () => true,
  signal: new AbortController().signal,
};
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('killed with -9 at every write to the disk', function () {
  this.timeout(900_000);
  let home: string;
  let program: CrashProgram;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lathe-killed-'));
  });
  afterEach(() => {
    program.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  it('#954 #2321 #2514 a task has every event that was acknowledged, opens, and goes on', async () => {
    program = await CrashProgram.of('taskProgram');
    const points = await program.points([join(home, 'counted')]);
    const kills = await eachKill(points, async (kill, where, own) => {
      const folder = join(own, 'tasks', 't1');
      const { lines, killed } = await program.killedAt(kill, [folder]);
      assert.ok(killed, where);
      const acknowledged = lines.map(Number);
      assert.deepEqual(
        acknowledged,
        acknowledged.map((_, index) => index + 1),
        where,
      );
      const store = new TaskStore(own, logger);
      if (acknowledged.length === 0 && !(await store.has('t1'))) return;
      if (acknowledged.length === 0 && (await TaskJournal.read(folder)).length === 0) return;
      // The list is made of the journals alone.
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ['t1'],
        where,
      );
      const lease = await TaskLease.acquire(folder);
      const { journal } = await TaskJournal.open(folder);
      const seqs = journal.entries.map(({ seq }) => seq);
      assert.deepEqual(seqs.slice(0, acknowledged.length), acknowledged, where);
      assert.deepEqual(
        seqs,
        seqs.map((_, index) => index + 1),
        where,
      );
      const next = await journal.append({ type: 'user_message', text: 'and on' });
      assert.equal(next.seq, seqs.length + 1, where);
      await journal.close();
      await lease.release();
      assert.equal((await TaskJournal.read(folder)).length, seqs.length + 1, where);
    });
    assert.ok(kills >= 200, `${kills} kills`);
  });

  it('#2868 checkpoints that were acknowledged are kept, a restore is whole when it is done again, and .git is as it was', async () => {
    program = await CrashProgram.of('checkpointProgram');
    const counted = join(home, 'counted');
    fill(counted);
    const points = await program.points([counted, join(home, 'store')]);
    const kills = await eachKill(points, async (kill, where, own) => {
      const root = join(own, 'work');
      const folder = join(own, 'store');
      fill(root);
      const before = snapshot(root);
      const { lines, killed } = await program.killedAt(kill, [root, folder]);
      assert.ok(killed, where);
      assert.deepEqual(
        snapshot(root, isGit),
        Object.fromEntries(Object.entries(before).filter(([path]) => isGit(path))),
        where,
      );
      const said = new Map(lines.map((line) => line.split(' ') as [string, string]));
      const id = said.get('saved');
      if (id === undefined) return;
      const store = new CheckpointStore(root, folder);
      const undo = await store.save({ taskId: 't1', reason: 'restore' }, [], walk);
      const { problems } = await store.restore(id, undo.id, new Set(), walk);
      assert.deepEqual(problems, [], where);
      assert.deepEqual(snapshot(root), before, where);
      assert.equal(store.restoring, undefined, where);
      // What was thrown away in the middle is gone at the next cleaning.
      store.prune({ bytes: 1e9, count: 100 });
      const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        left.filter((path) => path.includes('objects') && path.endsWith('.tmp')),
        [],
        where,
      );
    });
    assert.ok(kills >= 100, `${kills} kills`);
  });

  /** Kills the program at each of its writes, each in a folder of its own, a few side by side. Gives how often. */
  async function eachKill(
    points: number,
    check: (kill: KillPoint, where: string, own: string) => Promise<void>,
  ): Promise<number> {
    const kills = program.kills(points);
    const left = kills.values();
    let failure: Error | undefined;
    const lane = async (_: unknown, number: number): Promise<void> => {
      const own = join(home, `lane-${number}`);
      for (const kill of left) {
        if (failure) return;
        await check(kill, `${kill.how} write ${kill.at}`, own);
        rmSync(own, { recursive: true, force: true });
      }
    };
    await Promise.all(
      Array.from({ length: Math.min(4, availableParallelism()) }, lane).map(async (one) => {
        await one.catch((error: unknown) => {
          failure ??= error instanceof Error ? error : new Error(String(error));
        });
      }),
    );
    if (failure) throw failure;
    process.stdout.write(`    ${kills.length} kills at ${points} writes\n`);
    return kills.length;
  }

  function fill(root: string): void {
    mkdirSync(join(root, '.git', 'objects'), { recursive: true });
    writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(root, 'folder', 'empty'), { recursive: true });
    writeFileSync(join(root, 'a.txt'), 'a\n'.repeat(400));
    writeFileSync(join(root, 'gone.txt'), Buffer.alloc(3000, 7));
    writeFileSync(join(root, 'folder', 'run'), '#!/bin/sh\n');
    chmodSync(join(root, 'folder', 'run'), 0o755);
    symlinkSync('a.txt', join(root, 'link'));
    assert.equal(readFileSync(join(root, 'link'), 'utf8').length, 800);
  }
});
