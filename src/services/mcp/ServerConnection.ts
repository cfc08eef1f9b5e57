import {
  ProtocolError,
  type AuthProvider,
  type CallToolResult,
  type Client,
  type ClientOptions,
  type OAuthClientProvider,
  type Tool,
} from '@modelcontextprotocol/client';
import type { McpProgress, McpState } from '../../shared/mcp.ts';
import { message, type Message } from '../../shared/strings.ts';
import { readList, type Catalog, type CatalogList } from './catalog.ts';
import { isSessionLost, neverSent, reasonOf, wantsSignIn } from './failures.ts';
import { HttpTransport } from './HttpTransport.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import { openConnection, type OpenConnection } from './openConnection.ts';
import type { ProcessGuardian } from './ProcessGuardian.ts';
import { ServerLog } from './ServerLog.ts';

/** Milliseconds between tries: each waits twice as long as the one before, with a little chance in it. */
export interface Backoff {
  first: number;
  longest: number;
  /** After so many failures in a row it is left alone until someone asks for it. */
  tries: number;
}
export const BACKOFF: Backoff = { first: 1000, longest: 30_000, tries: 5 };

/** Milliseconds that the lists of a server are given to settle after it said that they changed. */
const SETTLE = 200;
/** Milliseconds that a call may take, however many signs of life it gives. */
const LONGEST_CALL = 60 * 60_000;
/** The server answers so when headers that mirror arguments do not fit its idea of the tool: ours is old. */
const HEADER_MISMATCH = -32020;

export interface ConnectionOptions {
  config: McpServerConfig;
  environment: Readonly<Record<string, string | undefined>>;
  version: string;
  guardian: ProcessGuardian;
  backoff: Backoff;
  capabilities: NonNullable<ClientOptions['capabilities']>;
  /** Handlers of what the server asks of us. */
  prepare: (client: Client) => void;
  /** Made anew for each try: what a person did meanwhile counts. */
  auth: () => Promise<AuthProvider | OAuthClientProvider | undefined>;
  onChange: () => void;
}

/** What a request is given; `signal` ends it. */
export interface RequestContext {
  signal: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
}

interface RequestSettings {
  signal: AbortSignal;
  timeout: number;
  resetTimeoutOnProgress: boolean;
  maxTotalTimeout: number;
  onprogress: (progress: McpProgress) => void;
}

/** One server that may run: connected, connected anew when it went away, and left alone when it does not come back. */
export class ServerConnection {
  readonly config: McpServerConfig;
  readonly log = new ServerLog();
  readonly #options: ConnectionOptions;
  readonly #stopped = new AbortController();
  #state: McpState = { type: 'connecting' };
  #open: OpenConnection | undefined;
  #opening: Promise<OpenConnection> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #catalog: Catalog = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  readonly #problems = new Map<string, Message>();
  #signIn: HttpTransport | undefined;
  #settling: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  readonly #stale = new Set<CatalogList>();

  constructor(options: ConnectionOptions) {
    this.config = options.config;
    this.#options = options;
  }

