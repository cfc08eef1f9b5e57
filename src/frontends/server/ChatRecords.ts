import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from '../../core/Logger.ts';
import type { ChatDatabase, SessionChanges, SessionRows } from '../../shared/chat.ts';

/** Writes rows in the order in which they come: what comes in one tick, of all sessions, is one transaction. */
export class ChatRecords {
  readonly #database: ChatDatabase;
  readonly #logger: Logger;
  #waiting: SessionChanges[] = [];
  readonly #behind = new Set<string>();
  #writing: Promise<void> | undefined;

  constructor(database: ChatDatabase, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  add(changes: SessionChanges): void {
    if (this.#behind.has(changes.sessionId)) return;
    this.#waiting.push(changes);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Every row of a session: whatever of it was not written is there then. */
  addAll(changes: SessionChanges): void {
    this.#behind.delete(changes.sessionId);
    this.add(changes);
  }

  /** Whether rows of the session could not be written: what comes behind them waits until all of them are written again. */
  isBehind(sessionId: string): boolean {
    return this.#behind.has(sessionId);
  }

  /** The rows of a session, those on their way included. */
  async read(sessionId: string): Promise<SessionRows | undefined> {
    await this.settled();
    return await this.#database.read(sessionId);
  }

  /** Resolves when everything that was added has been written, or could not be. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTick();
      const changes = this.#waiting;
      this.#waiting = [];
      try {
        await this.#database.write(changes);
      } catch (error) {
        // The journals hold it all: the session's rows are made again when they are asked for. Rows behind a gap would hide it.
        for (const { sessionId } of changes) this.#behind.add(sessionId);
        this.#waiting = this.#waiting.filter(({ sessionId }) => !this.#behind.has(sessionId));
        this.#logger.error('rows of the database were not written; they come again from the journals', error);
      }
    }
  }
}
