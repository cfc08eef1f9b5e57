import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { journalLine, parseJournal, TaskJournal } from '../../src/core/task/TaskJournal.ts';
import { LeaseTakenError, TaskLease } from '../../src/core/task/TaskLease.ts';
import type { Fact } from '../../src/shared/events.ts';

const started: Fact = { type: 'task_started', version: 1, taskId: 't1', cwd: '/w', mode: 'code' };
const said = (text: string): Fact => ({ type: 'user_message', text });

describe('TaskJournal', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'lathe-journal-')), 'task');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  const path = (): string => join(folder, 'journal.jsonl');

  async function written(count: number): Promise<Buffer> {
    const journal = await TaskJournal.create(folder);
    await journal.append(started);
    for (let number = 1; number < count; number++) await journal.append(said(`message ${number} – “ü” 😀\n`));
    await journal.close();
    return readFileSync(path());
  }

  it('cut at every byte, opens with every entry that is whole, and keeps the rest byte for byte', async () => {
    const bytes = await written(6);
    const whole = parseJournal(bytes).entries;
    assert.equal(whole.length, 6);
    for (let length = 0; length <= bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const { entries } = parseJournal(cut);
      const lines = cut.toString('latin1').split('\n').length - 1;
      assert.deepEqual(entries, whole.slice(0, Math.max(0, lines - 1)), `cut at byte ${length}`);
    }
    // Opened for writing, a torn end is set aside and the next entry follows on what is whole.
    for (const length of [bytes.length - 1, bytes.length - 20, 5]) {
      writeFileSync(path(), bytes.subarray(0, length));
      const { journal, damage } = await TaskJournal.open(folder);
      assert.equal(damage?.lines, length === 5 ? 2 : 1);
      assert.deepEqual(readFileSync(damage.file), bytes.subarray(0, length));
      const before = journal.entries.length;
      await journal.append(said('after'));
      await journal.close();
      assert.equal((await TaskJournal.read(folder)).length, before + 1);
      rmSync(damage.file);
    }
  });

  it('with any bytes damaged, never gives an entry that was not written, and opens the others', async () => {
    const bytes = await written(8);
    const whole = parseJournal(bytes).entries;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 5,
        }),
        (changes) => {
          const damaged = Buffer.from(bytes);
          for (const [at, value] of changes) damaged[at] = value;
          const { entries } = parseJournal(damaged);
          for (const entry of entries) assert.deepEqual(entry, whole[entry.seq - 1]);
          assert.ok(entries.length >= whole.length - 2 * changes.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('numbers facts that are appended at the same time without gaps, in order', async () => {
    const journal = await TaskJournal.create(folder);
    const entries = await Promise.all(
      [started, ...Array.from({ length: 50 }, (_, number) => said(String(number)))].map((fact) =>
        journal.append(fact),
      ),
    );
    await journal.close();
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 51 }, (_, number) => number + 1),
    );
    assert.deepEqual(await TaskJournal.read(folder), entries);
  });

  it('refuses to be made where a journal is, and says which folder cannot be written', async () => {
    await written(1);
    await assert.rejects(TaskJournal.create(folder), { name: 'JournalError', folder });
  });

  it('after a failed append refuses every further one', async () => {
    const journal = await TaskJournal.create(folder);
    await journal.append(started);
    await journal.close();
    await assert.rejects(journal.append(said('late')), { name: 'JournalError' });
  });

  it('ignores a line whose sum is right but whose number does not grow', async () => {
    const bytes = await written(3);
    const [entry] = parseJournal(bytes).entries;
    assert.ok(entry);
    const { entries, damaged } = parseJournal(Buffer.concat([bytes, Buffer.from(journalLine(entry))]));
    assert.deepEqual([entries.length, damaged], [3, 1]);
  });

  it('loses nothing that was acknowledged when its process is killed with -9', async function () {
    this.timeout(60_000);
    const writer = join(import.meta.dirname, '..', 'support', 'journalWriter.ts');
    for (let round = 0; round < 8; round++) {
      rmSync(folder, { recursive: true, force: true });
      const child = spawn(process.execPath, ['--import', 'tsx', writer, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await new Promise<void>((resolve) => {
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
          // At another moment each round, somewhere between two writes or in the middle of one.
          if (output.split('\n').length > 5 + round * 7) {
            child.kill('SIGKILL');
            resolve();
          }
        });
      });
      await ended;
      const acknowledged = output.split('\n').slice(0, -1).map(Number);
      const entries = await TaskJournal.read(folder);
      assert.deepEqual(
        acknowledged,
        acknowledged.map((_, index) => index + 1),
      );
      assert.deepEqual(
        entries.slice(0, acknowledged.length).map(({ seq }) => seq),
        acknowledged,
      );
    }
  });

  it('is for its owner alone', async () => {
    await written(1);
    const { statSync } = await import('node:fs');
    assert.equal(statSync(path()).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o077, 0);
    chmodSync(folder, 0o700);
  });
});

describe('TaskLease', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lathe-lease-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('goes to one of many who ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => TaskLease.acquire(folder)));
    assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const one of asked) if (one.status === 'rejected') assert.ok(one.reason instanceof LeaseTakenError);
    assert.deepEqual(readdirSync(folder), ['lease.json']);
  });

  it('is taken from a process that has ended, and from one whose number was given to another', async () => {
    for (const holder of [
      { pid: 2 ** 22 - 3, startedAt: '1' },
      { pid: process.pid, startedAt: '1' },
    ]) {
      const { hostname } = await import('node:os');
      writeFileSync(
        join(folder, 'lease.json'),
        JSON.stringify({ token: 'old', host: hostname(), ...holder }),
      );
      const lease = await TaskLease.acquire(folder);
      await lease.release();
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  it('is never taken from another machine', async () => {
    writeFileSync(
      join(folder, 'lease.json'),
      JSON.stringify({ token: 'x', host: 'elsewhere', pid: 1, startedAt: '1' }),
    );
    await assert.rejects(TaskLease.acquire(folder), LeaseTakenError);
  });
});
