import { randomUUID } from 'node:crypto';
import type { Interface } from 'node:readline/promises';
import type { Agent } from '../../core/Agent.ts';
import type { Action, ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import type { FinishReason, JournalEntry, TaskDelta, TaskEvent } from '../../shared/events.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

export interface RunOptions {
  agent: Agent;
  task: string;
  mode: string | undefined;
  locale: Locale;
  /** The answer of the model: text only. */
  output: (text: string) => void;
  /** Everything else: tool calls, questions, errors. */
  status: (text: string) => void;
  /** Asks at the terminal; undefined when nobody is there. */
  terminal: Interface | undefined;
  signal: AbortSignal;
}

/** Runs one task in the current folder, streaming to the terminal. Resolves with the process's exit code. */
export async function run(options: RunOptions): Promise<number> {
  const { agent, task, mode, signal } = options;
  const taskId = randomUUID();
  const printers = new Printers(options, taskId);
  const finished = new Promise<number>((resolve) => {
    agent.onNotification((name, params) => {
      if (name !== 'task/events' || !('events' in params)) return;
      for (const event of params.events as TaskEvent[]) {
        printers.of(params.taskId, params.parent).print(event);
        if (event.kind === 'entry' && event.entry.type === 'approval_requested')
          void answer(event.entry.request, options);
        // The end of a subtask is not the end: its parent goes on.
        if (params.taskId !== taskId) continue;
        if (event.kind === 'entry' && event.entry.type === 'task_finished')
          resolve(exitCode(event.entry.reason));
        if (event.kind === 'delta' && event.delta.type === 'turn_failed') resolve(1);
      }
    });
  });
  const cancel = (): void => void agent.dispatcher.call('task/cancel', { taskId });
  await agent.dispatcher.call('task/create', {
    taskId,
    text: task,
    ...(mode === undefined ? {} : { mode }),
  });
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await finished;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function exitCode(reason: FinishReason): number {
  switch (reason) {
    case 'completed':
    case 'answered':
      return 0;
    case 'cancelled':
      return 130;
    case 'question':
    case 'failed':
    case 'refusal':
    case 'max_turn_requests':
      return 1;
  }
}

/** A printer for each task: a subtask's words are none of the answer, and go, indented, to where the calls go. */
class Printers {
  readonly #options: RunOptions;
  readonly #printers = new Map<string, { printer: Printer; options: RunOptions }>();

  constructor(options: RunOptions, taskId: string) {
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
  readonly #options: RunOptions;
  #atLineStart = true;
  /** White space at the end of what streamed so far: printed once more text follows, dropped when a call does. */
  #space = '';

  constructor(options: RunOptions) {
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

/** Asks the person at the terminal. Without one the core has refused already. */
async function answer(request: ApprovalRequest, options: RunOptions): Promise<void> {
  const { agent, terminal, locale, status } = options;
  if (!terminal) return;
  const respond = async (decision: ApprovalDecision): Promise<void> => {
    await agent.dispatcher.call('approval/respond', {
      taskId: request.taskId,
      approvalId: request.id,
      decision,
    });
  };
  try {
    switch (request.reason) {
      case 'tool': {
        for (const why of request.why) status(`${translate(locale, why)}\n`);
        for (const action of request.actions) status(`  ${action.type}: ${printable(objectOf(action))}\n`);
        if (request.details?.type === 'mcp' && request.details.arguments !== undefined)
          status(`${printable(request.details.arguments)}\n`);
        if (request.details?.type === 'subtask') status(`${printable(request.details.message)}\n`);
        if (request.details?.type === 'diff') status(printable(request.details.patch));
        const said = (await terminal.question(translate(locale, message('cli.approve')))).trim();
        if (/^y(es)?$/i.test(said)) await respond({ outcome: 'allow', by: 'person' });
        else
          await respond({
            outcome: 'reject',
            by: 'person',
            ...(/^n?o?$/i.test(said) ? {} : { feedback: said }),
          });
        break;
      }
      case 'question': {
        status(`${printable(request.question)}\n`);
        for (const [index, { text }] of request.suggestions.entries())
          status(`  ${index + 1}. ${printable(text)}\n`);
        const said = (await terminal.question('> ')).trim();
        const picked = request.suggestions[Number(said) - 1];
        await respond({
          outcome: 'allow',
          by: 'person',
          feedback: picked?.text ?? said,
          ...(picked?.mode ? { mode: picked.mode } : {}),
        });
        break;
      }
      case 'request_failed':
      case 'mistake_limit':
      case 'completion': {
        const said = (await terminal.question(translate(locale, message('cli.goOn')))).trim();
        await respond({ outcome: /^y(es)?$/i.test(said) ? 'allow' : 'reject', by: 'person' });
        break;
      }
    }
  } catch (error) {
    // The terminal went away (end of input): nobody is there to say yes.
    status(`${error instanceof Error ? error.message : String(error)}\n`);
    await respond({ outcome: 'cancelled', by: 'client' });
  }
}

function objectOf(action: Action): string {
  switch (action.type) {
    case 'command':
      return action.command;
    case 'switch_mode':
      return action.mode;
    case 'browse':
      return action.url;
    case 'report':
      return action.address ?? '';
    case 'mcp':
      return `${action.server}: ${action.target}`;
    case 'read':
    case 'edit':
    case 'delete':
      return action.path;
  }
}

/** A model's or a command's words may not move the cursor or rename the window. */
function printable(text: string): string {
  return Array.from(text, (character) => (isControl(character) ? '' : character)).join('');
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code < 32 && character !== '\n' && character !== '\t') || (code >= 127 && code < 160);
}

/** What a result says first, behind its header. */
function firstLine(text: string): string {
  const [header = '', line = ''] = text.split('\n', 2);
  return line === '' ? header : line;
}
