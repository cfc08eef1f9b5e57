import { randomUUID } from 'node:crypto';
import { translate } from '../../shared/strings.ts';
import { formatResponse } from '../prompts/responses.ts';
import type { ToolResponse } from '../tools/BaseTool.ts';
import type { TaskContext, WantedSubtask } from '../tools/TaskContext.ts';
import { SubtaskWaits } from './SubtaskWaits.ts';
import type { Task } from './Task.ts';
import type { BegunSubtask } from './taskState.ts';
import { TurnInterrupted } from './TurnInterrupted.ts';

/** How deep subtasks may be nested: each level is a conversation that waits, and a person loses sight of them. */
const DEEPEST = 4;

export interface TaskStackOptions {
  /** The task with this id; undefined when there is none, or it is in the trash. */
  find: (taskId: string) => Promise<Task | undefined>;
  /** Whether a task with this id is in the trash. */
  isDeleted: (taskId: string) => Promise<boolean>;
  /** Writes down a new task that is the subtask of this one. */
  create: (parent: Task, begun: BegunSubtask, depth: number) => Promise<Task>;
}

/**
 * Subtasks as a stack: the last one runs, and each above it waits for the next one's end in the middle of its turn. What is known of
 * them is in the journals alone: the parent's names the subtask before there is one, the subtask's says how it ended, and then the
 * parent's has the call's result. So whoever goes on with any of them, in whichever process, comes to the same end.
 */
export class TaskStack {
  readonly #options: TaskStackOptions;

  constructor(options: TaskStackOptions) {
    this.#options = options;
  }

  /** What a call sees of it. */
  of(task: Task, callId: string, signal: AbortSignal): TaskContext['subtasks'] {
    const depth = depthOf(task);
    return {
      ...(depth >= DEEPEST ? { refusal: formatResponse.subtaskTooDeep(depth) } : {}),
      run: async (wanted) => await this.#run(task, callId, wanted, signal),
    };
  }

  /** The task at the end of those that wait for each other below this one; the task itself when it waits for none. */
  async deepest(task: Task): Promise<Task> {
    let deepest = task;
    for (let depth = depthOf(task); depth <= DEEPEST; depth++) {
      const open = [...deepest.state.subtasks.values()].find((begun) => begun.open);
      const below = open && (await this.#existing(deepest, open));
      if (!below) return deepest;
      deepest = below;
    }
    return deepest;
  }

  /** Goes on with those that wait for this task, which has been started; each is followed where it runs. */
  async startAbove(task: Task): Promise<void> {
    let below = task;
    for (let depth = depthOf(task); depth > 0; depth--) {
      const { parent } = below.state;
      const above = parent && (await this.#options.find(parent.taskId));
      if (!parent || !above) return;
      // Another process may have gone on with it since.
      const writer = await above.writer();
      const begun = above.state.subtasks.get(parent.callId);
      if (writer || begun?.open !== true || begun.taskId !== below.id) return;
      above.start();
      below = above;
    }
  }

  /** The subtasks that this task ever began and that are there, each followed by its own. */
  async below(task: Task): Promise<Task[]> {
    const tasks: Task[] = [];
    for (const begun of task.state.subtasks.values()) {
      const child = await this.#existing(task, begun);
      if (child) tasks.push(child, ...(await this.below(child)));
    }
    return tasks;
  }

  async #run(
    parent: Task,
    callId: string,
    wanted: WantedSubtask | undefined,
    signal: AbortSignal,
  ): Promise<ToolResponse> {
    signal.throwIfAborted();
    if (wanted) await parent.record({ type: 'subtask_started', callId, taskId: randomUUID(), ...wanted });
    const begun = parent.state.subtasks.get(callId);
    if (!begun) throw new Error(`the call ${callId} has no subtask`);
    const { taskId, mode, message } = begun;
    const child = await this.#child(parent, begun);
    if (!child) return { content: formatResponse.subtaskGone(), failed: true };
    const failure = await follow(child, signal);
    return {
      details: { type: 'subtask', mode, message, taskId },
      ...(child.state.sawUntrusted ? { origin: 'subtask' } : {}),
      ...(failure === undefined
        ? responseOf(child)
        : { content: formatResponse.subtaskFailed(failure), failed: true }),
    };
  }

  /** The task of a begun subtask, written down now where its process had not come to that; undefined when it was deleted. */
  async #child(parent: Task, begun: BegunSubtask): Promise<Task | undefined> {
    const { find, isDeleted, create } = this.#options;
    const known = await find(begun.taskId);
    if (known) return known.state.parent?.taskId === parent.id ? known : undefined;
    if (await isDeleted(begun.taskId)) return undefined;
    return await create(parent, begun, depthOf(parent) + 1);
  }

