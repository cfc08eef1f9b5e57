import { FileOpener } from '../common/FileOpener.tsx';
import { modeName } from '../common/modeName.ts';
import { useAppState, useWords } from '../useSession.ts';
import { FileProblems } from './FileProblems.tsx';

/** Slash commands that files define. */
export function CommandList(): React.JSX.Element {
  const words = useWords();
  const commands = useAppState((state) => state.commands);
  const problems = useAppState((state) => state.commandProblems);
  const modes = useAppState((state) => state.modes);
  return (
    <>
      <p className="quiet">{words('webview.slash.text')}</p>
      <FileProblems problems={problems} />
      {commands.length === 0 && <p className="quiet">{words('webview.slash.none')}</p>}
      <ul className="list">
        {commands.map(({ name, description, argumentHint, mode, source, path }) => (
          <li key={name} className="list-entry" data-testid="slash-command">
            <FileOpener path={path} className="list-main">
              <span className="list-title">
                <span className="mono">/{name}</span>
                {argumentHint !== undefined && <span className="quiet mono"> {argumentHint}</span>}
              </span>
              {description !== undefined && <span dir="auto">{description}</span>}
              <span className="quiet list-facts">
                <span>{words(`webview.modes.source.${source}`)}</span>
                {mode !== undefined && (
                  <span>{words('webview.slash.mode', { mode: modeName(words, modes, mode) })}</span>
                )}
              </span>
            </FileOpener>
          </li>
        ))}
      </ul>
    </>
  );
}
