import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useAppState, useSession } from '../useSession.ts';
import { firstItem, holdsItem, type Row } from './rows.ts';

/** Milliseconds after the last scrolling until its place is kept. */
const REST = 150;
/** Pages that are fetched to come back to a place: what is further away is not worth the wait. */
const MOST_PAGES = 20;

interface Parts {
  taskId: string;
  list: React.RefObject<VirtualizerHandle | null>;
  scroller: React.RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  follows: React.RefObject<boolean>;
  toEnd: () => void;
}

/** Where the transcript begins: as it was before another screen, or a reload, or at its end. */
export function useFirstPlace(taskId: string) {
  const { places } = useSession();
  const [first] = useState(() => ({
    heights: places.heights?.taskId === taskId ? places.heights : undefined,
    place: places.of(taskId),
  }));
  return first;
}

/** Comes back to where the reader was, and keeps where they are. */
export function usePlace(
  { heights, place }: ReturnType<typeof useFirstPlace>,
  { taskId, list, scroller, rows, follows, toEnd }: Parts,
): void {
  const session = useSession();
  const before = useAppState((state) => state.before);
  const wanted = useRef(heights ? undefined : place);
  const shown = useRef(rows);
  useLayoutEffect(() => {
    shown.current = rows;
  });

  // Back from another screen: the same rows at the same heights, so the same offset.
  useLayoutEffect(() => {
    if (heights && scroller.current) scroller.current.scrollTop = heights.offset;
    return () => {
      const handle = list.current;
      session.places.heights =
        handle && !follows.current ? { taskId, offset: handle.scrollOffset, cache: handle.cache } : undefined;
    };
  }, [session, heights, follows, list, scroller, taskId]);

  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { key, offset, before: reached } = wanted.current;
    const index = rows.findIndex((row) => holdsItem(row, key));
    if (index >= 0) {
      wanted.current = undefined;
      list.current?.scrollToIndex(index, { align: 'start', offset });
    } else if (before > reached && session.store.state.pages < MOST_PAGES)
      void session.fetchEarlier().then((came) => {
        if (!came) wanted.current = undefined;
      });
    else {
      wanted.current = undefined;
      toEnd();
    }
  }, [session, list, rows, before, toEnd]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (): void => {
      const handle = list.current;
      if (!handle || wanted.current) return;
      const index = handle.findItemIndex(handle.scrollOffset);
      const row = shown.current[index];
      if (follows.current || !row) session.places.save(taskId, undefined);
      else
        session.places.save(taskId, {
          key: firstItem(row).key,
          offset: Math.round(handle.scrollOffset - handle.getItemOffset(index)),
          before: session.store.state.before,
        });
    };
    const onScroll = (): void => {
      clearTimeout(timer);
      timer = setTimeout(keep, REST);
    };
    // Who scrolls now wants to be somewhere else.
    const onOwnMove = (): void => {
      wanted.current = undefined;
    };
    const moves = ['wheel', 'pointerdown', 'keydown'] as const;
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const move of moves) element.addEventListener(move, onOwnMove, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', onScroll);
      for (const move of moves) element.removeEventListener(move, onOwnMove);
    };
  }, [session, scroller, list, follows, taskId]);
}
