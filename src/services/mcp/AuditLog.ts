import { createHash } from 'node:crypto';
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Bytes after which a new file is begun; one older file is kept. */
const LARGEST = 5 * 1024 * 1024;

export interface AuditEntry {
  server: string;
  /** `tools/call` or `resources/read`. */
  method: string;
  /** The tool, or the address of the resource. */
  target: string;
  args: Readonly<Record<string, unknown>>;
  outcome: 'result' | 'tool_error' | 'protocol' | 'transport' | 'validation' | 'stopped';
  durationMs: number;
  protocolVersion: string | undefined;
}

/** One line a call in LATHE_HOME/mcp-audit.jsonl: what was called and what came of it. Arguments by name and hash, never by value. */
export class AuditLog {
  readonly #path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(home: string) {
    this.#path = join(home, 'mcp-audit.jsonl');
  }

  async write({ args, ...entry }: AuditEntry): Promise<void> {
    const line = JSON.stringify({
      at: new Date().toISOString(),
      ...entry,
      arguments: Object.keys(args),
      argumentsHash: createHash('sha256').update(JSON.stringify(args)).digest('hex'),
    });
    const append = async (): Promise<void> => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      const size = await stat(this.#path).then(
        (status) => status.size,
        () => 0,
      );
      if (size > LARGEST) await rename(this.#path, `${this.#path}.1`);
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 });
    };
    const done = this.#last.then(append);
    this.#last = done.catch(() => undefined); // the caller of this write hears of it
    await done;
  }

  /** Resolves when all that was given to write is written, or failed to be. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
