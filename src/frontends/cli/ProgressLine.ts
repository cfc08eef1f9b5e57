import { printable } from './printable.ts';

/**
 * What is under way, as one line at the bottom of a terminal that everything else takes the place of. Without `write` there is no
 * such terminal, and nothing is shown.
 */
export class ProgressLine {
  readonly #write: ((text: string) => void) | undefined;
  readonly #columns: () => number;
  #shown = '';

  constructor(write: ((text: string) => void) | undefined, columns: () => number) {
    this.#write = write;
    this.#columns = columns;
  }

  get isShown(): boolean {
    return this.#write !== undefined;
  }

  show(text: string): void {
    // One column stays free: a full line would go on in the next one.
    const line = fitting(printable(text).replaceAll('\n', ' '), this.#columns() - 1);
    if (line === this.#shown) return;
    this.#write?.(`\r\u001b[K${line}`);
    this.#shown = line;
  }

  clear(): void {
    if (this.#shown !== '') this.#write?.('\r\u001b[K');
    this.#shown = '';
  }

  /** Writes there too, over the line. */
  over(write: (text: string) => void): (text: string) => void {
    return (text) => {
      if (text === '') return;
      this.clear();
      write(text);
    };
  }
}

/** The beginning of a text that takes so many columns; what is not Latin may take two. */
function fitting(text: string, columns: number): string {
  let taken = 0;
  let line = '';
  for (const character of text) {
    taken += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
    if (taken > columns) break;
    line += character;
  }
  return line;
}
