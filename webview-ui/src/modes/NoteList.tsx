import { useEffect, useRef, useState } from 'react';
import type { Note } from '../../../src/shared/notes.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { NoteForm } from './NoteForm.tsx';

/** In the place of a note's id. */
const NEW = 'new';

/** What later tasks in this workspace are told: each note can be changed and deleted, and one be added. */
export function NoteList(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const list = useAppState((state) => state.notes);
  const [editing, setEditing] = useState<string>();
  useEffect(() => {
    session.store.set({ deletedNote: undefined });
    session.attempt(() => session.notes.refresh());
  }, [session]);
  const close = (): void => setEditing(undefined);
  return (
    <>
      <p className="quiet">{words('webview.notes.text')}</p>
      {list?.notes.length === 0 && <p className="quiet">{words('webview.notes.none')}</p>}
      <ul className="list">
        {list?.notes.map((note) => (
          <li key={note.id} className="list-entry note-row" data-testid="note-row">
            {editing === note.id ? (
              <NoteForm note={note} onClose={close} />
            ) : (
              <Row note={note} onEdit={() => setEditing(note.id)} />
            )}
          </li>
        ))}
      </ul>
      <Deleted />
      {editing === NEW ? (
        <NoteForm note={undefined} onClose={close} />
      ) : (
        <p className="actions">
          <button
            type="button"
            className="button secondary"
            data-testid="note-add"
            onClick={() => setEditing(NEW)}
          >
            <Icon name="add" />
            {words('webview.notes.add')}
          </button>
        </p>
      )}
      {list !== undefined && list.notes.length > 0 && (
        <p className="links">
          <button
            type="button"
            className="link"
            data-testid="note-file"
            onClick={() => session.openPath(list.file)}
          >
            {words('webview.notes.open')}
          </button>
        </p>
      )}
    </>
  );
}

function Row({ note, onEdit }: { note: Note; onEdit: () => void }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const short = shortOf(note);
  return (
    <>
      <span className="list-main">
        <span className="note-text" dir="auto">
          {note.text}
        </span>
        {note.outside && (
          <span className="quiet note-outside">
            <Icon name="warning" /> <span>{words('webview.notes.outside')}</span>
          </span>
        )}
      </span>
      <IconButton
        icon="edit"
        label={words('webview.notes.edit', { note: short })}
        testId="note-edit"
        onClick={onEdit}
      />
      <IconButton
        icon="trash"
        label={words('webview.notes.delete', { note: short })}
        testId="note-delete"
        onClick={() => session.notes.delete(note)}
      />
    </>
  );
}

/** The note that was deleted last, until something else is done. */
function Deleted(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const note = useAppState((state) => state.deletedNote);
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The row took the focused button with it; never from an editor.
    if (note && document.hasFocus() && document.activeElement === document.body) undo.current?.focus();
  }, [note]);
  if (!note) return null;
  return (
    <div className="banner" role="status" data-testid="note-deleted">
      <Icon name="trash" />
      <span dir="auto">{words('webview.notes.deleted', { note: shortOf(note) })}</span>
      <button
        type="button"
        ref={undo}
        className="link"
        data-testid="note-undo"
        onClick={() => session.notes.undo(note)}
      >
        {words('webview.notes.undo')}
      </button>
    </div>
  );
}

function shortOf({ text }: Note): string {
  const [line = ''] = text.split('\n', 1);
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
