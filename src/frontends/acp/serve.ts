import {
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type AnyMessage,
  type AuthenticateRequest,
  type InitializeRequest,
  type InitializeResponse,
  type Stream,
} from '@agentclientprotocol/sdk';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { message, translate, type Locale } from '../../shared/strings.ts';
import type { AcpSessions, AcpSessionsOptions } from './AcpSessions.ts';
import type { Logger } from '../../core/Logger.ts';
import { INVALID_PARAMS, requestError, SIGN_IN } from './requestErrors.ts';

/** What sessions know of their connection. */
export type Connected = Pick<AcpSessionsOptions, 'client' | 'gone' | 'capabilities'>;

export interface ServeOptions {
  stream: Stream;
  version: string;
  locale: Locale;
  logger: Logger;
  /** The sessions of the connection, with all that is behind them: loaded when the first is asked for, or before that in idle time. */
  open: (connected: Connected) => Promise<AcpSessions>;
  /** Aborts when the process is to end. */
  signal: AbortSignal;
}

const METHOD = 'model';

/**
 * Speaks the Agent Client Protocol, version 1, as the agent. Resolves when the client has gone, or the process is to end, and
 * everything is stopped and written down.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { stream, signal, locale, logger } = options;
  // The connection's parts: they are there before the first request is handled.
  const capabilities: Connected['capabilities'] = { current: {} };
  let connected: Connected | undefined;
  let opened: Promise<AcpSessions> | undefined;
  const open = async (): Promise<AcpSessions> => {
    if (!connected) throw new Error('the connection has not opened');
    return await (opened ??= options.open(connected));
  };
  const answering =
    <P, R>(answer: (sessions: AcpSessions, params: P, signal: AbortSignal) => Promise<R>) =>
    async (context: { params: P; signal: AbortSignal }): Promise<R> => {
      try {
        return await answer(await open(), context.params, context.signal);
      } catch (error) {
        throw requestError(error, locale);
      }
    };
  const connection = agent({ name: 'lathe' })
    .onConnect(({ client, signal: gone }) => {
      connected = { client, gone, capabilities };
    })
    .onRequest('initialize', ({ params }) => {
      capabilities.current = params.clientCapabilities ?? {};
      // Behind the answer: whoever asks this wants a session next.
      setImmediate(() => {
        if (!connected?.gone.aborted) open().catch((error: unknown) => logger.error('sessions', error));
      });
      return initialized(params, options);
    })
    .onRequest(
      'authenticate',
      answering(async (all, { methodId }: AuthenticateRequest) => {
        if (methodId !== METHOD)
          throw new RequestError(
            INVALID_PARAMS,
            translate(locale, message('acp.error.unknownSignIn', { id: methodId })),
          );
        if (!(await all.hasModel()))
          throw new RequestError(SIGN_IN, translate(locale, message('acp.signIn.description')));
        return {};
      }),
    )
    .onRequest(
      'session/new',
      answering(async (all, params) => await all.create(params)),
    )
    .onRequest(
      'session/load',
      answering(async (all, params) => await all.restore(params, true)),
    )
    .onRequest(
      'session/resume',
      answering(async (all, params) => await all.restore(params, false)),
    )
    .onRequest(
      'session/list',
      answering(async (all, params) => await all.list(params)),
    )
    .onRequest(
      'session/close',
      answering(async (all, { sessionId }) => await all.close(sessionId)),
    )
    .onRequest(
      'session/delete',
      answering(async (all, { sessionId }) => await all.delete(sessionId)),
    )
    .onRequest(
      'session/prompt',
      answering(async (all, { sessionId, prompt }, cancelled) => ({
        stopReason: await all.get(sessionId).prompt(prompt, cancelled),
      })),
    )
    .onRequest(
      'session/set_mode',
      answering(async (all, { sessionId, modeId }) => {
        await all.get(sessionId).setMode(modeId);
        return {};
      }),
    )
    .onRequest(
      'session/set_config_option',
      answering(async (all, params) => ({
        configOptions: await all.get(params.sessionId).setOption(params),
      })),
    )
    .onNotification(
      'session/cancel',
      answering(async (all, { sessionId }) => {
        await all.find(sessionId)?.cancel();
      }),
    )
    .connect(inOrder(stream));
  const stop = (): void => connection.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await connection.closed;
  } finally {
    signal.removeEventListener('abort', stop);
    // Why they could not be opened was answered to who asked for them.
    const sessions = await opened?.catch(() => undefined);
    await sessions?.dispose();
  }
}

/**
 * Each message is taken up before the next is handed over: the SDK's handlers would else begin in another order than their messages
 * came in, and a cancel reach the prompt behind it.
 */
function inOrder({ readable, writable }: Stream): Stream {
  const oneByOne = new TransformStream<AnyMessage, AnyMessage>({
    transform: async (message, controller) => {
      controller.enqueue(message);
      await nextTurn();
    },
  });
  return { writable, readable: readable.pipeThrough(oneByOne) };
}

/** One version is spoken: who asks for another hears which. */
function initialized(_request: InitializeRequest, { version, locale }: ServeOptions): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'lathe', title: 'Lathe', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
    },
    authMethods: [
      {
        id: METHOD,
        name: translate(locale, message('acp.signIn')),
        description: translate(locale, message('acp.signIn.description')),
      },
    ],
  };
}
