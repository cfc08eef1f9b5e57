import type { ModelFacts, Provider, ProviderEvent, ProviderRequest } from '../core/provider/Provider.ts';
import type { RequestError } from '../shared/events.ts';
import { clock, type Timer } from './Watch.ts';

export interface RetryOptions {
  /** How often the same request is sent again. */
  limit: number;
  /** What the waits run on; the platform's own unless given. */
  timer?: Timer;
  random?: () => number;
}

const FIRST_DELAY = 1000;
const LONGEST_DELAY = 60_000;

/**
 * Sends a request again when it failed in a way that can pass (429, 5xx, network, stalled) and before anything of an answer came.
 * Waits as the provider asks, else jittered and doubling; an abort ends the wait at once.
 */
export class RetryingProvider implements Provider {
  readonly makePicture: Provider['makePicture'];
  readonly #inner: Provider;
  readonly #options: Required<RetryOptions>;

  constructor(inner: Provider, { limit, timer = clock, random = Math.random }: RetryOptions) {
    this.#inner = inner;
    this.makePicture = inner.makePicture?.bind(inner);
    this.#options = { limit, timer, random };
  }

  get id(): string {
    return this.#inner.id;
  }

  facts(model: string): ModelFacts {
    return this.#inner.facts(model);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    for (let attempt = 1; ; attempt++) {
      const failure = yield* this.#attempt(request, signal, attempt > this.#options.limit);
      if (!failure) return;
      const milliseconds = this.#delayOf(failure, attempt);
      yield { type: 'retry', attempt, error: failure, retryAt: Date.now() + milliseconds };
      if (!(await this.#wait(milliseconds, signal))) {
        yield { type: 'end', stopReason: 'aborted' };
        return;
      }
      yield { type: 'retrying', attempt };
    }
  }

  /** The error when it is to be tried again; else everything was passed on, the end included. */
  async *#attempt(
    request: ProviderRequest,
    signal: AbortSignal,
    last: boolean,
  ): AsyncGenerator<ProviderEvent, RequestError | undefined> {
    for await (const event of this.#inner.stream(request, signal)) {
      // An `error` end means that no content came: see the contract of Provider.
      if (
        event.type === 'end' &&
        event.stopReason === 'error' &&
        event.error?.retryable === true &&
        !last &&
        !signal.aborted
      )
        return event.error;
      yield event;
    }
    return undefined;
  }

  #delayOf({ retryAfter }: RequestError, attempt: number): number {
    // As the provider asks, however long: sending earlier would only be refused again.
    if (retryAfter !== undefined) return retryAfter;
    const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
    return Math.round(full * (0.5 + this.#options.random() / 2));
  }

  /** False when the person stopped it. */
  #wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const stopTimer = this.#options.timer(milliseconds, () => {
        signal.removeEventListener('abort', onAbort);
        resolve(true);
      });
      const onAbort = (): void => {
        stopTimer();
        resolve(false);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
