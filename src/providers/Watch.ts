import { StalledError } from './errors.ts';

/** Calls `fire` once after that many milliseconds; what it returns stops it. */
export type Timer = (milliseconds: number, fire: () => void) => () => void;

export const clock: Timer = (milliseconds, fire) => {
  const timer = setTimeout(fire, milliseconds);
  return () => clearTimeout(timer);
};

export interface WatchOptions {
  signal: AbortSignal;
  idleMs: number;
  timer: Timer;
}

/** Ends a wait when the person aborts or when nothing comes for the idle time, whatever the other side does. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #options: WatchOptions;
  readonly #onAbort = (): void => this.#controller.abort(this.#options.signal.reason);

  constructor(options: WatchOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async guard<T>(wait: Promise<T>): Promise<T> {
    const { idleMs, timer } = this.#options;
    let stop = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      const onAbort = (): void =>
        reject(this.signal.reason instanceof Error ? this.signal.reason : new Error('aborted'));
      if (this.signal.aborted) {
        onAbort();
        return;
      }
      const stopTimer = timer(idleMs, () =>
        this.#controller.abort(new StalledError(Math.round(idleMs / 1000))),
      );
      this.signal.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        stopTimer();
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
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}
