import { exportTask, type ExportFormat } from './history/exportTask.ts';
import type { Session } from './Session.ts';
import type { DeletedTask } from './state.ts';

/** Milliseconds in which a deleted task can be brought back. */
const UNDO_TIME = 8000;

/** The tasks of this workspace, and what can be done with those that are not open. */
export class Tasks {
  readonly #session: Session;
  #deletion: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @throws CallError */
  async refresh(): Promise<void> {
    const { store, transport } = this.#session;
    const { workspace } = store.state;
    const tasks = await transport.call('task/list', workspace === undefined ? {} : { cwd: workspace });
    store.set({ tasks: tasks.toSorted((a, b) => b.updatedAt - a.updatedAt) });
  }

  /** Hides it now and deletes it when nobody brought it back; a page that goes away in between deletes nothing. */
  delete(task: DeletedTask): void {
    this.#finishDelete();
    this.#session.store.set({ deleted: task });
    this.#deletion = setTimeout(() => this.#finishDelete(), UNDO_TIME);
  }

  undoDelete(): void {
    clearTimeout(this.#deletion);
    this.#session.store.set({ deleted: undefined });
  }

  export(taskId: string, format: ExportFormat): void {
    this.#session.attempt(() => exportTask(this.#session, taskId, format));
  }

  #finishDelete(): void {
    const { store, transport } = this.#session;
    const { deleted } = store.state;
    clearTimeout(this.#deletion);
    if (!deleted) return;
    this.#session.attempt(async () => {
      try {
        await transport.call('task/delete', { taskId: deleted.id });
        await this.#session.forget(deleted.id);
        await this.refresh();
      } finally {
        if (store.state.deleted?.id === deleted.id) store.set({ deleted: undefined });
      }
    });
  }
}
