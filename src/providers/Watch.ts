import { StalledError } from './errors.ts';

/** Ends a wait when the person aborts or when nothing comes for the idle time, whatever the other side does. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #idleMs: number;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);

  constructor(outer: AbortSignal, idleMs: number) {
    this.#outer = outer;
    this.#idleMs = idleMs;
    outer.addEventListener('abort', this.#onAbort, { once: true });
    if (outer.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async guard<T>(wait: Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    let stop = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      const onAbort = (): void =>
        reject(this.signal.reason instanceof Error ? this.signal.reason : new Error('aborted'));
      const timer = setTimeout(
        () => this.#controller.abort(new StalledError(Math.round(this.#idleMs / 1000))),
        this.#idleMs,
      );
      this.signal.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([wait, ended]);
    } finally {
      stop();
    }
  }

  close(): void {
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}
