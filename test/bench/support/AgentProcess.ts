import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Frame {
  id?: number;
  method?: string;
  params?: { update?: { sessionUpdate: string } };
  result?: unknown;
  error?: { message: string };
}

/** An agent at the other end of its pipes, with nothing between that would take time of its own. */
export class AgentProcess {
  /** Updates of messages that came. */
  chunks = 0;
  /** When the first of them came, by performance.now(). */
  firstChunk: number | undefined;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (frame: Frame) => void>();
  #asked = 0;

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv) {
    this.#process = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
    if (!this.#process.stdout) throw new Error('the agent has no output');
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      // Of a long turn's many updates only their number matters: reading each would be counted as theirs.
      if (line.includes('"agent_message_chunk"')) {
        this.chunks++;
        this.firstChunk ??= performance.now();
        return;
      }
      const frame = JSON.parse(line) as Frame;
      if (frame.id === undefined || frame.method !== undefined) return;
      this.#waiting.get(frame.id)?.(frame);
      this.#waiting.delete(frame.id);
    });
  }

  /** @throws Error with the agent's words */
  async request(method: string, params: object): Promise<unknown> {
    const id = ++this.#asked;
    const answered = new Promise<Frame>((resolve) => this.#waiting.set(id, resolve));
    this.#process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await answered;
    if (error) throw new Error(error.message);
    return result;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  }

  async newSession(cwd: string): Promise<string> {
    return ((await this.request('session/new', { cwd, mcpServers: [] })) as { sessionId: string }).sessionId;
  }

  /** Megabytes of memory that are this process's and its children's: what is shared is shared out. Undefined where nobody says. */
  memory(): number | undefined {
    const { pid } = this.#process;
    return pid === undefined || process.platform !== 'linux' ? undefined : treeMemory(pid) / 1024;
  }

  async stop(): Promise<void> {
    this.#process.stdin?.end();
    if (this.#process.exitCode === null) await once(this.#process, 'close');
  }
}

/** Kilobytes of the process and of all below it. */
function treeMemory(pid: number): number {
  const rollup = `/proc/${pid}/smaps_rollup`;
  if (!existsSync(rollup)) return 0;
  const own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(rollup, 'utf8'))?.[1] ?? 0);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.reduce((sum, child) => sum + treeMemory(child), own);
}
