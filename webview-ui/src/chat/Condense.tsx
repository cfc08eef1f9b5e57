import { IconButton } from '../common/IconButton.tsx';
import { useWords } from '../useSession.ts';
import { useCondense } from './useCondense.ts';

const labels = {
  possible: 'context.condense',
  waits: 'context.condensesSoon',
  running: 'context.condensing',
} as const;

/** Has the conversation condensed: at once, or before the next request of a turn that runs. */
export function Condense(): React.JSX.Element | null {
  const words = useWords();
  const { state, condense } = useCondense();
  if (state === 'unavailable') return null;
  return (
    <IconButton
      icon="fold"
      label={words(labels[state])}
      testId="condense"
      disabled={state !== 'possible'}
      onClick={condense}
    />
  );
}
