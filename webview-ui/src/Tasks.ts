import type { TaskSummary } from '../../src/shared/protocol.ts';
import type { Session } from './Session.ts';
import type { DeletedTask } from './state.ts';

/** Milliseconds for which a deleted task can be brought back here; it is in the trash after that too. */
const UNDO_TIME = 10_000;
/** Within so many entries of a task, and so many bytes, is its first message. */
const FIRST_ENTRIES = 6;
const FIRST_BYTES = 4_000_000;

/** The tasks of this workspace, and what can be done with those that are not open. */
export class Tasks {
  readonly #session: Session;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @throws CallError */
  async refresh(): Promise<void> {
    const { store, transport } = this.#session;
    const { workspace } = store.state;
    const tasks = await transport.call('task/list', workspace === undefined ? {} : { cwd: workspace });
    store.set({ tasks: newestFirst(tasks) });
  }

  /** The tasks of all workspaces. @throws CallError */
  async everywhere(): Promise<TaskSummary[]> {
    return newestFirst(await this.#session.transport.call('task/list', {}));
  }

  /** Opens an interrupted task and goes on with it. */
  resume(taskId: string): void {
    this.#session.openTask(taskId);
    this.#session.attempt(() => this.#session.transport.call('task/resume', { taskId }));
  }

  /** Where tasks say these words: task id → excerpt. @throws CallError */
  async search(query: string): Promise<ReadonlyMap<string, string>> {
    const found = await this.#session.transport.call('task/search', { query });
    return new Map(found.map(({ taskId, excerpt }) => [taskId, excerpt]));
  }

  /** What the person asked for first. @throws CallError */
  async firstMessage(taskId: string): Promise<string | undefined> {
    const { entries } = await this.#session.transport.call('task/page', {
      taskId,
      before: FIRST_ENTRIES,
      bytes: FIRST_BYTES,
    });
    const first = entries.find((entry) => entry.type === 'user_message' && entry.automatic !== true);
    return first?.type === 'user_message' ? first.text : undefined;
  }

  /** The open task. */
  condense(): void {
    const { store, transport } = this.#session;
    const { taskId, view } = store.state;
    if (taskId === undefined) return;
    store.set({ condenseWish: { taskId, lastSeq: view.lastSeq } });
    this.#session.attempt(() => transport.call('task/condense', { taskId }));
  }

  rename(taskId: string, title: string): void {
    this.#session.attempt(async () => {
      await this.#session.transport.call('task/rename', { taskId, title });
      await this.refresh();
    });
  }

  delete(task: DeletedTask): void {
    const { store, transport } = this.#session;
    this.#session.attempt(async () => {
      await transport.call('task/delete', { taskId: task.id });
      await this.#session.close(task.id);
      store.set({ deleted: task });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => store.set({ deleted: undefined }), UNDO_TIME);
      await this.refresh();
    });
  }

  undoDelete(): void {
    const { store, transport } = this.#session;
    const { deleted } = store.state;
    if (!deleted) return;
    clearTimeout(this.#timer);
    store.set({ deleted: undefined });
    this.#session.attempt(async () => {
      await transport.call('task/restore', { taskId: deleted.id });
      await this.refresh();
    });
  }

  /** Asks where to, then writes the whole task there. */
  export(taskId: string, format: 'markdown' | 'json'): void {
    const { transport } = this.#session;
    this.#session.attempt(async () => {
      const { name, text } = await transport.call('task/export', { taskId, format });
      await transport.call('editor/saveText', { name: name.slice(-120), text });
    });
  }
}

function newestFirst(tasks: readonly TaskSummary[]): TaskSummary[] {
  return tasks.toSorted((a, b) => b.updatedAt - a.updatedAt);
}
