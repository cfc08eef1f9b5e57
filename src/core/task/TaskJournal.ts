import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { journalEntrySchema, type Fact, type JournalEntry } from '../../shared/events.ts';

const HEADER = '{"format":"lathe-journal","version":1}';
const LINE = /^\{"crc":"([0-9a-f]{8})","entry":(.*)\}$/s;

/** The journal could not be written; nothing that was to be recorded has happened for anyone. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  constructor(
    readonly folder: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What opening found damaged: how many lines, and the file that holds the journal's bytes as they were. */
export interface Damage {
  lines: number;
  file: string;
}

/**
 * A task's journal: JSON lines, append-only. Line 1 names the format; each further line is
 * `{"crc":"<CRC-32 of the entry's bytes, 8 hex digits>","entry":{…}}`. An entry counts when its line is whole, its sum is right
 * and its shape is known. `append` resolves after the bytes are on the disk; whoever is told of an entry is told after that.
 */
export class TaskJournal {
  readonly #folder: string;
  readonly #file: FileHandle;
  readonly #entries: JournalEntry[];
  #waiting: {
    entry: JournalEntry;
    resolve: (entry: JournalEntry) => void;
    reject: (error: unknown) => void;
  }[] = [];
  /** Cleared in the same step as the queue is found empty: an append right behind starts the next write. */
  #draining = false;
  #writing: Promise<void> = Promise.resolve();
  #failure: JournalError | undefined;
  #size: number;
  #nextSeq: number;

  private constructor(folder: string, file: FileHandle, entries: JournalEntry[], size: number) {
    this.#folder = folder;
    this.#file = file;
    this.#entries = entries;
    this.#size = size;
    this.#nextSeq = (entries.at(-1)?.seq ?? 0) + 1;
  }

  /** The entries that are on the disk, in order. */
  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** Bytes of the file up to the last entry. */
  get size(): number {
    return this.#size;
  }

  /** A new journal in a folder that does not have one, with these entries to begin with. @throws JournalError */
  static async create(folder: string, entries: readonly JournalEntry[] = []): Promise<TaskJournal> {
    const path = join(folder, 'journal.jsonl');
    const begun = join(folder, `journal.${randomUUID()}.new`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const bytes = Buffer.from(`${HEADER}\n${entries.map(journalLine).join('')}`);
      try {
        await writeFile(begun, bytes, { mode: 0o600, flag: 'wx', flush: true });
        // Whole or not at all, and never over one that is there.
        await link(begun, path);
      } finally {
        await rm(begun, { force: true });
      }
      await syncFolder(folder);
      const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
      return new TaskJournal(folder, file, [...entries], bytes.length);
    } catch (error) {
      throw new JournalError(folder, error);
    }
  }

  /**
   * The journal of a task, to go on writing it. Damaged lines and a torn end are set aside byte for byte in a file beside it,
   * and the rest opens. @throws JournalError when it cannot be read or written at all.
   */
  static async open(folder: string): Promise<{ journal: TaskJournal; damage: Damage | undefined }> {
    const path = join(folder, 'journal.jsonl');
    try {
      const bytes = await readFile(path);
      const { entries, good, damaged } = parseJournal(bytes);
      let damage: Damage | undefined;
      if (damaged > 0) {
        damage = { lines: damaged, file: join(folder, `journal.damaged-${Date.now()}.jsonl`) };
        await writeFile(damage.file, bytes, { mode: 0o600, flag: 'wx', flush: true });
        await replaceFile(path, good);
      }
      const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
      return {
        journal: new TaskJournal(folder, file, entries, damaged > 0 ? good.length : bytes.length),
        damage,
      };
    } catch (error) {
      throw new JournalError(folder, error);
    }
  }

  /** The whole entries of a journal, to read only; damaged lines are passed over. @throws the file system's error */
  static async read(folder: string): Promise<JournalEntry[]> {
    return parseJournal(await readFile(join(folder, 'journal.jsonl'))).entries;
  }

  /**
   * The whole entries behind a place in the file, which was the end of a line, and the place behind the last of them. Starts anew
   * where the file was replaced by a shorter one. @throws the file system's error
   */
  static async readFrom(folder: string, start: number): Promise<{ entries: JournalEntry[]; end: number }> {
    const file = await open(join(folder, 'journal.jsonl'), constants.O_RDONLY);
    try {
      const { size } = await file.stat();
      const from = start > size ? 0 : start;
      const bytes = Buffer.alloc(size - from);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
      const whole = bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf(10) + 1);
      return { entries: parseJournal(whole).entries, end: from + whole.length };
    } finally {
      await file.close();
    }
  }

  /**
   * Numbers the fact and writes it. Facts that arrive while a write is under way go out together with the next one.
   * @throws JournalError when it is not on the disk; every later append fails too, until the journal is opened again.
   */
  append(fact: Fact): Promise<JournalEntry> {
    if (this.#failure) return Promise.reject(this.#failure);
    const entry: JournalEntry = { seq: this.#nextSeq++, at: Date.now(), ...fact };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      if (!this.#draining) this.#writing = this.#drain();
    });
  }

  /** Whether the file is as long as what was read and written here: nobody else has added to it. @throws the file system's error */
  async isWhole(): Promise<boolean> {
    await this.#writing;
    return (await this.#file.stat()).size === this.#size;
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#failure ??= new JournalError(this.#folder, new Error('the journal is closed'));
    await this.#file.close();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const bytes = Buffer.from(batch.map(({ entry }) => journalLine(entry)).join(''));
        await writeWhole(this.#file, bytes);
        await this.#file.datasync();
        this.#size += bytes.length;
      } catch (error) {
        await this.#fail(error, batch);
        break;
      }
      for (const { entry, resolve } of batch) {
        this.#entries.push(entry);
        resolve(entry);
      }
    }
    this.#draining = false;
  }

  /** Takes back what a failed write left (a full disk leaves half lines), and refuses everything from here on. */
  async #fail(cause: unknown, batch: readonly { reject: (error: unknown) => void }[]): Promise<void> {
    const failure = new JournalError(this.#folder, cause);
    this.#failure = failure;
    try {
      await this.#file.truncate(this.#size);
    } catch (error) {
      // The half line stays; the next opening sets it aside.
      failure.message += ` (and its half-written end could not be removed: ${error instanceof Error ? error.message : String(error)})`;
    }
    for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(failure);
  }
}

