import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Pixels from the end within which the reader is at the end. */
const NEAR = 24;

export interface Follow {
  following: boolean;
  follow: (wanted: boolean) => void;
  toEnd: () => void;
  /** The same, as it is now. */
  follows: React.RefObject<boolean>;
  onScroll: () => void;
  onToggle: (event: React.MouseEvent) => void;
}

/** Stays at the end while the reader is there; leaves it only when the reader scrolls up or opens something. */
export function useFollow(
  scroller: React.RefObject<HTMLDivElement | null>,
  content: React.RefObject<HTMLDivElement | null>,
  atFirst: boolean,
): Follow {
  const [following, setFollowing] = useState(atFirst);
  const follows = useRef(atFirst);
  const lastTop = useRef(0);
  /** The list was moved by a pixel, and has not heard of it. */
  const nudged = useRef(false);

  const follow = useCallback((wanted: boolean) => {
    follows.current = wanted;
    setFollowing(wanted);
  }, []);
  const keepEnd = useCallback(() => {
    const element = scroller.current;
    if (!element || !follows.current || nudged.current) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [scroller]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    nudged.current = false;
    const up = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    if (isNearEnd(element)) follow(true);
    else if (up) follow(false);
  }, [scroller, follow]);

  useLayoutEffect(keepEnd);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      keepEnd();
    });
    if (scroller.current) observer.observe(scroller.current);
    if (content.current) observer.observe(content.current);
    // The list scrolls by itself when a row before the window grows, and draws nothing until it has heard of that. Where the end was
    // reached already nothing scrolls: it hears of a pixel up, and then the end is kept again.
    const rows = content.current?.firstElementChild;
    const emptied = new MutationObserver(() => {
      const element = scroller.current;
      if (!element || rows?.childElementCount !== 0 || element.scrollTop === 0) return;
      nudged.current = true;
      element.scrollTop -= 1;
    });
    if (rows) emptied.observe(rows, { childList: true });
    return () => {
      observer.disconnect();
      emptied.disconnect();
    };
  }, [scroller, content, keepEnd]);

  const toEnd = useCallback(() => {
    follow(true);
    keepEnd();
  }, [follow, keepEnd]);

  return {
    following,
    follows,
    follow,
    toEnd,
    onScroll,
    // What opens keeps its top where it was; the reader is at the end again when it still is in sight.
    onToggle: (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('[aria-expanded]')) return;
      follows.current = false;
      requestAnimationFrame(() => {
        const element = scroller.current;
        if (element) follow(isNearEnd(element));
      });
    },
  };
}

function isNearEnd(element: HTMLElement): boolean {
  return element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
}
