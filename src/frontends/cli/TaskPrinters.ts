import type { JournalEntry, TaskDelta, TaskEvent } from '../../shared/events.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { printable } from './printable.ts';

export interface PrinterOptions {
  locale: Locale;
  /** The answer of the model: text only. */
  output: (text: string) => void;
  /** Everything else: tool calls, questions, errors. */
  status: (text: string) => void;
}

/** A printer for each task: a subtask's words are none of the answer, and go, indented, to where the calls go. */
export class TaskPrinters {
  readonly #options: PrinterOptions;
  readonly #printers = new Map<string, { printer: Printer; options: PrinterOptions }>();

  constructor(options: PrinterOptions, taskId: string) {
    this.#options = options;
    this.#printers.set(taskId, { printer: new Printer(options), options });
  }

  of(taskId: string, parent: string | undefined): Printer {
    const known = this.#printers.get(taskId);
    if (known) return known.printer;
    const above = (parent === undefined ? undefined : this.#printers.get(parent)?.options) ?? this.#options;
    const status = indented(above.status);
    const options = { ...above, status, output: status };
    const printer = new Printer(options);
    this.#printers.set(taskId, { printer, options });
    return printer;
  }
}

/** Puts two blanks before each line. */
function indented(write: (text: string) => void): (text: string) => void {
  let atLineStart = true;
  return (text) => {
    if (text === '') return;
    const lines = text.replace(/\n(?=[^])/g, '\n  ');
    write(atLineStart ? `  ${lines}` : lines);
    atLineStart = text.endsWith('\n');
  };
}

/** Text as it comes on one stream, a line for each call on the other. */
class Printer {
  readonly #options: PrinterOptions;
  #atLineStart = true;
  /** White space at the end of what streamed so far: printed once more text follows, dropped when a call does. */
  #space = '';

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  print(event: TaskEvent): void {
    if (event.kind === 'delta') this.#delta(event.delta);
    else this.#entry(event.entry);
  }

  #delta(delta: TaskDelta): void {
    switch (delta.type) {
      case 'block':
        if (delta.delta.type === 'text') this.#stream(delta.delta.text);
        break;
      case 'tool_output':
        this.#options.status(printable(delta.text));
        break;
      case 'request_status':
        if (delta.error) this.#line(translate(this.#options.locale, delta.error.message));
        break;
      case 'turn_failed':
        this.#line(translate(this.#options.locale, delta.error));
        break;
      case 'reasoning':
      case 'tool_view':
        break;
    }
  }

  #entry(entry: JournalEntry): void {
    switch (entry.type) {
      case 'tool_started':
        // What it says comes as the result below, or as a question.
        if (entry.tool !== 'attempt_completion' && entry.tool !== 'ask_followup_question')
          this.#line(`> ${entry.tool} ${printable(entry.view.subject)}`.trimEnd());
        break;
      case 'tool_finished':
        if (entry.outcome !== 'done')
          this.#line(
            `  ${entry.outcome}: ${printable(firstLine(entry.content.map((part) => (part.type === 'text' ? part.text : '')).join('')))}`,
          );
        break;
      case 'task_finished':
        if (entry.reason === 'completed' && entry.result !== undefined)
          this.#text(`${this.#atLineStart ? '' : '\n'}${entry.result}`);
        if (entry.reason === 'question' && entry.result !== undefined) this.#line(printable(entry.result));
        if (entry.error) this.#line(translate(this.#options.locale, entry.error));
        if (entry.reason === 'max_turn_requests' || entry.reason === 'refusal')
          this.#line(translate(this.#options.locale, message(`cli.finished.${entry.reason}`)));
        if (!this.#atLineStart) this.#text('\n');
        break;
      case 'mentions_read':
        for (const { mention, outcome } of entry.mentions)
          if (outcome !== 'failed') this.#line(`> ${printable(mention)}`);
        break;
      case 'notice':
        this.#line(translate(this.#options.locale, entry.message));
        break;
      default:
        break;
    }
  }

  #stream(text: string): void {
    const words = text.trimEnd();
    if (words === '') {
      this.#space += text;
      return;
    }
    this.#text(this.#atLineStart ? words.replace(/^\s*\n/, '') : this.#space + words);
    this.#space = text.slice(words.length);
  }

  #text(text: string): void {
    if (text === '') return;
    this.#options.output(printable(text));
    this.#atLineStart = text.endsWith('\n');
    this.#space = '';
  }

  #line(text: string): void {
    if (!this.#atLineStart) this.#text('\n');
    this.#options.status(`${text}\n`);
  }
}

/** What a result says first, behind its header. */
function firstLine(text: string): string {
  const [header = '', line = ''] = text.split('\n', 2);
  return line === '' ? header : line;
}
