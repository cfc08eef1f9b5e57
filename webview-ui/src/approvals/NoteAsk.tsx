import type { Action } from '../../../src/shared/approvals.ts';
import { useWords } from '../useSession.ts';

/** A note that would be kept, put in the place of another, or forgotten: whole, as it is. */
export function NoteAsk({ action }: { action: Extract<Action, { type: 'note' }> }): React.JSX.Element {
  const words = useWords();
  const { operation, text, before } = action;
  const box = (content: string): React.JSX.Element => (
    <pre className="command" tabIndex={0} aria-label={words('notes.ask.text')} dir="auto">
      {content}
    </pre>
  );
  return (
    <>
      <p className="ask">{words(`notes.ask.${operation}`)}</p>
      {box(text)}
      {before !== undefined && (
        <>
          <p className="ask quiet">{words('notes.ask.before')}</p>
          {box(before)}
        </>
      )}
    </>
  );
}
