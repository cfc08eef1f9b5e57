import { MAX_NOTE, MAX_NOTES, MAX_NOTES_TEXT } from '../../shared/notes.ts';
import { message } from '../../shared/strings.ts';
import { ProtocolError, type Handlers } from '../Dispatcher.ts';
import { FileError } from '../host/Host.ts';
import { NoteError, type WorkspaceNotes } from './WorkspaceNotes.ts';

/** What front ends see and change of the notes of the open workspace. `notes` is undefined where none is open. */
export function noteHandlers(
  notes: () => Promise<WorkspaceNotes> | undefined,
): Pick<Handlers, 'memory/list' | 'memory/save' | 'memory/delete'> {
  const kept = async (): Promise<WorkspaceNotes> => {
    const here = notes();
    if (!here) throw new ProtocolError('unavailable', message('notes.error.noWorkspace'));
    return await here;
  };
  return {
    'memory/list': async () => {
      if (!notes()) return { notes: [], file: '' };
      const here = await kept();
      return { notes: await worded(async () => await here.list()), file: here.file };
    },
    'memory/save': async ({ id, text }) => {
      const here = await kept();
      const own = { text, outside: false };
      return {
        id: await worded(
          async () =>
            await here.change(id === undefined ? { do: 'add', ...own } : { do: 'update', id, ...own }),
        ),
      };
    },
    'memory/delete': async ({ id }) => {
      const here = await kept();
      await worded(async () => await here.change({ do: 'delete', id }));
      return {};
    },
  };
}

async function worded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError)
      throw new ProtocolError(
        'unavailable',
        message('notes.error.file', { reason: error.reason, path: error.path }),
      );
    if (!(error instanceof NoteError)) throw error;
    const { reason, detail } = error;
    const limits = { detail, note: MAX_NOTE, notes: MAX_NOTES, characters: MAX_NOTES_TEXT };
    throw new ProtocolError(
      reason === 'unknown'
        ? 'not_found'
        : reason === 'unreadable' || reason === 'busy'
          ? 'unavailable'
          : 'invalid_params',
      message(`notes.error.${reason}`, limits),
    );
  }
}
