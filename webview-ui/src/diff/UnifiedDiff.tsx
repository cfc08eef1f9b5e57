import { memo, useEffect, useMemo, useState } from 'react';
import type { Highlighted } from '../markdown/highlight.ts';
import { useWords } from '../useSession.ts';
import { colourKey, highlightRows, type ColouredRows } from './highlightRows.ts';
import { parsePatch, type DiffRow } from './parsePatch.ts';

const SHOWN_ROWS = 200;

/** The change in the panel's own width: long lines wrap, the page never scrolls sideways. */
export const UnifiedDiff = memo(function UnifiedDiff({
  patch,
  path,
}: {
  patch: string;
  path: string;
}): React.JSX.Element {
  const words = useWords();
  const [whole, setWhole] = useState(false);
  const rows = useMemo(() => parsePatch(patch), [patch]);
  const shown = useMemo(() => (whole ? rows : rows.slice(0, SHOWN_ROWS)), [rows, whole]);
  return (
    <DiffRows rows={shown} path={path}>
      {shown.length < rows.length && (
        <div role="row">
          <button type="button" role="cell" className="link" onClick={() => setWhole(true)}>
            {words('webview.showAllLines', { count: rows.length })}
          </button>
        </div>
      )}
    </DiffRows>
  );
});

/** Plain until the language of the file has been loaded, and where it is not known. */
export function DiffRows(props: {
  rows: readonly DiffRow[];
  path: string;
  children?: React.ReactNode;
}): React.JSX.Element {
  const { rows, path, children } = props;
  const words = useWords();
  const [coloured, setColoured] = useState<ColouredRows>();
  useEffect(() => {
    let gone = false;
    void highlightRows(rows, languageOf(path)).then((parts) => {
      if (!gone) setColoured(parts);
    });
    return () => {
      gone = true;
    };
  }, [rows, path]);
  return (
    <div className="diff" role="table" aria-label={words('webview.changes')} data-testid="diff">
      {rows.map((row, index) => (
        <Line key={index} row={row} first={index === 0} parts={coloured?.get(colourKey(row))} />
      ))}
      {children}
    </div>
  );
}

function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

interface LineProps {
  row: DiffRow;
  first: boolean;
  parts: Highlighted | undefined;
}

const Line = memo(function Line({ row, first, parts }: LineProps): React.ReactNode {
  switch (row.type) {
    case 'hunk':
      return first && row.text === '' ? null : (
        <div role="row" className="diff-row diff-hunk">
          <span role="cell">{`⋯ ${row.text}`}</span>
        </div>
      );
    case 'same':
      return <Code kind="same" sign=" " number={row.after} text={row.text} parts={parts} />;
    case 'added':
      return <Code kind="added" sign="+" number={row.after} text={row.text} parts={parts} />;
    case 'removed':
      return <Code kind="removed" sign="−" number={row.before} text={row.text} parts={parts} />;
  }
});

function Code(props: {
  kind: string;
  sign: string;
  number: number;
  text: string;
  parts: Highlighted | undefined;
}): React.JSX.Element {
  return (
    <div role="row" className={`diff-row diff-${props.kind}`}>
      <span role="cell" className="diff-number">
        {props.number === 0 ? '' : props.number}
      </span>
      <span role="cell" className="diff-sign">
        {props.sign}
      </span>
      <span role="cell" className="diff-text">
        {props.parts
          ? props.parts.map(({ scope, text }, index) => (
              <span key={index} className={scope === '' ? undefined : scope}>
                {text}
              </span>
            ))
          : props.text}
      </span>
    </div>
  );
}
