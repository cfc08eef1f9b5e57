import type { TaskEvent } from '../../src/shared/events.ts';
import type { Writer } from '../../src/shared/protocol.ts';
import { emptyView, foldAll, viewFrom, withEarlier, withRunning } from '../../src/shared/view.ts';
import type { TaskView } from '../../src/shared/viewItems.ts';
import type { Transport } from './transport.ts';

/** Milliseconds between updates while nobody looks: a hidden page gets no animation frames. */
const HIDDEN_INTERVAL = 200;
/** Bytes of the journal that are fetched at a time: many screens of reading, and nothing to wait for. */
const PAGE_BYTES = 400_000;

export interface FeedListener {
  update: (update: FeedUpdate) => void;
  /** Catching up failed; the next event tries again. */
  failed: (error: unknown) => void;
}

export interface FeedUpdate {
  view: TaskView;
  /** Present when the agent said what waits in the queue, and who else runs the task. */
  snapshot?: { queued: readonly string[]; elsewhere: Writer | undefined };
  /** The number of the last entry before what the view shows; 0 when it begins with the task. */
  before: number;
  /** A page was put before what the view showed. */
  grown?: true;
}

/**
 * The open task: subscribes to the end of its journal, folds what comes once a frame, subscribes again from the last entry
 * it has when one is missing in between, and fetches earlier pages when they are asked for.
 */
export class TaskFeed {
  readonly taskId: string;
  readonly #transport: Transport;
  readonly #listener: FeedListener;
  #view: TaskView = emptyView();
  #before = 0;
  #fetching: Promise<void> | undefined;
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

  /** Fetches what was told while nobody listened. @throws CallError */
  async catchUp(): Promise<void> {
    await this.#subscribe();
  }

  /** Puts the page before what is there in front of it. @throws CallError */
  async fetchEarlier(): Promise<void> {
    this.#fetching ??= this.#fetchEarlier().finally(() => (this.#fetching = undefined));
    await this.#fetching;
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

  async #fetchEarlier(): Promise<void> {
    const before = this.#before;
    if (before === 0) return;
    const { base, entries } = await this.#transport.call('task/page', {
      taskId: this.taskId,
      before: before + 1,
      bytes: PAGE_BYTES,
    });
    // Meanwhile the view may have begun anew somewhere else.
    if (this.#closed || this.#before !== before) return;
    this.#view = withEarlier(this.#view, base, entries);
    this.#before = base.lastSeq;
    this.#listener.update({ view: this.#view, before: this.#before, grown: true });
  }

  async #subscribe(): Promise<void> {
    this.#subscribing = true;
    try {
      const since = this.#view.lastSeq;
      const { base, entries, running, queued, elsewhere } = await this.#transport.call('task/subscribe', {
        taskId: this.taskId,
        since,
        bytes: PAGE_BYTES,
      });
      if (this.#closed) return;
      // More was missed than a page holds: the view begins anew with the last page.
      if (base) this.#before = base.lastSeq;
      const events = entries.map((entry): TaskEvent => ({ kind: 'entry', entry }));
      const known = base ? viewFrom(base) : this.#view;
      const view = withRunning(foldAll(known, events), running || elsewhere !== undefined);
      this.#view = view;
      // What came meanwhile goes on from here; what it repeats is known by its number.
      const meanwhile = this.#events;
      this.#events = [];
      this.#view = missesEntry(view.lastSeq, meanwhile) ? view : foldAll(view, meanwhile);
      this.#listener.update({
        view: this.#view,
        before: this.#before,
        snapshot: { queued, elsewhere },
      });
    } finally {
      this.#subscribing = false;
    }
  }

  #show(view: TaskView): void {
    if (view === this.#view) return;
    this.#view = view;
    this.#listener.update({ view, before: this.#before });
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
