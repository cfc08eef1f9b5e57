import { useCallback } from 'react';
import { seqOf } from '../../../src/shared/viewParts.ts';
import type { AppState } from '../state.ts';
import { useAppState, useSession } from '../useSession.ts';

/** Whether the open task's conversation can be condensed now, will be before its next request, or is being condensed. */
export type CondenseState = 'unavailable' | 'possible' | 'waits' | 'running';

export function useCondense(): { state: CondenseState; condense: () => void } {
  const session = useSession();
  const state = useAppState(condenseState);
  const condense = useCallback(() => session.tasks.condense(), [session]);
  return { state, condense };
}

function condenseState({ view, taskId, elsewhere, trusted, condenseWish }: AppState): CondenseState {
  if (taskId === undefined || view.contextTokens === 0 || elsewhere) return 'unavailable';
  if (view.condensing) return 'running';
  const busy = view.state === 'running' || view.state === 'waiting';
  // What came of a wish is a new row; a turn that ends takes the wish with it, or has it fulfilled at once.
  const waits =
    busy &&
    condenseWish?.taskId === taskId &&
    !view.items.some(
      ({ type, key }) =>
        (type === 'condensed' || type === 'trimmed' || type === 'notice') &&
        (seqOf(key) ?? 0) > condenseWish.lastSeq,
    );
  if (waits) return 'waits';
  return trusted ? 'possible' : 'unavailable';
}
