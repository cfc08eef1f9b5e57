import { formatElapsed } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { useElapsed, useNow } from '../common/useElapsed.ts';
import { useAppState, useWords } from '../useSession.ts';

/** What happens while nothing streams: a request that has no answer yet, or one that is sent again soon. */
export function Working(): React.JSX.Element | null {
  const words = useWords();
  const state = useAppState(({ view }) => view.state);
  const request = useAppState(({ view }) => view.request);
  const openRequest = useAppState(({ view }) => view.openRequest);
  const condensing = useAppState(({ view }) => view.condensing);
  const silent = useAppState(({ view }) => view.streaming === 0);
  const elapsed = useElapsed((condensing ?? openRequest)?.startedAt);
  const now = useNow(request !== undefined);
  if (request) {
    const seconds = request.retryAt === undefined ? 0 : Math.ceil((request.retryAt - now) / 1000);
    return (
      <div className="row line line-warning" data-testid="retrying">
        <Icon name="warning" />
        <span>
          {words.of(request.error.message)}{' '}
          {seconds > 0
            ? words('webview.retryIn', { seconds, attempt: request.attempt })
            : words('webview.retryNow', { attempt: request.attempt })}
        </span>
      </div>
    );
  }
  if (!condensing && (state !== 'running' || !openRequest || !silent)) return null;
  return (
    <div className="row line quiet" data-testid="working">
      <Icon name="loading" spin />
      <span>{words(condensing ? 'context.condensing' : 'webview.waitingForModel')}</span>
      {elapsed !== undefined && elapsed >= 2000 && (
        <span className="time">{formatElapsed(words, elapsed)}</span>
      )}
    </div>
  );
}
