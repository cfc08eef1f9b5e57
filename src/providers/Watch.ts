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

  constructor(options: WatchOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async guard<T>(wait: Promise<T>): Promise<T> {
    const { signal } = this;
    let fail: (error: Error) => void = () => undefined;
    const ended = new Promise<never>((_resolve, reject) => (fail = reject));
    const onAbort = (): void => fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) onAbort();
    else {
      signal.addEventListener('abort', onAbort, { once: true });
      this.#start();
    }
    try {
      return await Promise.race([wait, ended]);
    } finally {
      this.#stop();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Answers whose every byte counts as a sign of life: comments and pings too, of which the packages say nothing. */
  hearing(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      if (!response.body) return response;
      const heard = new TransformStream<Uint8Array, Uint8Array>({
        transform: (bytes, controller) => {
          if (this.#stopTimer) this.#start();
          controller.enqueue(bytes);
        },
      });
      return new Response(response.body.pipeThrough(heard), response);
    };
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
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
