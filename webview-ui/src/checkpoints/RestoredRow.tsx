import type { RestoredItem } from '../../../src/shared/viewItems.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useOpenRow, useWords } from '../useSession.ts';
import { formatTime } from './formatTime.ts';
import { useCheckpoints } from './useCheckpoints.ts';

/** In the transcript: files were restored, what of it could not be, and the way back. */
export function RestoredRow({ item }: { item: RestoredItem }): React.JSX.Element {
  const words = useWords();
  const locale = useAppState((state) => state.locale);
  const checkpoints = useCheckpoints();
  const { done } = item;
  return (
    <div className="restored" data-testid="restored">
      <div className={done ? 'line line-info' : 'line line-warning'}>
        <Icon name={done ? 'history' : 'warning'} />
        <span>
          {done
            ? words('checkpoint.restored', {
                time: formatTime(locale, done.savedAt),
                written: done.written,
                removed: done.removed,
              })
            : words('checkpoint.notFinished')}{' '}
          <button
            type="button"
            className="link"
            data-testid="undo-restore"
            onClick={() => checkpoints.consider(item.undoId)}
          >
            {words('checkpoint.undo')}
          </button>
        </span>
      </div>
      {done && done.problems.length > 0 && <Problems id={item.key} problems={done.problems} />}
    </div>
  );
}

function Problems(props: {
  id: string;
  problems: NonNullable<RestoredItem['done']>['problems'];
}): React.JSX.Element {
  const words = useWords();
  const [open, toggle] = useOpenRow(props.id, false);
  return (
    <>
      <button type="button" className="fold" aria-expanded={open} onClick={toggle}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <Icon name="warning" />
        <span>{words('checkpoint.problems', { count: props.problems.length })}</span>
      </button>
      {open && (
        <ul className="left-out">
          {props.problems.map(({ path, reason, detail }) => (
            <li key={path}>
              <bdi>{path}</bdi>{' '}
              <span className="quiet">{words(`checkpoint.problem.${reason}`, { detail })}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
