import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { IconButton } from '../common/IconButton.tsx';
import { useWords } from '../useSession.ts';
import { useCheckpoints } from './useCheckpoints.ts';

/** On the card of a step: the way back to before it. Shown when the card is pointed at or has the focus. */
export function RestoreButton({ item }: { item: ToolItem }): React.JSX.Element | null {
  const words = useWords();
  const checkpoints = useCheckpoints();
  const { checkpointId, state } = item;
  if (checkpointId === undefined || state === 'running') return null;
  return (
    <IconButton
      icon="discard"
      className="restore-button"
      label={words('checkpoint.restoreTo')}
      testId="restore"
      onClick={() => checkpoints.consider(checkpointId)}
    />
  );
}
