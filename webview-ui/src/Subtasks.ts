import type { TaskEvent } from '../../src/shared/events.ts';
import type { Writer } from '../../src/shared/protocol.ts';
import type { TaskView } from '../../src/shared/viewItems.ts';
import type { Session } from './Session.ts';
import type { OpenSubtask } from './state.ts';
import { TaskFeed } from './TaskFeed.ts';

/** The subtasks that the open task waits for, each below the one before: what goes on in them is seen from there too. */
export class Subtasks {
  readonly #session: Session;
  #feeds: TaskFeed[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** The open task's view has changed: other subtasks may be open in it. */
  follow(view: TaskView): void {
    this.#follow(0, view);
  }

  /** Takes what is told of a task, if it is one of these. */
  receive(taskId: string, events: readonly TaskEvent[]): void {
    this.#feeds.find((feed) => feed.taskId === taskId)?.receive(events);
  }

  setElsewhere(taskId: string, writer: Writer | undefined): void {
    const depth = this.#feeds.findIndex((feed) => feed.taskId === taskId);
    const known = this.#session.store.state.subtasks[depth];
    if (!known) return;
    this.#show(depth, { ...known, elsewhere: writer });
    this.#feeds[depth]?.setRunning(writer !== undefined);
  }

  /** Fetches what was told while nobody listened. @throws CallError */
  async catchUp(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.catchUp()));
  }

  #follow(depth: number, view: TaskView): void {
    const wanted = openSubtask(view);
    if (this.#feeds[depth]?.taskId === wanted) return;
    const { transport, store } = this.#session;
    for (const feed of this.#feeds.splice(depth)) this.#session.attempt(() => feed.close());
    store.set({ subtasks: store.state.subtasks.slice(0, depth) });
    if (wanted === undefined) return;
    const feed = new TaskFeed(transport, wanted, {
      update: ({ view: changed, snapshot }) => {
        if (this.#feeds[depth] !== feed) return;
        const elsewhere = snapshot ? snapshot.elsewhere : store.state.subtasks[depth]?.elsewhere;
        this.#show(depth, { taskId: wanted, view: changed, elsewhere });
        this.#follow(depth + 1, changed);
      },
      failed: (error) => this.#session.fail(error),
    });
    this.#feeds[depth] = feed;
    this.#session.attempt(() => feed.open());
  }

  #show(depth: number, subtask: OpenSubtask): void {
    const { store } = this.#session;
    store.set({
      subtasks: [...store.state.subtasks.slice(0, depth), subtask, ...store.state.subtasks.slice(depth + 1)],
    });
  }
}

/** The subtask that the task waits for. */
function openSubtask(view: TaskView): string | undefined {
  for (const index of view.openCalls.values()) {
    const item = view.items[index];
    if (item?.type === 'tool' && item.subtask) return item.subtask.taskId;
  }
  return undefined;
}
