import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** Says so as long as the server is not there: what is seen may be old, and nothing can be sent. */
export function ConnectionNotice(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const connected = useAppState((state) => state.connected);
  if (connected) return null;
  return (
    <div className="banner" role="status" data-testid="disconnected">
      <Icon name="debug-disconnect" />
      <span>{words('web.disconnected')}</span>
      <button type="button" className="link" data-testid="reconnect" onClick={session.reconnect}>
        {words('web.reconnect')}
      </button>
    </div>
  );
}
