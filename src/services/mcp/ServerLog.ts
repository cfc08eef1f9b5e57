import type { McpLogLine } from '../../shared/mcp.ts';

const LINES = 1000;
const LINE_LENGTH = 4000;

/** The last lines that a server printed or logged, and what was done with it. Bounded, whatever it prints. */
export class ServerLog {
  readonly #lines: McpLogLine[] = [];
  readonly #listeners = new Set<(line: McpLogLine) => void>();

  add(from: McpLogLine['from'], level: McpLogLine['level'], text: string): void {
    const line = { at: Date.now(), from, level, text: plain(text) };
    this.#lines.push(line);
    // Cut in strides: one removal a line would cost the length of the log each time.
    if (this.#lines.length > LINES * 2) this.#lines.splice(0, this.#lines.length - LINES);
    for (const listener of this.#listeners) listener(line);
  }

  lines(): McpLogLine[] {
    return this.#lines.slice(-LINES);
  }

  /** The end of what it printed on stderr: why a process ended is there. */
  lastWords(): string {
    return this.lines()
      .filter(({ from }) => from === 'stderr')
      .slice(-5)
      .map(({ text }) => text)
      .join('\n')
      .slice(-600);
  }

  onLine(listener: (line: McpLogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Without escape sequences and control characters but tabs and line ends; a log and a transcript are no terminal. */
export function plain(text: string): string {
  // eslint's no-control-regex is right about accidents; these are meant.
  const cut = text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text;
  return withoutControls(cut);
}

export function withoutControls(text: string): string {
  return text.replace(ESCAPES, '').replace(/\r\n/g, '\n').replace(CONTROLS, '');
}

const ESC = '\\u001b';
const ESCAPES = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(?:\\u0007|${ESC}\\\\)?|[@-Z\\\\^_])`,
  'g',
);
const CONTROLS = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]', 'g');
