import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRecorded } from '../../src/core/replay/readRecorded.ts';
import { replayTask } from '../../src/core/replay/replayTask.ts';
import { isJournal } from '../../src/core/task/TaskJournal.ts';

/** Every task of a data folder comes out the same when it is gone through again. Journals that a test damaged are passed over. */
export async function assertReplays(home: string): Promise<void> {
  const tasks = join(home, 'tasks');
  if (!existsSync(tasks) || !statSync(tasks).isDirectory()) return;
  for (const taskId of readdirSync(tasks)) {
    const path = join(tasks, taskId, 'journal.jsonl');
    if (!existsSync(path) || !isJournal(readFileSync(path))) continue;
    for (const { entries, damaged } of readRecorded(readFileSync(path), path)) {
      if (damaged > 0) continue;
      const { steps } = await replayTask(entries);
      assert.deepEqual(
        steps.filter(({ verdict }) => verdict === 'differs'),
        [],
        `the task ${taskId} does not replay`,
      );
    }
  }
}
