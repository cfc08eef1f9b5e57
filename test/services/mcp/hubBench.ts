import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { McpHub, type McpHubOptions } from '../../../src/services/mcp/McpHub.ts';
import type { McpOutcome, McpServer } from '../../../src/shared/mcp.ts';

export const stub = join(import.meta.dirname, 'stubServer.mjs');

/** An entry of a configuration that starts the stub. */
export function stubEntry(
  behaviour: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): object {
  return { command: process.execPath, args: [stub, JSON.stringify(behaviour)], ...more };
}

/** Hubs over real processes, with a home and a workspace on the disk. */
export class HubBench {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-mcp-')));
  readonly home = join(this.base, 'home');
  readonly workspace = join(this.base, 'workspace');
  trusted = true;
  readonly problems: string[] = [];
  #hubs: McpHub[] = [];

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.workspace);
  }

  write(path: string, value: unknown): string {
    const whole = join(this.base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, typeof value === 'string' ? value : JSON.stringify(value));
    return whole;
  }

  /** The person's own servers. */
  user(servers: Record<string, object>): void {
    this.write('home/mcp.json', { mcpServers: servers });
  }

  async hub(options: Partial<McpHubOptions> = {}): Promise<McpHub> {
    const hub = this.unstarted(options);
    await hub.start();
    await hub.settled(AbortSignal.timeout(20_000));
    return hub;
  }

  unstarted(options: Partial<McpHubOptions> = {}): McpHub {
    const hub = new McpHub({
      home: this.home,
      workspace: () => this.workspace,
      trusted: () => this.trusted,
      environment: process.env,
      version: '0.0.0',
      logger: {
        warn: (text) => void this.problems.push(text),
        error: (text) => void this.problems.push(text),
      },
      backoff: { first: 20, longest: 100, tries: 5 },
      debounce: 20,
      ...options,
    });
    this.#hubs.push(hub);
    return hub;
  }

  async close(): Promise<void> {
    await Promise.all(this.#hubs.map(async (hub) => await hub.dispose()));
    rmSync(this.base, { recursive: true, force: true });
  }
}

export function withBench(): () => HubBench {
  const open: HubBench[] = [];
  afterEach(async () => {
    for (const bench of open.splice(0)) await bench.close();
  });
  return () => {
    const bench = new HubBench();
    open.push(bench);
    return bench;
  };
}

export function serverOf(hub: McpHub, name = 'stub'): McpServer {
  const server = hub.servers().find((one) => one.name === name);
  if (!server) throw new Error(`no server ${name}`);
  return server;
}

export async function callStub(
  hub: McpHub,
  tool: string,
  args: Record<string, unknown> = {},
  signal: AbortSignal = AbortSignal.timeout(15_000),
): Promise<McpOutcome> {
  return await hub.call('stub', tool, args, { signal });
}

export function textOf(outcome: McpOutcome): string {
  if (outcome.type === 'failure') return `${outcome.class}: ${outcome.message}`;
  return outcome.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
}

/** Resolves when the condition holds; looks each time the hub has changed. */
export async function until(hub: McpHub, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const clock = setTimeout(() => {
      stop();
      reject(
        new Error(`it did not come to that: ${JSON.stringify(hub.servers().map(({ state }) => state))}`),
      );
    }, 15_000);
    const stop = hub.onChanged(() => {
      if (!holds()) return;
      clearTimeout(clock);
      stop();
      resolve();
    });
  });
}

/** Whether it runs: one that has ended and that nobody has taken note of (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
  if (process.platform !== 'linux') return true;
  const status = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return !/\) [ZX]/.test(status);
}
