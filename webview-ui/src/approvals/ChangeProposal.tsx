import { useEffect, useRef, useState } from 'react';
import { message } from '../../../src/shared/strings.ts';
import type { ToolRequest } from '../Changes.ts';
import { Icon } from '../common/Icon.tsx';
import { parsePatch } from '../diff/parsePatch.ts';
import type { ProposedFile } from '../state.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { useArmed } from './useArmed.ts';

/** Lines that are seen above the first change. */
const ABOVE = 3;

/** The proposed file as a text that the person changes and approves. */
export function ChangeProposal({ request }: { request: ToolRequest }): React.JSX.Element {
  const words = useWords();
  const file = useAppState(({ changing }) =>
    changing?.approvalId === request.id ? changing.file : undefined,
  );
  if (file) return <ChangeText request={request} file={file} />;
  return (
    <p className="quiet" role="status">
      <Icon name="loading" spin /> {words('changes.opening')}
    </p>
  );
}

function ChangeText({ request, file }: { request: ToolRequest; file: ProposedFile }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const { changes } = session.answers;
  const armed = useArmed(request.id);
  const connected = useAppState((state) => state.connected);
  const [changed, setChanged] = useState(() => changes.kept(request.id) !== undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const blocked = !armed || !connected;

  useEffect(() => {
    if (field.current) showFirstChange(field.current, request);
  }, [request]);

  const write = (text: string): void => {
    changes.write(request, text);
    setChanged(text !== file.text);
  };
  const approve = (): void => {
    if (blocked || !session.answers.isArmed(request.id)) return;
    changes.approve(request);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.key === 'Process') return;
    const control = event.ctrlKey || event.metaKey;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      changes.close(request.id);
    } else if (control && event.key === 'Backspace') {
      // Here it deletes a word, and rejects nothing.
      event.stopPropagation();
    } else if (control && event.key === 'Enter' && !event.repeat) {
      event.preventDefault();
      event.stopPropagation();
      if (request.dangerous) session.store.set({ error: message('webview.clickToApprove') });
      else approve();
    }
  };

  return (
    <>
      <textarea
        ref={field}
        className="change-text"
        data-testid="change-text"
        aria-label={words('changes.text', { path: file.path })}
        aria-describedby="change-keys"
        defaultValue={changes.kept(request.id)?.text ?? file.text}
        dir="ltr"
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p className="quiet" id="change-keys">
        {words(request.dangerous ? 'changes.keysDangerous' : 'changes.keys')}
      </p>
      <div className="actions">
        <button
          type="button"
          className="button"
          data-testid="change-approve"
          aria-disabled={blocked}
          onClick={approve}
        >
          {words(changed ? 'changes.approve' : 'webview.approve')}
        </button>
        <button
          type="button"
          className="button secondary"
          data-testid="change-back"
          onClick={() => changes.close(request.id)}
        >
          {words('changes.back')}
        </button>
        {changed && (
          <button
            type="button"
            className="button secondary"
            data-testid="change-reset"
            onClick={() => {
              if (!field.current) return;
              field.current.value = file.text;
              write(file.text);
              field.current.focus();
            }}
          >
            {words('changes.reset')}
          </button>
        )}
      </div>
    </>
  );
}

/** The line of the new text at which it begins to differ, from 1. */
function firstChange(patch: string): number {
  let line = 1;
  for (const row of parsePatch(patch)) {
    if (row.type === 'added' || row.type === 'removed') return row.type === 'added' ? row.after : line;
    if (row.type === 'same') line = row.after + 1;
  }
  return line;
}

/** The field takes the focus, with the caret at the first line that the proposal changes. */
function showFirstChange(field: HTMLTextAreaElement, { details }: ToolRequest): void {
  const line = details?.type === 'diff' ? firstChange(details.patch) : 1;
  const lines = field.value.split('\n');
  const caret = lines.slice(0, line - 1).reduce((length, before) => length + before.length + 1, 0);
  field.focus();
  field.setSelectionRange(caret, caret);
  field.scrollTop = ((line - 1 - ABOVE) * field.scrollHeight) / lines.length;
  field.scrollLeft = 0;
}