  get state(): McpState {
    return this.#state;
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  get problems(): Message[] {
    return [...this.#problems.values()];
  }

  get client(): Client | undefined {
    return this.#open?.client;
  }

  get wire(): OpenConnection['wire'] | undefined {
    return this.#open?.wire;
  }

  /** The transport that asked for a sign-in, until the next try to connect. */
  get signInTransport(): HttpTransport | undefined {
    return this.#signIn;
  }

  /** Begins to connect; what comes of it is seen in the state. */
  start(): void {
    this.#failures = 0;
    this.#connect().catch(() => undefined); // the state says why
  }

  /** Connects now, whatever waits. @throws what the try ended with */
  async restart(): Promise<void> {
    this.#failures = 0;
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#close(open);
    await this.#connect();
  }

  /** For good: the connection is closed, a process and what it started are ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#retry);
    clearTimeout(this.#settling);
    await this.#opening?.catch(() => undefined); // its own failure is in the state
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#close(open);
  }

  /**
   * Calls a tool. A server that forgot us is met anew, and then the call is sent once more: it reached no tool before. One that went
   * away in the middle of a call is not asked twice.
   */
  async callTool(
    tool: Tool,
    args: Record<string, unknown>,
    context: RequestContext,
  ): Promise<CallToolResult> {
    const call = async (client: Client, definition: Tool): Promise<CallToolResult> => {
      // Our own check of the result follows (it keeps the result); the definition is given for the headers that mirror arguments.
      const { outputSchema: _checkedLater, ...toolDefinition } = definition;
      return await client.callTool(
        { name: tool.name, arguments: args },
        { ...this.#requestOptions(context), toolDefinition },
      );
    };
    return await this.#request(context.signal, async (client) => {
      try {
        return await call(client, tool);
      } catch (error) {
        if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error;
        await this.#refresh(['tools'], client, context.signal);
        return await call(client, this.#catalog.tools.find(({ name }) => name === tool.name) ?? tool);
      }
    });
  }

  async withClient<T>(
    context: RequestContext,
    use: (client: Client, options: RequestSettings) => Promise<T>,
  ): Promise<T> {
    return await this.#request(
      context.signal,
      async (client) => await use(client, this.#requestOptions(context)),
    );
  }

  #requestOptions(context: RequestContext): RequestSettings {
    return {
      signal: context.signal,
      timeout: this.config.timeout,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: Math.max(this.config.timeout, LONGEST_CALL),
      onprogress: ({ progress, total, message: words }) =>
        context.onProgress?.({
          progress,
          ...(total === undefined ? {} : { total }),
          ...(words === undefined ? {} : { message: words }),
        }),
    };
  }

  async #request<T>(signal: AbortSignal, use: (client: Client) => Promise<T>): Promise<T> {
    const { client } = await this.#ready(signal);
    try {
      return await use(client);
    } catch (error) {
      signal.throwIfAborted();
      if (wantsSignIn(error)) {
        this.#signInWanted();
        throw error;
      }
      if (!isSessionLost(error) && !neverSent(error)) throw error;
      this.log.add('lathe', 'info', `the session is gone (${reasonOf(error)}): connecting anew`);
      if (this.#open?.client === client) await this.restart();
      const { client: next } = await this.#ready(signal);
      return await use(next);
    }
  }

  /** The connection, made now when there is none; ends with the caller's signal. */
  async #ready(signal: AbortSignal): Promise<OpenConnection> {
    signal.throwIfAborted();
    const opening = this.#open ? Promise.resolve(this.#open) : this.#connect();
    return await new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** One try at a time: who asks meanwhile gets the same. */
  #connect(): Promise<OpenConnection> {
    clearTimeout(this.#retry);
    this.#opening ??= this.#connectOnce().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connectOnce(): Promise<OpenConnection> {
    const { config, environment, version, guardian, capabilities, prepare } = this.#options;
    this.#set({ type: 'connecting' });
    this.#signIn = undefined;
    this.#problems.clear();
    const signal = this.#stopped.signal;
    const changed = (
      list: CatalogList,
    ): { autoRefresh: false; debounceMs: number; onChanged: () => void } => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => this.#listChanged(list),
    });
    try {
      const open = await openConnection({
        ...{ config, environment, version, guardian, log: this.log, signal },
        client: {
          capabilities,
          listChanged: {
            tools: changed('tools'),
            resources: changed('resources'),
            prompts: changed('prompts'),
          },
        },
        prepare: (client) => {
          client.onerror = (error) => this.log.add('lathe', 'warning', error.message);
          client.setNotificationHandler('notifications/message', ({ params }) => {
            const { level, data, logger } = params;
            const text = typeof data === 'string' ? data : JSON.stringify(data);
            this.log.add('server', levelOf(level), logger === undefined ? text : `${logger}: ${text}`);
          });
          prepare(client);
        },
        auth: await this.#options.auth(),
        onSignInWanted: (transport) => {
          this.#signIn = transport;
        },
        onLeftOut: ({ method, name, reason }) => {
          this.#problems.set(
            `${method} ${name}`,
            message('mcp.problem.leftOut', { list: method, name, reason }),
          );
        },
      });
      signal.throwIfAborted();
      open.client.onclose = () => this.#closed(open);
      await this.#refresh(['tools', 'resources', 'resourceTemplates', 'prompts'], open.client, signal);
      this.#open = open;
      this.#failures = 0;
      this.#set({ type: 'ready' });
      return open;
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
      throw error;
    }
  }

  #failed(error: unknown): void {
    if (wantsSignIn(error)) {
      this.#signInWanted();
      return;
    }
    const words = this.config.target.type === 'stdio' ? this.log.lastWords() : '';
    const reason = `${reasonOf(error)}${words === '' ? '' : `\n${words}`}`;
    this.log.add('lathe', 'error', `it could not be reached: ${reasonOf(error)}`);
    this.#tryLater(message('mcp.problem.connect', { reason }));
  }

  #signInWanted(): void {
    this.log.add('lathe', 'info', 'it wants the person to sign in');
    const open = this.#open;
    this.#open = undefined;
    // A sign-in that began in the middle of a call (more rights are wanted) is finished on the transport that began it.
    if (open?.transport instanceof HttpTransport) this.#signIn = open.transport;
    if (open) void this.#close(open);
    this.#set({ type: 'needs_sign_in' });
  }

  #tryLater(problem: Message): void {
    const { first, longest, tries } = this.#options.backoff;
    this.#failures++;
    if (this.#failures >= tries) {
      this.#set({ type: 'failed', problem });
      return;
    }
    const delay = Math.min(longest, first * 2 ** (this.#failures - 1)) * (0.75 + Math.random() / 2);
    this.#set({ type: 'waiting', attempt: this.#failures, retryAt: Date.now() + delay, problem });
    this.#retry = setTimeout(() => {
      this.#connect().catch(() => undefined); // the state says why
    }, delay);
    this.#retry.unref();
  }

  /** The connection ended by itself. */
  #closed(open: OpenConnection): void {
    if (this.#open !== open || this.#stopped.signal.aborted) return;
    this.#open = undefined;
    const words = this.log.lastWords();
    this.#tryLater(message('mcp.problem.ended', { reason: words === '' ? '…' : words }));
  }

  async #close({ client, transport }: OpenConnection): Promise<void> {
    try {
      await transport.close();
      await client.close();
    } catch (error) {
      // It is gone either way; a process is ended by its transport.
      this.log.add('lathe', 'debug', `it did not close: ${reasonOf(error)}`);
    }
  }

  #listChanged(list: CatalogList): void {
    this.#stale.add(list);
    if (list === 'resources') this.#stale.add('resourceTemplates');
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      const lists = [...this.#stale];
      this.#stale.clear();
      const client = this.client;
      if (!client) return;
      this.#refreshing = this.#refreshing
        .then(async () => {
          await this.#refresh(lists, client, this.#stopped.signal);
          this.#options.onChange();
        })
        .catch((error: unknown) => this.log.add('lathe', 'warning', `lists not read: ${reasonOf(error)}`));
    }, SETTLE);
    this.#settling.unref();
  }

  async #refresh(lists: readonly CatalogList[], client: Client, signal: AbortSignal): Promise<void> {
    const { timeout } = this.config;
    await Promise.all(
      lists.map(async (list) => {
        const { entries, problem } = await readList(client, list, { signal, timeout });
        this.#catalog = { ...this.#catalog, [list]: entries };
        if (problem) this.#problems.set(list, problem);
        else this.#problems.delete(list);
      }),
    );
  }

  #set(state: McpState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

function levelOf(level: string): 'debug' | 'info' | 'warning' | 'error' {
  switch (level) {
    case 'debug':
      return 'debug';
    case 'info':
    case 'notice':
      return 'info';
    case 'warning':
      return 'warning';
    default:
      return 'error';
  }
}
