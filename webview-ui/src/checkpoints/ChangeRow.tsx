import { useState } from 'react';
import type { CheckpointChange, CheckpointFile } from '../../../src/shared/checkpoints.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { UnifiedDiff } from '../diff/UnifiedDiff.tsx';
import { useInEditor, useSession, useWords } from '../useSession.ts';
import { useCheckpoints } from './useCheckpoints.ts';

const icons = { created: 'diff-added', deleted: 'diff-removed', changed: 'diff-modified' } as const;

/** What would become of one file; it unfolds to the lines. */
export function ChangeRow(props: {
  taskId: string;
  checkpointId: string;
  change: CheckpointChange;
}): React.JSX.Element {
  const { taskId, checkpointId, change } = props;
  const session = useSession();
  const words = useWords();
  const inEditor = useInEditor();
  const checkpoints = useCheckpoints();
  const [open, setOpen] = useState(false);
  const [file, setFile] = useState<CheckpointFile>();
  const { path, folder } = change;
  const toggle = (): void => {
    setOpen(!open);
    if (!file) session.attempt(async () => setFile(await checkpoints.file(taskId, checkpointId, path)));
  };
  return (
    <li className="change" data-testid="change" data-path={path} data-change={change.change}>
      <div className="change-head">
        <button
          type="button"
          className="change-toggle"
          aria-expanded={folder ? undefined : open}
          aria-label={words('checkpoint.showDiff', { path })}
          disabled={folder}
          onClick={toggle}
        >
          <Icon name={folder ? 'folder' : open ? 'chevron-down' : 'chevron-right'} />
          <Icon name={icons[change.change]} />
          <MiddleText text={folder ? `${path}/` : path} />
        </button>
        <span className={change.change === 'changed' ? 'hidden' : 'quiet change-kind'}>
          {words(`checkpoint.${change.change}`)}
        </span>
        {change.added !== undefined && change.removed !== undefined && (
          <span className="diff-counts" title={words('webview.counts', change as Counts)}>
            <span className="count-added">{`+${change.added}`}</span>{' '}
            <span className="count-removed">{`−${change.removed}`}</span>
          </span>
        )}
        {!folder && inEditor && (
          <IconButton
            icon="diff"
            label={words('checkpoint.openDiff')}
            testId="open-checkpoint-diff"
            onClick={() => checkpoints.openDiff(taskId, checkpointId, path)}
          />
        )}
      </div>
      {(change.outside || change.unsaved) && (
        <div className="change-marks">
          {change.outside && (
            <span className="mark">
              <Icon name="warning" /> {words('checkpoint.outside')}
            </span>
          )}
          {change.unsaved && (
            <span className="mark">
              <Icon name="circle-filled" /> {words('checkpoint.unsaved')}
            </span>
          )}
        </div>
      )}
      {open && file?.text === true && <UnifiedDiff patch={file.patch} path={path} />}
      {open && file?.text === false && <p className="quiet">{words('checkpoint.noText')}</p>}
    </li>
  );
}

type Counts = Pick<Required<CheckpointChange>, 'added' | 'removed'>;
