import { useEffect, useLayoutEffect, useRef } from 'react';
import { useAppState, useSession } from '../useSession.ts';

/** How many times its own height may stand above the window before more is fetched. */
const AHEAD = 3;

interface Earlier {
  /** Rows were put before those of the last time: what is in sight keeps its place. */
  grown: boolean;
  /** The reader has come to the beginning of what is here, and more is on its way. */
  fetching: boolean;
}

/** Fetches earlier pages of the task while the reader comes near the beginning of what is here, before they are there. */
export function useEarlier(scroller: React.RefObject<HTMLDivElement | null>): Earlier {
  const session = useSession();
  const pages = useAppState((state) => state.pages);
  const before = useAppState((state) => state.before);
  const fetching = useAppState((state) => state.fetching);
  const shown = useRef(pages);
  const grown = pages !== shown.current;
  useLayoutEffect(() => {
    shown.current = pages;
  });

  useEffect(() => {
    const element = scroller.current;
    if (!element || before === 0) return undefined;
    const look = (): void => {
      if (element.clientHeight === 0 || element.scrollTop > AHEAD * element.clientHeight) return;
      if (!session.store.state.fetching) void session.fetchEarlier();
    };
    // After the rows of the last page have been laid out and the reader's place was put right.
    const frame = requestAnimationFrame(() => requestAnimationFrame(look));
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', look);
    };
  }, [session, scroller, before]);

  return { grown, fetching };
}
