import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

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
  /** Where the whole is, when something was cut; else ''. */
  note: string;
  /** The last lines, for the card. */
  tail: string;
}

const HEAD_SHARE = 0.2;
const CARD_CHARACTERS = 8000;

/** A command's output while it runs: its beginning and end in memory, bounded; the whole in a file, kept only when it is needed. */
export class CommandOutput {
  readonly #options: CommandOutputOptions;
  readonly #path: string;
  readonly #file: FileHandle;
  #head = '';
  #tail = '';
  #length = 0;
  #lines = 0;
  #writing: Promise<unknown> = Promise.resolve();
  #writeError: unknown;
  #keep = false;
  #open = true;

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
    if (!this.#open || text === '') return;
    this.#length += text.length;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lines++;
    const { characters } = this.#options;
    const headRoom = Math.floor(characters * HEAD_SHARE) - this.#head.length;
    if (headRoom > 0) this.#head += text.slice(0, headRoom);
    this.#tail += text;
    // Trimmed at twice the size, so that each character is copied a bounded number of times.
    if (this.#tail.length > characters * 2) this.#tail = this.#tail.slice(-characters);
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#file.write(text);
      } catch (error) {
        this.#writeError ??= error;
      }
    });
  }

  /** The whole is wanted whatever its length. */
  keepWhole(): void {
    this.#keep = true;
  }

  /** `goesOn`: more may come (a background command), and the file stays open for it. */
  async finish(goesOn: boolean): Promise<KeptOutput> {
    const cutText = this.#cut();
    await this.#writing;
    if (!goesOn) {
      this.#open = false;
      await this.#file.close();
    }
    const cut = cutText !== undefined;
    if (!cut && !this.#keep) await rm(this.#path, { force: true });
    const whole =
      this.#writeError === undefined
        ? `The whole output (${this.#lines} lines) is in ${this.#path}; read a range of it with read_file if you need it.`
        : 'The whole output could not be kept.';
    return {
      text: cutText ?? this.#tail,
      note: cut || this.#keep ? whole : '',
      tail: this.#tail.slice(-CARD_CHARACTERS),
    };
  }

  /** Beginning and end with what was left out between them, or undefined when all of it fits. */
  #cut(): string | undefined {
    const { lines, characters } = this.#options;
    if (this.#length <= characters && this.#lines <= lines) return undefined;
    const headLines = Math.floor(lines * HEAD_SHARE);
    const head = this.#head
      .slice(0, Math.floor(characters * HEAD_SHARE))
      .split('\n')
      .slice(0, headLines)
      .join('\n');
    const tailText = this.#tail.slice(-Math.ceil(characters * (1 - HEAD_SHARE)));
    const tail = tailText
      .split('\n')
      .slice(-(lines - headLines))
      .join('\n');
    const left = Math.max(0, this.#length - head.length - tail.length);
    return `${head}\n[… ${left} characters left out …]\n${tail}`;
  }
}
