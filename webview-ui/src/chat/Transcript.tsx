import { useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { useAppState, useWords } from '../useSession.ts';
import { RowBuilder, type Row } from './rows.ts';
import { RowView } from './RowView.tsx';
import { useEarlier } from './useEarlier.ts';
import { useFollow } from './useFollow.ts';
import { useFirstPlace, usePlace } from './usePlace.ts';
import { useTurns } from './useTurns.ts';
import { Working } from './Working.tsx';

/** The conversation. Only what is near the window exists as elements; it follows its end while the reader is there. */
export function Transcript(): React.JSX.Element {
  const words = useWords();
  const items = useAppState(({ view }) => view.items);
  const builder = useRef<RowBuilder | null>(null);
  builder.current ??= new RowBuilder();
  const rows = builder.current.rows(items);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const taskId = useAppState((state) => state.taskId) ?? '';
  const first = useFirstPlace(taskId);
  const atEnd = first.heights === undefined && first.place === undefined;
  const { following, follows, follow, toEnd, onScroll, onToggle } = useFollow(scroller, content, atEnd);
  const { grown, fetching } = useEarlier(scroller);
  usePlace(first, { taskId, list, scroller, rows, follows, toEnd });
  const { current, walk, leave } = useTurns({ list, scroller, rows, follows, follow, toEnd });
  const seen = useRef({ rows: rows.length, of: rows.length });
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
            {...(first.heights ? { cache: first.heights.cache } : {})}
          >
            {(row: Row) => <RowView key={row.key} row={row} current={row.key === current} />}
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
        <div className="pill-group">
          <IconButton
            icon="arrow-up"
            label={words('webview.previousTurn')}
            testId="previous-turn"
            onClick={() => walk(-1)}
          />
          <IconButton
            icon="arrow-down"
            label={words('webview.nextTurn')}
            testId="next-turn"
            onClick={() => walk(1)}
          />
          <button type="button" className="pill" data-testid="pill" onClick={leave}>
            {fresh > 0 ? words('webview.latestCount', { count: fresh }) : words('webview.latest')}
            <Icon name="fold-down" />
          </button>
        </div>
      )}
    </div>
  );
}
