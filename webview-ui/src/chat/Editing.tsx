import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** Says what sending will do while an earlier message is being written anew. */
export function Editing(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const editing = useAppState((state) => state.editing);
  if (!editing) return null;
  return (
    <div className="editing quiet" role="status" data-testid="editing">
      <Icon name="git-branch" />
      <span>{words('webview.editing')}</span>
      <button type="button" className="link" data-testid="stop-editing" onClick={() => session.stopEditing()}>
        {words('webview.cancel')}
      </button>
    </div>
  );
}