/** One line of the file, with its line break. */
export function journalLine(entry: JournalEntry): string {
  const json = JSON.stringify(entry);
  return `{"crc":"${checksum(json)}","entry":${json}}\n`;
}

/** Whether these bytes begin as a journal does. */
export function isJournal(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, HEADER.length)).toString('utf8') === HEADER;
}

/** The entries of a journal's bytes; `good` is the journal without its damaged lines. */
export function parseJournal(bytes: Uint8Array): { entries: JournalEntry[]; good: Buffer; damaged: number } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: JournalEntry[] = [];
  const goodLines: Buffer[] = [Buffer.from(`${HEADER}\n`)];
  let damaged = 0;
  let headerSeen = false;
  for (let start = 0; start < buffer.length;) {
    const newline = buffer.indexOf(10, start);
    const end = newline === -1 ? buffer.length : newline + 1;
    const line = buffer.subarray(start, end);
    start = end;
    const text = newline === -1 ? undefined : line.toString('utf8', 0, line.length - 1);
    if (text === HEADER && !headerSeen) {
      headerSeen = true;
      continue;
    }
    const entry = text === undefined ? undefined : parseLine(text);
    // A number that does not grow is a line from elsewhere: it is no part of this history.
    if (entry === undefined || entry.seq <= (entries.at(-1)?.seq ?? 0)) damaged++;
    else {
      entries.push(entry);
      goodLines.push(line);
    }
  }
  return { entries, good: Buffer.concat(goodLines), damaged: damaged + (headerSeen ? 0 : 1) };
}

function parseLine(text: string): JournalEntry | undefined {
  const match = LINE.exec(text);
  const [, crc, json] = match ?? [];
  if (crc === undefined || json === undefined || checksum(json) !== crc) return undefined;
  try {
    const parsed = journalEntrySchema.safeParse(JSON.parse(json));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    // The sum is right but it is not JSON: not a line of ours.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written);
    written += bytesWritten;
  }
}

async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, bytes, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

/** A new name survives a power cut once its folder is on the disk. Windows cannot open folders and needs no such step. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
