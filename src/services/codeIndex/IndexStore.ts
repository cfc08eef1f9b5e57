import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Chunk } from './chunks.ts';

/** A chunk to be kept, with its words joined by blanks. */
export interface IndexedChunk extends Chunk {
  nameWords: string;
  words: string;
}

/** What stands for a file's content: when these are the same, it is not read again. */
export interface FileStamp {
  modifiedAt: number;
  size: number;
}

/** A chunk that has some of the words. The higher the score, the better. */
export interface FoundChunk extends Chunk {
  id: number;
  path: string;
  score: number;
}

/** Changed whenever what is stored, or how words are made, changes: the index is then built anew. */
const VERSION = 2;
/** How much a word counts in a name, in the path, in the text. */
const WEIGHTS = '4.0, 3.0, 1.0';
/** SQLite's codes for a file that is damaged, or no database. */
const DAMAGED = new Set([11, 26]);

/** Files, chunks and their words in one SQLite file. Every change is in a transaction: a killed process leaves what was committed. */
export class IndexStore {
  readonly #path: string;
  #database: DatabaseSync;
  #statements: ReturnType<typeof prepared>;

  /** @throws when SQLite here has no full-text search, or the file cannot be written */
  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      this.#database = open(path);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      remove(path);
      this.#database = open(path);
    }
    this.#statements = prepared(this.#database);
  }

  /** Every file that is indexed, by its path relative to the root. */
  files(): Map<string, FileStamp> {
    const rows = this.#database.prepare('SELECT path, modified, size FROM files').all();
    return new Map(
      rows.map((row) => [String(row.path), { modifiedAt: Number(row.modified), size: Number(row.size) }]),
    );
  }

  /** Runs `work` in a transaction: all of it lands, or nothing. */
  batch(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Takes a file's chunks in place of those it had. In a batch. */
  put(path: string, pathWords: string, stamp: FileStamp, chunks: readonly IndexedChunk[]): void {
    this.drop(path);
    const { addFile, addChunk, addWords } = this.#statements;
    const file = addFile.run(path, stamp.modifiedAt, stamp.size).lastInsertRowid;
    for (const { start, end, kind, name, nameWords, words } of chunks) {
      const id = addChunk.run(file, start, end, kind, name).lastInsertRowid;
      addWords.run(id, nameWords, pathWords, words);
    }
  }

  /** Forgets a file. In a batch. */
  drop(path: string): void {
    const { chunks, dropWords, dropVector, dropChunks, dropFile } = this.#statements;
    for (const { id = null } of chunks.all(path)) {
      dropWords.run(id);
      dropVector.run(id);
    }
    dropChunks.run(path);
    dropFile.run(path);
  }

  /** The best chunks that have any of the words, below `prefix` (`src/`; empty for all), best first. */
  search(words: readonly string[], prefix: string, limit: number): FoundChunk[] {
    if (words.length === 0) return [];
    const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
    return this.#database
      .prepare(
        `SELECT chunks.id AS id, files.path AS path, start, finish, kind, chunks.name AS name, -bm25(words, ${WEIGHTS}) AS score FROM words
         JOIN chunks ON chunks.id = words.rowid JOIN files ON files.id = chunks.file
         WHERE words MATCH ? AND substr(files.path, 1, length(?)) = ? ORDER BY score DESC LIMIT ?`,
      )
      .all(match, prefix, prefix, limit)
      .map((row) => ({ ...chunkOf(row), score: Number(row.score) }));
  }

  /** Begins anew with vectors when they were made by another model. */
  useEmbedder(name: string): void {
    const before = this.#database.prepare('SELECT name FROM embedder').get()?.name;
    if (before === name) return;
    this.batch(() => {
      this.#database.exec('DELETE FROM vectors; DELETE FROM embedder;');
      this.#database.prepare('INSERT INTO embedder (name) VALUES (?)').run(name);
    });
  }

  /** Some of the chunks that have no vector yet, those of a file together. */
  withoutVector(limit: number): Omit<FoundChunk, 'score'>[] {
    return this.#database
      .prepare(
        `SELECT chunks.id AS id, path, start, finish, kind, name FROM chunks JOIN files ON files.id = chunks.file
         WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.chunk = chunks.id) ORDER BY chunks.id LIMIT ?`,
      )
      .all(limit)
      .map(chunkOf);
  }

  /** Keeps the vectors of chunks, unless they have gone meanwhile. In a batch. */
  putVector(chunk: number, vector: Int8Array): void {
    this.#statements.addVector.run(chunk, vector, chunk);
  }

  /** The chunks below `prefix` whose vectors are nearest, best first; the score is the cosine. */
  nearest(vector: Int8Array, prefix: string, limit: number): FoundChunk[] {
    const rows = this.#database
      .prepare(
        `SELECT chunk, vector FROM vectors JOIN chunks ON chunks.id = chunk JOIN files ON files.id = chunks.file
         WHERE substr(files.path, 1, length(?)) = ?`,
      )
      .iterate(prefix, prefix);
    const best: { id: number; score: number }[] = [];
    for (const row of rows) {
      const other = row.vector;
      if (!(other instanceof Uint8Array) || other.length !== vector.length) continue;
      const score = product(vector, new Int8Array(other.buffer, other.byteOffset, other.length));
      if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
      const at = best.findIndex((one) => one.score < score);
      best.splice(at === -1 ? best.length : at, 0, { id: Number(row.chunk), score });
      if (best.length > limit) best.pop();
    }
    const chunk = this.#database.prepare(
      'SELECT chunks.id AS id, path, start, finish, kind, name FROM chunks JOIN files ON files.id = chunks.file WHERE chunks.id = ?',
    );
    return best.flatMap(({ id, score }) => {
      const row = chunk.get(id);
      return row ? [{ ...chunkOf(row), score: score / 127 ** 2 }] : [];
    });
  }

  close(): void {
    this.#database.close();
  }

  /** After an error: whether the file was damaged. Then it is thrown away, and the index begins anew. */
  reset(error: unknown): boolean {
    if (!isDamaged(error)) return false;
    this.#database.close();
    remove(this.#path);
    this.#database = open(this.#path);
    this.#statements = prepared(this.#database);
    return true;
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // Two windows may have the same folder open: one waits for the other's batch.
    database.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;`);
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version !== VERSION)
      database.exec(`BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS chunks; DROP TABLE IF EXISTS words;
        DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS embedder;
        CREATE TABLE files (
          id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, modified REAL NOT NULL, size INTEGER NOT NULL
        );
        CREATE TABLE chunks (
          id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL,
          kind TEXT NOT NULL, name TEXT NOT NULL
        );
        CREATE INDEX chunks_of_file ON chunks (file);
        CREATE VIRTUAL TABLE words USING fts5 (
          name, path, body, content = '', contentless_delete = 1,
          tokenize = "unicode61 remove_diacritics 0 tokenchars '_$'"
        );
        CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
        CREATE TABLE embedder (name TEXT NOT NULL);
        PRAGMA user_version = ${VERSION};
        COMMIT;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepared(database: DatabaseSync) {
  const ofFile = 'file = (SELECT id FROM files WHERE path = ?)';
  return {
    addFile: database.prepare('INSERT INTO files (path, modified, size) VALUES (?, ?, ?)'),
    addChunk: database.prepare('INSERT INTO chunks (file, start, finish, kind, name) VALUES (?, ?, ?, ?, ?)'),
    addWords: database.prepare('INSERT INTO words (rowid, name, path, body) VALUES (?, ?, ?, ?)'),
    chunks: database.prepare(`SELECT id FROM chunks WHERE ${ofFile}`),
    dropWords: database.prepare('DELETE FROM words WHERE rowid = ?'),
    addVector: database.prepare(
      'INSERT OR REPLACE INTO vectors (chunk, vector) SELECT ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?)',
    ),
    dropVector: database.prepare('DELETE FROM vectors WHERE chunk = ?'),
    dropChunks: database.prepare(`DELETE FROM chunks WHERE ${ofFile}`),
    dropFile: database.prepare('DELETE FROM files WHERE path = ?'),
  };
}

function chunkOf(row: Record<string, SQLOutputValue>): Omit<FoundChunk, 'score'> {
  return {
    id: Number(row.id),
    path: String(row.path),
    start: Number(row.start),
    end: Number(row.finish),
    kind: String(row.kind),
    name: String(row.name),
  };
}

function product(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

function isDamaged(error: unknown): boolean {
  // The low byte is the code; the others say more of where.
  return error instanceof Error && 'errcode' in error && DAMAGED.has(Number(error.errcode) & 0xff);
}

function remove(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
}
