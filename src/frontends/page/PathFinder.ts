import { rankPaths, type FoundPath } from './rankPaths.ts';

/** Paths that are offered at most. */
const OFFERED = 30;
/** Milliseconds for which a list of files is good enough while someone types. */
const LIST_LIFE = 5000;

/** Finds files and folders of a workspace while someone types parts of their paths. */
export class PathFinder {
  readonly #list: (root: string) => Promise<string[]>;
  #known: { root: string; at: number; files: Promise<string[]> } | undefined;

  /** `list` gives the files below a folder, relative to it, with `/`. */
  constructor(list: (root: string) => Promise<string[]>) {
    this.#list = list;
  }

  /** The best, best first. `open` are offered where nothing is typed, when there are any. */
  async find(root: string, query: string, open: () => readonly string[]): Promise<FoundPath[]> {
    if (query.trim() === '') {
      const paths = open().slice(0, OFFERED);
      if (paths.length > 0) return paths.map((path) => ({ path, kind: 'file' }));
    }
    return rankPaths(await this.#files(root), query, OFFERED);
  }

  async #files(root: string): Promise<string[]> {
    if (this.#known?.root !== root || Date.now() - this.#known.at > LIST_LIFE)
      this.#known = { root, at: Date.now(), files: this.#list(root) };
    try {
      return await this.#known.files;
    } catch (error) {
      // The next letter tries again.
      this.#known = undefined;
      throw error;
    }
  }
}
