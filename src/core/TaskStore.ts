import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { taskIdSchema, taskSummarySchema, type TaskSummary } from '../shared/protocol.ts';
import type { Logger } from './Logger.ts';
import { stateOf, summaryOf } from './task/taskState.ts';
import { TaskJournal } from './task/TaskJournal.ts';
import { TaskLease } from './task/TaskLease.ts';

const cachedSummarySchema = z.object({ journalBytes: z.number(), summary: taskSummarySchema });

/** The folders of all tasks: LATHE_HOME/tasks/<id>. Summaries are a cache beside each journal, rebuilt when it has grown. */
export class TaskStore {
  readonly #home: string;
  readonly #logger: Logger;

  constructor(home: string, logger: Logger) {
    this.#home = home;
    this.#logger = logger;
  }

  folder(taskId: string): string {
    return join(this.#home, 'tasks', taskIdSchema.parse(taskId));
  }

  async has(taskId: string): Promise<boolean> {
    return (await sizeOf(join(this.folder(taskId), 'journal.jsonl'))) !== undefined;
  }

  /** Every task whose journal can be read, newest first; one that cannot is logged and left as it is. */
  async list(): Promise<TaskSummary[]> {
    const ids = await this.#ids();
    const summaries = await Promise.all(ids.map((id) => this.#summary(id)));
    return summaries.filter((summary) => summary !== undefined).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Out of the list, kept in LATHE_HOME/trash. @throws the file system's error */
  async moveToTrash(taskId: string): Promise<void> {
    const trash = join(this.#home, 'trash');
    await mkdir(trash, { recursive: true, mode: 0o700 });
    await rename(this.folder(taskId), join(trash, `${taskId}-${randomUUID().slice(0, 8)}`));
  }

  async #ids(): Promise<string[]> {
    try {
      const entries = await readdir(join(this.#home, 'tasks'), { withFileTypes: true });
      return entries
        .filter((entry) => entry.isDirectory() && taskIdSchema.safeParse(entry.name).success)
        .map(({ name }) => name);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #summary(taskId: string): Promise<TaskSummary | undefined> {
    const folder = this.folder(taskId);
    try {
      const journalBytes = await sizeOf(join(folder, 'journal.jsonl'));
      if (journalBytes === undefined) return undefined;
      const cached = await readCache(join(folder, 'summary.json'));
      const summary =
        cached?.journalBytes === journalBytes
          ? cached.summary
          : summaryOf(stateOf(await TaskJournal.read(folder)), undefined);
      if (cached?.journalBytes !== journalBytes)
        await writeFile(join(folder, 'summary.json'), JSON.stringify({ journalBytes, summary }), {
          mode: 0o600,
        });
      const runsElsewhere = summary.state === 'interrupted' && (await TaskLease.holder(folder)) !== undefined;
      return runsElsewhere ? { ...summary, state: 'running' } : summary;
    } catch (error) {
      this.#logger.error(`the task ${taskId} cannot be listed`, error);
      return undefined;
    }
  }
}

async function readCache(path: string): Promise<z.infer<typeof cachedSummarySchema> | undefined> {
  try {
    const parsed = cachedSummarySchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    // A cache that is not there or half written is made again.
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
