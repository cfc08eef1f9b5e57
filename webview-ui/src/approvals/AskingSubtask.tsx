import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { askingSubtask } from '../waitingFor.ts';

/** Which subtask asks, where it is not the open task itself; leads into it. */
export function AskingSubtask(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const asking = useAppState(askingSubtask);
  if (!asking) return null;
  return (
    <button
      type="button"
      className="to-parent asking-subtask"
      data-testid="asking-subtask"
      title={asking.view.title}
      onClick={() => session.openTask(asking.taskId)}
    >
      <Icon name="type-hierarchy-sub" />
      <span dir="auto">{words('webview.subtask.asks', { title: asking.view.title })}</span>
    </button>
  );
}
