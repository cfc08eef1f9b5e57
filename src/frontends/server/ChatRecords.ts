import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from '../../core/Logger.ts';
import type { ChatDatabase, SessionChanges, SessionRows } from '../../shared/chat.ts';

/** Writes rows in the order in which they come: what comes in one tick, of all sessions, is one transaction. */
export class ChatRecords {
  readonly #database: ChatDatabase;
  readonly #logger: Logger;
  #waiting: SessionChanges[] = [];
  #writing: Promise<void> | undefined;

  constructor(database: ChatDatabase, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  add(changes: SessionChanges): void {
    this.#waiting.push(changes);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
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
        // The journals hold it all: the session's rows are made again when they are asked for.
        this.#logger.error('rows of the database were not written; they come again from the journals', error);
      }
    }
  }
}
