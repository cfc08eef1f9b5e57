import { useEffect, useId, useState } from 'react';
import type { CheckpointDifference, CheckpointRow } from '../../../src/shared/checkpoints.ts';
import { Icon } from '../common/Icon.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { ChangeRow } from './ChangeRow.tsx';
import { formatTime } from './formatTime.ts';
import { stepName } from './stepName.ts';
import { useCheckpoints, type RestoreWhat } from './useCheckpoints.ts';

/** Changes that are drawn. */
const SHOWN = 200;
const whats = ['files', 'task', 'both'] as const;

/** Before going back to a checkpoint: what of it, and what that would change. Nothing has happened yet. */
export function RestoreScreen(): React.JSX.Element | null {
  const taskId = useAppState((state) => state.taskId);
  const checkpointId = useAppState((state) => state.checkpointId);
  if (taskId === undefined || checkpointId === undefined) return null;
  return <Restore key={checkpointId} taskId={taskId} checkpointId={checkpointId} />;
}

function Restore({ taskId, checkpointId }: { taskId: string; checkpointId: string }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const locale = useAppState((state) => state.locale);
  const checkpoints = useCheckpoints();
  const row = useRow(taskId, checkpointId);
  const difference = useDifference(taskId, checkpointId);
  const [what, setWhat] = useState<RestoreWhat>('files');
  const [leaves, setLeaves] = useState(false);
  const [busy, setBusy] = useState(false);
  const outside = difference?.files.filter((file) => file.outside) ?? [];
  const restore = (): void => {
    setBusy(true);
    session.attempt(async () => {
      try {
        const leave = leaves ? outside.map(({ path }) => path) : [];
        await checkpoints.restore(taskId, checkpointId, what, leave);
      } finally {
        setBusy(false);
      }
    });
  };
  const nothing = what === 'files' && difference?.count === 0;
  return (
    <main className="screen" data-testid="restore-screen">
      <ScreenHead title={words('checkpoint.title')} />
      {row && (
        <p className="restore-place">
          <span className="number">{formatTime(locale, row.at)}</span>{' '}
          <span dir="auto">{stepName(words, row)}</span>
        </p>
      )}
      {row?.reason !== 'restore' && <What what={what} onChange={setWhat} />}
      {what !== 'task' && !difference && (
        <p className="quiet" role="status">
          <Icon name="loading" spin /> {words('checkpoint.looking')}
        </p>
      )}
      {what !== 'task' && difference && (
        <>
          <Changes taskId={taskId} checkpointId={checkpointId} difference={difference} />
          {outside.length > 0 && (
            <div className="restore-warning" data-testid="outside">
              <p className="line line-warning">
                <Icon name="warning" />
                <span>{words('checkpoint.outsideWarning', { count: outside.length })}</span>
              </p>
              <label className="check">
                <input
                  type="checkbox"
                  checked={leaves}
                  data-testid="leave"
                  onChange={(event) => setLeaves(event.target.checked)}
                />
                <span>{words('checkpoint.leave', { count: outside.length })}</span>
              </label>
            </div>
          )}
          <LeftOut {...difference.leftOut} />
        </>
      )}
      {what !== 'task' && <p className="quiet">{words('checkpoint.undoHint')}</p>}
      <div className="restore-actions">
        <button type="button" className="button secondary" onClick={() => session.show('chat')}>
          {words('checkpoint.cancel')}
        </button>
        <button
          type="button"
          className="button"
          data-testid="do-restore"
          disabled={busy || nothing || (what !== 'task' && !difference)}
          onClick={restore}
        >
          {busy ? (
            <>
              <Icon name="loading" spin /> {words('checkpoint.restoring')}
            </>
          ) : (
            words(`checkpoint.do.${what}`)
          )}
        </button>
      </div>
    </main>
  );
}

function useRow(taskId: string, checkpointId: string): CheckpointRow | undefined {
  const session = useSession();
  const checkpoints = useCheckpoints();
  const [row, setRow] = useState<CheckpointRow>();
  useEffect(() => {
    session.attempt(async () => {
      const { checkpoints: rows } = await checkpoints.list(taskId);
      setRow(rows.find(({ id }) => id === checkpointId));
    });
  }, [session, checkpoints, taskId, checkpointId]);
  return row;
}

function useDifference(taskId: string, checkpointId: string): CheckpointDifference | undefined {
  const session = useSession();
  const checkpoints = useCheckpoints();
  const [difference, setDifference] = useState<CheckpointDifference>();
  useEffect(() => {
    session.attempt(async () => setDifference(await checkpoints.difference(taskId, checkpointId)));
  }, [session, checkpoints, taskId, checkpointId]);
  return difference;
}

function What(props: { what: RestoreWhat; onChange: (what: RestoreWhat) => void }): React.JSX.Element {
  const words = useWords();
  const name = useId();
  return (
    <fieldset className="restore-what">
      <legend className="quiet">{words('checkpoint.what')}</legend>
      {whats.map((what) => (
        <label key={what} className="check">
          <input
            type="radio"
            name={name}
            checked={props.what === what}
            data-testid={`what-${what}`}
            onChange={() => props.onChange(what)}
          />
          <span>
            {words(`checkpoint.what.${what}`)}
            {props.what === what && (
              <span className="check-what quiet">{words(`checkpoint.about.${what}`)}</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Changes(props: {
  taskId: string;
  checkpointId: string;
  difference: CheckpointDifference;
}): React.JSX.Element {
  const words = useWords();
  const { files, count } = props.difference;
  if (count === 0) return <p className="quiet">{words('checkpoint.same')}</p>;
  const shown = files.slice(0, SHOWN);
  return (
    <section>
      <h2>{words('checkpoint.would', { count })}</h2>
      <ul className="changes">
        {shown.map((change) => (
          <ChangeRow
            key={change.path}
            taskId={props.taskId}
            checkpointId={props.checkpointId}
            change={change}
          />
        ))}
      </ul>
      {shown.length < count && (
        <p className="quiet">{words('checkpoint.more', { count: count - shown.length })}</p>
      )}
    </section>
  );
}

function LeftOut({ files, count }: CheckpointDifference['leftOut']): React.JSX.Element | null {
  const words = useWords();
  const [open, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <section>
      <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span>{words('checkpoint.leftOut', { count })}</span>
      </button>
      {open && (
        <ul className="left-out">
          {files.map(({ path, reason }) => (
            <li key={path}>
              <bdi>{path}</bdi> <span className="quiet">{words(`checkpoint.reason.${reason}`)}</span>
            </li>
          ))}
          {files.length < count && (
            <li className="quiet">{words('checkpoint.more', { count: count - files.length })}</li>
          )}
        </ul>
      )}
    </section>
  );
}
