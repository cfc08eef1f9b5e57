import { ProtocolError } from '../../core/Dispatcher.ts';
import type { JournalEntry } from '../../shared/events.ts';

/** The journals of all subtasks, and theirs, that were begun in these entries and are still there, by their tasks. @throws ProtocolError */
export async function subtaskJournals(
  entries: readonly JournalEntry[],
  read: (taskId: string) => Promise<readonly JournalEntry[]>,
  journals = new Map<string, readonly JournalEntry[]>(),
): Promise<ReadonlyMap<string, readonly JournalEntry[]>> {
  for (const entry of entries) {
    if (entry.type !== 'subtask_started' || journals.has(entry.taskId)) continue;
    try {
      const below = await read(entry.taskId);
      journals.set(entry.taskId, below);
      await subtaskJournals(below, read, journals);
    } catch (error) {
      // It was deleted: the call that began it has its result all the same.
      if (!(error instanceof ProtocolError && error.code === 'not_found')) throw error;
    }
  }
  return journals;
}
