import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import { chatRequestSchema } from '../../shared/chat.ts';
import { translate, type Locale } from '../../shared/strings.ts';
import { taskIdSchema } from '../../shared/taskId.ts';
import { NotTakenError } from './ChatSession.ts';
import type { ChatSessions } from './ChatSessions.ts';
import type { Exchange } from './Exchange.ts';
import type { Environment, ServerLimits } from './HttpServer.ts';
import type { Metrics } from './Metrics.ts';
import { readJson } from './readJson.ts';
import { protocolRefusal, refused } from './refused.ts';
import { streamAnswer } from './streamAnswer.ts';

interface ChatRoutesOptions {
  sessions: ChatSessions;
  limits: ServerLimits;
  metrics: Metrics;
  locale: Locale;
  logger: Logger;
  /** Fires when the server ends. */
  signal: AbortSignal;
}

/** Seconds after which a client that was turned away may try again. */
const RETRY_AFTER = { 'retry-after': '2' };

/** The chat: a message in, its answer as a stream of events, and what was said. */
export function chatRoutes({
  sessions,
  limits,
  metrics,
  locale,
  logger,
  signal,
}: ChatRoutesOptions): Hono<Environment> {
  const routes = new Hono<Environment>();
  const tooLarge = bodyLimit({
    maxSize: limits.body,
    onError: () => refused(413, `the body has more than ${limits.body} bytes`),
  });
  let streams = 0;

  const stream = (
    context: Context<Environment>,
    exchange: Exchange,
    from: number,
    starts: boolean,
  ): Response => {
    streams++;
    const ended = metrics.stream();
    streamAnswer({ exchange, response: context.env.outgoing, locale, from, starts, signal })
      .catch((error: unknown) => logger.error('an answer was not streamed to its end', error))
      .finally(() => {
        streams--;
        ended();
      });
    return RESPONSE_ALREADY_SENT;
  };
  const full = (): Response | undefined =>
    streams < limits.streams ? undefined : refused(503, 'too many answers are streamed at once', RETRY_AFTER);

  routes.post('/send', tooLarge, async (context) => {
    const busy = full();
    if (busy) return busy;
    const read = await readJson(context, chatRequestSchema);
    if ('refusal' in read) return read.refusal;
    try {
      return stream(context, await sessions.send(read.data), 0, true);
    } catch (error) {
      return refusalOf(error, locale);
    }
  });

  routes.get('/sessions', async (context) => context.json(await sessions.list()));

  routes.get('/sessions/:id/messages', async (context) => {
    const id = taskIdSchema.safeParse(context.req.param('id'));
    if (!id.success) return refused(400, 'that is no id of a session');
    try {
      return context.json(await sessions.messages(id.data));
    } catch (error) {
      return refusalOf(error, locale);
    }
  });

  routes.get('/sessions/:id/events', async (context) => {
    const id = taskIdSchema.safeParse(context.req.param('id'));
    const since = placeOf(context.req.query('since') ?? context.req.header('last-event-id'));
    if (!id.success || since === undefined)
      return refused(400, 'since is the id of the last event that came: <message>:<characters>');
    const busy = full();
    if (busy) return busy;
    try {
      const exchange = await sessions.exchange(id.data, since.message);
      if (!exchange) return refused(404, 'the session has no such message');
      const from = Math.min(since.characters, exchange.shown.length);
      return stream(context, exchange, from, since.characters === 0);
    } catch (error) {
      return refusalOf(error, locale);
    }
  });
  return routes;
}

/** `3:128` → the answer to message 3 from its 128th character on; without anything, the last answer from its beginning. */
function placeOf(since: string | undefined): { message: number | undefined; characters: number } | undefined {
  if (since === undefined) return { message: undefined, characters: 0 };
  const [, message, characters = '0'] = /^(\d{1,15})(?::(\d{1,15}))?$/.exec(since) ?? [];
  return message === undefined ? undefined : { message: Number(message), characters: Number(characters) };
}

function refusalOf(error: unknown, locale: Locale): Response {
  if (error instanceof ProtocolError) return protocolRefusal(error.data, locale);
  if (error instanceof NotTakenError)
    return refused(
      409,
      error.words ? translate(locale, error.words) : 'the turn was stopped before the message was taken',
    );
  throw error;
}
