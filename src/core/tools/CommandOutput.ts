import { appendFile, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { clip, clipStart } from './textFile.ts';

interface CommandOutputOptions {
  folder: string;
  name: string;
  /** Lines and characters kept for the model: a fifth from the beginning, the rest from the end. */
  lines: number;
  characters: number;
}

/** What is kept of a command's output. */
export interface KeptOutput {
  text: string;
  /** Where the whole is, when something was cut or more will come; else ''. */
  note: string;
  /** The last lines, for the card. */
  tail: string;
}

const HEAD_SHARE = 0.2;
const CARD_CHARACTERS = 8000;
const MEGABYTE = 1024 * 1024;
/** Bytes of the file: a command that never stops printing must not fill the disk, nor memory with what waits to be written. */
const LARGEST_FILE = 64 * MEGABYTE;

/** A command's output while it runs: its beginning and end in memory, bounded; the whole in a file, kept only when it is needed. */
export class CommandOutput {
  readonly #options: CommandOutputOptions;
  readonly #path: string;
  readonly #file: FileHandle;
  #head = '';
  #tail = '';
  #length = 0;
  #breaks = 0;
  #bytes = 0;
  #endsLine = true;
  #writing: Promise<unknown> = Promise.resolve();
  #writeError: unknown;
  #full = false;
  #state: 'open' | 'background' | 'ended' = 'open';

  private constructor(options: CommandOutputOptions, path: string, file: FileHandle) {
    this.#options = options;
    this.#path = path;
    this.#file = file;
  }

  static async create(options: CommandOutputOptions): Promise<CommandOutput> {
    const path = join(options.folder, options.name);
    return new CommandOutput(options, path, await open(path, 'ax', 0o600));
  }

  add(text: string): void {
    if (this.#state === 'ended' || text === '') return;
    this.#write(text);
    if (this.#state === 'background') return;
    this.#length += text.length;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#breaks++;
    const { characters } = this.#options;
    const headRoom = Math.floor(characters * HEAD_SHARE) - this.#head.length;
    if (headRoom > 0) this.#head += text.slice(0, headRoom);
    this.#tail += text;
    // Trimmed at twice the size, so that each character is copied a bounded number of times.
    if (this.#tail.length > characters * 2) this.#tail = this.#tail.slice(-characters);
  }

  /** `goesOn`: more will come (a background command), and goes into the file. */
  async finish(goesOn: boolean): Promise<KeptOutput> {
    this.#state = goesOn ? 'background' : 'ended';
    const cut = this.#cut();
    const text = cut ?? this.#tail;
    const tail = clipStart(this.#tail, CARD_CHARACTERS);
    this.#writing = this.#writing.then(() => this.#file.close());
    await this.#writing;
    if (goesOn)
      return {
        text,
        tail,
        note: `The output is written to ${this.#path}; read a range of it with read_file if you need it.`,
      };
    if (cut === undefined) {
      await rm(this.#path, { force: true });
      return { text, tail, note: '' };
    }
    return { text, tail, note: this.#note() };
  }

  /** The end of what went to the background: its last words in the file. */
  close(words: string): void {
    this.#write(`${this.#endsLine ? '' : '\n'}${words}\n`);
    this.#state = 'ended';
  }

  #note(): string {
    if (this.#writeError !== undefined) return 'The whole output could not be kept.';
    const whole = this.#full
      ? `The first ${LARGEST_FILE / MEGABYTE} MB of the output (${this.#lines()} lines in all) are`
      : `The whole output (${this.#lines()} lines) is`;
    return `${whole} in ${this.#path}; read a range of it with read_file if you need it.`;
  }

  #write(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#full ||= this.#bytes + bytes > LARGEST_FILE;
    if (this.#full) return;
    this.#bytes += bytes;
    this.#endsLine = text.endsWith('\n');
    // A background command may outlive the call by hours, so no file is held open for it.
    const held = this.#state === 'open';
    this.#writing = this.#writing.then(async () => {
      try {
        await (held ? this.#file.write(text) : appendFile(this.#path, text));
      } catch (error) {
        this.#writeError ??= error;
      }
    });
  }

  #lines(): number {
    return this.#breaks + (this.#tail === '' || this.#tail.endsWith('\n') ? 0 : 1);
  }

  /** Beginning and end with what was left out between them, or undefined when all of it fits. */
  #cut(): string | undefined {
    const { lines, characters } = this.#options;
    if (this.#length <= characters && this.#lines() <= lines) return undefined;
    const headLines = Math.floor(lines * HEAD_SHARE);
    const headCharacters = Math.floor(characters * HEAD_SHARE);
    const head = clip(this.#head, headCharacters).split('\n').slice(0, headLines).join('\n');
    const end = this.#tail.endsWith('\n') ? '\n' : '';
    const tail = clipStart(this.#tail, characters - headCharacters)
      .slice(0, end === '' ? undefined : -1)
      .split('\n')
      .slice(headLines - lines)
      .join('\n');
    const leftLines = this.#lines() - countLines(head) - countLines(tail);
    const leftCharacters = `${this.#length - head.length - tail.length} characters`;
    const left =
      leftLines > 0
        ? `${leftLines} ${leftLines === 1 ? 'line' : 'lines'} (${leftCharacters})`
        : leftCharacters;
    return `${head}\n[… ${left} left out …]\n${tail}${end}`;
  }
}

function countLines(text: string): number {
  return text.split('\n').length;
}
