import {
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionResponse,
  type McpServer,
  type NewSessionRequest,
  type NewSessionResponse,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { FileHost, Host } from '../../core/host/Host.ts';
import type { Logger } from '../../core/Logger.ts';
import { taskIdSchema } from '../../shared/protocol.ts';
import { message, translate, type Locale, type StringKey } from '../../shared/strings.ts';
import { AcpSession } from './AcpSession.ts';
import { ClientFiles } from './ClientFiles.ts';
import { ClientTerminal } from './ClientTerminal.ts';
import { FileChanges } from './FileChanges.ts';
import { configurationOf } from './mcpConfiguration.ts';
import { INVALID_PARAMS, unknownSession } from './requestErrors.ts';
import { sessionPage } from './sessionList.ts';

export interface AcpSessionsOptions {
  client: AgentContext;
  /** What the client said it can do, when it was initialized last. */
  capabilities: { current: ClientCapabilities };
  /** Aborts when the connection has closed. */
  gone: AbortSignal;
  /** This machine, for reading what there is. */
  createHost: () => Host & { dispose: () => Promise<void> };
  /**
   * This machine, for one session in this folder, with MCP servers in the form of a configuration beside the person's own; it does not
   * wait for them. Disposing of it ends them, and what the session's commands left running.
   */
  createSessionHost: (
    cwd: string,
    servers: Readonly<Record<string, unknown>>,
  ) => Promise<Host & { dispose: () => Promise<void> }>;
  /** An agent over that host, in this folder; without one it only reads what there is. */
  createAgent: (host: Host, cwd: string | undefined) => Agent;
  /** Ends what the sessions of the connection share. */
  disposeMachine: () => Promise<void>;
  /** The mode of new sessions. */
  mode: string;
  locale: Locale;
  logger: Logger;
  plainText: (output: string) => string;
}

type Restored = Pick<ResumeSessionRequest, 'sessionId' | 'cwd' | 'mcpServers' | 'additionalDirectories'>;

/** The sessions of one connection. Each has an agent and a host of its own, so that what goes wrong in one stays there. */
export class AcpSessions {
  readonly #options: AcpSessionsOptions;
  readonly #open = new Map<string, AcpSession>();
  /** Answers what concerns no session that is open. */
  #library: { agent: Agent; files: FileHost; dispose: () => Promise<void> } | undefined;

  constructor(options: AcpSessionsOptions) {
    this.#options = options;
  }

  async create({ cwd, mcpServers, additionalDirectories }: NewSessionRequest): Promise<NewSessionResponse> {
    this.#refuseMore(additionalDirectories);
    const folder = await this.#folder(cwd);
    const session = await this.#session(randomUUID(), folder, mcpServers);
    this.#tellCommands(session);
    return { sessionId: session.id, modes: session.modes, configOptions: session.configOptions };
  }

  /** A session that was before: `shown` tells the client its history first. */
  async restore(
    { sessionId, cwd, mcpServers, additionalDirectories }: Restored,
    shown: boolean,
  ): Promise<LoadSessionResponse> {
    const { locale } = this.#options;
    this.#refuseMore(additionalDirectories);
    const folder = await this.#folder(cwd);
    if (!taskIdSchema.safeParse(sessionId).success) throw unknownSession(sessionId, locale);
    const known = this.#open.get(sessionId);
    const session = known ?? (await this.#session(sessionId, folder, mcpServers ?? []));
    try {
      await session.restore(shown);
    } catch (error) {
      if (!known) await this.#forget(session);
      const unknown = error instanceof ProtocolError && error.code === 'not_found';
      throw unknown ? unknownSession(sessionId, locale) : error;
    }
    this.#tellCommands(session);
    return { modes: session.modes, configOptions: session.configOptions };
  }

  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    if (typeof cwd === 'string' && !isAbsolute(cwd))
      throw this.#invalid('acp.error.relativeFolder', { path: cwd });
    const { agent } = this.#readOnly();
    const tasks = await agent.dispatcher.call(
      'task/list',
      typeof cwd === 'string' ? { cwd: resolve(cwd) } : {},
    );
    return sessionPage(tasks, cursor, this.#options.locale);
  }

  /** @throws RequestError when there is none that is open */
  async close(sessionId: string): Promise<Record<string, never>> {
    await this.#forget(this.get(sessionId));
    return {};
  }

  /** Into the trash. One that there is not is as good as deleted. */
  async delete(sessionId: string): Promise<Record<string, never>> {
    const open = this.#open.get(sessionId);
    if (open) await this.#forget(open);
    if (!taskIdSchema.safeParse(sessionId).success) return {};
    const { agent } = this.#readOnly();
    try {
      await agent.dispatcher.call('task/delete', { taskId: sessionId });
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === 'not_found')) throw error;
    }
    return {};
  }

  find(sessionId: string): AcpSession | undefined {
    return this.#open.get(sessionId);
  }

  /** @throws RequestError */
  get(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (!session) throw unknownSession(sessionId, this.#options.locale);
    return session;
  }

  async hasModel(): Promise<boolean> {
    const { agent } = this.#readOnly();
    return (await agent.dispatcher.call('profile/list', {})).active !== undefined;
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map((session) => session.close()));
    this.#open.clear();
    await this.#library?.dispose();
    await this.#options.disposeMachine();
  }

  async #session(id: string, cwd: string, servers: readonly McpServer[]): Promise<AcpSession> {
    const { client, createSessionHost, createAgent, mode, locale, logger, gone, plainText } = this.#options;
    const capabilities = this.#options.capabilities.current;
    const machine = await createSessionHost(cwd, configurationOf(servers));
    const changes = new FileChanges();
    const files = new ClientFiles({
      sessionId: id,
      cwd,
      disk: machine.files,
      client,
      changes,
      reads: capabilities.fs?.readTextFile === true,
      writes: capabilities.fs?.writeTextFile === true,
    });
    const terminal = new ClientTerminal({
      sessionId: id,
      client,
      shell: machine.system.shell,
      onTerminal: async (callId, terminalId) => await this.#open.get(id)?.terminal(callId, terminalId),
      plainText,
      logger,
    });
    const host: Host = {
      ...machine,
      files,
      ...(capabilities.terminal === true ? { terminal } : {}),
      editor: changes,
    };
    const session = await AcpSession.open({
      ...{ id, cwd, changes, client, capabilities, gone, mode, locale, logger },
      agent: createAgent(host, cwd),
      disposeHost: async () => {
        await terminal.dispose();
        await machine.dispose();
      },
    });
    this.#open.set(id, session);
    return session;
  }

  async #forget(session: AcpSession): Promise<void> {
    this.#open.delete(session.id);
    await session.close();
  }

  /** They are not offered: a client that sends them anyhow would else believe that they count. @throws RequestError */
  #refuseMore(directories: readonly string[] = []): void {
    if (directories.length > 0)
      throw this.#invalid('acp.error.moreFolders', { paths: directories.join(', ') });
  }

  /** @throws RequestError when it is no absolute path of a folder */
  async #folder(cwd: string): Promise<string> {
    if (!isAbsolute(cwd)) throw this.#invalid('acp.error.relativeFolder', { path: cwd });
    const folder = resolve(cwd);
    const { files } = this.#readOnly();
    const status = await files.status(folder);
    if (status?.type !== 'folder') throw this.#invalid('acp.error.noFolder', { path: cwd });
    return folder;
  }

  #readOnly() {
    this.#library ??= this.#openLibrary();
    return this.#library;
  }

  #openLibrary() {
    const { createHost, createAgent } = this.#options;
    const host = createHost();
    const agent = createAgent(host, undefined);
    const dispose = async (): Promise<void> => {
      await agent.dispose();
      await host.dispose();
    };
    return { agent, files: host.files, dispose };
  }

  #invalid(key: StringKey, args: Record<string, string>): RequestError {
    return new RequestError(INVALID_PARAMS, translate(this.#options.locale, message(key, args)));
  }

  /** Behind the answer that makes the session known to the client. */
  #tellCommands(session: AcpSession): void {
    setImmediate(() => {
      session.refresh().catch((error: unknown) => this.#options.logger.error('commands', error));
    });
  }
}
