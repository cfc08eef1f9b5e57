// GET /api/chat/sessions at several numbers of sessions, the packaged server with its data on this machine's disk.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journalLine, TaskJournal } from '../../src/core/task/TaskJournal.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { ServedFolder } from '../support/ServedFolder.ts';
import { figure, growthExponent, median, printTable } from './support/measure.ts';

const SIZES = [100, 300, 1000, 3000];
const ROUNDS = 15;

const cwd = mkdtempSync(join(tmpdir(), 'lathe-list-'));
const home = mkdtempSync(join(tmpdir(), 'lathe-list-home-'));
const task = (id: string): string => join(home, 'tasks', id);
const entries = (taskId: string): JournalEntry[] => [
  { seq: 1, at: Date.now(), type: 'task_started', version: 1, taskId, cwd, mode: 'code' },
  { seq: 2, at: Date.now(), type: 'user_message', text: `What is said in ${taskId}. `.repeat(100) },
  { seq: 3, at: Date.now(), type: 'task_finished', reason: 'answered' },
];
await (await TaskJournal.create(task('session-0'), entries('session-0'))).close();
const [header = ''] = readFileSync(join(task('session-0'), 'journal.jsonl'), 'utf8').split('\n');

const rows: string[][] = [];
const points: { size: number; time: number }[] = [];
let there = 1;
for (const size of SIZES) {
  for (; there < size; there++) {
    const id = `session-${there}`;
    mkdirSync(task(id));
    writeFileSync(join(task(id), 'journal.jsonl'), `${header}\n${entries(id).map(journalLine).join('')}`);
  }
  const served = await ServedFolder.start(cwd, { LATHE_HOME: home });
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    const listed = (await (await fetch(`${served.url}/api/chat/sessions`)).json()) as unknown[];
    times.push(performance.now() - start);
    if (listed.length !== size) throw new Error(`${listed.length} sessions of ${size}`);
  }
  await served.stop();
  const [first = NaN, ...others] = times;
  rows.push([String(size), figure(first), figure(median(others)), figure((median(others) * 1000) / size)]);
  points.push({ size, time: median(others) });
}
console.log('GET /api/chat/sessions, ms');
printTable(['sessions', 'the first', 'from then on (median)', 'µs a session'], rows);
console.log(`grows with the exponent ${figure(growthExponent(points))} (1 is linear)`);
rmSync(cwd, { recursive: true, force: true });
rmSync(home, { recursive: true, force: true });
