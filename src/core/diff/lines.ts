/** A line with the line break that ends it; '' at the end of a text without a final one. */
export interface Line {
  text: string;
  end: string;
}

/** The line break that most lines of a text have; `\n` where there is none. */
export function usualLineEnd(text: string): string {
  let carriage = 0;
  let plain = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') carriage++;
    else plain++;
  }
  if (carriage + plain === 0 && text.includes('\r')) return '\r';
  return carriage > plain ? '\r\n' : '\n';
}

/**
 * A text seen as lines, without cutting it up: offsets only. A line ends with `\n` or `\r\n`, or with `\r` in a text that has no `\n`
 * at all; every other `\r` is a character of its line. An empty text has no lines, and no line begins after a final break.
 */
export class TextLines {
  readonly text: string;
  readonly #break: '\n' | '\r';
  /** Where each line begins, and the end of the text. */
  readonly #starts: Int32Array;

  constructor(text: string) {
    this.text = text;
    this.#break = !text.includes('\n') && text.includes('\r') ? '\r' : '\n';
    this.#starts = startsOf(text, this.#break);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** Offset at which the line (0-based) begins; the text's length for `count`. */
  offset(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** The line without its break. */
  line(line: number): string {
    return this.text.slice(this.offset(line), this.#contentEnd(line));
  }

  /** The break that ends the line; '' for a last line without one. */
  end(line: number): string {
    return this.text.slice(this.#contentEnd(line), this.offset(line + 1));
  }

  /** `count` lines from `start` on, each with its break. */
  taken(start: number, count: number): Line[] {
    return Array.from({ length: count }, (_, index) => ({
      text: this.line(start + index),
      end: this.end(start + index),
    }));
  }

  /** The line in which this offset lies. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offset(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #contentEnd(line: number): number {
    const start = this.offset(line);
    const end = this.offset(line + 1);
    if (end === start || this.text[end - 1] !== this.#break) return end;
    return this.#break === '\n' && end - 1 > start && this.text[end - 2] === '\r' ? end - 2 : end - 1;
  }
}

/** An array of numbers and nothing else, with room that doubles: it is made in half the time where lines are many. */
function startsOf(text: string, lineBreak: string): Int32Array {
  let starts = new Int32Array((text.length >> 5) + 2);
  let count = 0;
  for (let start = 0; start < text.length; count++) {
    if (count + 1 === starts.length) {
      const larger = new Int32Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count] = start;
    const found = text.indexOf(lineBreak, start);
    start = found === -1 ? text.length : found + 1;
  }
  starts[count] = text.length;
  return starts.subarray(0, count + 1);
}
