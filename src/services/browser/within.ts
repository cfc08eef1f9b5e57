import { BrowserError } from '../../shared/browser.ts';

/** Too long without an answer. */
export class TooLong extends BrowserError {}

/**
 * The promise's own end, unless the time is over or the signal fires first; what it does after that is nobody's any more.
 * @throws TooLong, or the signal's reason
 */
export async function within<T>(milliseconds: number, signal: AbortSignal, promise: Promise<T>): Promise<T> {
  // Whoever loses the race may still fail later.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new TooLong('page', `It took longer than ${milliseconds / 1000} seconds.`)),
          milliseconds,
        );
        stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener('abort', stop);
  }
}
