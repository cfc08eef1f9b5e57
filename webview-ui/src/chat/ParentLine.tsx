import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** In a subtask: whose it is, and the way back. */
export function ParentLine(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const parent = useAppState(({ view }) => view.parent);
  const title = useAppState(({ tasks }) => tasks?.find(({ id }) => id === parent)?.title);
  const known = useAppState(({ tasks }) => tasks !== undefined);
  if (parent === undefined) return null;
  if (title === undefined && known)
    return (
      <p className="parent-line quiet" data-testid="no-parent">
        {words('webview.subtask.noParent')}
      </p>
    );
  return (
    <nav className="parent-line" aria-label={words('webview.subtask.way')}>
      <button
        type="button"
        className="to-parent"
        data-testid="to-parent"
        title={title}
        onClick={() => session.openTask(parent)}
      >
        <Icon name="arrow-left" />
        <span dir="auto">{words('webview.subtask.of', { title: title ?? '' })}</span>
      </button>
    </nav>
  );
}
