import { parentPort } from 'node:worker_threads';

/** From the starter to the thread: a call, or that nobody waits for it any more. */
export type Call<TRequest> = { id: number; request: TRequest } | { id: number; cancelled: true };

/** From the thread to its starter. */
export type Answer<TResult, TProgress> =
  | { type: 'progress'; id: number; progress: TProgress }
  | { type: 'result'; id: number; result: TResult }
  | { type: 'error'; id: number; name: string; message: string; stack: string | undefined };

/** What the thread does with a call: the request is what `Thread.call` was given, the result and the progress what it hands out. */
export type Answerer = (
  request: unknown,
  tools: { signal: AbortSignal; progress: (progress: unknown) => void },
) => Promise<unknown>;

/** In a thread: answers the calls of whoever started it, each with one result or one error. */
export function answerCalls(answer: Answerer): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs in a thread of its own');
  const running = new Map<number, AbortController>();
  const post = (message: Answer<unknown, unknown>): void => port.postMessage(message);
  port.on('message', (call: Call<unknown>) => {
    const { id } = call;
    if ('cancelled' in call) {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    const progress = (progress: unknown): void => post({ type: 'progress', id, progress });
    answer(call.request, { signal: controller.signal, progress })
      .then(
        (result) => post({ type: 'result', id, result }),
        (error: unknown) => {
          const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
          post({ type: 'error', id, name, message, stack });
        },
      )
      .finally(() => running.delete(id));
  });
}
