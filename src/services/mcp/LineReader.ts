/** Bytes of one message. A picture of 15 MB in base64 is 20 MB long; past this a server is broken or hostile. */
export const LONGEST_LINE = 32 * 1024 * 1024;
/** Bytes kept of each end of a line that is too long: the id of an answer stands at one of them. */
const EDGE = 512;
const NEWLINE = 0x0a;

interface LineReaderOptions {
  /** Bytes; longer lines are passed over. */
  limit?: number;
  onLine: (line: string) => void;
  /** `bytes` is how long it was, `edges` its first and last bytes. */
  onTooLong: (bytes: number, edges: string) => void;
}

/** Splits a stream into lines, with work proportional to each chunk and no more memory than the limit. */
export class LineReader {
  readonly #limit: number;
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  /** What is known of a line that is being passed over. */
  #skipped: { head: Buffer; tail: Buffer; length: number } | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    this.#limit = options.limit ?? LONGEST_LINE;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#take(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(part: Buffer): void {
    if (this.#skipped) {
      this.#skipped.length += part.length;
      this.#skipped.tail = Buffer.concat([this.#skipped.tail, part]).subarray(-EDGE);
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#limit) return;
    const whole = Buffer.concat(this.#parts);
    // Copies: a view would keep the whole line alive.
    this.#skipped = {
      head: Buffer.from(whole.subarray(0, EDGE)),
      tail: Buffer.from(whole.subarray(-EDGE)),
      length: this.#length,
    };
    this.#parts = [];
    this.#length = 0;
  }

  #endLine(): void {
    const skipped = this.#skipped;
    if (skipped) {
      this.#skipped = undefined;
      this.#options.onTooLong(skipped.length, `${skipped.head.toString()}\n${skipped.tail.toString()}`);
      return;
    }
    const line = Buffer.concat(this.#parts).toString('utf8').replace(/\r$/, '');
    this.#parts = [];
    this.#length = 0;
    if (line.trim() !== '') this.#options.onLine(line);
  }
}
