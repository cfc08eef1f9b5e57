import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Action } from '../../shared/approvals.ts';
import { message } from '../../shared/strings.ts';
import type { Logger } from '../Logger.ts';
import type { Task } from '../task/Task.ts';
import { CheckpointError, type Checkpoints } from './Checkpoints.ts';
import { whyNot } from './checkpointWords.ts';

/** Milliseconds that a turn's end waits for what its last step changed. */
const LAST_LOOK = 10_000;

export interface TurnCheckpointsOptions {
  task: Task;
  checkpoints: Checkpoints;
  /** Whether the person wants them. */
  enabled: boolean;
  logger: Logger;
}

/**
 * The checkpoints of one turn: one before each step that may change files, and a look at what it changed right behind it, while the
 * model is asked. A step is not held up by what goes wrong here: the person is told once why there is none.
 */
export class TurnCheckpoints {
  readonly #options: TurnCheckpointsOptions;
  readonly #ended = new AbortController();
  #open: string | undefined;
  #look: Promise<void> = Promise.resolve();
  #told = false;
  #impossible = false;

  constructor(options: TurnCheckpointsOptions) {
    this.#options = options;
  }

  /** Reads the workspace while the model is asked for the first time. */
  warmUp(): void {
    const { checkpoints, task, enabled, logger } = this.#options;
    if (!enabled) return;
    this.#look = checkpoints.do(task.state.cwd, { type: 'warmUp' }, this.#ended.signal).then(
      () => undefined,
      (error: unknown) => {
        // The first step says why.
        if (!this.#ended.signal.aborted)
          logger.warn(`the workspace was not read for checkpoints: ${String(error)}`);
      },
    );
  }

  /** Before the call acts. Rejects with the signal's reason or JournalError only. */
  async before(callId: string, actions: readonly Action[], signal: AbortSignal): Promise<void> {
    const { checkpoints, task, enabled } = this.#options;
    if (!enabled || this.#impossible || !actions.some(mayChangeFiles)) return;
    const { cwd } = task.state;
    try {
      await this.#look;
      const about = { taskId: task.id, reason: 'step' as const, callId };
      const edits = await editsIn(cwd, actions);
      const { id } = await checkpoints.do(cwd, { type: 'save', about, edits }, signal);
      await task.record({ type: 'checkpoint_saved', checkpointId: id, reason: 'step', callId });
      this.#open = id;
    } catch (error) {
      if (signal.aborted || !(error instanceof CheckpointError)) throw error;
      await this.#tell(error);
    }
  }

  /** After the call has its result: what it changed is looked at, and nobody waits for that but the next step. */
  after(): void {
    const { checkpoints, task, logger } = this.#options;
    const id = this.#open;
    if (id === undefined) return;
    this.#open = undefined;
    this.#look = checkpoints.do(task.state.cwd, { type: 'finish', id }, this.#ended.signal).then(
      () => undefined,
      (error: unknown) => {
        if (!this.#ended.signal.aborted) logger.warn(`what a step changed is not known: ${String(error)}`);
      },
    );
  }

  /** Waits for the last look, then lets go of what is beyond the bounds. Does not fail. */
  async end(): Promise<void> {
    const { checkpoints, task, enabled, logger } = this.#options;
    const timer = setTimeout(() => this.#ended.abort(), LAST_LOOK);
    await this.#look;
    clearTimeout(timer);
    if (!enabled || this.#impossible) return;
    checkpoints.prune(task.state.cwd).catch((error: unknown) => {
      logger.warn(`old checkpoints were not removed: ${String(error)}`);
    });
  }

  async #tell(error: CheckpointError): Promise<void> {
    const { task, logger } = this.#options;
    this.#impossible = error.reason === 'too_large' || error.reason === 'hidden';
    logger.warn(`no checkpoint: ${error.message}`);
    if (this.#told) return;
    this.#told = true;
    const words = message('checkpoint.none', { reason: error.message });
    await task.record({
      type: 'notice',
      level: 'warning',
      message: error.reason === 'failed' ? words : whyNot(error),
    });
  }
}

function mayChangeFiles({ type }: Action): boolean {
  return type === 'edit' || type === 'delete' || type === 'command' || type === 'mcp';
}

/** Files in the workspace that the call names, relative to it with `/`. */
async function editsIn(cwd: string, actions: readonly Action[]): Promise<string[]> {
  const root = await realpath(cwd);
  return actions.flatMap((action) => {
    if (action.type !== 'edit' && action.type !== 'delete') return [];
    return action.insideWorkspace ? [relative(root, action.path).split(sep).join('/')] : [];
  });
}
