import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Lease, LeaseTakenError } from '../../services/leases/Lease.ts';
import { MAX_NOTE, MAX_NOTES, MAX_NOTES_TEXT, type Note } from '../../shared/notes.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { idOf, notesIn, withNote, type PlacedNote } from './noteText.ts';

/** What is to become of the notes. */
export type NoteChange =
  | { do: 'add'; text: string; outside: boolean }
  | { do: 'update'; id: string; text: string; outside: boolean }
  | { do: 'delete'; id: string };

/** Why the notes stay as they are. `detail`: an id, or a number of characters. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
  constructor(
    readonly reason: 'unknown' | 'twice' | 'empty' | 'unseen' | 'long' | 'full' | 'unreadable' | 'busy',
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`${reason}: ${detail}`, options);
  }
}

/** Bytes of a file that notes are read from. */
const LARGEST = 256 * 1024;
const PATIENCE = 10_000;
/** Milliseconds between two looks whether another window has done writing. */
const STEP = 20;
/** Marks that steer a text and that nobody sees in it. */
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** The notes of one workspace: a Markdown file below LATHE_HOME, never in the workspace, which only a person and this class write. */
export class WorkspaceNotes {
  readonly file: string;
  readonly #folder: string;
  readonly #root: string;
  readonly #files: FileHost;
  readonly #changed: () => void;

  private constructor(home: string, root: string, files: FileHost, changed: () => void) {
    const key = createHash('sha256').update(root).digest('hex').slice(0, 12);
    const name = basename(root)
      .replace(/[^\p{L}\p{N}._-]/gu, '_')
      .slice(0, 60);
    this.#folder = join(home, 'memory');
    this.file = join(this.#folder, `${name}-${key}.md`);
    this.#root = root;
    this.#files = files;
    this.#changed = changed;
  }

  /** `home` is LATHE_HOME, `cwd` the workspace's root: both exist. `changed` hears of each change made by this. */
  static async of(
    home: string,
    cwd: string,
    files: FileHost,
    changed: () => void = () => undefined,
  ): Promise<WorkspaceNotes> {
    return new WorkspaceNotes(await realpath(home), await realpath(cwd), files, changed);
  }

  /** In the file's order. @throws NoteError */
  async list(): Promise<Note[]> {
    return (await this.#read()).notes.map(({ id, text, outside }) => ({ id, text, outside }));
  }

  /** Whether the change can be made, and the note that it is about; nothing is written. @throws NoteError */
  async check(change: NoteChange): Promise<Note | undefined> {
    return applied(await this.#read(), this.#root, change).before;
  }

  /** Gives the note's id. @throws NoteError, FileError when the file cannot be written */
  async change(change: NoteChange): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const lease = await this.#lease();
    try {
      const now = await this.#read();
      const { text, id } = applied(now, this.#root, change);
      await this.#files.write(this.file, Buffer.from(text), now.hash);
      this.#changed();
      return id;
    } finally {
      await lease.release();
    }
  }

  /** One writer at a time, whichever window it is in. @throws NoteError */
  async #lease(): Promise<Lease> {
    for (const end = performance.now() + PATIENCE; ;) {
      try {
        return await Lease.acquire(this.#folder, basename(this.file, '.md'));
      } catch (error) {
        if (!(error instanceof LeaseTakenError)) throw error;
        if (performance.now() > end) throw new NoteError('busy', this.file, { cause: error });
      }
      await delay(STEP);
    }
  }

  async #read(): Promise<{ text: string; hash: string | null; notes: PlacedNote[] }> {
    try {
      if ((await this.#files.status(this.file)) === undefined) return { text: '', hash: null, notes: [] };
      const signal = AbortSignal.timeout(PATIENCE);
      const { bytes, hash } = await this.#files.read(this.file, { limit: LARGEST, signal });
      const text = new TextDecoder().decode(bytes);
      return { text, hash, notes: notesIn(text) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new NoteError('unreadable', this.file, { cause: error });
    }
  }
}

function applied(
  { text, notes }: { text: string; notes: readonly PlacedNote[] },
  root: string,
  change: NoteChange,
): { text: string; id: string; before: Note | undefined } {
  const at = change.do === 'add' ? undefined : notes.find(({ id }) => id === change.id);
  if (change.do !== 'add' && !at) throw new NoteError('unknown', change.id);
  if (change.do === 'delete') return { text: withNote(text, undefined, at), id: change.id, before: at };
  const { text: words, outside } = unmarked(change);
  if (words === '') throw new NoteError('empty', '');
  if (UNSEEN.test(words.replace(/[\n\t]/g, ''))) throw new NoteError('unseen', '');
  if (words.length > MAX_NOTE) throw new NoteError('long', String(words.length));
  const id = idOf(words);
  const others = notes.filter((note) => note !== at);
  if (others.some((note) => note.id === id)) throw new NoteError('twice', id);
  const size = others.reduce((sum, note) => sum + note.text.length, words.length);
  if (others.length >= MAX_NOTES || size > MAX_NOTES_TEXT) throw new NoteError('full', String(size));
  const note = { text: words, outside };
  return { text: withNote(text === '' ? head(root) : text, note, at), id, before: at };
}

/** Who writes the mark into the words means it. */
function unmarked({ text, outside }: Pick<Note, 'text' | 'outside'>): Pick<Note, 'text' | 'outside'> {
  const words = text.replaceAll('\r\n', '\n').trim();
  const plain = words.replace(/^(\[outside\]\s*)+/, '');
  return { text: plain, outside: outside || plain !== words };
}

function head(root: string): string {
  // A path is one line, and cannot end the comment.
  const path = root.replace(/\p{Cc}/gu, '?').replaceAll('-->', '--_');
  return `# Notes\n\n<!-- About ${path}, for later tasks there. Each item is a note: change, delete or add what you like. [outside] marks what was written behind content of the web or an MCP server. -->\n`;
}
