import type { ToolDetails } from '../../../src/shared/tools.ts';
import type { ToolItem } from '../../../src/shared/viewItems.ts';
import { UnifiedDiff } from '../diff/UnifiedDiff.tsx';
import { useSession, useWords } from '../useSession.ts';
import { PlainBody } from './PlainBody.tsx';

const STREAMED_LINES = 16;

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
  if (details?.type !== 'diff') {
    const text = item.params.content ?? item.params.diff ?? '';
    if (item.state === 'failed' || text === '') return <PlainBody item={item} />;
    return (
      <pre className="output streamed" tabIndex={0} aria-label={words('webview.changes')}>
        {lastLines(text, STREAMED_LINES)}
      </pre>
    );
  }
  return (
    <>
      <UnifiedDiff patch={details.patch} />
      {details.cut && <p className="quiet">{words('webview.diffCut')}</p>}
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
    </>
  );
}

/** The end of a text, found without splitting all of it. */
export function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let line = 0; line < count && start > 0; line++) start = text.lastIndexOf('\n', start - 1);
  return start > 0 ? text.slice(start + 1) : text;
}
