import { useMemo } from 'react';
import type { ToolDetails } from '../../../src/shared/tools.ts';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { streamedRows } from '../diff/streamedRows.ts';
import { DiffRows, UnifiedDiff } from '../diff/UnifiedDiff.tsx';
import { useInEditor, useSession, useWords } from '../useSession.ts';
import { PlainBody } from './PlainBody.tsx';

const STREAMED_ROWS = 16;

/** The change: the end of what streams, then the diff. */
export function EditBody({
  item,
  details,
}: {
  item: ToolItem;
  details: ToolDetails | undefined;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const inEditor = useInEditor();
  if (details?.type !== 'diff') {
    return <Streamed item={item} />;
  }
  return (
    <>
      <UnifiedDiff patch={details.patch} path={details.path} />
      {details.cut && <p className="quiet">{words(inEditor ? 'webview.diffCut' : 'web.diffCut')}</p>}
      {inEditor ? (
        <div className="card-actions">
          <button
            type="button"
            className="button secondary"
            data-testid="open-diff"
            onClick={() => session.callAction('editor/openDiff', item.callId)}
          >
            {words('webview.openDiff')}
          </button>
        </div>
      ) : (
        details.cut && <WholeCall item={item} />
      )}
    </>
  );
}

/** All that the model wrote, for whoever has no diff editor to see the rest of a large change in. */
function WholeCall({ item }: { item: ToolItem }): React.JSX.Element {
  const words = useWords();
  return (
    <details data-testid="whole-call">
      <summary className="link">{words('web.wholeCall')}</summary>
      {Object.entries(item.params).map(([name, value]) => (
        <pre key={name} className="output" tabIndex={0} aria-label={name} dir="ltr">
          {value}
        </pre>
      ))}
    </details>
  );
}

/** The end of the change as it grows. */
function Streamed({ item }: { item: ToolItem }): React.JSX.Element {
  const rows = useMemo(
    () => (item.state === 'failed' ? undefined : streamedRows(item, STREAMED_ROWS)),
    [item],
  );
  if (rows === undefined || rows.length === 0) return <PlainBody item={item} />;
  return <DiffRows rows={rows} path={pathOf(item)} />;
}

/** The tool says it when it has read its arguments; until then they do. */
function pathOf({ view, params }: ToolItem): string {
  if (view.subject !== '') return view.subject;
  return params.path ?? params.file_path ?? '';
}

/** The end of a text, found without splitting all of it. */
export function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let line = 0; line < count && start > 0; line++) start = text.lastIndexOf('\n', start - 1);
  return start > 0 ? text.slice(start + 1) : text;
}
