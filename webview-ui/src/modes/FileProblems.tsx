import type { FileProblem } from '../../../src/shared/customModes.ts';
import { Icon } from '../common/Icon.tsx';
import { shortPath } from '../common/shortPath.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** What is wrong in files, each with its place, which opens. */
export function FileProblems({ problems }: { problems: readonly FileProblem[] }): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const workspace = useAppState((state) => state.workspace);
  if (problems.length === 0) return null;
  return (
    <ul className="file-problems" aria-label={words('webview.modes.problems')}>
      {problems.map(({ path, line, problem }, index) => (
        <li key={index} className="file-problem" data-testid="file-problem">
          <Icon name="warning" />
          <span>
            <button
              type="button"
              className="link"
              title={path}
              data-testid="file-problem-place"
              onClick={() => session.openPath(path, line)}
            >
              {shortPath(path, workspace)}
              {line === undefined ? '' : `:${line}`}
            </button>
            <br />
            {words.of(problem)}
          </span>
        </li>
      ))}
    </ul>
  );
}
