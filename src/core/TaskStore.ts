import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { JournalEntry } from '../shared/events.ts';
import { taskIdSchema, taskSummarySchema, type TaskSummary } from '../shared/protocol.ts';
import type { Logger } from './Logger.ts';
import { stateOf, summaryOf } from './task/taskState.ts';
import { TaskJournal } from './task/TaskJournal.ts';
import { TaskLease, type Leases } from './task/TaskLease.ts';

/** Characters around a place that was found. */
const EXCERPT_BEFORE = 40;
const EXCERPT_AFTER = 120;

const cachedSummarySchema = z.object({ journalBytes: z.number(), summary: taskSummarySchema });

/** The summary of a journal, and the file's stamp by which it is known to be that journal. */
interface KnownSummary {
  stamp: string;
  summary: TaskSummary;
}

/**
 * The folders of all tasks: LATHE_HOME/tasks/<id>. Summaries are a cache beside each journal, made again when it has grown; those that
 * were read are kept, so that a listing costs a look at each journal's stamp, whoever writes it.
 */
export class TaskStore {
  readonly #home: string;
  readonly #logger: Logger;
  readonly #leases: Leases;
  readonly #keepsSummaries: boolean;
  readonly #known = new Map<string, KnownSummary>();

  /** With `keepsSummaries` false nothing is ever written. */
  constructor(
    home: string,
    logger: Logger,
    { leases = TaskLease, keepsSummaries = true }: { leases?: Leases; keepsSummaries?: boolean } = {},
  ) {
    this.#home = home;
    this.#logger = logger;
    this.#leases = leases;
    this.#keepsSummaries = keepsSummaries;
  }

