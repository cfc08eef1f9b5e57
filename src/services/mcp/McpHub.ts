import type { Tool } from '@modelcontextprotocol/client';
import type { McpConfigProblem, McpConsent, McpLogLine, McpOutcome, McpServer } from '../../shared/mcp.ts';
import { AuditLog } from './AuditLog.ts';
import { ConfigFiles } from './ConfigFiles.ts';
import { Consents } from './Consents.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import { parseEntries } from './parseConfig.ts';
import { ProcessGuardian } from './ProcessGuardian.ts';
import { serverRow } from './serverRow.ts';
import { safeNames } from './safeNames.ts';
import type { ServerCalls } from './ServerCalls.ts';
import type { Backoff, ServerConnection, ConnectionOptions } from './ServerConnection.ts';
import { ServerEntries } from './ServerEntries.ts';
import { ServerManager, type Confirm } from './ServerManager.ts';
import { ServerRequests, type Elicit, type Sample } from './ServerRequests.ts';
import type { OpenAddress, SecretKeeper, SignIns } from './SignIns.ts';
import { toolHash } from './toolHash.ts';

export interface McpHubOptions {
  /** LATHE_HOME: the person's own configuration, consents and the audit log are there. */
  home: string;
  /** The folder that is open; absolute. */
  workspace: () => string | undefined;
  /** Nothing starts before it. */
  trusted: () => boolean;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ours, as servers are told. */
  version: string;
  logger: { warn(text: string): void; error(text: string, error?: unknown): void };
  /** Where tokens are kept; without it they last as long as the process. */
  secrets?: SecretKeeper;
  /** Opens an address in the person's browser, after they were asked. */
  openAddress?: OpenAddress;
  /** Asks the person, where no page can answer, before something starts that they ask for on a screen; without it nothing does. */
  confirm?: Confirm;
  /** Puts a server's question to the person; without it servers are told that nobody can be asked. */
  elicit?: Elicit;
  /** Lets servers that may (`sampling: true`) ask the model. */
  sample?: Sample;
  backoff?: Backoff;
  /** Milliseconds that a changed file is given to settle. */
  debounce?: number;
}

/** A server as it is configured here, and what runs of it. */
export interface Kept {
  id: string;
  config: McpServerConfig;
  /** Absent while it may not run. */
  connection?: ServerConnection;
  /** One of the same name in the project, which takes its place when the person says yes. */
  waiting?: McpServerConfig;
}

/** What speaks to servers, with the protocol's own package behind it: more than all the rest of a hub. */
interface Speaking {
  calls: ServerCalls;
  signIns: SignIns;
  connect: (options: ConnectOptions) => ServerConnection;
}

type ConnectOptions = Omit<ConnectionOptions, 'backoff'> & Partial<Pick<ConnectionOptions, 'backoff'>>;

/** The MCP servers of one workspace: started when they may be, watched, and called. Decides nothing about calls. */
export class McpHub {
  readonly #options: McpHubOptions;
  readonly #files: ConfigFiles;
  readonly #consents: Consents;
  #speaking: Promise<Speaking> | undefined;
  readonly #requests: ServerRequests;
  readonly #guardian = new ProcessGuardian();
  readonly #audit: AuditLog;
  readonly #listeners = new Set<() => void>();
  /** What a person does with the servers. */
  readonly manager: ServerManager;
  #kept: Kept[] = [];
  #problems: McpConfigProblem[] = [];
  /** Servers that a client handed over for the time that it is there; their yes was the client's. */
  #given: McpServerConfig[] = [];
  #reloading: Promise<void> = Promise.resolve();
  /** What is being written without anyone waiting for it. */
  #keeping: Promise<unknown> = Promise.resolve();
  #disposed = false;

  constructor(options: McpHubOptions) {
    this.#options = options;
    const { home, environment, debounce = 500 } = options;
    this.#files = new ConfigFiles({ home, environment, debounce });
    this.#consents = new Consents(home);
    this.#audit = new AuditLog(home);
    this.#requests = new ServerRequests(options);
    const entries = new ServerEntries({
      userFile: this.#files.userFile,
      find: (server) => this.#find(server)?.config,
      workspace: () => options.workspace() ?? home,
      environment,
    });
    this.manager = new ServerManager(this, entries, options.confirm ?? nobody);
  }

