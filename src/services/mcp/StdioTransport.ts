import type { ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { LineReader } from './LineReader.ts';
import type { ProcessGuardian } from './ProcessGuardian.ts';
import { endTree } from './processTree.ts';
import { isObject, type ResultSanitizer } from './ResultSanitizer.ts';
import type { ServerLog } from './ServerLog.ts';

export interface StdioTransportOptions {
  command: string;
  args: readonly string[];
  /** The whole environment of the process. */
  environment: Readonly<Record<string, string>>;
  cwd: string;
  log: ServerLog;
  sanitizer: ResultSanitizer;
  guardian: ProcessGuardian;
  /** Bytes of the longest line that is read. */
  longestLine?: number;
}

/**
 * A server as a process of ours in a group of its own. What is no message on its stdout goes to its log, a line that is too long fails
 * the call that it answers and no other, and closing ends everything that it started.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The SDK takes what has `pid` and `stderr` for a process, and negotiates with it in place. */
  readonly stderr = null;
  readonly #options: StdioTransportOptions;
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** @throws an Error whose message says what could not be started and why */
  async start(): Promise<void> {
    const { command, args, environment, cwd, log, guardian, longestLine } = this.#options;
    // A missing folder is reported as a missing program otherwise.
    const folder = await stat(cwd).catch(() => undefined);
    if (folder?.isDirectory() !== true) throw new Error(`the folder to run in does not exist: ${cwd}`);
    const child = spawn(command, [...args], {
      cwd,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    const reader = new LineReader({
      ...(longestLine === undefined ? {} : { limit: longestLine }),
      onLine: (line) => this.#line(line),
      onTooLong: (bytes, edges) => this.#tooLong(bytes, edges),
    });
    child.stdout?.on('data', (chunk: Buffer) => reader.push(chunk));
    const printed = new LineReader({
      limit: 64 * 1024,
      onLine: (line) => log.add('stderr', 'info', line),
      onTooLong: (bytes) => log.add('lathe', 'info', `a line of ${bytes} bytes on stderr was left out`),
    });
    child.stderr?.on('data', (chunk: Buffer) => printed.push(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error: Error) => this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    const { pid } = child;
    if (pid !== undefined) guardian.add(pid);
    child.on('error', (error) => this.onerror?.(error));
    // `exit`, not `close`: a grandchild that keeps the pipe open must not keep a dead server alive. What is in the pipes is taken first.
    child.once('exit', (code, signal) => {
      log.add('lathe', 'info', `the process ended (${signal ?? `exit code ${code ?? 'not known'}`})`);
      setImmediate(() => {
        // What it started must not outlive it.
        void this.close().then(() => {
          if (pid !== undefined) guardian.remove(pid);
          this.onclose?.();
        });
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || !stdin.writable || this.#closing)
      return Promise.reject(new Error('the server is not running'));
    this.#options.sanitizer.sent(message);
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#closing ??= endTree(child);
    await this.#closing;
  }

  #line(line: string): void {
    const message = parse(line);
    if (message === undefined) {
      this.#options.log.add('stdout', 'warning', line);
      return;
    }
    this.onmessage?.(this.#options.sanitizer.received(message));
  }

  /** An answer that cannot be read is one that failed: whoever waits for it must not wait for the clock. */
  #tooLong(bytes: number, edges: string): void {
    const { log, sanitizer, longestLine } = this.#options;
    const limit = longestLine === undefined ? '' : ` (the limit is ${longestLine})`;
    const words = `the server sent a message of ${bytes} bytes, which is too long to read${limit}`;
    log.add('lathe', 'error', words);
    for (const [, text] of edges.matchAll(/"id"\s*:\s*(\d+|"[^"]{1,80}")/g)) {
      const id = JSON.parse(text ?? '') as string | number;
      if (!sanitizer.isPending(id)) continue;
      this.onmessage?.(sanitizer.received({ jsonrpc: '2.0', id, error: { code: TOO_LONG, message: words } }));
      return;
    }
  }
}

/** Of the range that JSON-RPC leaves to implementations; never on the wire. */
export const TOO_LONG = -32099;

/** A JSON-RPC message, or undefined for anything else that was printed. */
function parse(line: string): JSONRPCMessage | undefined {
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
