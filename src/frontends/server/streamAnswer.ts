import type { ServerResponse } from 'node:http';
import { translate, type Locale } from '../../shared/strings.ts';
import type { Exchange } from './Exchange.ts';

/** Milliseconds after which a silent stream sends a comment, so that nothing on the way takes it for dead. */
const KEEP_ALIVE = 15_000;

export interface StreamAnswerOptions {
  exchange: Exchange;
  response: ServerResponse;
  locale: Locale;
  /** Characters of the answer that the client has. */
  from: number;
  /** Whether `start` is said: to a client that has nothing yet. */
  starts: boolean;
  /** Fires when the server ends. */
  signal: AbortSignal;
}

/**
 * Sends an answer while it grows as events of a stream: `start`, `message`…, then `done` or `error`. Each event's id is
 * `<message>:<characters so far>`, with which a client that was cut off goes on. A client that reads slowly gets larger pieces later;
 * nothing piles up for it. Resolves when all is sent or the client has gone.
 */
export async function streamAnswer(options: StreamAnswerOptions): Promise<void> {
  const { exchange, response, signal, starts } = options;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    // Nginx and its like would gather the events.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  let sent = options.from;
  const send = (event: string, data: object): boolean =>
    response.write(`id: ${exchange.id}:${sent}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  await new Promise<void>((resolve) => {
    let room = !starts || send('start', { message_id: String(exchange.id) });
    const keepAlive = setInterval(() => response.write(': still here\n\n'), KEEP_ALIVE);
    const stop = (): void => {
      clearInterval(keepAlive);
      forget();
      signal.removeEventListener('abort', stop);
      response.end();
      resolve();
    };
    const flush = (): void => {
      if (!room) return;
      if (exchange.shown.length > sent) {
        const content = exchange.shown.from(sent);
        sent = exchange.shown.length;
        room = send('message', { content });
      }
      if (!exchange.end) return;
      sendEnd(options, send);
      stop();
    };
    const forget = exchange.onChange(flush);
    response.on('drain', () => {
      room = true;
      flush();
    });
    response.once('close', stop);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    else flush();
  });
}

function sendEnd(
  { exchange, locale }: StreamAnswerOptions,
  send: (event: string, data: object) => boolean,
): void {
  const { end, answerId, id } = exchange;
  const message_id = String(answerId ?? id);
  if (end?.type === 'error') {
    send('error', { message_id, error: end.message ? translate(locale, end.message) : '' });
    return;
  }
  // An answer that is whole needs no reason.
  const reason = end?.reason;
  const cut = reason !== undefined && reason !== 'answered' && reason !== 'completed';
  send('done', { message_id, ...(cut ? { reason } : {}) });
}
