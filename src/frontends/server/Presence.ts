/** Who is there to answer what asks: connections that watch one session, and those of people who see them all. */
export class Presence {
  readonly #watching = new Map<string, number>();
  readonly #parents = new Map<string, string>();
  readonly #linger: number;
  #people = 0;

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
    this.#people++;
    return () => {
      const gone = setTimeout(() => this.#people--, this.#linger);
      gone.unref();
    };
  }

  /** Whoever watches a session is asked for its subtasks too. */
  learn(taskId: string, parent: string): void {
    this.#parents.set(taskId, parent);
  }

  isAttended(taskId: string): boolean {
    if (this.#people > 0) return true;
    for (let id: string | undefined = taskId; id !== undefined; id = this.#parents.get(id))
      if (this.#watching.has(id)) return true;
    return false;
  }

  #add(sessionId: string, change: 1 | -1): void {
    const count = (this.#watching.get(sessionId) ?? 0) + change;
    if (count > 0) this.#watching.set(sessionId, count);
    else this.#watching.delete(sessionId);
  }
}
