import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Lease, LeaseTakenError } from '../../services/leases/Lease.ts';
import { Thread, threadFile } from '../../services/threads/Thread.ts';
import { IgnoreRules } from '../context/IgnoreRules.ts';
import type { FileHost } from '../host/Host.ts';
import type { CheckpointAnswer, CheckpointRequest, CheckpointWork } from './checkpointThread.ts';

type AnswerOf<T extends CheckpointAnswer['type']> = Extract<CheckpointAnswer, { type: T }>;

/** Bytes of one file; files, folders and links of a workspace. */
const LARGEST_FILE = 16 * 1024 * 1024;
const MOST_ENTRIES = 150_000;
/** Checkpoints of a workspace. */
const MOST_CHECKPOINTS = 1000;
/** Milliseconds without work after which the thread ends; megabytes of its heap. */
const IDLE = 10 * 60_000;
const HEAP = 1024;
/** Milliseconds to wait for another process that works on the same workspace. */
const PATIENCE = 30_000;
const STEP = 25;

/** No checkpoint could be saved or used; the message says why. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  constructor(
    readonly reason: 'busy' | 'hidden' | 'too_large' | 'gone' | 'failed',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

export interface CheckpointsOptions {
  /** LATHE_HOME. */
  home: string;
  files: FileHost;
  /** Bytes that the checkpoints of one workspace may take. */
  budget: () => number;
}

/**
 * Checkpoints of workspaces: states of their files, kept in the data folder, one folder a workspace. The work is done in a thread; one
 * process at a time, one piece after the other.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #thread: Thread<CheckpointRequest, CheckpointAnswer>;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
    this.#thread = new Thread(threadFile(import.meta.url, 'checkpointThread'), { idle: IDLE, heap: HEAP });
  }

  /** @throws CheckpointError, or the signal's reason */
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'save' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'saved'>>;
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'list' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'list'>>;
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'difference' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'difference'>>;
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'file' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'file'>>;
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'restore' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'restored'>>;
  async do(
    cwd: string,
    work: Extract<CheckpointWork, { type: 'warmUp' | 'finish' }>,
    signal: AbortSignal,
  ): Promise<AnswerOf<'done'>>;
  async do(cwd: string, work: CheckpointWork, signal: AbortSignal): Promise<CheckpointAnswer> {
    return await this.#inTurn(async () => await this.#work(cwd, work, signal));
  }

  /** Forgets what is beyond the bounds. */
  async prune(cwd: string): Promise<void> {
    const { signal } = new AbortController();
    const work = { type: 'prune' as const, bytes: this.#options.budget(), count: MOST_CHECKPOINTS };
    await this.#inTurn(async () => await this.#work(cwd, work, signal));
  }

  /** Waits for what is under way and what waits for it; takes nothing more. Nothing of it touches the disk afterwards. */
  async dispose(): Promise<void> {
    this.#closed = true;
    for (let last; last !== this.#last;) await (last = this.#last);
    await this.#thread.dispose();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new CheckpointError('failed', 'Lathe is ending');
    const result = this.#last.then(work);
    // Who asked hears of a failure; the next in turn need not.
    this.#last = result.catch(() => undefined);
    return await result;
  }

  async #work(cwd: string, work: CheckpointWork, signal: AbortSignal): Promise<CheckpointAnswer> {
    signal.throwIfAborted();
    const { home, files, budget } = this.#options;
    const rules = new IgnoreRules(cwd, files);
    await rules.refresh(signal);
    if (!rules.usable) throw new CheckpointError('hidden', 'the ignore file of the workspace cannot be used');
    try {
      const root = await realpath(cwd);
      const folder = folderOf(home, root);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lease = await leaseOf(folder, signal);
      try {
        const limits = { file: LARGEST_FILE, entries: MOST_ENTRIES, bytes: budget() };
        const request = { root, folder, home: await realpath(home), limits, hidden: rules.patterns, work };
        return await this.#thread.call(request, { signal });
      } finally {
        await lease.release();
      }
    } catch (error) {
      throw asCheckpointError(error, signal);
    }
  }
}

/** The folder of a workspace's checkpoints. `root` is real. */
export function folderOf(home: string, root: string): string {
  return join(home, 'checkpoints', createHash('sha256').update(root).digest('hex').slice(0, 24));
}

/** One process at a time; one that has ended without giving it back has lost it. */
async function leaseOf(folder: string, signal: AbortSignal): Promise<Lease> {
  for (const end = performance.now() + PATIENCE; ;) {
    try {
      return await Lease.acquire(folder, 'lease');
    } catch (error) {
      if (!(error instanceof LeaseTakenError) || performance.now() > end) throw error;
    }
    await delay(STEP, undefined, { signal });
  }
}

function asCheckpointError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof Error)) return error;
  const options = { cause: error };
  if (error.name === 'LeaseTakenError') return new CheckpointError('busy', error.message, options);
  if (error.name === 'WorkspaceTooLarge') return new CheckpointError('too_large', error.message, options);
  if (error.name === 'CheckpointGone' || error.name === 'ObjectError')
    return new CheckpointError('gone', error.message, options);
  return new CheckpointError('failed', error.message, options);
}
