import { Icon } from '../common/Icon.tsx';
import { useAppState, useWords } from '../useSession.ts';

/** Messages that wait for the running turn's next request. */
export function Queue(): React.JSX.Element | null {
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
        </li>
      ))}
    </ul>
  );
}
