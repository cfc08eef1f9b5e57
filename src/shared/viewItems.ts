import type { ApprovalRequest } from './approvals.ts';
import type { RestoreProblem } from './checkpoints.ts';
import type {
  Attachment,
  FinishReason,
  Image,
  ModelReference,
  ReadMention,
  RequestError,
  ToolOutcome,
  Usage,
} from './events.ts';
import type { Message } from './strings.ts';
import type { ResultContent, TodoItem, ToolDetails, ToolUse, ToolView } from './tools.ts';

/**
 * Where a call is: it streams, its turn has not come (`queued`), it waits for the person, it runs, it runs on in the
 * background, or it has its outcome.
 */
export type ToolState = 'streaming' | 'queued' | 'waiting' | 'running' | 'background' | ToolOutcome;

interface ItemBase {
  /** Unique in the task, and the same from the first delta to the last entry. */
  key: string;
}

export interface UserItem extends ItemBase {
  type: 'user';
  text: string;
  images: readonly Image[];
  attachments?: readonly Attachment[];
  /** What the message mentions, once it was read. */
  mentions?: readonly ReadMention[];
  /** Written by Lathe, not the person. */
  automatic: boolean;
}

export interface TextItem extends ItemBase {
  type: 'text';
  text: string;
  streaming: boolean;
}

export interface ReasoningItem extends ItemBase {
  type: 'reasoning';
  text: string;
  streaming: boolean;
  /** Known when it is over. */
  durationMs?: number;
}

export interface ToolItem extends ItemBase {
  type: 'tool';
  callId: string;
  tool: string;
  origin: ToolUse['origin'];
  params: Readonly<Record<string, string>>;
  view: ToolView;
  state: ToolState;
  /** Epoch milliseconds; present once it acts. */
  startedAt?: number;
  durationMs?: number;
  details?: ToolDetails;
  /** What the model was told. */
  result: readonly ResultContent[];
  /** What the person said with their yes or no, or answered. */
  feedback?: string;
  /** The end of a running command's output. */
  output: string;
  /** The task that it began and waits for. */
  subtask?: { taskId: string; mode: string };
  /** The state of the files before it is kept. */
  checkpointId?: string;
}

/** Files were restored; without `done`, that was cut off, or goes on. */
export interface RestoredItem extends ItemBase {
  type: 'restored';
  undoId: string;
  done?: {
    checkpointId: string;
    /** When the checkpoint was saved, epoch milliseconds. */
    savedAt: number;
    written: number;
    removed: number;
    problems: readonly RestoreProblem[];
  };
}

export type ViewItem =
  | UserItem
  | TextItem
  | ReasoningItem
  | ToolItem
  | (ItemBase & { type: 'mode'; mode: string; by: 'person' | 'model'; reason?: string })
  | (ItemBase & { type: 'model'; model: ModelReference })
  | (ItemBase & { type: 'notice'; level: 'info' | 'warning' | 'error'; message: Message })
  /** Tokens of the next request without it and with it, where they are known. */
  | (ItemBase & { type: 'condensed'; summary: string; tokens?: { before: number; after: number } })
  | (ItemBase & { type: 'trimmed'; tokens: { before: number; after: number } })
  | RestoredItem
  | (ItemBase & { type: 'completion'; result: string })
  | (ItemBase & {
      type: 'ended';
      reason: Exclude<FinishReason, 'completed' | 'answered' | 'question' | 'failed'>;
    })
  | (ItemBase & { type: 'error'; message: Message });

/** A request that failed and is sent again at `retryAt` (epoch milliseconds). */
export interface RequestStatus {
  requestId: string;
  error: RequestError;
  attempt: number;
  retryAt?: number;
}

export type TaskViewState = 'idle' | 'running' | 'waiting' | 'interrupted' | FinishReason;

/** Everything that a front end shows of a task. Immutable; what did not change keeps its identity. */
export interface TaskView {
  taskId: string;
  /** The task that this one is a subtask of. */
  parent: string | undefined;
  title: string;
  cwd: string;
  mode: string;
  model: ModelReference | undefined;
  state: TaskViewState;
  items: readonly ViewItem[];
  /** Asked and not answered, oldest first. */
  pending: readonly ApprovalRequest[];
  todos: readonly TodoItem[];
  usage: Usage;
  /** Tokens of the last request and its answer. */
  contextTokens: number;
  contextWindow: number | undefined;
  request: RequestStatus | undefined;
  /** The turn ended and even that could not be written. */
  failure: { error: Message; unsent: readonly string[] } | undefined;
  /** The request that streams now, and since when (epoch milliseconds). */
  openRequest: { requestId: string; startedAt: number } | undefined;
  /** The request whose answer is to be a summary of the task. */
  condensing: { requestId: string; startedAt: number } | undefined;
  lastSeq: number;
  /** How many of the last items are previews of the answer that streams; the message itself replaces them. */
  streaming: number;
  /** Calls that can still change: call id → index in `items`. */
  openCalls: ReadonlyMap<string, number>;
}
