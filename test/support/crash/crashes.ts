import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const HOWS = ['before', 'half', 'after'] as const;
export interface KillPoint {
  at: number;
  how: (typeof HOWS)[number];
}

/** A program of this folder as one file, so that it starts fast: it is started hundreds of times. */
export class CrashProgram {
  readonly #folder: string;
  readonly #file: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'program.mjs');
  }

  static async of(name: string): Promise<CrashProgram> {
    const program = new CrashProgram(mkdtempSync(join(tmpdir(), 'lathe-crash-')));
    const source = (file: string): string => join(import.meta.dirname, `${file}.ts`);
    await build({
      entryPoints: { program: source(name), killPoint: source('killPoint') },
      outdir: program.#folder,
      outExtension: { '.js': '.mjs' },
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
      banner: {
        js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
      },
    });
    return program;
  }

  /** How many writes to the disk it makes when nobody kills it. */
  async points(args: readonly string[]): Promise<number> {
    const { lines } = await this.#run(args, {});
    return Number(lines.at(-1)?.replace('points ', ''));
  }

  /** Every write of it, each in three ways. */
  kills(count: number): KillPoint[] {
    const kills: KillPoint[] = [];
    for (let at = 1; at <= count; at++) for (const how of HOWS) kills.push({ at, how });
    return kills;
  }

  /** The lines that it printed before it was killed. */
  async killedAt(
    { at, how }: KillPoint,
    args: readonly string[],
  ): Promise<{ lines: string[]; killed: boolean }> {
    return await this.#run(args, { KILL_AT: String(at), KILL_HOW: how });
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(
    args: readonly string[],
    environment: Record<string, string>,
  ): Promise<{ lines: string[]; killed: boolean }> {
    const preload = pathToFileURL(join(this.#folder, 'killPoint.mjs')).href;
    const child = spawn(process.execPath, ['--import', preload, this.#file, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
    const lines = output.split('\n').slice(0, -1);
    return { lines, killed: signal === 'SIGKILL' };
  }
}
