import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import type { ChatMessage } from '../../src/shared/chat.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Milliseconds for a process to begin, and to end when it was asked to. */
const STARTING = 60_000;
const STOPPING = 20_000;

export interface ServerProcessOptions {
  cwd: string;
  home: string;
  /** The base URL of the model. */
  model: string;
  database: string;
  /** `serve` unless said. */
  command?: 'serve' | 'rebuild';
}

/** `lathe serve` as a process of its own, at a free port of loopback. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** What it said of itself. */
  log = '';
  url = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, 'exit');
    child.stderr?.on('data', (data: Buffer) => (this.log += data.toString('utf8')));
    child.stdout?.on('data', (data: Buffer) => (this.log += data.toString('utf8')));
  }

  /** @throws with what it said when it does not begin to serve */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = ServerProcess.spawn(options);
    const end = Date.now() + STARTING;
    while (server.url === '') {
      server.url = /at (http:\S+?)\/?\s/.exec(server.log)?.[1] ?? '';
      if (server.url !== '') break;
      if (server.#child.exitCode !== null || Date.now() > end) {
        await server.kill();
        throw new Error(`the server did not start: ${server.log}`);
      }
      await delay(20);
    }
    return server;
  }

  /** The process, which may come to nothing. */
  static spawn({ cwd, home, model, database, command = 'serve' }: ServerProcessOptions): ServerProcess {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('LATHE_'));
    const child = spawn(
      process.execPath,
      [
        ...[
          '--import',
          pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
          join(ROOT, 'src', 'main.ts'),
          command,
        ],
        ...['--database', database, ...(command === 'serve' ? ['--port', '0'] : [])],
      ],
      {
        cwd,
        env: {
          ...Object.fromEntries(own),
          ...{ LATHE_HOME: home, LATHE_PROVIDER: 'openai-compatible', LATHE_BASE_URL: model },
          ...{ LATHE_MODEL: 'scripted', LATHE_API_KEY: 'test', LATHE_TOOL_PROTOCOL: 'native' },
          ...{ LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    return new ServerProcess(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with the exit code when it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.#exit;
    return this.#child.exitCode;
  }

  /** Ends it as a machine ends that loses its power. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#exit;
  }

  /** Asks it to end. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    const inTime = await Promise.race([this.#exit, delay(STOPPING, undefined, { ref: false })]);
    if (!inTime) await this.kill();
  }

  async send(session: string, message: string): Promise<Response> {
    return await fetch(`${this.url}/api/chat/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, message, attachments: null }),
    });
  }

  async messages(session: string): Promise<ChatMessage[]> {
    const response = await fetch(`${this.url}/api/chat/sessions/${session}/messages`);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as ChatMessage[];
  }

  async rpc(method: string, params: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.url}/rpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return { status: response.status, body: await response.json() };
  }

  /** A client that watches the session and keeps what it is told. */
  async watch(session: string): Promise<Watcher> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/api/chat/ws?session_id=${session}`);
    const watcher = new Watcher(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return watcher;
  }
}

export class Watcher {
  readonly told: Record<string, unknown>[] = [];
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) =>
      this.told.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>),
    );
    // A server that is killed takes its connections with it.
    socket.on('error', () => undefined);
  }

  /** The first notification of this type, when it has come. */
  async heard(
    type: string,
    among: (told: Record<string, unknown>) => boolean = () => true,
  ): Promise<Record<string, unknown>> {
    for (const end = Date.now() + STARTING; Date.now() < end;) {
      const found = this.told.find((told) => told.type === type && among(told));
      if (found) return found;
      await delay(10);
    }
    throw new Error(`never told: ${type}. There were: ${JSON.stringify(this.told)}`);
  }

  say(words: object): void {
    this.#socket.send(JSON.stringify(words));
  }

  close(): void {
    this.#socket.close();
  }
}
