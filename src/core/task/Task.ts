import { randomUUID } from 'node:crypto';
import type { ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import type { Fact, JournalEntry, TaskDelta, TaskEvent } from '../../shared/events.ts';
import { message } from '../../shared/strings.ts';
import type { Logger } from '../Logger.ts';
import { AskedApprovals, type AskedText, type AskOptions } from './AskedApprovals.ts';
import { failureWords } from './failureWords.ts';
import { FolderWatch } from './FolderWatch.ts';
import { Inbox, type QueuedMessage } from './Inbox.ts';
import { RunningCalls } from './RunningCalls.ts';
import { foldState, stateOf, type TaskState } from './taskState.ts';
import { JournalError, TaskJournal } from './TaskJournal.ts';
import { LeaseLostError, type HeldLease, type LeaseHolder, type Leases } from './TaskLease.ts';
import { TurnInterrupted } from './TurnInterrupted.ts';

type WithoutIdentity<T> = T extends unknown ? Omit<T, 'id' | 'taskId'> : never;
/** An approval before it is asked: the task gives it its one-time id. */
export type ApprovalQuestion = WithoutIdentity<ApprovalRequest>;

/** What the person wants of a summary: `guidance` is what it must hold on to. */
export interface CondenseWish {
  guidance?: string | undefined;
}

/** A turn: goes on until the task waits for its person again. Never rejects for what a model or tool did. */
export type TurnRunner = (task: Task, signal: AbortSignal) => Promise<void>;

export interface TaskOptions {
  /** LATHE_HOME/tasks/<id> */
  folder: string;
  /** Who may write it. */
  leases: Leases;
  runTurn: TurnRunner;
  /** Condenses the task while no turn runs. */
  condense: TurnRunner;
  logger: Logger;
}

/** The journal open for writing, and the lease that allows it. */
interface Hold {
  journal: TaskJournal;
  lease: HeldLease;
}

/**
 * One task: identity, journal and inbox. What a turn knows lives in runTurn's locals.
 * Everything that happens is journalled first and heard after; deltas only pass by.
 * The journal is open for writing only while the lease is held: during a turn, or for one change outside of it.
 */
export class Task {
  /** The calls of the running turn that a person can stop or send to the background. */
  readonly calls = new RunningCalls();
  readonly #inbox = new Inbox();
  readonly #options: TaskOptions;
  readonly #listeners = new Set<(event: TaskEvent) => void>();
  readonly #writerListeners = new Set<(writer: LeaseHolder | undefined) => void>();
  readonly #asked = new AskedApprovals(async (fact) => await this.record(fact));
  readonly #entries: JournalEntry[];
  readonly #state: TaskState;
  #hold: Promise<Hold> | undefined;
  #holders = 0;
  #released: Promise<void> = Promise.resolve();
  #watch: FolderWatch | undefined;
  /** The other process that was seen to write this task. */
  #writer: LeaseHolder | undefined;
  /** Bytes of the journal that were read while another process wrote it. */
  #readTo = 0;
  /** The person wants the task condensed. */
  #condensing: CondenseWish | undefined;
  #turn: { controller: AbortController; done: Promise<void> } | undefined;
  #interrupted = false;

  private constructor(options: TaskOptions, entries: JournalEntry[]) {
    this.#options = options;
    this.#entries = entries;
    this.#state = stateOf(entries);
  }

  /**
   * A new task; `inherited` is the history that a branch begins with, from its second entry on.
   * @throws JournalError when the folder cannot be written: then there is no task.
   */
  static async create(
    options: TaskOptions,
    started: Extract<Fact, { type: 'task_started' }>,
    inherited: readonly JournalEntry[] = [],
  ): Promise<Task> {
    const entries = [{ seq: 1, at: Date.now(), ...started }, ...inherited];
    const journal = await TaskJournal.create(options.folder, entries);
    await journal.close();
    return new Task(options, entries);
  }

  /** A task of the disk, to read; it is opened for writing when it is to change. */
  static async open(options: TaskOptions): Promise<Task> {
    return new Task(options, await TaskJournal.read(options.folder));
  }

  get id(): string {
    return this.#state.taskId;
  }

  get state(): Readonly<TaskState> {
    return this.#state;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  get running(): boolean {
    return this.#turn !== undefined;
  }

  /** Whether this process writes it now: during a turn, or for one change. */
  get writes(): boolean {
    return this.#writes();
  }

  /** Nothing runs, waits or is written, and nobody looks at what others write: it can be opened anew from the disk. */
  get atRest(): boolean {
    return !this.#turn && !this.#hold && !this.#watch && this.queued.length === 0;
  }

  get queued(): readonly QueuedMessage[] {
    return this.#inbox.messages;
  }

  /** Events from now on; what came before is in `entries`. Returns how to stop listening. */
  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onQueueChanged(listener: (queued: readonly QueuedMessage[]) => void): () => void {
    return this.#inbox.onChange(listener);
  }

  /** Hears when another process has begun to write the task, and, with undefined, when it has let go. */
  onWriterChanged(listener: (writer: LeaseHolder | undefined) => void): () => void {
    this.#writerListeners.add(listener);
    return () => this.#writerListeners.delete(listener);
  }

  /** The other process that writes this task now, if one does. From the first call on, what others write is told as it comes. */
  async writer(): Promise<LeaseHolder | undefined> {
    this.#watch ??= new FolderWatch(
      this.#options.folder,
      async () => (await this.#lookAround()) !== undefined,
      (error) => this.#options.logger.error(`task ${this.id}: what others write is not seen`, error),
    );
    const writer = await this.#lookAround();
    if (writer) this.#watch.again();
    return writer;
  }

  /** Looks no more at what others write. */
  forget(): void {
    this.#watch?.stop();
  }

  /** Writes a fact, then tells it. @throws JournalError, LeaseTakenError, TurnInterrupted */
  async record(fact: Fact): Promise<JournalEntry> {
    if (this.#interrupted) throw new TurnInterrupted();
    const { journal, lease } = await this.#acquire();
    try {
      if (lease.confirm && (await lease.confirm()) === 'anew' && !(await journal.isWhole()))
        throw new LeaseLostError();
      const entry = await journal.append(fact);
      this.#take(entry);
      return entry;
    } finally {
      await this.#letGo();
    }
  }

  publish(delta: TaskDelta): void {
    this.#tell({ kind: 'delta', delta });
  }

  /** A message from the person: it starts a turn, or joins the running one at its next request. */
  send(text: string, more: Omit<QueuedMessage, 'text'> = {}): void {
    this.#inbox.add({ ...more, text });
    this.start();
  }

  /** Takes what waits in the inbox, oldest first. */
  takeQueued(): QueuedMessage[] {
    return this.#inbox.takeAll();
  }

  /** Takes one message back out of the inbox; undefined when another waits at this place, or none. */
  unqueue(index: number, text: string): QueuedMessage | undefined {
    return this.#inbox.take(index, text);
  }

  /** Starts a turn unless one runs: for messages in the inbox, or to go on with what was interrupted. */
  start(): void {
    this.#begin(this.#options.runTurn);
  }

  /** Has the task condensed: at once, or by the running turn before its next request. */
  condense(wish: CondenseWish): void {
    this.#condensing = wish;
    this.#begin(this.#options.condense);
  }

  takeCondenseWish(): CondenseWish | undefined {
    const wish = this.#condensing;
    this.#condensing = undefined;
    return wish;
  }

  #begin(runner: TurnRunner): void {
    if (this.#turn || this.#interrupted) return;
    const controller = new AbortController();
    const done = this.#run(runner, controller.signal).finally(() => {
      this.#turn = undefined;
      if (controller.signal.aborted) return;
      // A message that came while the turn was ending starts the next one.
      if (this.queued.length > 0) this.start();
      else if (this.#condensing) this.#begin(this.#options.condense);
    });
    this.#turn = { controller, done };
  }

  /** Stops the running turn; resolves when it has ended and every open call has its result. */
  async cancel(): Promise<void> {
    this.takeQueued();
    this.takeCondenseWish();
    this.#turn?.controller.abort();
    await this.#turn?.done;
  }

  /**
   * Breaks the running turn off and writes nothing any more, as if the process had been killed: what waits for an answer is asked
   * again by whoever goes on with it. Resolves when all of it has ended.
   */
  async interrupt(): Promise<void> {
    this.#interrupted = true;
    this.#turn?.controller.abort(new TurnInterrupted());
    await this.#turn?.done;
  }

  /** Resolves when no turn runs. */
  async idle(): Promise<void> {
    while (this.#turn) await this.#turn.done;
  }

  /** Asks and waits for the first answer; an abort answers `cancelled`, which is never consent. */
  async ask(
    question: ApprovalQuestion,
    signal: AbortSignal,
    options: AskOptions = {},
  ): Promise<ApprovalDecision> {
    return await this.#asked.ask({ ...question, id: randomUUID(), taskId: this.id }, signal, options);
  }

  /**
   * The first answer to a request that waits wins; any other grants nothing and gives false. `written` takes the place of the request's
   * proposal.
   */
  respond(approvalId: string, decision: ApprovalDecision, written?: string): boolean {
    return this.#asked.respond(approvalId, decision, written);
  }

  /** Whether the request waits for an answer here, and the text that it proposes. */
  asked(approvalId: string): { proposal: AskedText | undefined } | undefined {
    return this.#asked.get(approvalId);
  }

  async #run(runner: TurnRunner, signal: AbortSignal): Promise<void> {
    try {
      await this.#acquire();
    } catch (error) {
      this.#cannotWrite(error);
      return;
    }
    try {
      await runner(this, signal);
    } catch (error) {
      // Whatever it met on the way out: nothing of it can be written down.
      if (!this.#interrupted) await this.#turnFailed(error);
    } finally {
      await this.#letGo();
    }
  }

  async #turnFailed(error: unknown): Promise<void> {
    if (error instanceof JournalError || error instanceof LeaseLostError) {
      this.#cannotWrite(error);
      return;
    }
    this.#options.logger.error(`task ${this.id}: the turn failed`, error);
    try {
      await this.record({ type: 'task_finished', reason: 'failed', error: failureWords(error) });
    } catch (journalError) {
      this.#cannotWrite(journalError);
    }
  }

  /** What cannot be written down is told all the same, and what waited in the inbox stays there. */
  #cannotWrite(error: unknown): void {
    this.#options.logger.error(`task ${this.id}: the journal cannot be written`, error);
    const unsent = this.queued.map(({ text }) => text);
    this.publish({ type: 'turn_failed', error: failureWords(error), unsent });
    this.#inbox.takeAll();
  }

  /** Opens the journal for writing and catches up with what another process wrote since. */
  async #acquire(): Promise<Hold> {
    this.#holders++;
    this.#hold ??= this.#open();
    try {
      return await this.#hold;
    } catch (error) {
      this.#holders--;
      this.#hold = undefined;
      throw error;
    }
  }

  async #open(): Promise<Hold> {
    await this.#released;
    const { folder, leases } = this.#options;
    const lease = await leases.acquire(folder, () => this.#turn?.controller.abort(new TurnInterrupted()));
    try {
      const { journal, damage } = await TaskJournal.open(folder);
      const known = this.#entries.at(-1)?.seq ?? 0;
      for (const entry of journal.entries) if (entry.seq > known) this.#take(entry);
      if (damage) {
        const words = message('notice.damaged', { count: damage.lines, file: damage.file });
        this.#take(await journal.append({ type: 'notice', level: 'warning', message: words }));
      }
      return { journal, lease };
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #letGo(): Promise<void> {
    if (--this.#holders > 0) return;
    const hold = this.#hold;
    this.#hold = undefined;
    const released = (async () => {
      const held = await hold;
      this.#readTo = held?.journal.size ?? 0;
      await held?.journal.close();
      await held?.lease.release();
    })();
    this.#released = released.catch(() => undefined);
    await released;
  }

  /** Reads what another process wrote since, unless this one writes. Resolves with the number of the last entry. */
  async catchUp(): Promise<number> {
    if (!this.#writes()) {
      const { entries, end } = await TaskJournal.readFrom(this.#options.folder, this.#readTo);
      // Whoever has begun to write here meanwhile has read it all.
      if (!this.#writes()) {
        this.#readTo = end;
        for (const entry of entries) if (entry.seq > (this.#entries.at(-1)?.seq ?? 0)) this.#take(entry);
      }
    }
    return this.#entries.at(-1)?.seq ?? 0;
  }

  /** Takes what another process wrote. Who writes is asked first, so that nothing of a writer that ends is missed. */
  async #lookAround(): Promise<LeaseHolder | undefined> {
    const { folder, leases } = this.#options;
    // A lease of our own that is about to go is nobody else's.
    await this.#released;
    const holder = this.#writes() ? undefined : await leases.holder(folder);
    await this.catchUp();
    const writer = this.#writes() ? undefined : holder;
    if (writer?.token !== this.#writer?.token) {
      this.#writer = writer;
      for (const listener of this.#writerListeners) listener(writer);
    }
    return writer;
  }

  #writes(): boolean {
    return this.#hold !== undefined;
  }

  #take(entry: JournalEntry): void {
    this.#entries.push(entry);
    foldState(this.#state, entry);
    this.#tell({ kind: 'entry', entry });
  }

  #tell(event: TaskEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
