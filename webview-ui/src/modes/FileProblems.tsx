import type { FileProblem } from '../../../src/shared/customModes.ts';
import { FileOpener } from '../common/FileOpener.tsx';
import { Icon } from '../common/Icon.tsx';
import { shortPath } from '../common/shortPath.ts';
import { useAppState, useWords } from '../useSession.ts';

/** What is wrong in files, each with its place, which opens. */
export function FileProblems({ problems }: { problems: readonly FileProblem[] }): React.JSX.Element | null {
  const words = useWords();
  const workspace = useAppState((state) => state.workspace);
  if (problems.length === 0) return null;
  return (
    <ul className="file-problems" aria-label={words('webview.modes.problems')}>
      {problems.map(({ path, line, problem }, index) => (
        <li key={index} className="file-problem" data-testid="file-problem">
          <Icon name="warning" />
          <span>
            <FileOpener path={path} line={line} opens="link" title={path} testId="file-problem-place">
              {shortPath(path, workspace)}
              {line === undefined ? '' : `:${line}`}
            </FileOpener>
            <br />
            {words.of(problem)}
          </span>
        </li>
      ))}
    </ul>
  );
}
