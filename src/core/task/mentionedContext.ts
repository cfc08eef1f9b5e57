import type { JournalEntry, ReadMention } from '../../shared/events.ts';
import type { Task } from './Task.ts';

/** What a person said since the last request, and the entry that holds it. */
interface Words {
  seq: number;
  text: string;
}

/**
 * Journals what the person's words since the last request mention, so that every later request holds the same. A crash in between
 * loses nothing: what was not read yet is read when the turn goes on.
 */
export async function readWhatIsMentioned(
  task: Task,
  read: (text: string) => Promise<ReadMention[]>,
): Promise<void> {
  for (const { seq, text } of wordsToRead(task.entries)) {
    const mentions = await read(text);
    if (mentions.length === 0) continue;
    await task.record({ type: 'mentions_read', of: seq, mentions });
    for (const { problem } of mentions)
      if (problem) await task.record({ type: 'notice', level: 'warning', message: problem });
  }
}

function wordsToRead(entries: readonly JournalEntry[]): Words[] {
  const since = entries.findLastIndex(({ type }) => type === 'request_started');
  const recent = entries.slice(since + 1);
  const done = new Set(recent.flatMap((entry) => (entry.type === 'mentions_read' ? [entry.of] : [])));
  const [started] = entries;
  // A subtask's first message is its parent's model's, who can read for itself.
  const given =
    started?.type === 'task_started' && started.parent !== undefined ? firstMessage(entries) : undefined;
  return recent.flatMap((entry): Words[] => {
    if (done.has(entry.seq) || entry.seq === given) return [];
    if (entry.type === 'user_message' && entry.automatic !== true)
      return [{ seq: entry.seq, text: entry.text }];
    if (entry.type !== 'tool_finished') return [];
    const text = saidWith(entry.callId, entries);
    return text === undefined ? [] : [{ seq: entry.seq, text }];
  });
}

function firstMessage(entries: readonly JournalEntry[]): number | undefined {
  return entries.find(({ type }) => type === 'user_message')?.seq;
}

/** What the person wrote with their answer to this call. A suggestion that they picked is the model's words. */
function saidWith(callId: string, entries: readonly JournalEntry[]): string | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'approval_requested') continue;
    const { request } = entry;
    if ((request.reason !== 'tool' && request.reason !== 'question') || request.callId !== callId) continue;
    const answer = entries.find(
      (other) => other.type === 'approval_resolved' && other.approvalId === request.id,
    );
    const said =
      answer?.type === 'approval_resolved' && answer.decision.by === 'person'
        ? answer.decision.feedback
        : undefined;
    const suggested = request.reason === 'question' && request.suggestions.some(({ text }) => text === said);
    return suggested ? undefined : said;
  }
  return undefined;
}
