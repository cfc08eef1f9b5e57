import type { JournalEntry, TaskDelta, TaskEvent } from '../../shared/events.ts';
import { message, translate, type Locale, type Message } from '../../shared/strings.ts';
import type { BlockDelta } from '../../shared/tools.ts';
import { printable } from './printable.ts';
import type { ProgressLine } from './ProgressLine.ts';

/** Characters after which progress is shown anew. */
const STEP = 100;

export interface PrinterOptions {
  locale: Locale;
  /** The answer of the model: text only. */
  output: (text: string) => void;
  /** Everything else: tool calls, questions, errors. */
  status: (text: string) => void;
  /** What comes that is not printed yet. */
  progress: ProgressLine;
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
  /** The call that streams now. */
  #call: { tool: string; subject: string; count: number } | undefined;
  #thought = 0;
  /** A command's output stands in the middle of a line. */
  #outputOpen = false;

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
        this.#block(delta.delta);
        break;
      case 'tool_output':
        this.#options.status(printable(delta.text));
        if (delta.text !== '') this.#outputOpen = !delta.text.endsWith('\n');
        break;
      case 'request_status':
        if (delta.error) this.#line(translate(this.#options.locale, delta.error.message));
        break;
      case 'turn_failed':
        this.#line(translate(this.#options.locale, delta.error));
        break;
      case 'reasoning':
        this.#thought += delta.text.length;
        this.#progress(message('cli.progress.thinking', { count: inSteps(this.#thought) }));
        break;
      case 'tool_view':
        if (this.#call) this.#call.subject = delta.view.subject;
        this.#callComes();
        break;
    }
  }

  #block(delta: BlockDelta): void {
    switch (delta.type) {
      case 'text':
        this.#stream(delta.text);
        break;
      case 'tool_started':
        this.#call = { tool: delta.name, subject: '', count: 0 };
        this.#callComes();
        break;
      case 'param':
        if (this.#call) this.#call.count += delta.text.length;
        this.#callComes();
        break;
      case 'tool_ended':
        break;
    }
  }

  #callComes(): void {
    if (!this.#call) return;
    const { tool, subject, count } = this.#call;
    const what = `${tool} ${subject}`.trimEnd();
    this.#progress(
      count < STEP
        ? message('cli.progress.begins', { what })
        : message('cli.progress.call', { what, count: inSteps(count) }),
    );
  }

  /** On a line of its own: what streamed so far is not written over. */
  #progress(words: Message): void {
    const { progress, locale } = this.#options;
    if (!progress.isShown) return;
    if (!this.#atLineStart) this.#text('\n');
    progress.show(translate(locale, words));
  }

  #entry(entry: JournalEntry): void {
    switch (entry.type) {
      case 'request_started':
        this.#call = undefined;
        this.#thought = 0;
        this.#progress(message('cli.progress.waiting', { model: entry.model.model }));
        break;
      case 'request_finished':
        this.#options.progress.clear();
        break;
      case 'tool_started':
        // What it says comes as the result below, or as a question.
        if (entry.tool !== 'attempt_completion' && entry.tool !== 'ask_followup_question')
          this.#line(`> ${entry.tool} ${printable(entry.view.subject)}`.trimEnd());
        break;
      case 'tool_finished':
        this.#closeOutput();
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
    this.#closeOutput();
    this.#options.output(printable(text));
    this.#atLineStart = text.endsWith('\n');
    this.#space = '';
  }

  /** What a command printed last may have no end of its own. */
  #closeOutput(): void {
    if (this.#outputOpen) this.#options.status('\n');
    this.#outputOpen = false;
  }

  #line(text: string): void {
    this.#closeOutput();
    if (!this.#atLineStart) this.#text('\n');
    this.#options.status(`${text}\n`);
  }
}

function inSteps(count: number): number {
  return count - (count % STEP);
}

/** What a result says first, behind its header. */
function firstLine(text: string): string {
  const [header = '', line = ''] = text.split('\n', 2);
  return line === '' ? header : line;
}
