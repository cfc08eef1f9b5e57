// Writes a journal until the disk takes no more, and says what was acknowledged and how it was refused.
import { writeSync } from 'node:fs';
import { TaskJournal } from '../../../src/core/task/TaskJournal.ts';

const [folder = ''] = process.argv.slice(2);
const journal = await TaskJournal.create(folder);
await journal.append({ type: 'task_started', version: 1, taskId: 't1', cwd: '/w', mode: 'code' });
writeSync(1, '1\n');
for (let refused = 0; refused < 3;) {
  try {
    const { seq } = await journal.append({ type: 'user_message', text: 'words '.repeat(300) });
    writeSync(1, `${seq}\n`);
  } catch (error) {
    refused++;
    writeSync(1, `${error instanceof Error ? error.name : 'something else'}\n`);
  }
}
await journal.close();
