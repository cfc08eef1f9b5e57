import { useEffect, useRef, useState } from 'react';
import type { ToolDetails } from '../../../src/shared/tools.ts';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useInEditor, useSession, useWords, type Words } from '../useSession.ts';
import { lastLines } from './EditBody.tsx';
import { PlainBody } from './PlainBody.tsx';

const SHOWN_LINES = 10;
/** Characters of a command that the card's head shows whole in a narrow panel. */
const ONE_LINE = 16;

/** The command as it was written, where, what it prints, and how it ended. */
export function CommandBody({
  item,
  details,
}: {
  item: ToolItem;
  details: ToolDetails | undefined;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const inEditor = useInEditor();
  const taskFolder = useAppState(({ view }) => view.cwd);
  const [whole, setWhole] = useState(false);
  const command = details?.type === 'command' ? details : undefined;
  const written = command?.command ?? item.params.command ?? '';
  const folder = command?.cwd ?? item.params.cwd;
  const output = item.output.trimEnd();
  const end = lastLines(output, SHOWN_LINES);
  const running = item.state === 'running' || item.state === 'background';
  return (
    <>
      {(written.length > ONE_LINE || written.includes('\n')) && (
        <pre className="command" tabIndex={0} aria-label={words('webview.command')} dir="ltr">
          {written}
        </pre>
      )}
      {folder !== undefined && !['', '.', taskFolder].includes(folder) && (
        <p className="quiet">{words('webview.inFolder', { folder })}</p>
      )}
      {output !== '' && <Output text={whole ? output : end} live={running} />}
      {end.length < output.length && (
        <button type="button" className="link" onClick={() => setWhole(!whole)}>
          {words(whole ? 'webview.showLastLines' : 'webview.showAllOutput')}
        </button>
      )}
      {command?.setAside && (
        <p className="danger">
          <Icon name="warning" />{' '}
          <span>
            {words('webview.command.setAside', {
              folder: command.setAside.folder,
              paths: command.setAside.paths.join(', '),
            })}
          </span>
        </p>
      )}
      {command?.sandboxed === true && (
        <p className="quiet" data-testid="command-sandboxed">
          <Icon name="shield" /> <span>{words('webview.command.sandboxed')}</span>
        </p>
      )}
      {command && ending(words, command) !== undefined && <p className="quiet">{ending(words, command)}</p>}
      {item.result.length > 0 && !command && <PlainBody item={item} />}
      {running && (
        <div className="card-actions">
          <button
            type="button"
            className="button secondary"
            data-testid="stop-command"
            onClick={() => session.callAction('command/stop', item.callId)}
          >
            <Icon name="debug-stop" />
            {words('webview.stopCommand')}
          </button>
          {item.state === 'running' && (
            <button
              type="button"
              className="button secondary"
              data-testid="background-command"
              onClick={() => session.callAction('command/background', item.callId)}
            >
              {words('webview.toBackground')}
            </button>
          )}
          {inEditor && (
            <button
              type="button"
              className="button secondary"
              onClick={() => session.callAction('editor/showTerminal', item.callId)}
            >
              {words('webview.showTerminal')}
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** Follows its end while it grows. */
function Output({ text, live }: { text: string; live: boolean }): React.JSX.Element {
  const words = useWords();
  const element = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (live && element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [text, live]);
  return (
    <pre
      className="output"
      ref={element}
      tabIndex={0}
      aria-label={words('webview.output')}
      data-testid="output"
    >
      {text}
    </pre>
  );
}

/** What the card's head has no room to say; an exit code stands there. */
function ending(words: Words, command: Extract<ToolDetails, { type: 'command' }>): string | undefined {
  if (command.background === true && command.exitCode === undefined) return words('webview.runsInBackground');
  if (command.timedOut === true) return words('webview.timedOut');
  if (command.stopped === true) return words('webview.commandStopped');
  if (command.signal !== undefined) return words('webview.endedBySignal', { signal: command.signal });
  return undefined;
}
