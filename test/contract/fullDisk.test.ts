import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checkpoints } from '../../src/core/checkpoints/Checkpoints.ts';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import { NodeFileHost } from '../../src/hosts/node/NodeFileHost.ts';

/** Of a file that a process may write (`ulimit -f` counts 512 or 1024 bytes, as the shell has it). */
const BLOCKS = 32;

describe('a disk that is full', function () {
  this.timeout(60_000);
  let home: string;

  before(function () {
    // Windows has no such limit for a process.
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lathe-full-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** The lines that the program says where it may write no larger file. */
  function run(name: string, ...args: string[]): string[] {
    const program = join(import.meta.dirname, '..', 'support', 'crash', `${name}.ts`);
    const { stdout, stderr, status } = spawnSync(
      '/bin/sh',
      ['-c', `ulimit -f ${BLOCKS}; exec "$0" --import tsx "$@"`, process.execPath, program, ...args],
      { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } },
    );
    assert.equal(status, 0, stderr);
    return stdout.trim().split('\n');
  }

  it('#954 refuses what it cannot take, loses nothing that was acknowledged, and the journal goes on when there is room', async () => {
    const folder = join(home, 't1');
    const said = run('fullDiskProgram', folder);
    const acknowledged = said.filter((line) => /^\d+$/.test(line)).map(Number);
    assert.ok(acknowledged.length > 5, said.join(' '));
    assert.deepEqual(said.slice(acknowledged.length), ['JournalError', 'JournalError', 'JournalError']);
    const { journal, damage } = await TaskJournal.open(folder);
    assert.deepEqual(damage, undefined, 'the half line was taken back');
    assert.deepEqual(
      journal.entries.map(({ seq }) => seq),
      acknowledged,
    );
    const next = await journal.append({ type: 'user_message', text: 'there is room again' });
    await journal.close();
    assert.equal(next.seq, acknowledged.length + 1);
    assert.equal((await TaskJournal.read(folder)).length, acknowledged.length + 1);
    assert.deepEqual(readdirSync(folder), ['journal.jsonl']);
  });

  it('#4388 a checkpoint that it cannot take is refused, the others stay whole, and the next is kept when there is room', async () => {
    const root = join(home, 'work');
    const data = join(home, 'data');
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'one\n');
    const said = run('fullCheckpointProgram', root, data, String(BLOCKS * 256));
    const [first = [], ...others] = said.map((line) => line.split(' '));
    assert.deepEqual(
      [first, ...others].map(([word]) => word),
      ['saved', 'failed', 'failed', 'saved'],
    );
    const left = readdirSync(data, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      left.filter((path) => path.endsWith('.tmp')),
      [],
      'what was begun was taken back',
    );
    const checkpoints = new Checkpoints({ home: data, files: new NodeFileHost(), budget: () => 1e9 });
    const { signal } = new AbortController();
    try {
      const about = { taskId: 't1', reason: 'restore' as const };
      const { id: undoId } = await checkpoints.do(root, { type: 'save', about, edits: [] }, signal);
      const id = first[1] ?? '';
      const { restored } = await checkpoints.do(root, { type: 'restore', id, undoId, leave: [] }, signal);
      assert.deepEqual(restored.problems, []);
      assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
    } finally {
      await checkpoints.dispose();
    }
  });
});
