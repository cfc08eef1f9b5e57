import { useEffect, useRef, useState } from 'react';
import { MAX_NOTE, type Note } from '../../../src/shared/notes.ts';
import { useSession, useWords } from '../useSession.ts';

/** The words of a new note, or of one that is changed. Control+Enter saves, Escape does not. */
export function NoteForm({
  note,
  onClose,
}: {
  note: Note | undefined;
  onClose: () => void;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(note?.text ?? '');
  const [saving, setSaving] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const empty = text.trim() === '';
  const save = (): void => {
    if (empty || saving) return;
    setSaving(true);
    session.attempt(async () => {
      try {
        await session.notes.save(text, note);
        onClose();
      } finally {
        setSaving(false);
      }
    });
  };
  return (
    <div className="note-form field" data-testid="note-form">
      <textarea
        ref={field}
        rows={5}
        value={text}
        maxLength={MAX_NOTE}
        dir="auto"
        aria-label={words('webview.notes.new')}
        data-testid="note-text"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
      <div className="actions">
        <button type="button" className="button" disabled={empty} data-testid="note-save" onClick={save}>
          {words('webview.notes.save')}
        </button>
        <button type="button" className="button secondary" data-testid="note-cancel" onClick={onClose}>
          {words('webview.notes.cancel')}
        </button>
      </div>
    </div>
  );
}
