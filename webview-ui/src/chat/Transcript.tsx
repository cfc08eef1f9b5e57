import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { RowBuilder, type Row } from './rows.ts';
import { RowView } from './RowView.tsx';
import { Working } from './Working.tsx';

/** Pixels from the end within which the reader is at the end. */
const NEAR = 24;

/** The conversation. Only what is near the window exists as elements; it follows its end while the reader is there. */
export function Transcript(): React.JSX.Element {
  const words = useWords();
  const session = useSession();
  const items = useAppState(({ view }) => view.items);
  const builder = useRef<RowBuilder | null>(null);
  builder.current ??= new RowBuilder();
  const rows = builder.current.rows(items);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const taskId = useAppState((state) => state.taskId) ?? '';
  const [place] = useState(() => session.places.get(taskId));
  const { following, follows, toEnd, onScroll, onToggle } = useFollow(scroller, content, place === undefined);
  // Back from another screen: the same rows at the same heights, so the same offset.
  useLayoutEffect(() => {
    if (place && scroller.current) scroller.current.scrollTop = place.offset;
    return () => {
      const handle = list.current;
      if (handle && !follows.current)
        session.places.set(taskId, { offset: handle.scrollOffset, cache: handle.cache });
      else session.places.delete(taskId);
    };
  }, [session, follows, place, taskId]);
  const seen = useRef(0);
  if (following) seen.current = rows.length;
  const fresh = rows.length - seen.current;

  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        role="log"
        aria-live="off"
        aria-label={words('webview.transcript')}
        tabIndex={0}
        ref={scroller}
        onScroll={onScroll}
        onClickCapture={onToggle}
        data-testid="transcript"
      >
        <div ref={content}>
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            bufferSize={600}
            {...(place ? { cache: place.cache } : {})}
          >
            {(row: Row) => <RowView key={row.key} row={row} />}
          </Virtualizer>
          <Working />
        </div>
      </div>
      {!following && (
        <button type="button" className="pill" data-testid="pill" onClick={toEnd}>
          {fresh > 0 ? words('webview.latestCount', { count: fresh }) : words('webview.latest')}
          <Icon name="arrow-down" />
        </button>
      )}
    </div>
  );
}

interface Follow {
  following: boolean;
  toEnd: () => void;
  /** The same, as it is now. */
  follows: React.RefObject<boolean>;
  onScroll: () => void;
  onToggle: (event: React.MouseEvent) => void;
}

/** Stays at the end while the reader is there; leaves it only when the reader scrolls up or opens something. */
function useFollow(
  scroller: React.RefObject<HTMLDivElement | null>,
  content: React.RefObject<HTMLDivElement | null>,
  atFirst: boolean,
): Follow {
  const [following, setFollowing] = useState(atFirst);
  const follows = useRef(atFirst);
  const lastTop = useRef(0);

  const follow = useCallback((wanted: boolean) => {
    follows.current = wanted;
    setFollowing(wanted);
  }, []);
  const keepEnd = useCallback(() => {
    const element = scroller.current;
    if (!element || !follows.current) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [scroller]);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
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
    return () => observer.disconnect();
  }, [scroller, content, keepEnd]);

  return {
    following,
    follows,
    toEnd: () => {
      follow(true);
      keepEnd();
    },
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
