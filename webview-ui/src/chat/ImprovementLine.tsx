import { Icon } from '../common/Icon.tsx';
import { useWords } from '../useSession.ts';
import type { Improvement } from './useImprovement.ts';

/** What becomes of a draft that is being rewritten, in words, with the way back. */
export function ImprovementLine({ improvement }: { improvement: Improvement }): React.JSX.Element {
  const words = useWords();
  const { state, cancel, undo } = improvement;
  return (
    <div role="status" className="improvement" data-testid="improvement" data-state={state ?? 'none'}>
      {state === 'working' && (
        <>
          <Icon name="loading" spin /> <span>{words('composer.improving')}</span>
          <button type="button" className="link" data-testid="cancel-improvement" onClick={cancel}>
            {words('composer.cancel')}
          </button>
        </>
      )}
      {state === 'done' && (
        <>
          <Icon name="check" /> <span>{words('composer.improved')}</span>
          <button type="button" className="link" data-testid="undo-improvement" onClick={undo}>
            {words('composer.undo')}
          </button>
        </>
      )}
      {state === 'kept' && (
        <>
          <Icon name="info" /> <span>{words('composer.kept')}</span>
        </>
      )}
    </div>
  );
}
