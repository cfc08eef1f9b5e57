/** For all sessions: a person at the web chat. */
const ALL = '*';

/** Who is there to answer what asks: connections that watch one session, and those of people who see them all. */
export class Presence {
  readonly #watching = new Map<string, number>();
  readonly #parents = new Map<string, string>();
  readonly #linger: number;
  readonly #listeners = new Set<(sessionId: string, present: boolean) => void>();
  /** What is watched at other servers that share the sessions. */
  #elsewhere: ReadonlySet<string> = new Set();

  /** `linger`: milliseconds for which a person at the web chat is still there after their page has gone. */
  constructor(linger = 30_000) {
    this.#linger = linger;
  }

  /** A connection that can answer for this session, until the returned function is called. */
  watch(sessionId: string): () => void {
    this.#add(sessionId, 1);
    return () => this.#add(sessionId, -1);
  }

  /**
   * A person at the web chat, until the returned function is called, and a moment longer: a page is loaded anew, a connection breaks,
   * and what asks meanwhile waits for them.
   */
  person(): () => void {
    const left = this.watch(ALL);
    return () => {
      setTimeout(left, this.#linger).unref();
    };
  }

  /** Whoever watches a session is asked for its subtasks too. */
  learn(taskId: string, parent: string): void {
    this.#parents.set(taskId, parent);
  }

  isAttended(taskId: string): boolean {
    return this.#isIn(taskId, this.#watching) || this.#isIn(taskId, this.#elsewhere);
  }

  /** Whether a connection of this server watches the session, or the one whose subtask it is. */
  isWatchedHere(taskId: string): boolean {
    return this.#isIn(taskId, this.#watching);
  }

  /** Hears when the first connection begins to watch a session here, and when the last one has left; * stands for all sessions. */
  onChange(listener: (sessionId: string, present: boolean) => void): void {
    this.#listeners.add(listener);
  }

  setElsewhere(sessions: readonly string[]): void {
    this.#elsewhere = new Set(sessions);
  }

  #isIn(taskId: string, sessions: { has: (sessionId: string) => boolean }): boolean {
    if (sessions.has(ALL)) return true;
    for (let id: string | undefined = taskId; id !== undefined; id = this.#parents.get(id))
      if (sessions.has(id)) return true;
    return false;
  }

  #add(sessionId: string, change: 1 | -1): void {
    const before = this.#watching.get(sessionId) ?? 0;
    const count = before + change;
    if (count > 0) this.#watching.set(sessionId, count);
    else this.#watching.delete(sessionId);
    if (before > 0 !== count > 0) for (const listener of this.#listeners) listener(sessionId, count > 0);
  }
}
