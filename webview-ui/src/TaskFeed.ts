import type { TaskEvent } from '../../src/shared/events.ts';
import type { Writer } from '../../src/shared/protocol.ts';
import { emptyView, foldAll, withRunning } from '../../src/shared/view.ts';
import type { TaskView } from '../../src/shared/viewItems.ts';
import type { Transport } from './transport.ts';

/** Milliseconds between updates while nobody looks: a hidden page gets no animation frames. */
const HIDDEN_INTERVAL = 200;

export interface FeedListener {
  update: (update: FeedUpdate) => void;
  /** Catching up failed; the next event tries again. */
  failed: (error: unknown) => void;
}

export interface FeedUpdate {
  view: TaskView;
  /** Present when the agent said what waits in the queue, and who else runs the task. */
  snapshot?: { queued: readonly string[]; elsewhere: Writer | undefined };
}

/**
 * The open task: subscribes, folds what comes once a frame, and subscribes again from the last entry it has when one is
 * missing in between.
 */
export class TaskFeed {
  readonly taskId: string;
  readonly #transport: Transport;
  readonly #listener: FeedListener;
  #view: TaskView = emptyView();
  #events: TaskEvent[] = [];
  #scheduled = false;
  #subscribing = false;
  #closed = false;

  constructor(transport: Transport, taskId: string, listener: FeedListener) {
    this.#transport = transport;
    this.taskId = taskId;
    this.#listener = listener;
  }

  /** Resolves when the task is shown. @throws CallError */
  async open(): Promise<void> {
    await this.#subscribe();
  }

  /** Hears no more. @throws CallError */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#transport.call('task/unsubscribe', { taskId: this.taskId });
  }

  /** Whether a turn of another process runs. A snapshot that is under way says so itself. */
  setRunning(running: boolean): void {
    if (this.#subscribing) return;
    this.#show(withRunning(foldAll(this.#view, this.#events.splice(0)), running));
  }

  receive(events: readonly TaskEvent[]): void {
    this.#events.push(...events);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#subscribing) return;
    this.#scheduled = true;
    const flush = (): void => {
      this.#scheduled = false;
      this.#flush();
    };
    if (document.hidden) setTimeout(flush, HIDDEN_INTERVAL);
    else requestAnimationFrame(flush);
  }

  #flush(): void {
    if (this.#closed || this.#subscribing) return;
    const events = this.#events;
    if (missesEntry(this.#view.lastSeq, events)) {
      this.#subscribe().catch((error: unknown) => this.#listener.failed(error));
      return;
    }
    this.#events = [];
    this.#show(foldAll(this.#view, events));
  }

  async #subscribe(): Promise<void> {
    this.#subscribing = true;
    try {
      const since = this.#view.lastSeq;
      const { entries, running, queued, elsewhere } = await this.#transport.call('task/subscribe', {
        taskId: this.taskId,
        since,
      });
      if (this.#closed) return;
      const events = entries.map((entry): TaskEvent => ({ kind: 'entry', entry }));
      const view = withRunning(foldAll(this.#view, events), running || elsewhere !== undefined);
      this.#view = view;
      // What came meanwhile goes on from here; what it repeats is known by its number.
      const meanwhile = this.#events;
      this.#events = [];
      this.#view = missesEntry(view.lastSeq, meanwhile) ? view : foldAll(view, meanwhile);
      this.#listener.update({ view: this.#view, snapshot: { queued, elsewhere } });
    } finally {
      this.#subscribing = false;
    }
  }

  #show(view: TaskView): void {
    if (view === this.#view) return;
    this.#view = view;
    this.#listener.update({ view });
  }
}

function missesEntry(lastSeq: number, events: readonly TaskEvent[]): boolean {
  let last = lastSeq;
  for (const event of events) {
    if (event.kind !== 'entry') continue;
    if (event.entry.seq > last + 1) return true;
    last = Math.max(last, event.entry.seq);
  }
  return false;
}
