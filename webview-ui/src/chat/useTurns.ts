import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useSession } from '../useSession.ts';
import type { Row } from './rows.ts';

/** Milliseconds that a jump may take to come to rest while rows on its way are measured. */
const JUMP = 500;

interface Parts {
  list: React.RefObject<VirtualizerHandle | null>;
  scroller: React.RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  follows: React.RefObject<boolean>;
  follow: (wanted: boolean) => void;
  toEnd: () => void;
}

interface Turns {
  /** The row that was jumped to last, until the reader goes elsewhere. */
  current: string | undefined;
  /** To the message of the person before (-1) or after (1) the one at hand. */
  walk: (direction: -1 | 1) => void;
  /** To the end, from where walking begins anew. */
  leave: () => void;
}

/** Alt+Up and Alt+Down walk from message to message of the person; earlier ones are fetched on the way. */
export function useTurns({ list, scroller, rows, follows, follow, toEnd }: Parts): Turns {
  const session = useSession();
  const [current, setCurrent] = useState<string>();
  const latest = useRef({ rows, current });
  const jumped = useRef(0);
  useLayoutEffect(() => {
    latest.current = { rows, current };
  });

  const show = useCallback(
    (index: number) => {
      follow(false);
      list.current?.scrollToIndex(index, { align: 'start' });
      jumped.current = performance.now();
      setCurrent(latest.current.rows[index]?.key);
    },
    [follow, list],
  );
  const leave = useCallback(() => {
    setCurrent(undefined);
    toEnd();
  }, [toEnd]);
  const up = useCallback(async () => {
    const from = latest.current.rows[startOf(list, latest.current, jumped.current, follows.current, -1)]?.key;
    for (;;) {
      const { rows: known } = latest.current;
      const start = from === undefined ? known.length : known.findIndex(({ key }) => key === from);
      const index = known.findLastIndex((row, at) => at < start && isTurn(row));
      if (index >= 0) {
        show(index);
        return;
      }
      if (!(await session.fetchEarlier())) break;
      // The page is shown with the next frame at the latest.
      await new Promise(requestAnimationFrame);
    }
    follow(false);
    list.current?.scrollTo(0);
  }, [session, list, follows, follow, show]);
  const walk = useCallback(
    (direction: -1 | 1) => {
      if (direction === -1) {
        session.attempt(up);
        return;
      }
      const start = startOf(list, latest.current, jumped.current, follows.current, 1);
      const index = latest.current.rows.findIndex((row, at) => at > start && isTurn(row));
      if (index >= 0) show(index);
      else leave();
    },
    [session, list, follows, up, show, leave],
  );

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      walk(event.key === 'ArrowUp' ? -1 : 1);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [walk]);
  useEffect(() => {
    const element = scroller.current;
    const forget = (): void => setCurrent(undefined);
    element?.addEventListener('wheel', forget, { passive: true });
    element?.addEventListener('pointerdown', forget, { passive: true });
    return () => {
      element?.removeEventListener('wheel', forget);
      element?.removeEventListener('pointerdown', forget);
    };
  }, [scroller]);

  return { current, walk, leave };
}

function isTurn(row: Row): boolean {
  return row.kind === 'item' && row.item.type === 'user' && !row.item.automatic;
}

/** The row to walk from: the one that was jumped to while it is in sight, the end while it is followed, or the first in sight. */
function startOf(
  list: React.RefObject<VirtualizerHandle | null>,
  { rows, current }: { rows: readonly Row[]; current: string | undefined },
  jumped: number,
  following: boolean,
  direction: -1 | 1,
): number {
  const walked = current === undefined ? -1 : rows.findIndex(({ key }) => key === current);
  const handle = list.current;
  if (handle && walked >= 0) {
    const below = handle.getItemOffset(walked) - handle.scrollOffset;
    const underWay = performance.now() - jumped < JUMP;
    if (underWay || (below >= -1 && below < handle.viewportSize)) return walked;
  }
  if (!handle || following) return rows.length;
  const first = handle.findItemIndex(handle.scrollOffset);
  // A row whose beginning is above the window is itself a place to go up to.
  const partly = handle.scrollOffset - handle.getItemOffset(first) > 1;
  return direction === -1 && partly ? first + 1 : first;
}
