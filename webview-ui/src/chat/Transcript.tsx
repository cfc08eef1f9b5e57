import { useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { RowBuilder, type Row } from './rows.ts';
import { RowView } from './RowView.tsx';
import { useEarlier } from './useEarlier.ts';
import { useFollow } from './useFollow.ts';
import { Working } from './Working.tsx';

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
  const { grown, fetching } = useEarlier(scroller);
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
  const seen = useRef({ rows: 0, of: 0 });
  if (following) seen.current = { rows: rows.length, of: rows.length };
  else if (grown) seen.current.rows += rows.length - seen.current.of;
  seen.current.of = rows.length;
  const fresh = rows.length - seen.current.rows;

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
            shift={grown}
            bufferSize={600}
            {...(place ? { cache: place.cache } : {})}
          >
            {(row: Row) => <RowView key={row.key} row={row} />}
          </Virtualizer>
          <Working />
        </div>
      </div>
      {fetching && (
        <p className="earlier quiet" role="status" data-testid="earlier">
          <Icon name="loading" spin /> {words('webview.earlier')}
        </p>
      )}
      {!following && (
        <button type="button" className="pill" data-testid="pill" onClick={toEnd}>
          {fresh > 0 ? words('webview.latestCount', { count: fresh }) : words('webview.latest')}
          <Icon name="arrow-down" />
        </button>
      )}
    </div>
  );
}
