import { modeName } from '../common/modeName.ts';
import { useAppState, useWords } from '../useSession.ts';

/** A subtask that is to be begun: in which mode, and what it would be told. */
export function SubtaskAsk({ mode, message }: { mode: string; message: string }): React.JSX.Element {
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  return (
    <>
      <p className="ask">{words('webview.ask.subtask', { mode: modeName(words, modes, mode) })}</p>
      <div
        className="subtask-message"
        tabIndex={0}
        role="group"
        dir="auto"
        aria-label={words('webview.subtask.asked')}
      >
        {message}
      </div>
    </>
  );
}
