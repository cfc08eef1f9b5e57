import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/** The real program with a person at its terminal: a real one, which `script` (of every Linux and macOS) opens for it. */
export class TerminalProgram {
  readonly process: ChildProcess;
  /** Everything on the screen, the answer included. */
  screen = '';
  readonly #changed = new Set<() => void>();
  /** Characters of the screen up to the last answer. */
  #seen = 0;

  constructor(cwd: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
    const program = [process.execPath, MAIN, ...args];
    const line = program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const script =
      process.platform === 'darwin' ? ['-q', '/dev/null', ...program] : ['-qec', line, '/dev/null'];
    this.process = spawn('script', script, {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.screen += text.replaceAll('\r\n', '\n');
      for (const changed of this.#changed) changed();
    });
    this.process.stdin?.on('error', () => undefined);
  }

  /** Types a line, as soon as these words stand on the screen behind what was seen before. */
  async answer(words: string, line: string): Promise<void> {
    await this.shows(words);
    this.#seen = this.screen.lastIndexOf(words) + words.length;
    this.type(`${line}\r`);
  }

  /** Keys as they come; `\\u0003` is Ctrl-C. */
  type(keys: string): void {
    this.process.stdin?.write(keys);
  }

  async shows(words: string): Promise<void> {
    while (!this.screen.slice(this.#seen).includes(words)) {
      if (this.process.exitCode !== null)
        throw new Error(`it ended with ${this.process.exitCode} and never showed: ${words}\n${this.screen}`);
      await new Promise<void>((resolve) => {
        const changed = (): void => {
          this.#changed.delete(changed);
          this.process.off('close', changed);
          resolve();
        };
        this.#changed.add(changed);
        this.process.once('close', changed);
      });
    }
  }

  async ended(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
    return this.process.exitCode;
  }
}
