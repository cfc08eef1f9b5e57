import { randomUUID } from 'node:crypto';
import type { Agent } from '../../core/Agent.ts';
import type { FinishReason, TaskEvent } from '../../shared/events.ts';
import type { NotificationName, NotificationParams } from '../../shared/protocol.ts';
import { message, translate, type Message } from '../../shared/strings.ts';
import { answerAtTerminal, type TerminalOptions } from './answerAtTerminal.ts';
import { CostLimit } from './CostLimit.ts';
import { ProgressLine } from './ProgressLine.ts';
import { TaskPrinters, type PrinterOptions } from './TaskPrinters.ts';

export interface RunOptions extends TerminalOptions, Omit<PrinterOptions, 'progress'> {
  agent: Agent;
  /** A new task, or words for one that there is; without words it goes on where it was interrupted. */
  begin:
    | { text: string; mode?: string | undefined; profile?: string | undefined }
    | { taskId: string; text: string | undefined };
  /** Prints every event of the task and its subtasks as a line of JSON, instead of words. */
  json?: boolean;
  /** US dollars that the task and its subtasks may cost in this run. */
  maxCost?: number | undefined;
  /** Where a line can be written over, and how many columns it has; absent where the status goes elsewhere. */
  screen?: { write: (text: string) => void; columns: () => number } | undefined;
  signal: AbortSignal;
}

/** How the process ends; 0 is completed. */
const FAILED = 1;
const LIMIT_REACHED = 3;
const NEEDS_A_PERSON = 4;
/** By a person or a signal. */
const STOPPED = 130;

/** Runs one task in the current folder, streaming to the terminal. Resolves with the process's exit code. */
export async function run(given: RunOptions): Promise<number> {
  const { agent, begin, signal, screen } = given;
  const progress = new ProgressLine(screen?.write, () => screen?.columns() ?? 0);
  const [output, status] = [progress.over(given.output), progress.over(given.status)];
  const options = { ...given, progress, output, status };
  const taskId = 'taskId' in begin ? begin.taskId : randomUUID();
  const show = shower(options, taskId);
  const cost = new CostLimit(options.maxCost);
  let exceeded = false;
  const finished = new Promise<number>((resolve) => {
    agent.onNotification((name, params) => {
      if (!isOfTask(name, params)) return;
      show(params);
      for (const event of params.events) {
        if (event.kind === 'entry' && event.entry.type === 'approval_requested')
          void answerAtTerminal(event.entry.request, options);
        const over = event.kind === 'entry' ? cost.over(event.entry) : undefined;
        if (over && !exceeded) {
          exceeded = true;
          say(over);
          cancel();
        }
        // The end of a subtask is not the end: its parent goes on.
        const code = params.taskId === taskId ? exitCode(event) : undefined;
        if (code !== undefined) resolve(exceeded && code !== 0 ? LIMIT_REACHED : code);
      }
    });
  });
  const say = (words: Message): void => options.status(`${translate(options.locale, words)}\n`);
  const cancel = (): void => void agent.dispatcher.call('task/cancel', { taskId });
  const stop = (): void => {
    say(message('cli.stopping'));
    cancel();
  };
  if (await start(options, taskId)) {
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  } else {
    say(message('cli.nothingToResume', { taskId }));
    return FAILED;
  }
  try {
    const code = await finished;
    if (code === STOPPED) say(message('cli.stopped', { taskId }));
    return code;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isOfTask(name: NotificationName, _: unknown): _ is NotificationParams<'task/events'> {
  return name === 'task/events';
}

/** Whether there was something to begin. */
async function start({ agent, begin }: RunOptions, taskId: string): Promise<boolean> {
  const { dispatcher } = agent;
  if (!('taskId' in begin)) {
    const { text, mode, profile } = begin;
    const chosen = { ...(mode === undefined ? {} : { mode }), ...(profile === undefined ? {} : { profile }) };
    await dispatcher.call('task/create', { taskId, text, ...chosen });
    return true;
  }
  // What it waits for is asked again.
  const { entries } = await dispatcher.call('task/subscribe', { taskId });
  if (begin.text !== undefined) await dispatcher.call('task/send', { taskId, text: begin.text });
  else if (entries.at(-1)?.type === 'task_finished') return false;
  else await dispatcher.call('task/resume', { taskId });
  return true;
}

function shower(
  options: RunOptions & PrinterOptions,
  taskId: string,
): (params: NotificationParams<'task/events'>) => void {
  if (options.json === true)
    return ({ events, ...task }) => {
      for (const { kind, ...event } of events) options.output(`${JSON.stringify({ ...task, ...event })}\n`);
    };
  const printers = new TaskPrinters(options, taskId);
  return ({ taskId: id, parent, events }) => {
    for (const event of events) printers.of(id, parent).print(event);
  };
}

/** Nothing while the task goes on. */
function exitCode(event: TaskEvent): number | undefined {
  if (event.kind === 'delta') return event.delta.type === 'turn_failed' ? FAILED : undefined;
  return event.entry.type === 'task_finished' ? codeOf(event.entry.reason) : undefined;
}

function codeOf(reason: FinishReason): number {
  switch (reason) {
    case 'completed':
    case 'answered':
      return 0;
    case 'cancelled':
      return STOPPED;
    case 'question':
      return NEEDS_A_PERSON;
    case 'max_turn_requests':
      return LIMIT_REACHED;
    case 'failed':
    case 'refusal':
      return FAILED;
  }
}
