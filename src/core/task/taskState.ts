import type { ApprovalRequest } from '../../shared/approvals.ts';
import type {
  Fact,
  FinishReason,
  JournalEntry,
  ModelReference,
  ReadMention,
  Usage,
} from '../../shared/events.ts';
import type { TaskSummary } from '../../shared/protocol.ts';
import type { TodoItem } from '../../shared/tools.ts';
import { environmentSections } from '../context/environmentDetails.ts';
import type { KnownFile } from '../context/FileFreshness.ts';

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>;

/** A task that a call began; `open` until the call has its result. */
export interface BegunSubtask extends Omit<FactOf<'subtask_started'>, 'type'> {
  open: boolean;
}

/** What a task is now: a fold over its journal. */
export interface TaskState {
  taskId: string;
  /** The call that this task is the subtask of. */
  parent: FactOf<'task_started'>['parent'];
  /** Call id → the subtask that it began. */
  subtasks: Map<string, BegunSubtask>;
  cwd: string;
  mode: string;
  model: ModelReference | undefined;
  title: string;
  todos: TodoItem[];
  usage: Usage;
  /** Tokens of the last request and its answer: how full the context is. */
  contextTokens: number;
  /** Asked and not answered. */
  pending: Map<string, ApprovalRequest>;
  /** The request whose answer is to be a summary of the task. */
  condensing: string | undefined;
  /** How the last turn ended; undefined while one is open (running, waiting or interrupted). */
  finished: FinishReason | undefined;
  /** What the last turn came to, and why it failed. */
  ended: Pick<FactOf<'task_finished'>, 'result' | 'error'> | undefined;
  /** What the model saw last of each section of the volatile block, and in which entry. */
  environment: Map<string, { text: string; seq: number }>;
  /** Content from outside (web pages, MCP servers) came to the model since the person spoke last. */
  afterUntrusted: boolean;
  /** Such content came to the model at some time. */
  sawUntrusted: boolean;
  /** Files that the model read or wrote, by absolute path, oldest first. */
  files: Map<string, KnownFile>;
  createdAt: number;
  updatedAt: number;
}

const TITLE_LENGTH = 80;

/** Mentions that show what is on this machine; all others come from outside. */
const OF_THE_MACHINE: ReadonlySet<ReadMention['kind']> = new Set<ReadMention['kind']>([
  'file',
  'folder',
  'symbol',
  'problems',
  'terminal',
  'git-changes',
  'commit',
]);

export function emptyState(): TaskState {
  return {
    taskId: '',
    parent: undefined,
    subtasks: new Map(),
    cwd: '',
    mode: '',
    model: undefined,
    title: '',
    todos: [],
    usage: noUsage(),
    contextTokens: 0,
    pending: new Map(),
    condensing: undefined,
    finished: undefined,
    ended: undefined,
    environment: new Map(),
    afterUntrusted: false,
    sawUntrusted: false,
    files: new Map(),
    createdAt: 0,
    updatedAt: 0,
  };
}

/** Changes the state by one entry. */
export function foldState(state: TaskState, entry: JournalEntry): void {
  state.updatedAt = entry.at;
  switch (entry.type) {
    case 'task_started':
      state.taskId = entry.taskId;
      state.parent = entry.parent;
      state.cwd = entry.cwd;
      state.mode = entry.mode;
      state.model = entry.model;
      state.createdAt = entry.at;
      if (entry.parent?.afterUntrusted === true) state.afterUntrusted = state.sawUntrusted = true;
      break;
    case 'user_message':
      state.finished = undefined;
      if (isThePersons(entry, state)) state.afterUntrusted = false;
      if (entry.command?.origin !== undefined) state.afterUntrusted = state.sawUntrusted = true;
      for (const [name, text] of environmentSections(entry.environment ?? ''))
        state.environment.set(name, { text, seq: entry.seq });
      for (const { path, hash } of entry.changedFiles ?? []) {
        const known = state.files.get(path);
        if (known) known.told = hash;
      }
      if (state.title === '' && entry.automatic !== true) state.title = titleOf(entry.text);
      break;
    case 'request_started':
      // A summary can be written while no turn is open.
      if (entry.purpose === 'condense') state.condensing = entry.requestId;
      else state.finished = undefined;
      state.model = entry.model;
      break;
    case 'request_finished':
      if (entry.usage) {
        state.usage = addUsage(state.usage, entry.usage);
        if (entry.requestId !== state.condensing)
          state.contextTokens = entry.usage.inputTokens + entry.usage.outputTokens;
      }
      break;
    case 'context_condensed':
      // What is not in the requests any more was not seen.
      for (const [name, { seq }] of state.environment)
        if (seq <= entry.through) state.environment.delete(name);
      state.contextTokens = entry.tokensAfter ?? state.contextTokens;
      break;
    case 'results_trimmed':
      state.contextTokens = entry.tokensAfter;
      break;
    case 'approval_requested':
      state.pending.set(entry.request.id, entry.request);
      break;
    case 'approval_resolved':
      state.pending.delete(entry.approvalId);
      break;
    case 'mode_changed':
      state.mode = entry.mode;
      break;
    case 'model_changed':
      state.model = entry.model;
      break;
    case 'todos_updated':
      state.todos = entry.todos;
      break;
    case 'title_changed':
      state.title = entry.title;
      break;
    case 'task_finished':
      state.finished = entry.reason;
      state.ended = {
        ...(entry.result === undefined ? {} : { result: entry.result }),
        ...(entry.error === undefined ? {} : { error: entry.error }),
      };
      break;
    case 'subtask_started': {
      const { callId, taskId, mode, message, todos } = entry;
      state.subtasks.set(callId, { callId, taskId, mode, message, ...(todos ? { todos } : {}), open: true });
      break;
    }
    case 'tool_finished': {
      const begun = state.subtasks.get(entry.callId);
      if (begun) begun.open = false;
      if (entry.origin !== undefined) state.afterUntrusted = state.sawUntrusted = true;
      for (const { path, hash } of entry.files ?? []) {
        state.files.delete(path);
        state.files.set(path, { read: hash });
      }
      break;
    }
    case 'mentions_read':
      if (entry.mentions.some(({ kind, outcome }) => outcome !== 'failed' && !OF_THE_MACHINE.has(kind)))
        state.afterUntrusted = state.sawUntrusted = true;
      break;
    case 'assistant_message':
    case 'tool_started':
    case 'checkpoint_saved':
    case 'checkpoint_restored':
    case 'notice':
      break;
  }
}

export function stateOf(entries: readonly JournalEntry[]): TaskState {
  const state = emptyState();
  for (const entry of entries) foldState(state, entry);
  return state;
}

/** A line of the task list. `activity` is what this or another process does with it now. */
export function summaryOf(state: TaskState, activity: 'running' | 'waiting' | undefined): TaskSummary {
  return {
    id: state.taskId,
    ...(state.parent ? { parent: state.parent.taskId } : {}),
    title: state.title,
    cwd: state.cwd,
    mode: state.mode,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    usage: state.usage,
    state: activity ?? state.finished ?? (state.title === '' ? 'new' : 'interrupted'),
  };
}

/** A subtask's first message is its parent's model's. */
function isThePersons({ automatic }: FactOf<'user_message'>, { parent, title }: TaskState): boolean {
  return automatic !== true && (parent === undefined || title !== '');
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const characters = Array.from(line);
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}

function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}

function addUsage(sum: Usage, usage: Usage): Usage {
  const cost = usage.cost === undefined ? sum.cost : (sum.cost ?? 0) + usage.cost;
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
    reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
    ...(cost === undefined ? {} : { cost }),
  };
}
