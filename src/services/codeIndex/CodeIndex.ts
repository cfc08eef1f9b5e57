import { createHash } from 'node:crypto';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { ProxyPlaces } from '../proxy/ProxyPlaces.ts';
import { Thread, threadFile } from '../threads/Thread.ts';
import type { IndexProgress } from './FolderIndex.ts';
import type { IndexAnswer, IndexRequest } from './indexThread.ts';

/** A question about a folder. */
export interface CodeQuestion extends Omit<IndexRequest, 'database' | 'embedder'> {
  embedder?: { url: string; model: string } | undefined;
  signal: AbortSignal;
  onProgress: (progress: IndexProgress) => void;
}

/** What an embedder is reached with. */
export interface EmbedderAccess {
  /** Its key, if it wants one. */
  key?: string | undefined;
  /** Where requests leave by, as it is when one is made. */
  proxies?: () => ProxyPlaces | undefined;
}

/** Milliseconds without a question after which the thread ends; what it has not indexed by then is taken up by the next one. */
const IDLE = 10 * 60_000;
/** Megabytes of the thread's own heap. */
const HEAP = 160;

/** Finds code by what is asked of it. The work is done in a thread; what it knows is in one SQLite file a folder. */
export class CodeIndex {
  readonly #folder: string;
  readonly #access: EmbedderAccess;
  readonly #thread: Thread<IndexRequest, IndexAnswer, IndexProgress>;

  private constructor(folder: string, access: EmbedderAccess) {
    this.#folder = folder;
    this.#access = access;
    this.#thread = new Thread(threadFile(import.meta.url, 'indexThread'), { idle: IDLE, heap: HEAP });
  }

  /**
   * An index whose files are in `folder`, made when they are needed; undefined where this Node has no SQLite.
   */
  static create(folder: string, access: EmbedderAccess = {}): CodeIndex | undefined {
    return isBuiltin('node:sqlite') ? new CodeIndex(folder, access) : undefined;
  }

  /**
   * The places that answer the question best. Rejects with the signal's reason, with ThreadEnded, or when the index cannot be kept
   * (a full disk, a SQLite without full-text search).
   */
  async search({ signal, onProgress, embedder, ...question }: CodeQuestion): Promise<IndexAnswer> {
    const name = createHash('sha256').update(question.root).digest('hex').slice(0, 24);
    const database = join(this.#folder, `${name}.db`);
    const { key, proxies } = this.#access;
    const made = embedder && { ...embedder, key, proxies: proxies?.() };
    return await this.#thread.call({ ...question, database, embedder: made }, { signal, onProgress });
  }

  async dispose(): Promise<void> {
    await this.#thread.dispose();
  }
}
