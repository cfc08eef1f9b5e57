import { message, type Message } from '../../shared/strings.ts';
import { JournalError } from './TaskJournal.ts';
import { LeaseLostError, LeaseTakenError } from './TaskLease.ts';
import { WorkspaceError } from './WorkspaceError.ts';

/** What a person is told of a turn that could not go on. */
export function failureWords(error: unknown): Message {
  if (error instanceof LeaseTakenError)
    return message('error.taskOpenElsewhere', { pid: error.holder.pid, host: error.holder.host });
  if (error instanceof LeaseLostError) return message('error.leaseLost');
  if (error instanceof JournalError)
    return message('error.journal', { reason: error.message, folder: error.folder });
  if (error instanceof WorkspaceError)
    return message('error.workspaceGone', { reason: error.message, folder: error.folder });
  return message('error.internal', { reason: error instanceof Error ? error.message : String(error) });
}
