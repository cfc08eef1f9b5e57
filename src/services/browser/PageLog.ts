/** Lines that are kept from the start and from the end between two sights, and characters of one. */
const FIRST = 20;
const LAST = 60;
const LONGEST_LINE = 500;

/** What a page said since the last sight: the first lines and the last, however many there were. */
export class PageLog {
  #first: string[] = [];
  #last: string[] = [];
  #left = 0;

  add(kind: string, text: string): void {
    const line = `${kind}: ${oneLine(text)}`;
    if (this.#first.length < FIRST) {
      this.#first.push(line);
      return;
    }
    this.#last.push(line);
    // Cut now and then, not at each line: a page can print a hundred thousand.
    if (this.#last.length < LAST * 2) return;
    this.#left += this.#last.length - LAST;
    this.#last = this.#last.slice(-LAST);
  }

  /** The lines since it was last taken, and how many were left out. */
  take(): string {
    const tail = this.#last.slice(-LAST);
    const left = this.#left + this.#last.length - tail.length;
    const lines = [...this.#first, ...(left > 0 ? [`(${left} more lines here)`] : []), ...tail];
    this.#first = [];
    this.#last = [];
    this.#left = 0;
    return lines.join('\n');
  }
}

function oneLine(text: string): string {
  const line = text.slice(0, LONGEST_LINE + 1).replace(/\s*\n\s*/g, ' ⏎ ');
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}
