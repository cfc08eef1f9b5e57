import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { languageOf } from '../definitions/languages.ts';
import { outlineOf, ParseTimeout, type Definition } from '../definitions/Syntax.ts';
import { chunksOf } from './chunks.ts';
import type { EmbedderOptions } from './Embedder.ts';
import { excerptOf, type ExcerptLine } from './excerpt.ts';
import { IndexStore, type FileStamp, type FoundChunk, type IndexedChunk } from './IndexStore.ts';
import { ranked } from './ranking.ts';
import { Vectors } from './Vectors.ts';
import { wordsOf, wordsOfQuestion } from './words.ts';

/** A place that answers a question: lines are 1-based. */
export interface CodePlace extends Omit<FoundChunk, 'id' | 'score'> {
  excerpt: ExcerptLine[];
}

/** How far the index is: files that are in it as they are on disk, of those there are. */
export interface IndexProgress {
  indexed: number;
  total: number;
}

/** Bytes of a file that is indexed: what is larger was seldom written by a person. */
const LARGEST = 1024 * 1024;
/** Characters in a line, on average, from which a text is minified or data. */
const DENSE = 300;
/** Milliseconds of work between two looks for calls, and those that parsing one file may take. */
const SLICE = 100;
const PARSING = 2000;
/** Chunks that are weighed for one question. */
const CANDIDATES = 400;
/** Names whose text says nothing: locks, maps, pictures as text. */
const NOT_CODE =
  /(?:^|\/)(?:package-lock\.json|[^/]*[.-]lock(?:\.json|\.yaml)?|pnpm-lock\.yaml|go\.sum)$|\.(?:min\.(?:js|css)|map|svg|snap)$/i;
const BINARY = new Set(
  (
    '.png .jpg .jpeg .gif .webp .ico .bmp .tiff .pdf .docx .xlsx .pptx .zip .gz .tgz .xz .bz2 .7z .jar .war .class .exe .dll .so .dylib ' +
    '.a .o .obj .wasm .mp3 .mp4 .mov .avi .wav .ogg .woff .woff2 .ttf .otf .eot .sqlite .db .vsix .pyc .bin .dat'
  ).split(' '),
);

/** The index of one folder: kept up to date by what its files' stamps are when a question comes. Runs in a thread of its own. */
export class FolderIndex {
  readonly #root: string;
  readonly #store: IndexStore;
  readonly #vectors: Vectors;
  /** What has changed on disk and is not in the index yet. */
  readonly #todo = new Map<string, FileStamp>();
  #working: Promise<void> | undefined;
  #total = 0;

  constructor(root: string, database: string) {
    this.#root = root;
    this.#store = new IndexStore(database);
    this.#vectors = new Vectors(this.#store, (path) => this.#read(path));
  }

