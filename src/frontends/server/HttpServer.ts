import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { WebSocketServer, type WebSocket } from 'ws';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import type { ChatDatabase } from '../../shared/chat.ts';
import type { Locale } from '../../shared/strings.ts';
import { taskIdSchema } from '../../shared/taskId.ts';
import { PathFinder } from '../page/PathFinder.ts';
import { chatRoutes } from './chatRoutes.ts';
import { ChatSessions } from './ChatSessions.ts';
import { SOCKET_PROTOCOL, strangerIn, tokenMissing, type GuardOptions, type Refusal } from './guard.ts';
import { Metrics } from './Metrics.ts';
import { PageFiles } from './PageFiles.ts';
import { pageRequests, type PageRequestOptions } from './pageRequests.ts';
import { pageRoutes } from './pageRoutes.ts';
import { openPageSocket } from './PageSocket.ts';
import type { Presence } from './Presence.ts';
import { readerLocale } from './readerLocale.ts';
import { protocolRefusal, refused } from './refused.ts';
import { rpcRoutes } from './rpcRoutes.ts';
import type { ServedAgent } from './ServedAgent.ts';
import { openToolSocket } from './ToolSocket.ts';

export interface HttpServerOptions extends GuardOptions {
  agent: ServedAgent;
  database: ChatDatabase;
  presence: Presence;
  logger: Logger;
  locale: Locale;
  version: string;
  /** The folder that is served, absolute. */
  workspace: string;
  /** The mode of new sessions. */
  mode: string | undefined;
  /** The web chat at `/`; there is none without it. */
  page?: PageOptions;
  /** Bounds; what is above them is refused with words, never dropped. */
  limits?: Partial<ServerLimits>;
}

export interface PageOptions extends Pick<PageRequestOptions, 'home' | 'license' | 'suggestions'> {
  /** Absolute path of the built page. */
  folder: string;
}

export interface ServerLimits {
  /** Bytes of a request's body, which a page sends as a WebSocket frame; and of the frames of other clients. */
  body: number;
  frame: number;
  /** Connections at one time, and of these the WebSockets. */
  connections: number;
  sockets: number;
  /** Answers that are streamed at one time. */
  streams: number;
  /** Sessions that are kept open for clients. */
  sessions: number;
  /** Messages of one session that wait for their turn. */
  queue: number;
  /** Bytes that may wait for one WebSocket client. */
  backlog: number;
}

const usualLimits: ServerLimits = {
  body: 32 * 1024 * 1024,
  frame: 1024 * 1024,
  connections: 10_000,
  sockets: 5000,
  streams: 2000,
  sessions: 5000,
  queue: 100,
  backlog: 8 * 1024 * 1024,
};

/** Milliseconds that streams get to say their end when the server is stopped. */
const LAST_WORDS = 2000;
/** Milliseconds that a WebSocket waits for other servers to know of its client. */
const PRESENCE_TOLD = 15_000;

export type Environment = { Bindings: HttpBindings };

/** The agent behind HTTP: the chat, its notifications, every method of the protocol, and what operators look at. */
export class HttpServer {
  readonly sessions: ChatSessions;
  readonly #options: HttpServerOptions;
  readonly #limits: ServerLimits;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #pages: WebSocketServer;
  readonly #paths: PathFinder;
  readonly #metrics: Metrics;
  readonly #stop = new AbortController();

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    const { agent, database, logger, mode, presence } = options;
    this.sessions = new ChatSessions({ agent, database, logger, mode, limits: this.#limits });
    agent.followAlso?.((taskId) => this.sessions.isFollowed(taskId));
    agent.onNotification((name, params) => {
      if (name === 'task/events' && 'parent' in params && params.parent !== undefined)
        presence.learn(params.taskId, params.parent);
    });
    this.#sockets = webSockets(this.#limits.frame);
    this.#pages = webSockets(this.#limits.body);
    this.#paths = new PathFinder(async () => (await options.page?.suggestions.files()) ?? []);
    this.#metrics = new Metrics({
      sessions: () => this.sessions.size,
      sockets: () => this.#clients.length,
    });
    const listener = getRequestListener(this.#routes().fetch);
    this.#server = createServer((request, response) => void listener(request, response));
    this.#server.maxConnections = this.#limits.connections;
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
  }

