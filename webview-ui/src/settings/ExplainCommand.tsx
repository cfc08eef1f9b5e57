import { useId, useState } from 'react';
import { MAX_EXPLAINED_COMMAND, type CommandExplanation } from '../../../src/shared/protocol.ts';
import { Icon } from '../common/Icon.tsx';
import { useSession, useWords } from '../useSession.ts';

type Explained = 'none' | 'running' | { command: string; explanation: CommandExplanation };
type Verdict = CommandExplanation['verdict'];

const icons = { auto: 'pass', ask: 'question', deny: 'circle-slash' } as const satisfies Record<
  Verdict,
  string
>;

/** A box that says what would become of a command, and which of its parts decides that. */
export function ExplainCommand(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const id = useId();
  const [command, setCommand] = useState('');
  const [explained, setExplained] = useState<Explained>('none');
  const explain = (): void => {
    if (command.trim() === '' || explained === 'running') return;
    setExplained('running');
    session.attempt(async () => {
      try {
        const explanation = await session.transport.call('command/explain', { command });
        setExplained({ command, explanation });
      } catch (error) {
        setExplained('none');
        throw error;
      }
    });
  };
  return (
    <section aria-label={words('webview.explain')} data-testid="explain">
      <h2>{words('webview.explain')}</h2>
      <p className="quiet" id={`${id}-text`}>
        {words('webview.explain.text')}
      </p>
      <div className="explain-row field">
        <textarea
          className="mono"
          rows={2}
          value={command}
          maxLength={MAX_EXPLAINED_COMMAND}
          spellCheck={false}
          placeholder="git status && npm test"
          aria-label={words('webview.explain.command')}
          aria-describedby={`${id}-text`}
          data-testid="explain-command"
          onChange={(event) => {
            setCommand(event.target.value);
            if (explained !== 'running') setExplained('none');
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            explain();
          }}
        />
        <button
          type="button"
          className="button secondary"
          disabled={command.trim() === ''}
          data-testid="explain-button"
          onClick={explain}
        >
          {words('webview.explain.button')}
        </button>
      </div>
      <div aria-live="polite">
        {explained === 'running' && (
          <p className="quiet">
            <Icon name="loading" spin /> {words('webview.explain.running')}
          </p>
        )}
        {typeof explained === 'object' && <Explanation explanation={explained.explanation} />}
      </div>
    </section>
  );
}

function Explanation({ explanation }: { explanation: CommandExplanation }): React.JSX.Element {
  const words = useWords();
  const { verdict, why, parts, more, sandboxed } = explanation;
  return (
    <div className="explained" data-testid="explained" data-verdict={verdict}>
      <p className={`verdict verdict-${verdict}`}>
        <Icon name={icons[verdict]} /> {words(`webview.verdict.${verdict}`)}
      </p>
      {verdict !== 'deny' && <p>{words(`sandbox.runs.${sandboxed ?? 'freely'}`)}</p>}
      {why.map((reason) => (
        <p key={JSON.stringify(reason)}>{words.of(reason)}</p>
      ))}
      {parts.length > 1 && (
        <ol className="explained-parts" aria-label={words('webview.explain.parts')}>
          {parts.map((part, index) => (
            <li key={index} data-testid="explained-part" data-verdict={part.verdict}>
              <code dir="ltr">{part.source}</code>
              <span className={`verdict verdict-${part.verdict}`}>
                <Icon name={icons[part.verdict]} /> {words(`webview.verdict.${part.verdict}`)}
              </span>
              {part.why.length > 0 && (
                <span className="quiet">{part.why.map((reason) => words.of(reason)).join(' ')}</span>
              )}
            </li>
          ))}
          {more > 0 && <li className="quiet">{words('webview.explain.more', { count: more })}</li>}
        </ol>
      )}
    </div>
  );
}
