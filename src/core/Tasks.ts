import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fact, ModelReference } from '../shared/events.ts';
import { DEFAULT_MODE, type ModeConfig } from '../shared/modes.ts';
import type { NotificationName, NotificationParams, TaskSummary } from '../shared/protocol.ts';
import { message } from '../shared/strings.ts';
import { ProtocolError } from './Dispatcher.ts';
import type { QueuedMessage } from './task/Inbox.ts';
import { Task, type TurnRunner } from './task/Task.ts';
import { formatResponse } from './prompts/responses.ts';
import { summaryOf, type BegunSubtask } from './task/taskState.ts';
import type { Leases } from './task/TaskLease.ts';
import { TaskStack } from './task/TaskStack.ts';
import type { TaskStore } from './TaskStore.ts';
import type { Logger } from './Logger.ts';

/** Longest that the opening of a task waits for its question to be asked anew, in milliseconds. */
const ASKING_AGAIN = 5000;

export interface TasksOptions {
  store: TaskStore;
  /** Who may write a task. */
  leases: Leases;
  runTurn: TurnRunner;
  condense: TurnRunner;
  logger: Logger;
  cwd: () => string | undefined;
  folders?: () => readonly string[];
  trusted: () => boolean;
  attended: (taskId: string) => boolean;
  modes: (cwd: string) => Promise<readonly ModeConfig[]>;
  /** The mode that the person chose last. */
  lastMode: () => Promise<string>;
  /** The model of this profile, or of the active one. @throws ProtocolError without one */
  model: (profile: string | undefined) => Promise<ModelReference>;
  notify: <N extends NotificationName>(name: N, params: NotificationParams<N>) => void;
  /** Tasks at rest that stay in memory; of more, those that nobody asked for longest are read from the disk again. */
  keptAtRest?: number;
}

const KEPT_AT_REST = 200;

/** The tasks of this process: one Task object a task, opened when someone asks, and what becomes of them on the disk. */
export class Tasks {
  readonly #options: TasksOptions;
  readonly stack: TaskStack;
  readonly #open = new Map<string, Promise<Task>>();
  /** Those of them that are open by now; who was asked for last comes last. */
  readonly #opened = new Map<string, Task>();

  constructor(options: TasksOptions) {
    this.#options = options;
    this.stack = new TaskStack({
      find: async (taskId) => ((await options.store.has(taskId)) ? await this.get(taskId) : undefined),
      isDeleted: async (taskId) => await options.store.isInTrash(taskId),
      create: async (parent, begun, depth) => await this.#createSubtask(parent, begun, depth),
    });
  }

  async create(wanted: { taskId?: string; cwd?: string; mode?: string; profile?: string }): Promise<Task> {
    const cwd = wanted.cwd ?? this.#options.cwd();
    if (cwd === undefined) throw new ProtocolError('unavailable', message('error.noWorkspace'));
    const mode = await this.#options.lastMode();
    const modes = await this.#options.modes(cwd);
    const slug = wanted.mode ?? (modes.some((known) => known.slug === mode) ? mode : DEFAULT_MODE);
    if (!modes.some((known) => known.slug === slug))
      throw new ProtocolError('not_found', message('error.unknownMode', { mode: slug }));
    // Before anything is written: without a model there is no task.
    const model: ModelReference = await this.#options.model(wanted.profile);
    const taskId = wanted.taskId ?? randomUUID();
    if (await this.#options.store.has(taskId))
      throw new ProtocolError('busy', message('error.taskExists', { taskId }));
    const created = Task.create(this.#taskOptions(taskId), {
      type: 'task_started',
      version: 1,
      taskId,
      cwd,
      mode: slug,
      model,
    });
    this.#keep(taskId, created);
    return await created;
  }

  /** A message into a task; while a subtask of it waits for an answer of the person's, into that. */
  async send(task: Task, { text, ...more }: QueuedMessage): Promise<void> {
    const deepest = await this.stack.deepest(task);
    const asked = deepest.state.finished === 'question' ? deepest : task;
    asked.send(text, more);
    await this.stack.startAbove(asked);
  }

  /** Starts a turn, and goes on with the tasks that wait for this one. */
  async start(task: Task): Promise<void> {
    task.start();
    await this.stack.startAbove(task);
  }