  get progress(): IndexProgress {
    return { indexed: this.#total - this.#todo.size, total: this.#total };
  }

  /**
   * Looks at what has changed and takes it up. Resolves when all of it is in the index, or after `patience` milliseconds; the work
   * goes on after that. `files` is all there is, relative to the root: what is not among them is forgotten.
   */
  async update(
    files: readonly string[],
    patience: number,
    signal: AbortSignal,
    report: (progress: IndexProgress) => void,
  ): Promise<void> {
    await this.#compare(files, signal);
    const deadline = performance.now() + patience;
    const working = this.#start();
    while (working) {
      const left = deadline - performance.now();
      const done = await Promise.race([
        working.then(() => true),
        delay(Math.max(0, Math.min(500, left)), false, { signal }),
      ]);
      if (done) return;
      report(this.progress);
      if (left <= 0) return;
    }
  }

  /**
   * The places that answer a question best, best first: `limit` of them, in files below `prefix` that are among `files`. With an
   * embedder, nearness of meaning counts as much as words; `problem` says why it did not.
   */
  async search(
    question: string,
    prefix: string,
    limit: number,
    files: ReadonlySet<string>,
    embedder: EmbedderOptions | undefined,
    signal: AbortSignal,
  ): Promise<{ places: CodePlace[]; problem?: string }> {
    const words = wordsOfQuestion(question);
    const byWords = this.#store.search(words, prefix, CANDIDATES);
    const { near, problem } = embedder
      ? await this.#vectors.nearest(embedder, question, prefix, this.#todo.size === 0, signal)
      : { near: [], problem: undefined };
    const found = together(byWords, near).filter(({ path }) => files.has(path));
    const places: CodePlace[] = [];
    for (const { path, start, end, kind, name } of ranked(found, words, limit)) {
      const text = await this.#read(path);
      if (text === undefined) continue;
      const excerpt = excerptOf(text.split('\n'), start, end, new Set(words));
      places.push({ path, start, end, kind, name, excerpt });
    }
    return { places, ...(problem === undefined ? {} : { problem }) };
  }

  /** Whether the error came from a damaged file, which is then thrown away: the next update builds the index anew. */
  reset(error: unknown): boolean {
    if (!this.#store.reset(error)) return false;
    this.#todo.clear();
    return true;
  }

  close(): void {
    this.#store.close();
  }

  async #compare(files: readonly string[], signal: AbortSignal): Promise<void> {
    const known = this.#store.files();
    const gone = new Set(known.keys());
    let count = 0;
    for (let at = 0; at < files.length; at += 64) {
      signal.throwIfAborted();
      const some = files.slice(at, at + 64);
      const stamps = await Promise.all(some.map((path) => this.#stamp(path)));
      for (const [index, path] of some.entries()) {
        const stamp = stamps[index];
        if (!stamp) continue;
        count++;
        gone.delete(path);
        const before = known.get(path);
        if (before?.modifiedAt === stamp.modifiedAt && before.size === stamp.size) this.#todo.delete(path);
        else this.#todo.set(path, stamp);
      }
    }
    this.#total = count;
    const allowed = new Set(files);
    for (const path of this.#todo.keys()) if (!allowed.has(path)) this.#todo.delete(path);
    if (gone.size > 0) this.#store.batch(() => gone.forEach((path) => this.#store.drop(path)));
  }

  async #stamp(path: string): Promise<FileStamp | undefined> {
    try {
      const found = await lstat(join(this.#root, path));
      return found.isFile() ? { modifiedAt: found.mtimeMs, size: found.size } : undefined;
    } catch (error) {
      // Gone since it was listed, or not ours to see: then it is not in the index either.
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }

  /** What is at work already, or is begun now; undefined when there is nothing to do. */
  #start(): Promise<void> | undefined {
    if (this.#working || this.#todo.size === 0) return this.#working;
    const working = this.#work().finally(() => {
      this.#working = undefined;
    });
    // Who waits hears of a failure. When nobody does, the next question begins anew with what is left, and hears of it.
    working.catch(() => undefined);
    this.#working = working;
    return working;
  }

  /** Takes up everything that is to do, in slices between which questions are answered. */
  async #work(): Promise<void> {
    while (this.#todo.size > 0) {
      const slice: { path: string; stamp: FileStamp; chunks: IndexedChunk[] }[] = [];
      const end = performance.now() + SLICE;
      for (const [path, stamp] of this.#todo) {
        slice.push({ path, stamp, chunks: await this.#chunks(path, stamp) });
        if (performance.now() > end) break;
      }
      this.#store.batch(() => {
        for (const { path, stamp, chunks } of slice)
          this.#store.put(path, wordsOf(path).join(' '), stamp, chunks);
      });
      // What changed again meanwhile stays to be done.
      for (const { path, stamp } of slice) if (this.#todo.get(path) === stamp) this.#todo.delete(path);
      await nextTurn();
    }
  }

  async #chunks(path: string, { size }: FileStamp): Promise<IndexedChunk[]> {
    if (size > LARGEST || size === 0 || NOT_CODE.test(path) || BINARY.has(extname(path).toLowerCase()))
      return [];
    const text = await this.#read(path);
    if (text === undefined || text.includes('\0')) return [];
    const lines = text.split('\n');
    if (text.length / lines.length > DENSE) return [];
    const definitions = await definitionsIn(path, text);
    return chunksOf(lines, definitions).map((chunk) => ({
      ...chunk,
      nameWords: wordsOf(chunk.name).join(' '),
      words: wordsOf(lines.slice(chunk.start - 1, chunk.end).join('\n')).join(' '),
    }));
  }

  /** The text of a file that is no link; undefined when it cannot be read any more. */
  async #read(path: string): Promise<string | undefined> {
    try {
      const file = await open(
        join(this.#root, path),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      try {
        const { size } = await file.stat();
        return size > LARGEST ? undefined : await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  }
}

/** By words and by meaning, each from 0 to 1 for the best; without vectors the words' own scores. */
function together(byWords: readonly FoundChunk[], near: readonly FoundChunk[]): FoundChunk[] {
  if (near.length === 0) return [...byWords];
  const all = new Map<number, FoundChunk>();
  const best = byWords[0]?.score ?? 1;
  for (const chunk of byWords) all.set(chunk.id, { ...chunk, score: chunk.score / best });
  const [top = 1, floor = 0] = [near[0]?.score, near.at(-1)?.score];
  for (const chunk of near) {
    const score = top > floor ? (chunk.score - floor) / (top - floor) : 1;
    all.set(chunk.id, { ...chunk, score: score + (all.get(chunk.id)?.score ?? 0) });
  }
  return [...all.values()].sort((a, b) => b.score - a.score);
}

async function definitionsIn(path: string, text: string): Promise<Definition[]> {
  const language = languageOf(path);
  if (language === undefined) return [];
  try {
    return (await outlineOf(language, text, PARSING)).definitions;
  } catch (error) {
    // It is found by its lines instead: parsing takes too long, or the grammar itself fails on this text.
    if (error instanceof ParseTimeout || (error instanceof Error && error.name === 'RuntimeError')) return [];
    throw error;
  }
}