  folder(taskId: string): string {
    return join(this.#home, 'tasks', taskIdSchema.parse(taskId));
  }

  async has(taskId: string): Promise<boolean> {
    return (await statOf(join(this.folder(taskId), 'journal.jsonl'))) !== undefined;
  }

  /**
   * Every task whose journal can be read, newest first; one that cannot is logged and left as it is. `live`: the summaries of those that
   * run in this process, which nobody has to look up.
   */
  async list(live: ReadonlyMap<string, TaskSummary> = new Map()): Promise<TaskSummary[]> {
    const ids = await this.#ids();
    const there = new Set(ids);
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
    const stored = await Promise.all(ids.map(async (id) => live.get(id) ?? (await this.#readable(id))));
    // All at once, which whoever knows the writers can answer together.
    const summaries = await Promise.all(
      stored.map(async (summary) =>
        summary && !live.has(summary.id) ? await this.#asItRuns(summary) : summary,
      ),
    );
    return summaries.filter((summary) => summary !== undefined).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Tasks in whose titles, messages and answers every word of the query stands, newest first. */
  async search(query: string, limit: number): Promise<{ taskId: string; excerpt: string }[]> {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found: { taskId: string; excerpt: string }[] = [];
    // One after the other: the journals of a year do not fit into memory at once.
    for (const { id } of await this.list()) {
      if (found.length >= limit) break;
      const excerpt = excerptOf(await this.#texts(id), words);
      if (excerpt !== undefined) found.push({ taskId: id, excerpt });
    }
    return found;
  }

  /** Out of the list, kept in LATHE_HOME/trash. @throws the file system's error */
  async moveToTrash(taskId: string): Promise<void> {
    const trash = join(this.#home, 'trash');
    await mkdir(trash, { recursive: true, mode: 0o700 });
    await rename(this.folder(taskId), join(trash, `${taskId}-${randomUUID().slice(0, 8)}`));
  }

  async isInTrash(taskId: string): Promise<boolean> {
    return (await namesIn(join(this.#home, 'trash'))).some((name) => trashedAs(name) === taskId);
  }

  /** Back from the trash, the one that went there last. Gives false when there is none, or the task is there again. */
  async restore(taskId: string): Promise<boolean> {
    const trash = join(this.#home, 'trash');
    const names = await namesIn(trash);
    const candidates = names.filter((name) => trashedAs(name) === taskId);
    const dated = await Promise.all(
      candidates.map(async (name) => ({ name, at: (await stat(join(trash, name))).ctimeMs })),
    );
    const [newest] = dated.sort((a, b) => b.at - a.at);
    if (newest === undefined || (await this.has(taskId))) return false;
    await rename(join(trash, newest.name), this.folder(taskId));
    return true;
  }

  /** What was said in a task, by either side. */
  async #texts(taskId: string): Promise<string[]> {
    try {
      return (await TaskJournal.read(this.folder(taskId))).flatMap(saidIn);
    } catch (error) {
      this.#logger.error(`the task ${taskId} cannot be searched`, error);
      return [];
    }
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

  /** Undefined for a task that there is none of; one that cannot be read is logged. */
  async summary(taskId: string): Promise<TaskSummary | undefined> {
    const summary = await this.#readable(taskId);
    return summary && (await this.#asItRuns(summary));
  }

  /** What has no end in its journal runs where somebody writes it. */
  async #asItRuns(summary: TaskSummary): Promise<TaskSummary> {
    if (summary.state !== 'interrupted') return summary;
    const holder = await this.#leases.holder(this.folder(summary.id));
    return holder ? { ...summary, state: 'running' } : summary;
  }

  async #readable(taskId: string): Promise<TaskSummary | undefined> {
    try {
      return await this.#stored(taskId);
    } catch (error) {
      this.#logger.error(`the task ${taskId} cannot be listed`, error);
      return undefined;
    }
  }

  /** What the journal says: as it is known here, else as it is cached beside it, else from all of it. */
  async #stored(taskId: string): Promise<TaskSummary | undefined> {
    const folder = this.folder(taskId);
    const stat = await statOf(join(folder, 'journal.jsonl'));
    if (!stat) return undefined;
    const { size: journalBytes, mtimeMs, ino } = stat;
    // A journal only grows; one that was deleted and begun anew is another file.
    const stamp = `${journalBytes} ${mtimeMs} ${ino}`;
    const known = this.#known.get(taskId);
    if (known?.stamp === stamp) return known.summary;
    const cached = await readCache(join(folder, 'summary.json'));
    const isCached = cached?.journalBytes === journalBytes;
    const summary = isCached ? cached.summary : summaryOf(stateOf(await TaskJournal.read(folder)), undefined);
    if (this.#keepsSummaries && !isCached)
      await writeFile(join(folder, 'summary.json'), JSON.stringify({ journalBytes, summary }), {
        mode: 0o600,
      });
    this.#known.set(taskId, { stamp, summary });
    return summary;
  }
}

/** The id of the task that lies in the trash under this name. */
function trashedAs(name: string): string {
  return name.replace(/-[0-9a-f]{8}$/, '');
}

function saidIn(entry: JournalEntry): string[] {
  switch (entry.type) {
    case 'title_changed':
      return [entry.title];
    case 'user_message':
      return entry.automatic === true ? [] : [entry.text];
    case 'assistant_message':
      return entry.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    case 'tool_finished':
      return [entry.view.subject];
    case 'task_finished':
      return entry.result === undefined ? [] : [entry.result];
    default:
      return [];
  }
}

/** The surroundings of the first word where it stands first; undefined when a word is missing. */
function excerptOf(texts: readonly string[], words: readonly string[]): string | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  const lower = texts.map((text) => text.toLowerCase());
  if (!words.every((word) => lower.some((text) => text.includes(word)))) return undefined;
  const index = lower.findIndex((text) => text.includes(first));
  const text = texts[index] ?? '';
  const at = lower[index]?.indexOf(first) ?? 0;
  const start = Math.max(0, at - EXCERPT_BEFORE);
  const cut = text
    .slice(start, at + EXCERPT_AFTER)
    .replace(/\s+/g, ' ')
    .trim();
  return `${start > 0 ? '…' : ''}${cut}${at + EXCERPT_AFTER < text.length ? '…' : ''}`;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
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

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
