import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** Messages that wait for the running turn's next request; each can be taken back or dropped. */
export function Queue(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const queued = useAppState((state) => state.queued);
  if (queued.length === 0) return null;
  return (
    <ul className="queue" aria-label={words('webview.queued')} data-testid="queue">
      {queued.map((text, index) => (
        <li key={index} title={text}>
          <Icon name="history" />
          <span className="hidden">{words('webview.queued')}</span>
          <span className="queue-text" dir="auto">
            {text}
          </span>
          <IconButton
            icon="edit"
            label={words('webview.editQueued')}
            testId="edit-queued"
            onClick={() => session.queue.take(index, text, { edit: true })}
          />
          <IconButton
            icon="close"
            label={words('webview.dropQueued')}
            testId="drop-queued"
            onClick={() => session.queue.take(index, text, { edit: false })}
          />
        </li>
      ))}
    </ul>
  );
}
