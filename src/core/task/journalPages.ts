import type { JournalEntry } from '../../shared/events.ts';
import type { PageBase } from '../../shared/protocol.ts';
import { emptyState, foldState } from './taskState.ts';

const sizes = new WeakMap<JournalEntry, number>();

/**
 * The end of these entries, about `bytes` of it, and what came before. A page begins where no call is open, so that what
 * belongs together stays on one page: it may be larger than was asked.
 */
export function lastPage(
  entries: readonly JournalEntry[],
  bytes: number,
): { base: PageBase; entries: readonly JournalEntry[] } {
  const start = pageStart(entries, bytes);
  return { base: baseOf(entries.slice(0, start)), entries: entries.slice(start) };
}

function pageStart(entries: readonly JournalEntry[], bytes: number): number {
  const boundaries = boundariesOf(entries);
  let start = [...boundaries].at(-1) ?? 0;
  let size = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry) size += sizeOf(entry);
    if (size > bytes) break;
    if (boundaries.has(index)) start = index;
  }
  return start;
}

/** Indexes where a page may begin: before a request or a message of the person, with no call open. */
export function boundariesOf(entries: readonly JournalEntry[]): Set<number> {
  const boundaries = new Set<number>([0]);
  const open = new Set<string>();
  entries.forEach((entry, index) => {
    if (open.size === 0 && (entry.type === 'request_started' || entry.type === 'user_message'))
      boundaries.add(index);
    if (entry.type === 'assistant_message')
      for (const block of entry.content) if (block.type === 'tool_use') open.add(block.id);
    if (entry.type === 'tool_finished') open.delete(entry.callId);
  });
  return boundaries;
}

function baseOf(entries: readonly JournalEntry[]): PageBase {
  const state = emptyState();
  for (const entry of entries) foldState(state, entry);
  const { taskId, parent, title, cwd, mode, model, todos, usage, contextTokens } = state;
  return {
    ...{ taskId, title, cwd, mode, todos, usage, contextTokens },
    ...(parent === undefined ? {} : { parent: parent.taskId }),
    ...(model === undefined ? {} : { model }),
    lastSeq: entries.at(-1)?.seq ?? 0,
  };
}

/** Characters of an entry's JSON: near enough to its bytes to cut pages by. */
function sizeOf(entry: JournalEntry): number {
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length;
  sizes.set(entry, size);
  return size;
}
