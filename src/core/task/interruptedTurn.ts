import type { JournalEntry, StopReason } from '../../shared/events.ts';
import type { AssistantMessageContent, ToolUse } from '../../shared/tools.ts';
import { formatResponse } from '../prompts/responses.ts';
import type { Task } from './Task.ts';

/**
 * Calls that are gone on with: what new_task began is in a journal of its own, and attempt_completion does nothing but end the turn.
 */
const AGAIN: ReadonlySet<string> = new Set(['new_task', 'attempt_completion']);

/** What the last process left open: approvals that nobody can answer any more, calls whose outcome nobody knows. */
export async function closeInterrupted(task: Task): Promise<void> {
  for (const id of [...task.state.pending.keys()])
    await task.record({
      type: 'approval_resolved',
      approvalId: id,
      decision: { outcome: 'cancelled', by: 'policy' },
    });
  const started = new Map<string, Extract<JournalEntry, { type: 'tool_started' }>>();
  const calls = new Map<string, ToolUse>();
  for (const entry of task.entries) {
    if (entry.type === 'assistant_message')
      for (const block of entry.content) if (block.type === 'tool_use') calls.set(block.id, block);
    if (entry.type === 'tool_started') started.set(entry.callId, entry);
    if (entry.type === 'tool_finished') started.delete(entry.callId);
  }
  for (const { callId, tool, view } of started.values()) {
    if (AGAIN.has(tool)) continue;
    const content = formatResponse.resultOf(
      calls.get(callId) ?? { name: tool, origin: 'xml' },
      view.subject,
      [{ type: 'text', text: formatResponse.outcomeUnknown() }],
    );
    await task.record({
      type: 'tool_finished',
      callId,
      tool,
      outcome: 'unknown',
      view,
      content,
      durationMs: 0,
    });
  }
}

/** The last message's content while one of its calls has no result. */
export function openCalls(entries: readonly JournalEntry[]): AssistantMessageContent[] | undefined {
  const finished = new Set<string>();
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.type === 'tool_finished') finished.add(entry.callId);
    if (entry?.type !== 'assistant_message') continue;
    return entry.content.some((block) => block.type === 'tool_use' && !finished.has(block.id))
      ? entry.content
      : undefined;
  }
  return undefined;
}

/** The result of a task whose process ended between the completion's result and the end of the turn; the person has said nothing since. */
export function completionOf(task: Task): string | undefined {
  if (task.queued.length > 0) return undefined;
  const done = new Set<string>();
  for (const entry of task.entries.toReversed()) {
    if (entry.type === 'tool_finished' && entry.tool === 'attempt_completion' && entry.outcome === 'done')
      done.add(entry.callId);
    if (entry.type === 'task_finished' || entry.type === 'user_message') return undefined;
    if (entry.type !== 'assistant_message') continue;
    const call = entry.content.find((block) => block.type === 'tool_use' && done.has(block.id));
    const result = call?.type === 'tool_use' ? (call.nativeArgs?.result ?? call.params.result) : undefined;
    return typeof result === 'string' ? result.trim() : undefined;
  }
  return undefined;
}

/** Ends of a request after which there is nothing to go by but to make it again. */
const UNANSWERED: ReadonlySet<StopReason> = new Set(['aborted', 'error']);

/**
 * The model's last answer, where it called nothing and its process ended before anything was made of it; the person has said nothing
 * since. It was paid for, and an answer that ends a turn ends it once, whenever that can be written down.
 */
export function answerLeft({ entries, queued }: Task): Answer | undefined {
  if (queued.length > 0) return undefined;
  let content: AssistantMessageContent[] | undefined;
  for (const entry of entries.toReversed()) {
    switch (entry.type) {
      case 'user_message':
      case 'approval_requested':
      case 'tool_started':
      case 'tool_finished':
      case 'task_finished':
        return undefined;
      case 'assistant_message':
        content = entry.content;
        break;
      case 'request_finished': {
        const { requestId, stopReason } = entry;
        if (isSummary(entries, requestId)) break;
        if (stopReason === 'refusal') return { content: content ?? [], stopReason };
        if (!content || UNANSWERED.has(stopReason) || callsTools(content)) return undefined;
        return { content, stopReason };
      }
      default:
        break;
    }
  }
  return undefined;
}

/**
 * Whether the model has been told that it called nothing, and has neither called anything since that may have succeeded nor heard
 * from the person.
 */
export function wasReminded(entries: readonly JournalEntry[]): boolean {
  const reminders = [true, false].map(formatResponse.noToolUsed);
  for (const entry of entries.toReversed()) {
    if (entry.type === 'tool_finished' && (entry.outcome === 'done' || entry.outcome === 'unknown'))
      return false;
    if (entry.type !== 'user_message') continue;
    if (reminders.includes(entry.text)) return true;
    if (!entry.automatic) return false;
  }
  return false;
}

/** What the model said, and how it ended. */
export interface Answer {
  content: AssistantMessageContent[];
  stopReason: StopReason;
}

export function callsTools(content: readonly AssistantMessageContent[]): boolean {
  return content.some((block) => block.type === 'tool_use');
}

function isSummary(entries: readonly JournalEntry[], requestId: string): boolean {
  return entries.some(
    (entry) =>
      entry.type === 'request_started' && entry.requestId === requestId && entry.purpose === 'condense',
  );
}
