import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing, replaceFile } from './disk.ts';

const leftOutSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      reason: z.enum(['ignored', 'hidden', 'cache', 'secret', 'too_large', 'unreadable', 'special']),
    }),
  ),
  count: z.number(),
});

const recordSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  /** Before a step of the agent, or before files were restored. */
  reason: z.enum(['step', 'restore']),
  callId: z.string().optional(),
  /** The workspace before the step, and after it, once it is over. */
  before: z.string(),
  after: z.string().optional(),
  leftOut: leftOutSchema,
});
export type CheckpointRecord = z.infer<typeof recordSchema>;

/** A restore that is under way; when its process was killed, this is left. */
const restoringSchema = z.object({ taskId: z.string(), checkpointId: z.string(), undoId: z.string() });
export type Restoring = z.infer<typeof restoringSchema>;

/** Files that the agent has edited, the latest last: how many are remembered. */
const MOST_PINNED = 2000;

/** A new id: later ones sort behind earlier ones. */
export function newCheckpointId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
}

/** What is kept: a small file a checkpoint. One that cannot be read counts as gone. */
export class Records {
  readonly #folder: string;
  readonly #restoring: string;
  readonly #pinned: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'saved');
    this.#restoring = join(folder, 'restoring.json');
    this.#pinned = join(folder, 'pinned.json');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Oldest first. */
  all(): CheckpointRecord[] {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    return names
      .sort()
      .flatMap((name) => read(join(this.#folder, name), recordSchema) ?? [])
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }

  get(id: string): CheckpointRecord | undefined {
    return /^[0-9a-z-]{1,40}$/.test(id) ? read(this.#path(id), recordSchema) : undefined;
  }

  put(record: CheckpointRecord): void {
    replaceFile(this.#path(record.id), JSON.stringify(record));
  }

  remove(id: string): void {
    rmSync(this.#path(id), { force: true });
  }

  get restoring(): Restoring | undefined {
    return read(this.#restoring, restoringSchema);
  }

  setRestoring(restoring: Restoring | undefined): void {
    if (restoring) replaceFile(this.#restoring, JSON.stringify(restoring));
    else rmSync(this.#restoring, { force: true });
  }

  get pinned(): readonly string[] {
    return read(this.#pinned, z.array(z.string())) ?? [];
  }

  pin(paths: readonly string[]): void {
    const { pinned } = this;
    if (paths.every((path) => pinned.includes(path))) return;
    const all = [...new Set([...pinned, ...paths])].slice(-MOST_PINNED);
    replaceFile(this.#pinned, JSON.stringify(all));
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function read<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
