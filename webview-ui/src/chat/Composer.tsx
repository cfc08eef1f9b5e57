import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { waitingFor } from '../waitingFor.ts';
import { isEmptyDraft } from '../state.ts';
import { CompletionList, LIST_ID, optionId } from './CompletionList.tsx';
import { certainMention } from './completionTrigger.ts';
import { ContextChips } from './ContextChips.tsx';
import { bringsPaths, droppedPaths } from './droppedPaths.ts';
import { ImprovementLine } from './ImprovementLine.tsx';
import { readFiles } from './readFiles.ts';
import { AutomaticMenu, ModeMenu, ModelMenu } from './Pickers.tsx';
import { useCompletions } from './useCompletions.ts';
import { useImprovement } from './useImprovement.ts';
import { useRecall } from './useRecall.ts';

/** Milliseconds in which a person may still be deleting what they wrote. */
const JUST_DELETED = 1000;

/** Where the person writes. Enter sends, Shift+Enter breaks, an input method's Enter composes. */
export function Composer(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const draft = useAppState((state) => state.draft);
  const trusted = useAppState((state) => state.trusted);
  const connected = useAppState((state) => state.connected);
  const focusRequest = useAppState((state) => state.focusRequest);
  const [waiting] = useAppState(waitingFor);
  const busy = useAppState(
    ({ view }) => view.state === 'running' || view.state === 'waiting' || view.condensing !== undefined,
  );
  const newTask = useAppState((state) => state.taskId === undefined);
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const recall = useRecall();
  const improvement = useImprovement();
  const deleted = useRef(-Infinity);
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
  const empty = isEmptyDraft(draft);

  useEffect(() => {
    if (focusRequest > 0) input.current?.focus();
  }, [focusRequest]);

  const addFiles = (files: Iterable<File>): void =>
    session.attempt(async () => {
      const added = await readFiles([...files], session.store.state.draft);
      session.write({ ...session.store.state.draft, ...added });
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
      session.messages.send();
    } else if (event.key === 'Backspace' && (event.ctrlKey || event.metaKey)) {
      // Here it deletes a word, and must not reach the editor, where it rejects: not the press after the last word either.
      if (draft.text !== '' || event.repeat || performance.now() - deleted.current < JUST_DELETED)
        event.stopPropagation();
    } else if (event.key === 'Escape' && busy) {
      event.preventDefault();
      session.stop();
    } else if (event.key === 'ArrowUp' && !event.altKey && recall()) {
      event.preventDefault();
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
          session.addMention(paths.map((path) => certainMention(path)).join(' '));
          return;
        }
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        addFiles(event.dataTransfer.files);
      }}
    >
      <CompletionList completions={completions} />
      <div className="composer-box">
        <ContextChips />
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
            if (event.target.value.length < draft.text.length) deleted.current = performance.now();
            session.write({ ...draft, text: event.target.value });
            setCaret(event.target.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onBlur={() => setCaret(undefined)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return;
            event.preventDefault();
            addFiles(event.clipboardData.files);
          }}
        />
        <ImprovementLine improvement={improvement} />
        <div className="composer-bar">
          <ModeMenu />
          <ModelMenu />
          <AutomaticMenu />
          <span className="spacer" />
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={words('composer.attach')}
            onChange={(event) => {
              addFiles(event.target.files ?? []);
              event.target.value = '';
            }}
          />
          <IconButton
            icon="attach"
            label={words('composer.attach')}
            disabled={!trusted}
            onClick={() => picker.current?.click()}
          />
          <IconButton
            icon="sparkle"
            label={words('composer.improve')}
            testId="improve"
            disabled={draft.text.trim() === '' || !trusted || improvement.state === 'working'}
            onClick={improvement.start}
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
              disabled={empty || !trusted || !connected}
              className="primary"
              onClick={() => session.messages.send()}
            />
          )}
        </div>
      </div>
    </div>
  );
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
