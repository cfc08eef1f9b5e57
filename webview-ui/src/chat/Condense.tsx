import { useState } from 'react';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** Has the conversation condensed: at once, or before the next request of a turn that runs. */
export function Condense(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const state = useAppState(({ view }) => view.state);
  const used = useAppState(({ view }) => view.contextTokens > 0);
  const condensing = useAppState(({ view }) => view.condensing !== undefined);
  const elsewhere = useAppState(({ elsewhere: writer }) => writer !== undefined);
  const trusted = useAppState((all) => all.trusted);
  const items = useAppState(({ view }) => view.items);
  // What came of a wish is a new row; a turn that ends takes the wish with it, or has it fulfilled at once.
  const [wished, setWished] = useState<number>();
  if (!used || elsewhere) return null;
  const running = state === 'running' || state === 'waiting';
  const waits =
    wished !== undefined &&
    running &&
    !condensing &&
    !items.slice(wished).some(({ type }) => type === 'condensed' || type === 'trimmed' || type === 'notice');
  return (
    <IconButton
      icon="fold"
      label={words(condensing ? 'context.condensing' : waits ? 'context.condensesSoon' : 'context.condense')}
      testId="condense"
      disabled={!trusted || condensing || waits}
      onClick={() => {
        setWished(items.length);
        session.tasks.condense();
      }}
    />
  );
}
