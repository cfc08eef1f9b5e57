import { UnusedChange } from '../approvals/UnusedChange.tsx';
import { Waiting } from '../approvals/Waiting.tsx';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { Composer } from './Composer.tsx';
import { Editing } from './Editing.tsx';
import { EmptyState } from './EmptyState.tsx';
import { ParentLine } from './ParentLine.tsx';
import { Queue } from './Queue.tsx';
import { TaskLine } from './TaskLine.tsx';
import { Transcript } from './Transcript.tsx';

export function Chat(): React.JSX.Element {
  const words = useWords();
  const taskId = useAppState((state) => state.taskId);
  return (
    <main className="chat">
      <h1 className="hidden">{words('webview.lathe')}</h1>
      <Limited />
      <ServersWait />
      {taskId === undefined ? <EmptyState /> : <OpenTask key={taskId} />}
      <div className="bottom">
        {taskId !== undefined && <UnusedChange />}
        {taskId !== undefined && <Waiting />}
        <Queue />
        <Editing />
        <Composer />
      </div>
    </main>
  );
}

function OpenTask(): React.JSX.Element {
  const words = useWords();
  const loading = useAppState((state) => state.loading && state.view.lastSeq === 0);
  if (loading) {
    return (
      <p className="loading quiet">
        <Icon name="loading" spin /> {words('webview.opening')}
      </p>
    );
  }
  return (
    <>
      <ParentLine />
      <TaskLine />
      <Transcript />
    </>
  );
}

function Limited(): React.JSX.Element | null {
  const words = useWords();
  const trusted = useAppState((state) => state.trusted);
  if (trusted) return null;
  return (
    <p className="banner" role="status" data-testid="limited">
      <Icon name="shield" /> <span>{words('webview.limited')}</span>
    </p>
  );
}

/** Servers of the project that nobody said yes to: they are off until someone looks. */
function ServersWait(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const count = useAppState(
    ({ servers }) => servers?.servers.filter(({ consent }) => consent !== undefined).length ?? 0,
  );
  if (count === 0) return null;
  return (
    <p className="banner" role="status" data-testid="servers-wait">
      <Icon name="plug" />{' '}
      <button type="button" className="link" onClick={() => session.show('mcp')}>
        {words('webview.mcp.waits', { count })}
      </button>
    </p>
  );
}
