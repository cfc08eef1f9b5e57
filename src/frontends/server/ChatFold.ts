import { createHash } from 'node:crypto';
import type { ApprovalDecision, ApprovalRequest } from '../../shared/approvals.ts';
import type { MessageRow, SessionChanges, ToolConversationRow } from '../../shared/chat.ts';
import type { FinishReason, JournalEntry } from '../../shared/events.ts';
import type { Message } from '../../shared/strings.ts';
import type { AssistantMessageContent, ResultContent, ToolUse } from '../../shared/tools.ts';
import { Exchange } from './Exchange.ts';

/** What a client hears of a session beside the text: each follows from one entry of the journal. */
export type ChatEvent =
  | { type: 'tool_start'; callId: string; tool: string; arguments: Record<string, unknown>; at: number }
  | { type: 'tool_complete'; callId: string; tool: string; result: string; durationMs: number }
  | { type: 'tool_error'; callId: string; tool: string; error: string; outcome: string; durationMs: number }
  | { type: 'approval_request'; request: ApprovalRequest }
  | { type: 'approval_resolved'; approvalId: string; decision: ApprovalDecision }
  | { type: 'turn_end'; reason: FinishReason; error?: Message };

interface Call {
  tool: string;
  arguments: Record<string, unknown>;
  row: ToolConversationRow;
}

/**
 * A session as its clients know it: a fold over the task's journal into messages, rows of calls and events. The same journal gives the
 * same rows and ids, so that the database can be made again from it.
 */
export class ChatFold {
  readonly #sessionId: string;
  readonly #calls = new Map<string, Call>();
  #exchange: Exchange | undefined;
  #lastSeq = 0;
  /** Requests whose message is whole. */
  readonly #said = new Set<string>();
  #messages = new Map<number, MessageRow>();
  #tools = new Map<string, ToolConversationRow>();
  #spawned: SessionChanges['spawnedTasks'][number][] = [];

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Text while it comes. What comes late, of a request whose whole message was taken, is known. */
  stream(requestId: string, text: string): void {
    if (!this.#said.has(requestId)) this.#exchange?.stream(requestId, text);
  }

  /** The number of the last entry that was taken. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The person's last message and its answer. */
  get exchange(): Exchange | undefined {
    return this.#exchange;
  }

  /** Takes the next entry; one that is known changes nothing. */
  take(entry: JournalEntry): ChatEvent | undefined {
    if (entry.seq <= this.#lastSeq) return undefined;
    this.#lastSeq = entry.seq;
    switch (entry.type) {
      case 'user_message':
        if (entry.automatic !== true) this.#begin(entry);
        return undefined;
      case 'request_started':
        if (entry.purpose === undefined) this.#exchange?.answeredBy(entry.seq);
        return undefined;
      case 'assistant_message':
        this.#said.add(entry.requestId);
        this.#exchange?.said(entry.requestId, textOf(entry.content));
        this.#learn(entry);
        this.#answer(entry);
        return undefined;
      case 'tool_started': {
        const call = this.#call(entry, entry.callId, entry.tool);
        this.#tools.set(call.row.id, call.row);
        const { tool, arguments: given } = call;
        return { type: 'tool_start', callId: entry.callId, tool, arguments: given, at: entry.at };
      }
      case 'tool_finished':
        return this.#ended(entry);
      case 'subtask_started': {
        const call = this.#call(entry, entry.callId, 'new_task');
        this.#spawned.push({ toolConversationId: call.row.id, taskId: entry.taskId });
        return undefined;
      }
      case 'approval_requested':
        return { type: 'approval_request', request: entry.request };
      case 'approval_resolved':
        return { type: 'approval_resolved', approvalId: entry.approvalId, decision: entry.decision };
      case 'task_finished':
        return this.#finish(entry);
      default:
        return undefined;
    }
  }

  /** The rows that are new since this was asked last; undefined when there are none. */
  takeChanges(): SessionChanges | undefined {
    if (this.#messages.size + this.#tools.size + this.#spawned.length === 0) return undefined;
    const changes = {
      sessionId: this.#sessionId,
      lastSeq: this.#lastSeq,
      messages: [...this.#messages.values()],
      toolConversations: [...this.#tools.values()].map((row) => ({ ...row })),
      spawnedTasks: this.#spawned,
    };
    this.#messages = new Map();
    this.#tools = new Map();
    this.#spawned = [];
    return changes;
  }

  #begin({ seq, at, text }: Extract<JournalEntry, { type: 'user_message' }>): void {
    // What joins a running turn is answered by what comes from here on.
    this.#exchange?.finish({ type: 'done' });
    this.#exchange = new Exchange(seq, text);
    this.#messages.set(seq, {
      ...{ session_id: this.#sessionId, id: seq, role: 'user', content: text },
      created_at: isoOf(at),
      answers: null,
    });
  }

  /** The calls of a message, so that what follows of them can be told with their arguments. */
  #learn({ seq, at, content }: Extract<JournalEntry, { type: 'assistant_message' }>): void {
    for (const block of content)
      if (block.type === 'tool_use')
        this.#calls.set(
          block.id,
          this.#newCall(block.id, block.calledAs ?? block.name, argumentsOf(block), seq, at),
        );
  }

  #newCall(callId: string, tool: string, given: Record<string, unknown>, seq: number, at: number): Call {
    const exchange = this.#exchange;
    return {
      tool,
      arguments: given,
      row: {
        id: `tc_${createHash('sha256').update(`${this.#sessionId}\n${seq}\n${callId}`).digest('hex').slice(0, 16)}`,
        session_id: this.#sessionId,
        tool_name: tool,
        arguments: JSON.stringify(given),
        ...{ result: null, error: null, duration_ms: null },
        timestamp: isoOf(at),
        user_message: exchange?.question ?? '',
        message_id: exchange?.id ?? 0,
      },
    };
  }

  /** A call that no message holds is of a journal that was damaged: it is shown without arguments. */
  #call({ seq, at }: JournalEntry, callId: string, tool: string): Call {
    const known = this.#calls.get(callId);
    const call = known ?? this.#newCall(callId, tool, {}, seq, at);
    if (!known) this.#calls.set(callId, call);
    return call;
  }

