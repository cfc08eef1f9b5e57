import type { TextLines } from './lines.ts';

/** Most characters of a line that its number is made of, spread evenly over it. */
const SAMPLES = 48;

/**
 * The lines of a text by what they hold without the blanks at their ends, so that one is found without reading the others. Lines with
 * the same number are chained through arrays, from the first to the last: one entry a line, whatever the text is.
 */
export class LineTable {
  readonly #lines: TextLines;
  readonly #text: string;
  /** By number: the first line that has it, and by line: the next that has the same. One more than the line; 0 is none. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  /** `text`: as long as that of `lines`, with breaks at the same places. */
  constructor(text: string, lines: TextLines) {
    this.#text = text;
    this.#lines = lines;
    this.#first = new Int32Array(2 ** Math.ceil(Math.log2(lines.count + 1) + 1));
    this.#next = new Int32Array(lines.count);
    for (let line = lines.count - 1; line >= 0; line--) {
      const start = this.#start(line);
      const slot = this.#slot(text, start, this.#end(line, start));
      this.#next[line] = this.#first[slot] ?? 0;
      this.#first[slot] = line + 1;
    }
  }

  /** The lines that may be the text, in their order, with where each begins behind its blanks; others of its length may be among them. */
  *alike(text: string): Iterable<{ line: number; start: number }> {
    let next = this.#first[this.#slot(text, 0, text.length)] ?? 0;
    for (; next !== 0; next = this.#next[next - 1] ?? 0)
      yield { line: next - 1, start: this.#start(next - 1) };
  }

  #slot(text: string, start: number, end: number): number {
    const number = numberOf(text, start, end);
    return (number ^ (number >>> 15)) & (this.#first.length - 1);
  }

  /** Offset of the line's first character that is no blank, or its end. */
  #start(line: number): number {
    const end = this.#lines.offset(line + 1);
    let at = this.#lines.offset(line);
    while (at < end && isBlank(this.#text.charCodeAt(at))) at++;
    return at;
  }

  #end(line: number, start: number): number {
    let at = this.#lines.offset(line + 1);
    while (at > start && isBlank(this.#text.charCodeAt(at - 1))) at--;
    return at;
  }
}

/** What trim() takes away, of a text without typographic spaces. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)));
}

/** A number of the stretch's length and some of its characters. */
function numberOf(text: string, start: number, end: number): number {
  const length = end - start;
  let number = length;
  const step = Math.ceil(length / SAMPLES);
  for (let at = start; at < end; at += step) number = (Math.imul(number, 31) + text.charCodeAt(at)) | 0;
  return number;
}
