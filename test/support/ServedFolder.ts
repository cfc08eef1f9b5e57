import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/** `lathe serve` as packaged, in a process of its own, on a free port. */
export class ServedFolder {
  /** What it said beside its answers. */
  status = '';
  url = '';

  private constructor(readonly process: ChildProcess) {
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.status += text));
  }

  /** @throws with its words when it ends before it listens */
  static async start(
    cwd: string,
    environment: NodeJS.ProcessEnv,
    args: readonly string[] = [],
  ): Promise<ServedFolder> {
    const served = new ServedFolder(
      spawn(process.execPath, [MAIN, 'serve', '--port', '0', ...args], {
        cwd,
        env: { PATH: process.env.PATH, ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    await served.#listening();
    return served;
  }

  /** Any other command, to its end. */
  static async run(
    cwd: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<{ code: number | null; status: string }> {
    const ended = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let status = '';
    ended.stderr.setEncoding('utf8').on('data', (text: string) => (status += text));
    const [code] = (await once(ended, 'close')) as [number | null];
    return { code, status };
  }

  /** What it said, once that is in it. */
  async said(expected: RegExp): Promise<string> {
    while (!expected.test(this.status)) await once(this.process.stderr!, 'data');
    return this.status;
  }

  async #listening(): Promise<void> {
    while (this.process.exitCode === null) {
      const url = / at (http:\/\/[^/\s]+)\//.exec(this.status)?.[1];
      if (url !== undefined) {
        this.url = url;
        return;
      }
      await Promise.race([once(this.process.stderr!, 'data'), once(this.process, 'exit')]);
    }
    throw new Error(`lathe serve ended with ${this.process.exitCode}: ${this.status}`);
  }

  /** Bytes that the process holds in memory, on Linux. */
  memory(): number {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) * 1024;
  }

  /** Resolves with the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill(signal);
      await once(this.process, 'exit');
    }
    return this.process.exitCode;
  }
}
