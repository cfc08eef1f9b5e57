import type { TaskDelta, TaskEvent } from '../../shared/events.ts';
import type { SessionChanges } from '../../shared/chat.ts';
import type { Message } from '../../shared/strings.ts';
import { ChatFold, type ChatEvent } from './ChatFold.ts';
import type { Exchange } from './Exchange.ts';

/** A message that was sent and is not in the journal yet. */
interface Expected {
  text: string;
  resolve: (exchange: Exchange) => void;
  reject: (error: NotTakenError) => void;
}

/** A message that came to nothing: it was not written down. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';
  constructor(readonly words: Message | undefined) {
    super(words?.key ?? 'the turn was stopped');
  }
}

/** One session while someone watches it or it runs: its fold, and who hears of it. */
export class ChatSession {
  readonly id: string;
  /** The session whose subtask this is: who watches it hears what this one asks. */
  parent: ChatSession | undefined;
  readonly #fold: ChatFold;
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  readonly #changed: (changes: SessionChanges) => void;
  #expected: Expected[] = [];
  /** What comes while the history is read. */
  #early: TaskEvent[] | undefined = [];
  #running = false;

  /** `changed` gets new rows. */
  constructor(id: string, changed: (changes: SessionChanges) => void) {
    this.id = id;
    this.#fold = new ChatFold(id);
    this.#changed = changed;
  }

  get exchange(): Exchange | undefined {
    return this.#fold.exchange;
  }

  /** Messages that were sent and are not in the journal yet. */
  get queued(): number {
    return this.#expected.length;
  }

  /** Nobody would miss it: it can be made again from the journal. */
  get idle(): boolean {
    return !this.#running && this.#listeners.size === 0 && this.#expected.length === 0;
  }

  onEvent(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The exchange that this text begins, when it is in the journal. Asked before the text is sent.
   * @throws NotTakenError
   */
  expect(text: string): { exchange: Promise<Exchange>; forget: () => void } {
    let expected: Expected | undefined;
    const exchange = new Promise<Exchange>((resolve, reject) => {
      expected = { text, resolve, reject };
      this.#expected.push(expected);
    });
    const forget = (): void => {
      this.#expected = this.#expected.filter((other) => other !== expected);
    };
    return { exchange, forget };
  }

  /** The history is read (again): what comes meanwhile waits for `open`. */
  hold(): void {
    this.#early ??= [];
  }

  /** Takes what is new in the journal; what came meanwhile follows. */
  open(events: readonly TaskEvent[]): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of [...events, ...early]) this.#take(event);
  }

  take(event: TaskEvent): void {
    if (this.#early) this.#early.push(event);
    else this.#take(event);
  }

  #take(event: TaskEvent): void {
    if (event.kind === 'delta') {
      this.#takeDelta(event.delta);
      return;
    }
    const { entry } = event;
    if (entry.seq <= this.#fold.lastSeq) return;
    if (entry.type === 'user_message' || entry.type === 'request_started') this.#running = true;
    if (entry.type === 'task_finished') this.#running = false;
    const heard = this.#fold.take(entry);
    const changes = this.#fold.takeChanges();
    if (changes) this.#changed(changes);
    const { exchange } = this.#fold;
    if (entry.type === 'user_message' && entry.automatic !== true && exchange)
      this.#arrived(entry.text, exchange);
    if (entry.type === 'task_finished' && entry.reason === 'cancelled') this.#drop(undefined);
    if (heard) this.#tell(heard);
  }

  #tell(event: ChatEvent): void {
    for (const listener of this.#listeners) listener(event);
    const { parent } = this;
    if (parent && (event.type === 'approval_request' || event.type === 'approval_resolved'))
      parent.#tell(event);
  }

  #takeDelta(delta: TaskDelta): void {
    if (delta.type === 'block' && delta.delta.type === 'text')
      this.#fold.stream(delta.requestId, delta.delta.text);
    if (delta.type === 'turn_failed') {
      this.#running = false;
      this.#drop(delta.error);
      this.#fold.exchange?.finish({ type: 'error', message: delta.error });
    }
  }

  #arrived(text: string, exchange: Exchange): void {
    const index = this.#expected.findIndex((expected) => expected.text === text);
    const [expected] = index < 0 ? [] : this.#expected.splice(index, 1);
    expected?.resolve(exchange);
  }

  #drop(why: Message | undefined): void {
    const dropped = this.#expected;
    this.#expected = [];
    for (const { reject } of dropped) reject(new NotTakenError(why));
  }
}
