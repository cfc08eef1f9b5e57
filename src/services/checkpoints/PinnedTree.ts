import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** Linux: a handle on a place, not on its content; it needs no right to list the folder. */
const O_PATH = 0o10000000;
const DESCRIPTORS = '/proc/self/fd';

/** The path leads over a link, or over what is no folder. */
export class NotAFolder extends Error {
  override readonly name = 'NotAFolder';
}

/**
 * The folders of a workspace, each reached from the root without following a link: what is written in one lands there, also when
 * somebody swaps folders for links meanwhile. Elsewhere than on Linux each part is looked at first, which leaves a moment open.
 */
export class PinnedTree {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Runs `use` with a path of the folder `parts`, below the root. `make`: what is missing of it is made.
   * @throws NotAFolder, the file system's error
   */
  in<T>(parts: readonly string[], make: boolean, use: (folder: string) => T): T {
    if (process.platform === 'linux' && existsSync(DESCRIPTORS)) return this.#byDescriptors(parts, make, use);
    let path = this.#root;
    for (const part of parts) {
      path = join(path, part);
      if (make) this.#make(path);
      if (!lstatSync(path).isDirectory()) throw new NotAFolder(path);
    }
    return use(path);
  }

  #byDescriptors<T>(parts: readonly string[], make: boolean, use: (folder: string) => T): T {
    const flags = O_PATH | constants.O_DIRECTORY;
    let file = openSync(this.#root, flags);
    try {
      for (const part of parts) {
        const path = `${DESCRIPTORS}/${file}/${part}`;
        if (make) this.#make(path);
        const next = this.#open(path, flags | constants.O_NOFOLLOW, parts);
        closeSync(file);
        file = next;
      }
      return use(`${DESCRIPTORS}/${file}`);
    } finally {
      closeSync(file);
    }
  }

  #open(path: string, flags: number, parts: readonly string[]): number {
    try {
      return openSync(path, flags);
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOTDIR' || error.code === 'ELOOP'))
        throw new NotAFolder(parts.join('/'), { cause: error });
      throw error;
    }
  }

  #make(path: string): void {
    try {
      mkdirSync(path);
    } catch (error) {
      // There already: what it is, whoever opens it sees.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** A name for a file in the making; one that is left over is ours to remove. */
export function temporaryName(): string {
  return `.lathe-restore-${randomBytes(8).toString('hex')}.tmp`;
}

export function isOurTemporary(name: string): boolean {
  return /^\.lathe-restore-[0-9a-f]{16}\.tmp$/.test(name);
}
