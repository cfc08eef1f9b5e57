import { useEffect, useState } from 'react';
import type { MethodResult } from '../../../src/shared/protocol.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { formatTime } from './formatTime.ts';
import { stepName } from './stepName.ts';
import { useCheckpoints } from './useCheckpoints.ts';

/** The latest that are shown before asking for all. */
const SHOWN = 8;

/** In the unfolded task line: the states that one can go back to, the latest first. */
export function CheckpointList(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const locale = useAppState((state) => state.locale);
  const checkpoints = useCheckpoints();
  const taskId = useAppState((state) => state.taskId);
  // Where a row was added, a checkpoint may have been.
  const rowCount = useAppState(({ view }) => view.items.length);
  const [found, setFound] = useState<MethodResult<'checkpoint/list'>>();
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    if (taskId !== undefined) session.attempt(async () => setFound(await checkpoints.list(taskId)));
  }, [session, checkpoints, taskId, rowCount]);
  if (!found || found.checkpoints.length === 0) return null;
  const rows = found.checkpoints.toReversed();
  const shown = whole ? rows : rows.slice(0, SHOWN);
  return (
    <section className="checkpoints" data-testid="checkpoints">
      <h2>{words('checkpoint.list')}</h2>
      {found.interrupted && (
        <p className="line line-warning">
          <Icon name="warning" />
          <span>{words('checkpoint.interrupted')}</span>
        </p>
      )}
      <ul>
        {shown.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              className="checkpoint"
              data-testid="checkpoint"
              onClick={() => checkpoints.consider(row.id)}
            >
              <span className="number">{formatTime(locale, row.at)}</span>
              <span className="checkpoint-name" dir="auto">
                {stepName(words, row)}
              </span>
              {row.changed !== undefined && row.changed > 0 && (
                <span className="number quiet">{words('checkpoint.changedBy', { count: row.changed })}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {shown.length < rows.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {words('checkpoint.more', { count: rows.length - shown.length })}
        </button>
      )}
    </section>
  );
}
