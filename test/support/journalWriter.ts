// A process that is killed: appends to a journal and prints each number once the entry is acknowledged.
import { writeSync } from 'node:fs';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';

const [folder = ''] = process.argv.slice(2);
const journal = await TaskJournal.create(folder);
await journal.append({ type: 'task_started', version: 1, taskId: 't1', cwd: '/w', mode: 'code' });
writeSync(1, '1\n');
for (let number = 2; number < 5000; number++) {
  const { seq } = await journal.append({ type: 'user_message', text: 'x'.repeat((number * 37) % 4000) });
  writeSync(1, `${seq}\n`);
}
