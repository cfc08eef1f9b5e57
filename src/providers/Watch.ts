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

/** Ends a wait when the person aborts or when no byte comes for the idle time, whatever the other side does. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #options: WatchOptions;
  readonly #onAbort = (): void => this.#controller.abort(this.#options.signal.reason);
  #stopTimer: (() => void) | undefined;
  /** Ends the wait that is under way. */
  #fail: ((error: Error) => void) | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.signal.addEventListener('abort', () => this.#end(), { once: true });
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** One wait at a time. */
  async guard<T>(wait: Promise<T>): Promise<T> {
    try {
      // The signal has one listener, and not one a wait: there is a wait for each piece of an answer.
      return await new Promise<T>((resolve, reject) => {
        this.#fail = reject;
        if (this.signal.aborted) this.#end();
        else this.#start();
        wait.then(resolve, reject);
      });
    } finally {
      this.#fail = undefined;
      this.#stop();
    }
  }

  /** Answers whose every byte counts as a sign of life: comments and pings too, of which the packages say nothing. */
  hearing(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      if (!response.body) return response;
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      // A pipe would cost a dozen promises a piece.
      const heard = new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            const { done, value } = await reader.read();
            if (this.#stopTimer) this.#start();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: async (reason) => await reader.cancel(reason),
        },
        { highWaterMark: 0 },
      );
      return new Response(heard, response);
    };
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }

  #end(): void {
    const { reason } = this.signal as { reason: unknown };
    this.#fail?.(reason instanceof Error ? reason : new Error('aborted'));
  }

  #start(): void {
    const { idleMs, timer } = this.#options;
    this.#stop();
    this.#stopTimer = timer(idleMs, () =>
      this.#controller.abort(new StalledError(Math.round(idleMs / 1000))),
    );
  }

  #stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}
