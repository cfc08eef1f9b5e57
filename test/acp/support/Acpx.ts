import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AcpBench } from './AcpBench.ts';
import { clientPackage, MAIN } from './clientPackages.ts';
import { FrameCheck } from './FrameCheck.ts';

/** A line of acpx's JSON output: a frame of the wire as it went by, or what acpx says itself (with `action` or `source`). */
export interface Line {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
  [key: string]: unknown;
}

type Fields = Record<string, unknown>;

/** A call of acpx that runs, or has ended. */
export interface AcpxCall {
  readonly lines: readonly Line[];
  readonly process: ChildProcess;
  /** Waits for something to be so in what came. */
  until: (condition: () => boolean, what: string) => Promise<void>;
  /** Resolves with its exit code. */
  ended: Promise<number | null>;
}

/** What asks of the agent; all else that has a method comes from it. */
const FROM_CLIENT = /^(initialize|authenticate|session\/(?!update$|request_permission$)|\$\/)/;

/** The published command line client over the packaged program, in a home of its own; it tells every frame of the wire. */
export class Acpx {
  readonly #bench: AcpBench;
  readonly #home: string;
  readonly #calls: { lines: Line[]; process: ChildProcess }[] = [];
  readonly #sessions = new Set<string>();
  /** What acpx starts. */
  readonly #command: string;

  constructor(bench: AcpBench) {
    this.#bench = bench;
    this.#home = join(bench.folder, 'acpx');
    mkdirSync(this.#home);
    this.#command = `${process.execPath} ${MAIN} acp`;
  }

  /** A call with these arguments; it has ended. */
  async run(...args: readonly string[]): Promise<{ code: number | null; lines: readonly Line[] }> {
    const call = this.start(...args);
    return { code: await call.ended, lines: call.lines };
  }

  start(...args: readonly string[]): AcpxCall {
    const named = args.indexOf('--name') + 1 || args.indexOf('-s') + 1;
    if (named > 0) this.#sessions.add(args[named] ?? '');
    const all = ['--agent', this.#command, '--cwd', this.#bench.cwd, '--format', 'json', '--json-strict'];
    const child = spawn(process.execPath, [clientPackage('acpx', 'dist', 'cli.js'), ...all, ...args], {
      env: { ...this.#bench.environment(), PATH: process.env.PATH, HOME: this.#home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: Line[] = [];
    let rest = '';
    let status = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (status += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      lines.push(...whole.filter((line) => line !== '').map((line) => JSON.parse(line) as Line));
    });
    this.#calls.push({ lines, process: child });
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const until = async (condition: () => boolean, what: string): Promise<void> => {
      for (const end = Date.now() + 60_000; Date.now() < end && child.exitCode === null;) {
        if (condition()) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (!condition()) throw new Error(`never came: ${what}. ${status} ${JSON.stringify(lines)}`);
    };
    return { lines, process: child, until, ended };
  }

  /** The agent's process of a session that acpx keeps. */
  agentOf(record: string): number {
    const file = join(this.#home, '.acpx', 'sessions', `${record}.json`);
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  }

  /** What the agent said against the schema: every problem of every call. */
  check(): readonly string[] {
    return this.#calls.flatMap(({ lines }) => {
      const check = new FrameCheck();
      for (const { line, from } of wire(lines))
        if (from === 'client') check.sent(line);
        else check.line(JSON.stringify(line));
      return check.problems;
    });
  }

  /** Ends every session's keeper, and what still runs. */
  async stop(): Promise<void> {
    for (const { process: running } of this.#calls) if (running.exitCode === null) running.kill('SIGKILL');
    for (const name of this.#sessions) await this.run('sessions', 'close', name);
    const kept = readdirSync(this.#home).includes('.acpx')
      ? readdirSync(join(this.#home, '.acpx', 'queues')).filter((name) => name.endsWith('.lock'))
      : [];
    if (kept.length > 0) throw new Error(`acpx keeps ${kept.join(', ')}`);
  }
}

/** Frames of the wire, each with who sent it. An answer is of whoever was asked with its id. */
export function wire(lines: readonly Line[]): { line: Line; from: 'client' | 'agent' }[] {
  const open = { client: new Set<unknown>(), agent: new Set<unknown>() };
  return lines
    .filter((line) => line.jsonrpc === '2.0' && line.id !== null)
    .map((line) => {
      const { id, method, result } = line;
      if (method !== undefined) {
        const from = FROM_CLIENT.test(method) ? 'client' : 'agent';
        if (id !== undefined) open[from].add(id);
        return { line, from };
      }
      // Both count their requests from zero: only a prompt is open while the agent asks, and its answer has a reason.
      const isPrompt = typeof result === 'object' && result !== null && 'stopReason' in result;
      const from = open.client.has(id) && (isPrompt || !open.agent.has(id)) ? 'agent' : 'client';
      open[from === 'agent' ? 'client' : 'agent'].delete(id);
      return { line, from };
    });
}

/** Parameters of each frame with this method, in order. */
export function paramsOf(lines: readonly Line[], method: string): Fields[] {
  return lines.filter((line) => line.method === method).map(({ params }) => params as Fields);
}

/** The updates of this kind, in order. */
export function updatesOf(lines: readonly Line[], kind: string): Fields[] {
  return paramsOf(lines, 'session/update')
    .map(({ update }) => update as Fields)
    .filter(({ sessionUpdate }) => sessionUpdate === kind);
}

/** Chunks of one kind as one text. */
export function textOf(lines: readonly Line[], kind = 'agent_message_chunk'): string {
  return updatesOf(lines, kind)
    .map(({ content }) => (content as { text?: string }).text ?? '')
    .join('');
}

/** Each call's fields as they are in the end, in the order in which the calls were announced. */
export function callsOf(lines: readonly Line[]): Fields[] {
  const calls = new Map<unknown, Fields>();
  for (const { update } of paramsOf(lines, 'session/update') as { update: Fields }[]) {
    const { sessionUpdate, toolCallId } = update;
    if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update')
      calls.set(toolCallId, { ...calls.get(toolCallId), ...update });
  }
  return [...calls.values()];
}

/** Why prompts ended, in order. */
export function reasonsOf(lines: readonly Line[]): unknown[] {
  return lines.flatMap(({ result }) =>
    typeof result === 'object' && result !== null && 'stopReason' in result ? [result.stopReason] : [],
  );
}

/** Methods that the agent asked of the client. */
export function askedOf(lines: readonly Line[]): string[] {
  return wire(lines).flatMap(({ line: { id, method }, from }) =>
    from === 'agent' && method !== undefined && id !== undefined ? [method] : [],
  );
}
