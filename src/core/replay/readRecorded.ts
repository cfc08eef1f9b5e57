import * as z from 'zod';
import { journalEntrySchema, type JournalEntry } from '../../shared/events.ts';
import { message } from '../../shared/strings.ts';
import { ProtocolError } from '../Dispatcher.ts';
import { isJournal, parseJournal } from '../task/TaskJournal.ts';

/** A task as it was written down; `damaged`: lines that could not be read, a torn end aside. */
export interface RecordedTask {
  entries: JournalEntry[];
  damaged: number;
}

const exportSchema = z.object({
  format: z.literal('lathe-task'),
  version: z.literal(1),
  entries: z.array(journalEntrySchema),
  subtasks: z.array(z.array(journalEntrySchema)).optional(),
});

/** The tasks of a file: a journal, or what `lathe show --json` and the sidebar export. @throws ProtocolError when it is neither */
export function readRecorded(bytes: Uint8Array, name: string): RecordedTask[] {
  if (isJournal(bytes)) {
    const { entries, damaged } = parseJournal(bytes);
    // A last line without its end is what a process leaves that was killed while it wrote.
    const torn = bytes.at(-1) === 10 ? 0 : 1;
    return [{ entries, damaged: damaged - torn }];
  }
  const parsed = exportSchema.safeParse(jsonOf(bytes));
  if (!parsed.success) throw new ProtocolError('invalid_params', message('replay.noJournal', { name }));
  const { entries, subtasks = [] } = parsed.data;
  return [entries, ...subtasks].map((task) => ({ entries: task, damaged: 0 }));
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
