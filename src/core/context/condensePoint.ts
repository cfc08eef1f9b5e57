import type { JournalEntry } from '../../shared/events.ts';
import { boundariesOf } from '../task/journalPages.ts';
import { estimateEntry } from './estimateTokens.ts';

/**
 * The number of the entry up to which the task can be condensed, or results trimmed: at least one of the model's messages is in it
 * that was not condensed before, no call stands on both sides, and what the person said since the model's last message is not in it.
 * What comes after is about `tail` tokens, or more where it cannot be less. Undefined when there is nothing.
 */
export function condensePoint(entries: readonly JournalEntry[], tail: number): number | undefined {
  const done = entries.findLast((entry) => entry.type === 'context_condensed')?.through ?? 0;
  const first = entries.find((entry) => entry.type === 'assistant_message' && entry.seq > done);
  if (!first) return undefined;
  let point: number | undefined;
  let size = 0;
  for (const index of places(entries)) {
    const seq = entries[index - 1]?.seq ?? 0;
    if (seq < first.seq) break;
    for (const entry of entries.slice(index, point === undefined ? undefined : point))
      size += estimateEntry(entry);
    if (point !== undefined && size > tail) break;
    point = index;
  }
  return point === undefined ? undefined : entries[point - 1]?.seq;
}

/** Indexes where the part that stays may begin, the last first. */
function places(entries: readonly JournalEntry[]): number[] {
  const lastAnswer = entries.findLastIndex(({ type }) => type === 'assistant_message');
  const unanswered = entries.findIndex((entry, index) => index > lastAnswer && entry.type === 'user_message');
  const latest = unanswered === -1 ? entries.length : unanswered;
  const boundaries = [...boundariesOf(entries)].filter((index) => index <= latest);
  if (latest === entries.length && !hasOpenCall(entries)) boundaries.push(latest);
  return boundaries.reverse();
}

function hasOpenCall(entries: readonly JournalEntry[]): boolean {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'assistant_message')
      for (const block of entry.content) if (block.type === 'tool_use') open.add(block.id);
    if (entry.type === 'tool_finished') open.delete(entry.callId);
  }
  return open.size > 0;
}
