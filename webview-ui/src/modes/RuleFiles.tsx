import type { RuleRow } from '../../../src/shared/customModes.ts';
import { FileOpener } from '../common/FileOpener.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { modeName } from '../common/modeName.ts';
import { useAppState, useInEditor, useSession, useWords } from '../useSession.ts';

/** Files that the model is given to read with every task, each with a switch. */
export function RuleFiles(): React.JSX.Element {
  const words = useWords();
  const rows = useAppState((state) => state.ruleRows);
  return (
    <>
      <p className="quiet">{words('webview.ruleFiles.text')}</p>
      {(['project', 'global'] as const).map((source) => {
        const ofSource = rows.filter((row) => row.source === source);
        return (
          <section key={source} aria-label={words(`webview.modes.scope.${source}`)}>
            <h2>{words(`webview.modes.scope.${source}`)}</h2>
            {ofSource.length === 0 && <p className="quiet">{words(`webview.ruleFiles.none.${source}`)}</p>}
            <ul className="list">
              {ofSource.map((row) => (
                <Row key={row.path} row={row} />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

function Row({ row }: { row: RuleRow }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const inEditor = useInEditor();
  const { origin, path, on, mode, bytes, problem } = row;
  return (
    <li className="list-entry rule-row" data-testid="rule-row" data-origin={origin}>
      <input
        type="checkbox"
        checked={on}
        aria-label={words('webview.ruleFiles.give', { file: origin })}
        data-testid="rule-on"
        onChange={(event) => session.agentFiles.setRule(row, event.target.checked)}
      />
      <FileOpener
        path={path}
        className="list-main"
        title={inEditor ? words('webview.ruleFiles.open', { file: origin }) : origin}
      >
        <MiddleText text={origin} />
        <span className="quiet list-facts">
          <span>
            {mode === undefined
              ? words('webview.ruleFiles.all')
              : words('webview.ruleFiles.mode', { mode: modeName(words, modes, mode) })}
          </span>
          <span className="number">
            {words('webview.ruleFiles.size', { kilobytes: (bytes / 1024).toFixed(1) })}
          </span>
        </span>
        {problem && <span className="rule-problem">{words.of(problem)}</span>}
      </FileOpener>
    </li>
  );
}
