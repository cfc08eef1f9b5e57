// Writes a task as the agent does: under the lease, a turn at a time. Says each entry when it is acknowledged.
import { writeSync } from 'node:fs';
import { TaskJournal } from '../../../src/core/task/TaskJournal.ts';
import { TaskLease } from '../../../src/core/task/TaskLease.ts';

const [folder = ''] = process.argv.slice(2);
const say = (seq: number): void => void writeSync(1, `${seq}\n`);

const created = await TaskJournal.create(folder);
await created.append({ type: 'task_started', version: 1, taskId: 't1', cwd: '/w', mode: 'code' });
say(1);
await created.close();
for (let turn = 0; turn < 5; turn++) {
  const lease = await TaskLease.acquire(folder);
  const { journal } = await TaskJournal.open(folder);
  for (let step = 0; step < 4; step++) {
    const text = `turn ${turn}, step ${step}: ${'x'.repeat(turn * 900)} – “ü” 😀`;
    const [first, second] = await Promise.all([
      journal.append({ type: 'user_message', text }),
      journal.append({ type: 'user_message', text: `${text} and more`, automatic: true }),
    ]);
    say(first.seq);
    say(second.seq);
  }
  await journal.close();
  await lease.release();
}