  async #createSubtask(parent: Task, begun: BegunSubtask, depth: number): Promise<Task> {
    const { taskId, callId, mode, message: text, todos } = begun;
    const { cwd, model, afterUntrusted } = parent.state;
    const at = Date.now();
    const created = Task.create(
      this.#taskOptions(taskId),
      {
        ...{ type: 'task_started', version: 1, taskId, cwd, mode },
        ...(model === undefined ? {} : { model }),
        parent: { taskId: parent.id, callId, depth, ...(afterUntrusted ? { afterUntrusted } : {}) },
      },
      [
        { type: 'user_message' as const, text },
        { type: 'user_message' as const, text: formatResponse.isSubtask(), automatic: true },
        ...(todos ? [{ type: 'todos_updated' as const, todos, by: 'model' as const }] : []),
      ].map((fact, index) => ({ seq: index + 2, at, ...fact })),
    );
    this.#keep(taskId, created);
    const task = await created;
    this.#options.notify('task/listChanged', {});
    return task;
  }

  /** A task of its own with the history of another before the person's message `seq`. */
  async branch(task: Task, seq: number): Promise<Task> {
    const replaced = task.entries.find((entry) => entry.seq === seq);
    if (replaced?.type !== 'user_message' || replaced.automatic === true)
      throw new ProtocolError('not_found', message('error.unknownMessage'));
    return await this.branchAt(task, seq, []);
  }

  /** A task of its own with the history of another before its entry `seq`, brought to an end by `closing`. */
  async branchAt(task: Task, seq: number, closing: readonly Fact[]): Promise<Task> {
    const [first, ...history] = task.entries.filter((entry) => entry.seq < seq);
    if (first?.type !== 'task_started') throw new ProtocolError('not_found', message('error.unknownMessage'));
    const at = Date.now();
    const { type, version, cwd, mode, model } = first;
    const taskId = randomUUID();
    const created = Task.create(
      this.#taskOptions(taskId),
      {
        ...{ type, version, taskId, cwd, mode, branchOf: { taskId: task.id, seq } },
        ...(model === undefined ? {} : { model }),
      },
      [...history, ...closing.map((fact, index) => ({ seq: seq + index, at, ...fact }))],
    );
    this.#keep(taskId, created);
    const branch = await created;
    this.#options.notify('task/listChanged', {});
    return branch;
  }

  /** A task that may run here and now. */
  async runnable(taskId: string): Promise<Task> {
    this.requireTrust();
    const task = await this.get(taskId);
    if (!this.#isOpen(task.state.cwd))
      throw new ProtocolError('unavailable', message('error.otherWorkspace', { folder: task.state.cwd }));
    return task;
  }

  /** A task that no other process writes. @throws ProtocolError `busy`, with where it runs */
  async free(taskId: string): Promise<Task> {
    const task = await this.get(taskId);
    const writer = await task.writer();
    if (writer) {
      const { pid, host } = writer;
      throw new ProtocolError('busy', message('error.taskOpenElsewhere', { pid, host }));
    }
    return task;
  }

  async get(taskId: string): Promise<Task> {
    const known = this.#open.get(taskId);
    if (known) return this.#used(await known);
    if (!(await this.#options.store.has(taskId)))
      throw new ProtocolError('not_found', message('error.unknownTask', { taskId }));
    const opened = Task.open(this.#taskOptions(taskId));
    this.#keep(taskId, opened);
    return await opened;
  }

  #used(task: Task): Task {
    if (this.#opened.delete(task.id)) this.#opened.set(task.id, task);
    return task;
  }

  /** A task at rest is all on the disk: memory is for those that are used. */
  #letGo(): void {
    const { keptAtRest = KEPT_AT_REST } = this.#options;
    for (const [taskId, task] of this.#opened) {
      if (this.#opened.size <= keptAtRest) return;
      if (!task.atRest) continue;
      this.#opened.delete(taskId);
      this.#open.delete(taskId);
    }
  }

  /** One Task object a task: everyone who asks gets the same. */
  #keep(taskId: string, opening: Promise<Task>): void {
    const kept = opening.then((task) => {
      this.#opened.set(taskId, task);
      this.#letGo();
      task.subscribe((event) => {
        const { parent } = task.state;
        this.#options.notify('task/events', {
          taskId,
          ...(parent ? { parent: parent.taskId } : {}),
          events: [event],
        });
        if (event.kind === 'entry' && changesList(event.entry.type))
          this.#options.notify('task/listChanged', {});
      });
      task.onQueueChanged((queued) =>
        this.#options.notify('task/queue', { taskId, queued: queued.map(({ text }) => text) }),
      );
      task.onWriterChanged((writer) =>
        this.#options.notify('task/elsewhere', {
          taskId,
          ...(writer ? { writer: { pid: writer.pid, host: writer.host } } : {}),
        }),
      );
      return task;
    });
    this.#open.set(taskId, kept);
    // One that cannot be opened is tried anew the next time; the caller hears why.
    kept.catch(() => this.#open.delete(taskId));
  }

  #taskOptions(taskId: string): Parameters<typeof Task.open>[0] {
    const { store, leases, logger, runTurn, condense } = this.#options;
    return { folder: store.folder(taskId), leases, logger, runTurn, condense };
  }

  async list(cwd: string | undefined): Promise<TaskSummary[]> {
    const live = new Map<string, TaskSummary>();
    for (const task of await this.opened()) {
      const summary = liveSummary(task);
      if (summary) live.set(task.id, summary);
    }
    const summaries = await this.#options.store.list(live);
    return cwd === undefined ? summaries : summaries.filter((summary) => summary.cwd === cwd);
  }

  /** @throws ProtocolError `not_found` */
  async summary(taskId: string): Promise<TaskSummary> {
    const stored = await this.#options.store.summary(taskId);
    if (!stored) throw new ProtocolError('not_found', message('error.unknownTask', { taskId }));
    const opened = this.#open.get(taskId);
    return liveSummary(opened && (await opened)) ?? stored;
  }

  async delete(taskId: string): Promise<void> {
    const task = await this.free(taskId);
    const tasks = [task, ...(await this.stack.below(task))];
    for (const { id } of tasks)
      if ((await this.free(id)).running) throw new ProtocolError('busy', message('error.taskRunning'));
    // Those below first: what is interrupted leaves none of them without its parent.
    for (const gone of tasks.reverse()) {
      gone.forget();
      this.#open.delete(gone.id);
      this.#opened.delete(gone.id);
      await this.#options.store.moveToTrash(gone.id);
    }
    this.#options.notify('task/listChanged', {});
  }

  /** Out of the trash, with its subtasks. */
  async restore(taskId: string): Promise<void> {
    if (!(await this.#options.store.restore(taskId)))
      throw new ProtocolError('not_found', message('error.unknownTask', { taskId }));
    await this.#restoreBelow(await this.get(taskId));
    this.#options.notify('task/listChanged', {});
  }

  async #restoreBelow(task: Task): Promise<void> {
    for (const { taskId } of task.state.subtasks.values())
      if (await this.#options.store.restore(taskId)) await this.#restoreBelow(await this.get(taskId));
  }

  /**
   * A request that waited when its process ended is asked again, so that it is pending over a reload; one of a subtask too, whose
   * parents then wait for it again. Costs no model request.
   * Resolves when it is asked: nobody is to answer the old one.
   */
  async askAgain(opened: Task): Promise<void> {
    const { trusted, attended } = this.#options;
    if (!trusted()) return;
    const task = await this.stack.deepest(opened);
    if (!attended(task.id)) return;
    const { pending, finished, cwd } = task.state;
    if (task.running || finished !== undefined || !this.#isOpen(cwd) || (await task.writer())) return;
    const waiting = [...pending.values()];
    if (!waiting.some(({ reason }) => reason === 'tool' || reason === 'question')) return;
    const asked = new Promise<void>((resolve) => {
      const stop = task.subscribe((event) => {
        const settled =
          event.kind === 'delta'
            ? event.delta.type === 'turn_failed'
            : event.entry.type === 'approval_requested' || event.entry.type === 'task_finished';
        if (!settled) return;
        stop();
        resolve();
      });
    });
    await this.start(task);
    await Promise.race([asked, delay(ASKING_AGAIN, undefined, { ref: false })]);
  }

  /**
   * Takes what another process wrote into a task that is open here, and into its subtasks. Resolves with the number of its last
   * entry; undefined for one that is not open.
   */
  async catchUp(taskId: string): Promise<number | undefined> {
    const task = await this.#open.get(taskId);
    if (!task) return undefined;
    const last = await task.catchUp();
    for (const child of await this.stack.below(task)) await child.catchUp();
    return last;
  }

  /** Whether this process writes the task now. */
  writes(taskId: string): boolean {
    return this.#opened.get(taskId)?.writes ?? false;
  }

  /** Resolves when no turn of the task runs here. */
  async idle(taskId: string): Promise<void> {
    const task = await this.#open.get(taskId);
    await task?.idle();
  }

  /** The tasks that were opened and could be. */
  async opened(): Promise<Task[]> {
    const tasks = await Promise.allSettled(this.#open.values());
    return tasks.flatMap((task) => (task.status === 'fulfilled' ? [task.value] : []));
  }

  /** Breaks off every turn: whoever opens a task next can go on with it. */
  async dispose(): Promise<void> {
    const opened = await this.opened();
    for (const task of opened) task.forget();
    await Promise.all(opened.map((task) => task.interrupt()));
  }

  requireTrust(): void {
    if (!this.#options.trusted()) throw new ProtocolError('not_trusted', message('error.notTrusted'));
  }

  #isOpen(folder: string): boolean {
    const { cwd, folders } = this.#options;
    return folders ? folders().includes(folder) : cwd() === folder;
  }
}

/** Undefined for a task that does not run here, or whose turn has said its end and only puts things away: what is stored says it. */
function liveSummary(task: Task | undefined): TaskSummary | undefined {
  if (!task?.running) return undefined;
  const { finished, condensing, pending } = task.state;
  if (finished !== undefined && condensing === undefined && task.queued.length === 0) return undefined;
  return summaryOf(task.state, pending.size > 0 ? 'waiting' : 'running');
}

function changesList(type: string): boolean {
  return [
    'task_started',
    'user_message',
    'task_finished',
    'title_changed',
    'approval_requested',
    'approval_resolved',
  ].includes(type);
}
