import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orUndefined } from './isInside.ts';

/**
 * Empty folders that stand, while a command runs, where a protected folder is missing: only what is there can be made read-only. Git
 * shows no empty folders. Shared by commands that run at a time; a note on the disk lets the next start take away what a crash left.
 */
export class Placeholders {
  readonly #notes: string;
  readonly #users = new Map<string, number>();
  #swept: Promise<void> | undefined;

  /** `notes`: a folder of ours, which need not exist yet. */
  constructor(notes: string) {
    this.#notes = notes;
  }

  /** Makes those of the folders that are missing. @returns which ones stand for now, and how to give them back */
  async hold(paths: readonly string[]): Promise<{ held: string[]; release: () => Promise<void> }> {
    await (this.#swept ??= this.#sweep());
    const missing: string[] = [];
    if (paths.length === 0) return { held: missing, release: () => Promise.resolve() };
    const note = await this.#noteFolder();
    await writeFile(join(note, `${process.pid}.json`), JSON.stringify(paths), { mode: 0o600 });
    for (const path of paths) {
      const users = this.#users.get(path) ?? 0;
      if (users === 0 && !(await make(path))) continue;
      this.#users.set(path, users + 1);
      missing.push(path);
    }
    return {
      held: missing,
      release: async () => {
        for (const path of missing) {
          const users = (this.#users.get(path) ?? 1) - 1;
          if (users > 0) {
            this.#users.set(path, users);
            continue;
          }
          this.#users.delete(path);
          await takeAway(path);
        }
        await rm(note, { recursive: true, force: true });
      },
    };
  }

  async #noteFolder(): Promise<string> {
    await mkdir(this.#notes, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(this.#notes, 'placeholders-'));
  }

  /** What processes that ended without a word left behind. */
  async #sweep(): Promise<void> {
    for (const folder of (await orUndefined(readdir(this.#notes))) ?? []) {
      if (!folder.startsWith('placeholders-')) continue;
      for (const file of (await orUndefined(readdir(join(this.#notes, folder)))) ?? []) {
        const pid = Number(file.replace('.json', ''));
        if (!Number.isInteger(pid) || isAlive(pid)) continue;
        const paths: unknown = JSON.parse(await readFile(join(this.#notes, folder, file), 'utf8'));
        for (const path of Array.isArray(paths) ? paths : [])
          if (typeof path === 'string') await takeAway(path);
        await rm(join(this.#notes, folder), { recursive: true, force: true });
      }
    }
  }
}

async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Only while it is empty: what the person has put there meanwhile stays. */
async function takeAway(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.code !== 'ESRCH';
    throw error;
  }
}
