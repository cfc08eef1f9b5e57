/**
 * Why something of the workspace is in no checkpoint. `cache`: a folder that says so itself (CACHEDIR.TAG, pyvenv.cfg) or is called
 * node_modules. `secret`: its name says that it may hold some. `special`: no file, folder or link, or a name that is no text.
 */
export type LeftOutReason =
  'ignored' | 'hidden' | 'cache' | 'secret' | 'too_large' | 'unreadable' | 'special';

export interface LeftOutFile {
  /** Relative to the workspace, with `/`, and one at the end of a folder's. */
  path: string;
  reason: LeftOutReason;
}

/** The first of them by name, and how many there are. */
export interface LeftOut {
  files: LeftOutFile[];
  count: number;
}

/** How many are named. */
const NAMED = 200;

/** Gathers them in the order of the walk. */
export class LeftOutList {
  readonly #files: LeftOutFile[] = [];
  #count = 0;

  add(path: string, reason: LeftOutReason): void {
    this.#count++;
    if (this.#files.length < NAMED) this.#files.push({ path, reason });
  }

  list(): LeftOut {
    const files = this.#files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    return { files, count: this.#count };
  }
}
