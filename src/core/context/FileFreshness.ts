import { FileError, type FileHost } from '../host/Host.ts';

/** A file as the model knows it: hash of what it read or wrote, and of what it was told has become of it. Null: it is gone. */
export interface KnownFile {
  read: string | null;
  told?: string | null | undefined;
}

/** A file that is no more what the model read. */
export interface ChangedFile {
  /** Absolute, real. */
  path: string;
  hash: string | null;
}

/** Files that are looked after: those that the model read or wrote last. */
const MOST_FILES = 100;
/** Bytes; larger ones are not hashed again and again. */
const LARGEST = 4 * 1024 * 1024;

/** What the model knows of files, and which of them changed behind its back: by the person, a command or another program. */
export class FileFreshness {
  readonly #files: FileHost;
  /** Oldest first. */
  readonly #known = new Map<string, KnownFile>();
  /** Time and size of a file when it was hashed last: what has neither changed is not read again. */
  readonly #stamps = new Map<string, string>();

  constructor(files: FileHost, known: ReadonlyMap<string, KnownFile>) {
    this.#files = files;
    for (const [path, file] of known) this.#known.set(path, { ...file });
  }

  /** The model has read or written this; null when it has deleted it. */
  noteRead(path: string, hash: string | null): void {
    this.#known.delete(path);
    this.#known.set(path, { read: hash });
    this.#stamps.delete(path);
  }

  lastRead(path: string): string | undefined {
    return this.#known.get(path)?.read ?? undefined;
  }

  /**
   * Files that became others since the model read them, each change once. `unsaved` are documents that an editor holds with changes:
   * their time on the disk says nothing.
   */
  async changed(unsaved: readonly string[], signal: AbortSignal): Promise<ChangedFile[]> {
    const latest = [...this.#known].slice(-MOST_FILES);
    const looked = await Promise.all(
      latest.map(async ([path, file]): Promise<ChangedFile | undefined> => {
        if (file.read === null) return undefined;
        const now = await this.#hash(path, unsaved.includes(path), signal);
        if (now === undefined || now === file.read || now === file.told) return undefined;
        file.told = now;
        return { path, hash: now };
      }),
    );
    return looked.filter((file) => file !== undefined);
  }

  /** What is there now; null for nothing, undefined when it is as it was, or cannot be told. */
  async #hash(path: string, unsaved: boolean, signal: AbortSignal): Promise<string | null | undefined> {
    try {
      const status = await this.#files.status(path);
      if (status?.type !== 'file') return null;
      const stamp = `${status.modifiedAt} ${status.size}`;
      if (!unsaved && this.#stamps.get(path) === stamp) return undefined;
      const { hash } = await this.#files.read(path, { limit: LARGEST, signal });
      if (unsaved) this.#stamps.delete(path);
      else this.#stamps.set(path, stamp);
      return hash;
    } catch (error) {
      // Gone between the two looks, too large, or closed to us: the next look, or the edit itself, will tell.
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }
}