  #ended(entry: Extract<JournalEntry, { type: 'tool_finished' }>): ChatEvent {
    const { callId, outcome, durationMs } = entry;
    const call = this.#call(entry, callId, entry.tool);
    const text = wordsOf(entry.content);
    call.row.duration_ms = Math.round(durationMs);
    if (outcome === 'done') call.row.result = text;
    // Nobody can say what became of it: neither a result nor an error.
    else if (outcome !== 'unknown') call.row.error = text;
    this.#tools.set(call.row.id, call.row);
    const { tool } = call;
    return outcome === 'done'
      ? { type: 'tool_complete', callId, tool, result: text, durationMs: Math.round(durationMs) }
      : { type: 'tool_error', callId, tool, error: text, outcome, durationMs: Math.round(durationMs) };
  }

  #finish(entry: Extract<JournalEntry, { type: 'task_finished' }>): ChatEvent {
    const { reason, result, error, seq } = entry;
    const exchange = this.#exchange;
    exchange?.answeredBy(seq);
    // What ends with text has said it already.
    if ((reason === 'completed' || reason === 'question') && result !== undefined)
      exchange?.said(`end ${seq}`, result);
    this.#answer(entry);
    exchange?.finish(reason === 'failed' ? { type: 'error', message: error } : { type: 'done', reason });
    return { type: 'turn_end', reason, ...(error === undefined ? {} : { error }) };
  }

  /** The answer so far, as a row. */
  #answer({ at }: JournalEntry): void {
    const exchange = this.#exchange;
    if (exchange?.answerId === undefined) return;
    this.#messages.set(exchange.answerId, {
      ...{ session_id: this.#sessionId, id: exchange.answerId, role: 'assistant', content: exchange.answer },
      created_at: isoOf(at),
      answers: exchange.id,
    });
  }
}

function argumentsOf({ nativeArgs, params }: ToolUse): Record<string, unknown> {
  return nativeArgs ?? params;
}

function textOf(content: readonly AssistantMessageContent[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function wordsOf(content: readonly ResultContent[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `(${part.mediaType})`)).join('\n');
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
