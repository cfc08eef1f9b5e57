import { CopyButton } from '../common/CopyButton.tsx';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** What can be done with the open task as a whole. */
export function TaskActions({ prompt }: { prompt: string }): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const taskId = useAppState((state) => state.taskId);
  const title = useAppState(({ view }) => view.title);
  const busy = useAppState(({ view }) => view.state === 'running' || view.state === 'waiting');
  if (taskId === undefined) return null;
  // The history holds the way back.
  const remove = (): void => {
    session.show('history');
    session.tasks.delete({ id: taskId, title: title === '' ? words('webview.untitled') : title });
  };
  return (
    <div className="actions task-actions">
      <CopyButton text={() => prompt} />
      {(['markdown', 'json'] as const).map((format) => (
        <button
          type="button"
          key={format}
          className="link"
          aria-label={words(format === 'json' ? 'webview.exportJson' : 'webview.exportMarkdown')}
          title={words(format === 'json' ? 'webview.exportJson' : 'webview.exportMarkdown')}
          data-testid={`export-${format}`}
          onClick={() => session.tasks.export(taskId, format)}
        >
          <Icon name={format} />
          {format === 'json' ? 'JSON' : 'Markdown'}
        </button>
      ))}
      {!busy && (
        <button type="button" className="link" data-testid="delete-task" onClick={remove}>
          <Icon name="trash" />
          {words('webview.delete')}
        </button>
      )}
    </div>
  );
}