  /** A branch has its original's history, and none of its subtasks. */
  async #existing(parent: Task, { taskId }: BegunSubtask): Promise<Task | undefined> {
    const child = await this.#options.find(taskId);
    return child?.state.parent?.taskId === parent.id ? child : undefined;
  }
}

function depthOf(task: Task): number {
  return task.state.parent?.depth ?? 0;
}

/** Runs the subtask, or watches the process that does, to its end. Gives why it could not be gone on with, if so. */
async function follow(child: Task, signal: AbortSignal): Promise<string | undefined> {
  let failure: string | undefined;
  const stop = child.subscribe((event) => {
    if (event.kind === 'delta' && event.delta.type === 'turn_failed')
      failure = translate('en', event.delta.error);
  });
  try {
    for (;;) {
      if (await child.writer()) {
        await released(child, signal);
        failure = undefined;
        continue;
      }
      if (!child.running) {
        if (child.state.finished !== undefined) return undefined;
        // It could not even be written down why.
        if (failure !== undefined) return failure;
        child.start();
      }
      await ended(child, signal);
    }
  } finally {
    stop();
  }
}

/** Waits until no turn runs here. Cancelling goes down. @throws the signal's reason */
async function ended(child: Task, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, (resolve) => {
    child.idle().then(resolve, resolve);
    return () => undefined;
  });
  if (!signal.aborted) return;
  // A process that ends breaks off every turn by itself.
  if (!(signal.reason instanceof TurnInterrupted)) await child.cancel();
  signal.throwIfAborted();
}

/** Waits until no other process writes it. @throws the signal's reason */
async function released(child: Task, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, (resolve) =>
    child.onWriterChanged((writer) => {
      if (writer === undefined) resolve();
    }),
  );
  signal.throwIfAborted();
}

/** Waits for what `listen` resolves with, or for the abort. `listen` gives how to stop listening. */
async function untilAborted(signal: AbortSignal, listen: (resolve: () => void) => () => void): Promise<void> {
  let stop = (): void => undefined;
  let abort = (): void => undefined;
  await new Promise<void>((resolve) => {
    abort = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', abort);
    stop = listen(resolve);
  });
  signal.removeEventListener('abort', abort);
  stop();
}

/** What the parent is told. @throws SubtaskWaits */
function responseOf({ state: { finished, ended: end } }: Task): Omit<ToolResponse, 'details'> {
  switch (finished) {
    case 'completed':
    case 'answered':
      return { content: end?.result ?? '' };
    case 'question':
      throw new SubtaskWaits(end?.result ?? '');
    case 'cancelled':
      return { content: formatResponse.subtaskStopped(), stopped: true };
    case 'failed': {
      const why = end?.error === undefined ? 'it failed.' : translate('en', end.error);
      return { content: formatResponse.subtaskFailed(why), failed: true };
    }
    case 'refusal':
    case 'max_turn_requests':
      return {
        content: formatResponse.subtaskFailed(formatResponse.subtaskEndedWithout[finished]),
        failed: true,
      };
    case undefined:
      throw new Error('the subtask has not ended');
  }
}
