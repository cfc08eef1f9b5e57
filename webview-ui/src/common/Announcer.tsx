import { useEffect, useRef, useState } from 'react';
import type { StringKey } from '../../../src/shared/strings.ts';
import type { TaskViewState } from '../../../src/shared/viewItems.ts';
import { useAppState, useWords } from '../useSession.ts';

/** Says the large steps to a screen reader: a turn began, something waits, it is over. Never token by token. */
export function Announcer(): React.JSX.Element {
  const words = useWords();
  const taskId = useAppState((state) => state.taskId);
  const state = useAppState(({ view }) => view.state);
  const before = useRef({ taskId, state });
  const [said, setSaid] = useState('');
  useEffect(() => {
    const key = announcement(state);
    // A task that is opened is read by its own words, not announced.
    if (before.current.taskId === taskId && before.current.state !== state && key) setSaid(words(key));
    before.current = { taskId, state };
  }, [taskId, state, words]);
  return (
    <div className="hidden" role="status" aria-live="polite" data-testid="announcer">
      {said}
    </div>
  );
}

function announcement(state: TaskViewState): StringKey | undefined {
  switch (state) {
    case 'idle':
      return undefined;
    case 'running':
      return 'webview.say.running';
    case 'waiting':
      return 'webview.say.waiting';
    case 'completed':
    case 'answered':
      return 'webview.say.done';
    case 'question':
      return 'webview.say.question';
    case 'cancelled':
    case 'interrupted':
      return 'webview.say.stopped';
    case 'failed':
    case 'refusal':
    case 'max_turn_requests':
      return 'webview.say.failed';
  }
}
