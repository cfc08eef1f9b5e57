import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';

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

  it('#954 refuses what it cannot take, loses nothing that was acknowledged, and the journal goes on when there is room', async () => {
    const folder = join(home, 't1');
    const program = join(import.meta.dirname, '..', 'support', 'crash', 'fullDiskProgram.ts');
    const limited = `ulimit -f ${BLOCKS}; exec "$0" --import tsx "$1" "$2"`;
    const { stdout, stderr, status } = spawnSync(
      '/bin/sh',
      ['-c', limited, process.execPath, program, folder],
      {
        encoding: 'utf8',
        env: { ...process.env, TSX_DISABLE_CACHE: '1' },
      },
    );
    assert.equal(status, 0, stderr);
    const said = stdout.trim().split('\n');
    const acknowledged = said.filter((line) => /^\d+$/.test(line)).map(Number);
    assert.ok(acknowledged.length > 5, stdout);
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
});
