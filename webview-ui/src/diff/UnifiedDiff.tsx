import { memo, useMemo, useState } from 'react';
import { useWords } from '../useSession.ts';
import { parsePatch, type DiffRow } from './parsePatch.ts';

const SHOWN_ROWS = 200;

/** The change in the panel's own width: long lines wrap, the page never scrolls sideways. */
export const UnifiedDiff = memo(function UnifiedDiff({ patch }: { patch: string }): React.JSX.Element {
  const words = useWords();
  const [whole, setWhole] = useState(false);
  const rows = useMemo(() => parsePatch(patch), [patch]);
  const shown = whole ? rows : rows.slice(0, SHOWN_ROWS);
  return (
    <div className="diff" role="table" aria-label={words('webview.changes')} data-testid="diff">
      {shown.map((row, index) => (
        <Line key={index} row={row} first={index === 0} />
      ))}
      {shown.length < rows.length && (
        <div role="row">
          <button type="button" role="cell" className="link" onClick={() => setWhole(true)}>
            {words('webview.showAllLines', { count: rows.length })}
          </button>
        </div>
      )}
    </div>
  );
});

function Line({ row, first }: { row: DiffRow; first: boolean }): React.ReactNode {
  switch (row.type) {
    case 'hunk':
      return first && row.text === '' ? null : (
        <div role="row" className="diff-row diff-hunk">
          <span role="cell">{`⋯ ${row.text}`}</span>
        </div>
      );
    case 'same':
      return <Code kind="same" sign=" " number={row.after} text={row.text} />;
    case 'added':
      return <Code kind="added" sign="+" number={row.after} text={row.text} />;
    case 'removed':
      return <Code kind="removed" sign="−" number={row.before} text={row.text} />;
  }
}

function Code(props: { kind: string; sign: string; number: number; text: string }): React.JSX.Element {
  return (
    <div role="row" className={`diff-row diff-${props.kind}`}>
      <span role="cell" className="diff-number">
        {props.number}
      </span>
      <span role="cell" className="diff-sign">
        {props.sign}
      </span>
      <span role="cell" className="diff-text">
        {props.text}
      </span>
    </div>
  );
}
