import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProtocolError } from '../core/Dispatcher.ts';
import { readRecorded, type RecordedTask } from '../core/replay/readRecorded.ts';
import { stateOf } from '../core/task/taskState.ts';
import { TaskStore } from '../core/TaskStore.ts';
import type { CommandLine } from '../frontends/cli/commandLine.ts';
import { taskNamed } from '../frontends/cli/listTasks.ts';
import { replay } from '../frontends/cli/replay.ts';
import { message, translate } from '../shared/strings.ts';
import { dataFolder, locale, logger, status, write } from './surroundings.ts';

/** `lathe replay`: there is no agent, no model and no machine to do anything with. @returns the exit code */
export async function replayTasks({
  task,
  json,
}: Extract<CommandLine, { command: 'replay' }>): Promise<number> {
  try {
    const tasks = isFile(task) ? readRecorded(await bytesOf(task), task) : await storedTasks(task);
    return await replay(tasks, { locale, output: write, json });
  } catch (error) {
    // There is no such task, or it is no task.
    if (!(error instanceof ProtocolError)) throw error;
    status(`${translate(locale, error.words)}\n`);
    return 2;
  }
}

function isFile(word: string): boolean {
  return /[/\\]|\.jsonl?$/.test(word);
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProtocolError('not_found', message('replay.cannotRead', { name: path, reason }));
  }
}

/** A task of the data folder, and its subtasks behind it. */
async function storedTasks(word: string): Promise<RecordedTask[]> {
  const store = new TaskStore(await dataFolder(), logger, { keepsSummaries: false });
  const all = await store.list();
  const named = taskNamed(word === 'last' ? all.filter(({ cwd }) => cwd === process.cwd()) : all, word);
  const withSubtasks = async (taskId: string): Promise<RecordedTask[]> => {
    const path = join(store.folder(taskId), 'journal.jsonl');
    const recorded = readRecorded(await bytesOf(path), path);
    const begun = recorded.flatMap(({ entries }) => [...stateOf(entries).subtasks.values()]);
    const below: RecordedTask[] = [];
    for (const subtask of begun)
      // A branch has its original's history, and none of its subtasks.
      if (all.some(({ id, parent }) => id === subtask.taskId && parent === taskId))
        below.push(...(await withSubtasks(subtask.taskId)));
    return [...recorded, ...below];
  };
  return await withSubtasks(named.id);
}
