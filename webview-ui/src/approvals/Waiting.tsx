import type { ApprovalRequest } from '../../../src/shared/approvals.ts';
import { message } from '../../../src/shared/strings.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { waitingFor } from '../waitingFor.ts';
import { AskingSubtask } from './AskingSubtask.tsx';
import { ProblemPanel } from './ProblemPanel.tsx';
import { QuestionPanel } from './QuestionPanel.tsx';
import { ToolApproval } from './ToolApproval.tsx';

/** What waits for the person, above the composer so that it is always in sight: one at a time, oldest first. */
export function Waiting(): React.JSX.Element | null {
  const words = useWords();
  const pending = useAppState(waitingFor);
  const interrupted = useAppState(({ view }) => view.state === 'interrupted');
  const failure = useAppState(({ view }) => view.failure);
  const elsewhere = useAppState((state) => state.elsewhere);
  const [first] = pending;
  if (elsewhere) {
    // Nothing can be answered here: what waits is shown where the task runs.
    return (
      <section className="waiting" role="status" data-testid="elsewhere">
        <p>
          <Icon name="lock" /> <span>{words.of(message('error.taskOpenElsewhere', { ...elsewhere }))}</span>
        </p>
      </section>
    );
  }
  if (failure) {
    return (
      <section className="waiting" role="alert" data-testid="turn-failed">
        <p className="danger">
          <Icon name="error" /> <span>{words.of(failure.error)}</span>
        </p>
      </section>
    );
  }
  if (interrupted) return <Interrupted />;
  if (!first) return null;
  return (
    <section
      className="waiting"
      aria-label={words('webview.waiting')}
      data-testid="waiting"
      data-reason={first.reason}
    >
      {pending.length > 1 && (
        <div className="quiet" data-testid="waiting-count">
          {words('webview.waitingCount', { count: pending.length })}
        </div>
      )}
      <AskingSubtask />
      <Panel key={first.id} request={first} />
    </section>
  );
}

function Panel({ request }: { request: ApprovalRequest }): React.JSX.Element {
  switch (request.reason) {
    case 'tool':
      return <ToolApproval request={request} />;
    case 'question':
      return <QuestionPanel request={request} />;
    case 'completion':
    case 'request_failed':
    case 'mistake_limit':
      return <ProblemPanel request={request} />;
  }
}

function Interrupted(): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  return (
    <section className="waiting" aria-label={words('webview.waiting')} data-testid="interrupted">
      <p>{words('webview.interrupted')}</p>
      <div className="actions">
        <button type="button" className="button" data-testid="resume" onClick={() => session.resume()}>
          {words('webview.resume')}
        </button>
      </div>
    </section>
  );
}