  /** Reads the configuration, begins to connect what may run, and follows changes. Does not wait for servers. */
  async start(): Promise<void> {
    await this.reload();
    this.#files.watch(this.#options.workspace(), () => {
      this.reload().catch((error: unknown) =>
        this.#options.logger.error('the MCP configuration could not be read', error),
      );
    });
  }

  /** Reads the configuration again: what changed is restarted, what is the same runs on. Also after trust was given. */
  reload(): Promise<void> {
    const next = this.#reloading.then(async () => {
      if (!this.#disposed) await this.#apply();
    });
    this.#reloading = next.catch(() => undefined); // the caller hears of it
    return next;
  }

  /** Servers of a client (an ACP session's), in the form of the configuration. */
  async give(entries: Readonly<Record<string, unknown>>): Promise<void> {
    const { servers, problems } = parseEntries(entries, {
      source: { kind: 'client', path: '' },
      workspace: this.#options.workspace() ?? this.#options.home,
      environment: this.#options.environment,
    });
    this.#given = servers;
    for (const problem of problems) this.#options.logger.warn(JSON.stringify(problem));
    await this.reload();
  }

  /** When anything that `servers()` says has changed. Returns how to stop listening. */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  servers(): McpServer[] {
    return this.#kept.map((kept) => serverRow(kept, this.#consents, this.#options.trusted()));
  }

  get problems(): readonly McpConfigProblem[] {
    return this.#problems;
  }

  get userFile(): string {
    return this.#files.userFile;
  }

  logs(server: string): McpLogLine[] {
    return this.#find(server)?.connection?.log.lines() ?? [];
  }

  /** The person's answer to a `consent` of `servers()`. An answer to anything but what is there now grants nothing. */
  async consent({ server, hash }: Pick<McpConsent, 'server' | 'hash'>): Promise<boolean> {
    const kept = this.#find(server);
    const row = kept && serverRow(kept, this.#consents, this.#options.trusted());
    if (!kept || row?.consent?.hash !== hash) return false;
    const config = kept.waiting ?? kept.config;
    const { path } = config.source;
    if (config.source.kind === 'project') await this.#consents.allow(path, config.name, config.hash);
    if (kept.connection && kept.waiting === undefined)
      await this.#consents.keepTools(path, config.name, hashesOf(kept.connection.catalog.tools));
    await this.reload();
    return true;
  }

  /** Takes a yes back: a project's server ends. */
  async revoke(server: string): Promise<void> {
    const config = this.#find(server)?.config;
    if (!config) return;
    await this.#consents.revoke(config.source.path, config.name);
    await this.reload();
  }

  /** Connects anew, whatever its state. Does nothing for one that may not run. Rejects with what the try ended with. */
  async restart(server: string): Promise<void> {
    await this.#find(server)?.connection?.restart();
  }

  /** Lets the person sign in to a server that wants it. @throws an Error that says why it did not come to that */
  async signIn(server: string, signal: AbortSignal): Promise<void> {
    const connection = this.#find(server)?.connection;
    if (!connection) throw new Error(`there is no server '${server}' to sign in to`);
    const { signIns } = await this.#speak();
    await signIns.signIn(connection, signal);
  }

  /** Forgets the tokens of a server. */
  async signOut(server: string): Promise<void> {
    const kept = this.#find(server);
    if (!kept) return;
    const { signIns } = await this.#speak();
    await signIns.signOut(kept.config);
    await kept.connection?.restart().catch(() => undefined); // the state says what came of it
  }

  /** Waits until no server is connecting; for tests, and for runs without a person. Ends with the signal. */
  async settled(signal: AbortSignal): Promise<void> {
    await this.#reloading;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (this.#kept.some(({ connection }) => connection?.state.type === 'connecting')) return;
        stop();
        resolve();
      };
      const onAbort = (): void => {
        stop();
        reject(signal.reason as Error);
      };
      const unlisten = this.onChanged(look);
      const stop = (): void => {
        unlisten();
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else look();
    });
  }

  /** What is wrong with the arguments by the tool's own schema; undefined when nothing is, or when nobody can tell. */
  async check(...request: Parameters<ServerCalls['check']>): Promise<string | undefined> {
    return await (await this.#speak()).calls.check(...request);
  }

  async call(...request: Parameters<ServerCalls['call']>): Promise<McpOutcome> {
    return await (await this.#speak()).calls.call(...request);
  }

  async read(...request: Parameters<ServerCalls['read']>): Promise<McpOutcome> {
    return await (await this.#speak()).calls.read(...request);
  }

  async prompt(...request: Parameters<ServerCalls['prompt']>): ReturnType<ServerCalls['prompt']> {
    return await (await this.#speak()).calls.prompt(...request);
  }

  async complete(...request: Parameters<ServerCalls['complete']>): Promise<string[]> {
    return await (await this.#speak()).calls.complete(...request);
  }

  /** Ends every server and what it started. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#files.dispose();
    await this.#reloading;
    await Promise.all(this.#kept.map(async ({ connection }) => await connection?.stop()));
    this.#kept = [];
    this.#guardian.dispose();
    await this.#keeping;
    await this.#audit.settled();
  }

  async #apply(): Promise<void> {
    await this.#consents.load();
    const workspace = this.#options.workspace();
    const { servers, problems } = await this.#files.read(workspace);
    this.#problems = problems;
    const byName = new Map<string, McpServerConfig[]>();
    for (const config of [...this.#given, ...servers])
      byName.set(config.name, [...(byName.get(config.name) ?? []), config]);
    const ids = safeNames([...byName.keys()]);
    const speaking = byName.size > 0 ? await this.#speak() : undefined;
    const before = new Map(this.#kept.map((kept) => [kept.config.name, kept]));
    const ending: Promise<void>[] = [];
    this.#kept = [...byName].map(([name, [first, ...others]]) => {
      if (!first) throw new Error('a group without a member');
      const allowed = [first, ...others].find((config) => this.#mayRun(config));
      const config = allowed ?? first;
      const old = before.get(name);
      before.delete(name);
      const runs = allowed && !config.disabled && !config.problem && this.#options.trusted();
      const keeps = runs && old?.connection?.config.connectionKey === config.connectionKey;
      const same = keeps && old.config.source.path === config.source.path ? old.connection : undefined;
      if (old?.connection && !same) ending.push(old.connection.stop());
      const connection = runs && speaking ? (same ?? this.#connectionOf(config, speaking)) : undefined;
      return {
        id: ids.get(name) ?? name,
        config,
        ...(connection ? { connection } : {}),
        ...(config !== first && !first.disabled ? { waiting: first } : {}),
      };
    });
    for (const { connection } of before.values()) if (connection) ending.push(connection.stop());
    await Promise.all(ending);
    for (const { connection } of this.#kept)
      if (connection && connection.state.type === 'connecting') connection.start();
    this.#changed();
  }

  #mayRun(config: McpServerConfig): boolean {
    if (config.source.kind !== 'project') return true;
    return this.#consents.allows(config.source.path, config.name, config.hash);
  }

  /** Loaded once there is a server, or somebody asks for one. */
  #speak(): Promise<Speaking> {
    return (this.#speaking ??= this.#loadSpeaking());
  }

  async #loadSpeaking(): Promise<Speaking> {
    const [{ BACKOFF, ServerConnection: Connection }, { ServerCalls: Calls }, { SignIns: Keeper }] =
      await Promise.all([
        import('./ServerConnection.ts'),
        import('./ServerCalls.ts'),
        import('./SignIns.ts'),
      ]);
    const find = (server: string): ServerConnection | undefined => this.#find(server)?.connection;
    return {
      calls: new Calls({ find, audit: this.#audit, logger: this.#options.logger }),
      signIns: new Keeper(this.#options),
      connect: (options) => new Connection({ backoff: BACKOFF, ...options }),
    };
  }

  #connectionOf(config: McpServerConfig, { connect, signIns }: Speaking): ServerConnection {
    const { environment, version, backoff } = this.#options;
    const connection: ServerConnection = connect({
      ...{ config, environment, version, ...(backoff ? { backoff } : {}) },
      guardian: this.#guardian,
      capabilities: this.#requests.capabilities(config),
      prepare: (client) => this.#requests.answer(client, config),
      auth: async () => await signIns.provider(config),
      onChange: () => {
        this.#noteTools(connection);
        this.#changed();
      },
    });
    return connection;
  }

  /** Tools that are seen for the first time are what the person agreed to by letting the server run. */
  #noteTools({ config, state, catalog }: ServerConnection): void {
    if (state.type !== 'ready' || config.source.kind === 'client') return;
    const { path } = config.source;
    const seen = this.#consents.tools(path, config.name);
    const now = hashesOf(catalog.tools);
    const added = Object.keys(now).filter((name) => seen?.[name] === undefined);
    if (added.length === 0) return;
    const kept = this.#consents
      .keepTools(path, config.name, { ...now, ...seen })
      .catch((error: unknown) => this.#options.logger.error('the tools seen could not be kept', error));
    this.#keeping = Promise.all([this.#keeping, kept]);
  }

  #find(server: string): Kept | undefined {
    return (
      this.#kept.find(({ id }) => id === server) ?? this.#kept.find(({ config }) => config.name === server)
    );
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function nobody(): Promise<boolean> {
  return await Promise.resolve(false);
}

export function hashesOf(tools: readonly Tool[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, toolHash(tool)]));
}