  /** Resolves with the port; 0 takes a free one. @throws the system's error, as when the port is taken */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, this.#options.host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes nothing new, ends what is open, and resolves when all is written. Turns are broken off by whoever owns the agent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#stop.abort();
    for (const socket of this.#clients) socket.close(1001, 'the server stops');
    this.#server.closeIdleConnections();
    const force = setTimeout(() => {
      for (const socket of this.#clients) socket.terminate();
      this.#server.closeAllConnections();
    }, LAST_WORDS);
    await closed;
    clearTimeout(force);
    await this.sessions.dispose();
  }

  get #clients(): WebSocket[] {
    return [...this.#sockets.clients, ...this.#pages.clients];
  }

  #routes(): Hono<Environment> {
    const { agent, logger, locale, page, version, workspace } = this.#options;
    const app = new Hono<Environment>();
    app.use(async (context, next) => {
      const stranger = strangerIn(context.env.incoming, this.#options);
      if (stranger) return refused(stranger.status, stranger.reason);
      await next();
      return undefined;
    });
    app.get('/health', (context) => context.json({ status: 'ok', version }));
    if (page) app.route('/', pageRoutes(new PageFiles(page.folder), locale));
    app.use(async (context, next) => {
      const missing = tokenMissing(context.env.incoming, this.#options);
      if (missing) return refused(missing.status, missing.reason, { 'www-authenticate': 'Bearer' });
      const finished = this.#metrics.request(context.req.method, context.req.path);
      await next();
      finished(context.res.status);
      return undefined;
    });
    app.route(
      '/api/chat',
      chatRoutes({
        ...{ locale, logger },
        sessions: this.sessions,
        limits: this.#limits,
        metrics: this.#metrics,
        signal: this.#stop.signal,
      }),
    );
    if (page) app.get('/api/page', (context) => context.json({ workspace }));
    app.route('/', rpcRoutes({ agent, workspace, locale, version, bodyLimit: this.#limits.body }));
    app.get('/metrics', async () => await this.#metrics.page());
    app.notFound(() => refused(404, 'there is nothing at this address'));
    app.onError((error) => {
      if (error instanceof ProtocolError) return protocolRefusal(error.data, locale);
      logger.error('a request failed', error);
      return refused(500, error.message);
    });
    return app;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', (error) => this.#options.logger.warn(`a connection broke: ${error.message}`));
    const refusal = await this.#socketRefusal(request).catch((error: unknown): Refusal => {
      this.#options.logger.error('a WebSocket was not opened', error);
      return { status: 500, reason: 'the session cannot be read' };
    });
    if ('status' in refusal) {
      socket.end(
        `HTTP/1.1 ${refusal.status} Refused\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${refusal.reason}\n`,
      );
      return;
    }
    const left = refusal.attend();
    if (socket.destroyed) left();
    else socket.once('close', left);
    // A client whose WebSocket is open is there for what asks, wherever that is.
    const told = this.#options.agent.presenceTold?.();
    if (told) await Promise.race([told, delay(PRESENCE_TOLD, undefined, { ref: false })]);
    refusal.server.handleUpgrade(request, socket, head, refusal.accept);
  }

  /** Why a WebSocket is not opened, or what is done with it. */
  async #socketRefusal(request: IncomingMessage): Promise<Refusal | Accepted> {
    const { agent, locale, presence } = this.#options;
    const stranger = strangerIn(request, this.#options) ?? tokenMissing(request, this.#options);
    if (stranger) return stranger;
    if (this.#clients.length >= this.#limits.sockets) return { status: 503, reason: 'too many connections' };
    const url = new URL(request.url ?? '/', 'http://server');
    if (url.pathname === '/ws') return this.#page(request);
    if (url.pathname !== '/api/chat/ws')
      return { status: 404, reason: 'there is no WebSocket at this address' };
    const id = taskIdSchema.safeParse(url.searchParams.get('session_id'));
    if (!id.success) return { status: 400, reason: 'session_id is missing, or is none' };
    const session = await this.sessions.watch(id.data);
    return {
      server: this.#sockets,
      attend: () => presence.watch(id.data),
      accept: (socket) => {
        this.#report(socket);
        openToolSocket({ socket, session, agent, locale, backlog: this.#limits.backlog });
      },
    };
  }

  #page({ headers }: IncomingMessage): Refusal | Accepted {
    const { agent, locale, logger, page, presence, version, workspace } = this.#options;
    if (!page) return { status: 404, reason: 'there is no web chat here' };
    const editor = pageRequests({
      ...{ ...page, version, workspace, paths: this.#paths },
      browser: headers['user-agent'] ?? '',
      locale: readerLocale(headers['accept-language'], locale),
    });
    return {
      server: this.#pages,
      attend: () => presence.person(),
      accept: (socket) => {
        this.#report(socket);
        openPageSocket({ socket, agent, editor, logger, workspace, backlog: this.#limits.backlog });
      },
    };
  }

  #report(socket: WebSocket): void {
    socket.on('error', (error) => this.#options.logger.warn(`a WebSocket broke: ${error.message}`));
  }
}

interface Accepted {
  server: WebSocketServer;
  /** Whoever opens it is there from now on, until what this gives is called. */
  attend: () => () => void;
  accept: (socket: WebSocket) => void;
}

function webSockets(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    ...{ noServer: true, maxPayload },
    handleProtocols: (offered) => (offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
  });
}
