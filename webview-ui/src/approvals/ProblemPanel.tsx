import type { ApprovalRequest } from '../../../src/shared/approvals.ts';
import { Icon } from '../common/Icon.tsx';
import { Markdown } from '../markdown/Markdown.tsx';
import { useSession, useWords, type Words } from '../useSession.ts';
import { useAnswered } from './useAnswered.ts';
import { useArmed } from './useArmed.ts';

type ProblemRequest = Extract<ApprovalRequest, { reason: 'request_failed' | 'mistake_limit' | 'completion' }>;

/** A request that failed, or too many mistakes: go on (with words, when there are some) or stop. */
export function ProblemPanel({ request }: { request: ProblemRequest }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const armed = useArmed(request.id);
  const [answered, setAnswered] = useAnswered();
  const blocked = !armed || answered;
  const answer = (outcome: 'allow' | 'reject'): void => {
    if (blocked || !session.answers.isArmed(request.id)) return;
    setAnswered(true);
    session.answers.respond(request, { outcome });
  };
  return (
    <div data-testid="problem">
      <Said request={request} words={words} />
      <div className="actions">
        <button
          type="button"
          className="button"
          data-testid="approve"
          aria-disabled={blocked}
          onClick={() => answer('allow')}
        >
          {words(`webview.yes.${request.reason}`)}
        </button>
        <button
          type="button"
          className="button secondary"
          data-testid="reject"
          aria-disabled={blocked}
          onClick={() => answer('reject')}
        >
          {words(`webview.no.${request.reason}`)}
        </button>
        {request.reason === 'request_failed' && (
          <button type="button" className="link" onClick={() => session.show('settings')}>
            {words('webview.settings')}
          </button>
        )}
      </div>
    </div>
  );
}

function Said({ request, words }: { request: ProblemRequest; words: Words }): React.JSX.Element {
  switch (request.reason) {
    case 'completion':
      return <Markdown text={request.result} />;
    case 'request_failed':
      return (
        <p className="danger">
          <Icon name="error" /> <span>{words.of(request.error)}</span>
        </p>
      );
    case 'mistake_limit':
      return (
        <p className="danger">
          <Icon name="warning" /> <span>{words('webview.mistakeLimit', { count: request.count })}</span>
        </p>
      );
  }
}
