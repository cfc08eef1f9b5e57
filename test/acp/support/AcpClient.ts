import {
  client,
  ndJsonStream,
  RequestError,
  type AnyMessage,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';
import { MAIN } from './clientPackages.ts';
import { FrameCheck } from './FrameCheck.ts';

export interface AcpClientOptions {
  environment: NodeJS.ProcessEnv;
  args?: readonly string[];
  capabilities?: ClientCapabilities;
  /** Answers permissions; the first option that allows once unless given. */
  permission?: (
    request: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  elicitation?: (request: CreateElicitationRequest) => CreateElicitationResponse;
  /** Texts of documents that are open and not saved: absolute path → text. */
  unsaved?: Map<string, string>;
  /** Refuses writes and terminals, as a client's own policy may. */
  refuses?: boolean;
}

interface ClientTerminal {
  process: ChildProcess;
  output: string;
  ended: Promise<{ exitCode: number | null; signal: string | null }>;
  killed: boolean;
  released: boolean;
}

/** What happened on the wire, in order: the agent's updates and requests, and the answers to ours. */
export type Seen =
  | { type: 'update'; sessionId: string; update: SessionUpdate }
  | { type: 'request'; method: string; params: unknown }
  | { type: 'answer'; method: string; result?: unknown; error?: unknown };

/** The real program at the other end of the SDK's own client; each of its frames is checked against the protocol's schema. */
export class AcpClient {
  readonly seen: Seen[] = [];
  readonly check = new FrameCheck();
  readonly terminals = new Map<string, ClientTerminal>();
  readonly permissions: RequestPermissionRequest[] = [];
  readonly process: ChildProcess;
  readonly connection: ClientConnection;
  status = '';
  readonly #options: AcpClientOptions;
  readonly #methods = new Map<unknown, string>();

  private constructor(options: AcpClientOptions) {
    this.#options = options;
    this.process = spawn(process.execPath, [MAIN, 'acp', ...(options.args ?? [])], {
      env: { PATH: process.env.PATH, ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.process;
    if (!stdin || !stdout || !stderr) throw new Error('the program has no pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => (this.status += text));
    const frames = new PassThrough();
    let rest = '';
    stdout.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#received(line);
      frames.write(bytes);
    });
    stdout.on('end', () => frames.end());
    const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(frames) as ReadableStream<Uint8Array>);
    const tap = new TransformStream<AnyMessage, AnyMessage>({
      transform: (message, controller) => {
        this.check.sent({ ...message });
        if ('method' in message && 'id' in message) this.#methods.set(message.id, message.method);
        controller.enqueue(message);
      },
    });
    // The process may be gone before all is written.
    tap.readable.pipeTo(stream.writable).catch((error: unknown) => (this.status += String(error)));
    this.connection = this.#app().connect({ writable: tap.writable, readable: stream.readable });
  }

  static async start(
    options: AcpClientOptions,
  ): Promise<{ client: AcpClient; initialized: InitializeResponse }> {
    const started = AcpClient.connect(options);
    const initialized = await started.agent.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: 'lathe-test', version: '1.0.0' },
    });
    return { client: started, initialized };
  }

  /** Connected, and not a word said yet. */
  static connect(options: AcpClientOptions): AcpClient {
    return new AcpClient(options);
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  async newSession(cwd: string): Promise<string> {
    return (await this.agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
  }

  async prompt(sessionId: string, text: string, signal?: AbortSignal): Promise<string> {
    const prompt = [{ type: 'text' as const, text }];
    const options = signal ? { cancellationSignal: signal } : {};
    return (await this.agent.request('session/prompt', { sessionId, prompt }, options)).stopReason;
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify('session/cancel', { sessionId });
  }

  updates(sessionId?: string): SessionUpdate[] {
    return this.seen.flatMap((one) =>
      one.type === 'update' && (sessionId === undefined || one.sessionId === sessionId) ? [one.update] : [],
    );
  }

  ofKind<K extends SessionUpdate['sessionUpdate']>(kind: K, sessionId?: string) {
    return this.updates(sessionId).filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: K }> => update.sessionUpdate === kind,
    );
  }

  /** What the agent has said, all chunks together. */
  text(sessionId?: string): string {
    return this.ofKind('agent_message_chunk', sessionId)
      .map(({ content }) => (content.type === 'text' ? content.text : ''))
      .join('');
  }

  /** Methods that the agent asked of us, in order. */
  asked(): string[] {
    return this.seen.flatMap((one) => (one.type === 'request' ? [one.method] : []));
  }

  /** A call's fields as they are in the end: collections replace. */
  call(toolCallId: string): Record<string, unknown> {
    const states = this.updates().filter(
      (update) =>
        (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
        update.toolCallId === toolCallId,
    );
    return Object.assign({}, ...states) as Record<string, unknown>;
  }

  /** Ids of the calls that were announced, in order. */
  calls(sessionId?: string): string[] {
    return this.ofKind('tool_call', sessionId).map(({ toolCallId }) => toolCallId);
  }

  statuses(toolCallId: string): string[] {
    const all = this.updates().flatMap((update) =>
      (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
      update.toolCallId === toolCallId &&
      update.status
        ? [update.status]
        : [],
    );
    return all.filter((status, index) => status !== all[index - 1]);
  }

  /** Waits for something to be so; says what there was when it never is. */
  async until(condition: () => boolean, what: string): Promise<void> {
    for (const end = Date.now() + 15_000; Date.now() < end;) {
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const seen = this.seen.map((one) => (one.type === 'update' ? one.update.sessionUpdate : one.method));
    throw new Error(`never came: ${what}. There were: ${seen.join(', ')}. ${this.status}`);
  }

  /** Ends its input, and waits until it has ended: a program that does not is killed, and undefined is given. */
  async stop(): Promise<number | undefined> {
    this.process.stdin?.end();
    for (const { process: running } of this.terminals.values())
      if (running.exitCode === null) running.kill('SIGKILL');
    if (this.process.exitCode !== null || this.process.signalCode !== null)
      return this.process.exitCode ?? undefined;
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    const [code] = (await once(this.process, 'close')) as [number | null];
    clearTimeout(timer);
    return code ?? undefined;
  }

  #received(line: string): void {
    this.check.line(line);
    const frame = JSON.parse(line) as {
      id?: unknown;
      method?: string;
      params?: unknown;
      result?: unknown;
      error?: unknown;
    };
    if (frame.method === 'session/update') {
      const { sessionId, update } = frame.params as SessionNotification;
      this.seen.push({ type: 'update', sessionId, update });
    } else if (frame.method !== undefined) {
      this.seen.push({ type: 'request', method: frame.method, params: frame.params });
    } else {
      const method = this.#methods.get(frame.id) ?? '';
      this.seen.push({ type: 'answer', method, result: frame.result, error: frame.error });
    }
  }

  #app() {
    const { unsaved, refuses, permission, elicitation } = this.#options;
    return client({ name: 'lathe-test' })
      .onNotification('session/update', () => undefined)
      .onRequest('session/request_permission', async ({ params }) => {
        this.permissions.push(params);
        if (permission) return await permission(params);
        const option = params.options.find(({ kind }) => kind === 'allow_once');
        if (!option) return { outcome: { outcome: 'cancelled' } };
        return { outcome: { outcome: 'selected', optionId: option.optionId } };
      })
      .onRequest('elicitation/create', ({ params }) =>
        elicitation ? elicitation(params) : { action: 'cancel' as const },
      )
      .onRequest('fs/read_text_file', ({ params: { path } }) => ({
        content: unsaved?.get(path) ?? readFileSync(path, 'utf8'),
      }))
      .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
        if (refuses === true) throw new RequestError(-32603, 'not allowed here');
        writeFileSync(path, content);
        return {};
      })
      .onRequest('terminal/create', ({ params: { command, args, env, cwd } }) => {
        if (refuses === true) throw new RequestError(-32603, 'not allowed here');
        const terminalId = `terminal-${this.terminals.size + 1}`;
        const child = spawn(command, args ?? [], {
          cwd: cwd ?? undefined,
          env: { ...process.env, ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])) },
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const ended = once(child, 'close').then(([exitCode, signal]) => ({
          exitCode: exitCode as number | null,
          signal: signal as string | null,
        }));
        const terminal: ClientTerminal = {
          process: child,
          output: '',
          ended,
          killed: false,
          released: false,
        };
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => (terminal.output += text));
        this.terminals.set(terminalId, terminal);
        return { terminalId };
      })
      .onRequest('terminal/output', ({ params }) => {
        const { output } = this.#terminal(params.terminalId);
        return { output, truncated: false };
      })
      .onRequest(
        'terminal/wait_for_exit',
        async ({ params }) => await this.#terminal(params.terminalId).ended,
      )
      .onRequest('terminal/kill', ({ params }) => {
        const terminal = this.#terminal(params.terminalId);
        terminal.killed = true;
        if (terminal.process.pid !== undefined) process.kill(-terminal.process.pid, 'SIGKILL');
        return {};
      })
      .onRequest('terminal/release', ({ params }) => {
        this.#terminal(params.terminalId).released = true;
        return {};
      });
  }

  #terminal(id: string): ClientTerminal {
    const terminal = this.terminals.get(id);
    if (!terminal || terminal.released) throw new RequestError(-32602, `there is no terminal ${id}`);
    return terminal;
  }
}
