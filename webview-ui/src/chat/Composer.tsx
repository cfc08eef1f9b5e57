import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { waitingFor } from '../waitingFor.ts';
import { CompletionList, LIST_ID, optionId } from './CompletionList.tsx';
import { mentionOf } from './completionTrigger.ts';
import { bringsPaths, droppedPaths } from './droppedPaths.ts';
import { readImages } from './readImages.ts';
import { AutomaticMenu, ModeMenu, ModelMenu } from './Pickers.tsx';
import { useCompletions } from './useCompletions.ts';

/** Milliseconds in which a person may still be deleting what they wrote. */
const JUST_WRITTEN = 1000;

/** Where the person writes. Enter sends, Shift+Enter breaks, an input method's Enter composes. */
export function Composer(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const draft = useAppState((state) => state.draft);
  const trusted = useAppState((state) => state.trusted);
  const focusRequest = useAppState((state) => state.focusRequest);
  const [waiting] = useAppState(waitingFor);
  const busy = useAppState(
    ({ view }) => view.state === 'running' || view.state === 'waiting' || view.condensing !== undefined,
  );
  const newTask = useAppState((state) => state.taskId === undefined);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const recalled = useRecall();
  const written = useRef(-Infinity);
  // Undefined while the composer does not have the focus: nothing is completed then.
  const [caret, setCaret] = useState<number>();
  const moveTo = useRef<number | undefined>(undefined);
  const completions = useCompletions(caret, (position) => {
    moveTo.current = position;
    setCaret(position);
  });
  const completing = completions.items.length > 0;
  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });
  const empty = draft.text.trim() === '' && draft.images.length === 0;

  useEffect(() => {
    if (focusRequest > 0) input.current?.focus();
  }, [focusRequest]);

  const addImages = (files: Iterable<File>): void =>
    session.attempt(async () => {
      const { draft: before } = session.store.state;
      const images = await readImages(files, before.images.length);
      const { draft: now } = session.store.state;
      session.write({ ...now, images: [...now.images, ...images] });
    });
  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
    // While an input method composes, its keys are not ours; `Process` is how some name them.
    if (event.nativeEvent.isComposing || event.key === 'Process') return;
    if (completions.onKeyDown(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (
      event.key === 'Enter' &&
      !event.shiftKey &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.altKey
    ) {
      event.preventDefault();
      session.send();
    } else if (event.key === 'Backspace' && (event.ctrlKey || event.metaKey)) {
      // Here it deletes a word, and must not reach the editor, where it rejects: not the press after the last word either.
      if (draft.text !== '' || event.repeat || performance.now() - written.current < JUST_WRITTEN)
        event.stopPropagation();
    } else if (event.key === 'Escape' && busy) {
      event.preventDefault();
      session.stop();
    } else if (event.key === 'ArrowUp' && !event.altKey) {
      const text = recalled(draft.text);
      if (text === undefined) return;
      event.preventDefault();
      session.write({ ...draft, text });
    }
  };

  return (
    <div
      className="composer"
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files') || bringsPaths(event.dataTransfer))
          event.preventDefault();
      }}
      onDrop={(event) => {
        const paths = droppedPaths(event.dataTransfer, session.store.state.workspace);
        if (paths.length > 0) {
          event.preventDefault();
          session.propose(paths.map(mentionOf).join(' '));
          return;
        }
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        addImages(event.dataTransfer.files);
      }}
    >
      <CompletionList completions={completions} />
      <div className="composer-box">
        {draft.images.length > 0 && <Thumbnails />}
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          value={draft.text}
          placeholder={words(placeholder(waiting?.reason, busy, newTask))}
          aria-label={words('webview.composer')}
          disabled={!trusted}
          data-testid="composer"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completing ? LIST_ID : undefined}
          aria-activedescendant={completing ? optionId(completions.active) : undefined}
          onChange={(event) => {
            written.current = performance.now();
            session.write({ ...draft, text: event.target.value });
            setCaret(event.target.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onBlur={() => setCaret(undefined)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            addImages(event.clipboardData.files);
          }}
        />
        <div className="composer-bar">
          <ModeMenu />
          <ModelMenu />
          <AutomaticMenu />
          <span className="spacer" />
          <input
            ref={picker}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple
            hidden
            aria-label={words('webview.attach')}
            onChange={(event) => {
              addImages(event.target.files ?? []);
              event.target.value = '';
            }}
          />
          <IconButton
            icon="attach"
            label={words('webview.attach')}
            disabled={!trusted}
            onClick={() => picker.current?.click()}
          />
          {busy && (
            <IconButton
              icon="debug-stop"
              label={words('webview.stop')}
              testId="stop"
              onClick={() => session.stop()}
            />
          )}
          {(!busy || !empty) && (
            <IconButton
              icon={waiting?.reason === 'tool' ? 'comment' : 'send'}
              label={words(sendLabel(waiting?.reason, busy))}
              testId="send"
              disabled={empty || !trusted}
              className="primary"
              onClick={() => session.send()}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function Thumbnails(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const draft = useAppState((state) => state.draft);
  return (
    <div className="thumbnails">
      {draft.images.map(({ mediaType, data }, index) => (
        <span key={index} className="thumbnail" data-testid="thumbnail">
          <img
            src={`data:${mediaType};base64,${data}`}
            alt={words('webview.picture', { number: index + 1 })}
          />
          <IconButton
            icon="close"
            label={words('webview.removePicture', { number: index + 1 })}
            onClick={() =>
              session.write({ ...draft, images: draft.images.filter((_, other) => other !== index) })
            }
          />
        </span>
      ))}
    </div>
  );
}

/** Up in an empty composer brings back what was sent last, then what was sent before it. */
function useRecall(): (text: string) => string | undefined {
  const session = useSession();
  const recalled = useRef<{ text: string; index: number } | null>(null);
  return (text) => {
    const sent = session.store.state.view.items.flatMap((item) =>
      item.type === 'user' && !item.automatic && item.text !== '' ? [item.text] : [],
    );
    const walking = recalled.current?.text === text && text !== '';
    if (text !== '' && !walking) return undefined;
    const index = walking && recalled.current ? recalled.current.index - 1 : sent.length - 1;
    const found = sent[index];
    if (found === undefined) return undefined;
    recalled.current = { text: found, index };
    return found;
  };
}

type Reason = 'tool' | 'question' | 'completion' | 'request_failed' | 'mistake_limit' | undefined;

function placeholder(reason: Reason, busy: boolean, newTask: boolean) {
  if (reason === 'tool') return 'webview.placeholder.feedback';
  if (reason === 'question') return 'webview.placeholder.answer';
  if (reason !== undefined) return 'webview.placeholder.goOn';
  if (busy) return 'webview.placeholder.queue';
  return newTask ? 'webview.placeholder.task' : 'webview.placeholder.reply';
}

function sendLabel(reason: Reason, busy: boolean) {
  if (reason === 'tool') return 'webview.sendRejects';
  if (reason === undefined && busy) return 'webview.sendQueues';
  return 'webview.send';
}
