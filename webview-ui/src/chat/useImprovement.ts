import { useCallback, useEffect, useRef, useState } from 'react';
import { MAX_GIVEN_TEXT } from '../../../src/shared/protocol.ts';
import { useAppState, useSession } from '../useSession.ts';

export interface Improvement {
  /** `kept`: the person wrote on, and their text stands. `undefined`: nothing is under way or can be undone. */
  state: 'working' | 'done' | 'kept' | undefined;
  start: () => void;
  cancel: () => void;
  undo: () => void;
}

/** Has the model rewrite the draft; the original comes back with one press as long as nothing else was written. */
export function useImprovement(): Improvement {
  const session = useSession();
  const taskId = useAppState((state) => state.taskId);
  const text = useAppState((state) => state.draft.text);
  const running = useRef<string | undefined>(undefined);
  const [state, setState] = useState<'working' | 'kept' | undefined>();
  const [done, setDone] = useState<{ before: string; after: string } | undefined>();

  const cancel = useCallback((): void => {
    const id = running.current;
    running.current = undefined;
    setState(undefined);
    if (id !== undefined) session.attempt(() => session.transport.call('text/cancel', { id }));
  }, [session]);
  // Another task has another draft.
  useEffect(
    () => () => {
      if (running.current !== undefined) cancel();
      setState(undefined);
      setDone(undefined);
    },
    [taskId, cancel],
  );

  const start = (): void => {
    const before = session.store.state.draft.text;
    const id = crypto.randomUUID();
    running.current = id;
    setDone(undefined);
    setState('working');
    session.attempt(async () => {
      try {
        const given = before.slice(0, MAX_GIVEN_TEXT);
        const written = await session.transport.call('text/write', {
          id,
          purpose: 'better_prompt',
          text: given,
        });
        if (running.current !== id) return;
        const { draft } = session.store.state;
        if (draft.text !== before) {
          setState('kept');
          return;
        }
        session.write({ ...draft, text: written.text });
        setDone({ before, after: written.text });
        setState(undefined);
      } catch (error) {
        // Who cancelled it knows why nothing came.
        if (running.current !== id) return;
        setState(undefined);
        throw error;
      } finally {
        if (running.current === id) running.current = undefined;
      }
    });
  };
  const undo = (): void => {
    if (!done) return;
    session.write({ ...session.store.state.draft, text: done.before });
    setDone(undefined);
    session.focusComposer();
  };
  const shown = state ?? (done?.after === text ? 'done' : undefined);
  return { state: state === 'kept' && text === '' ? undefined : shown, start, cancel, undo };
}
