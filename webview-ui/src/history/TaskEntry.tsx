import { useState } from 'react';
import { MAX_TITLE, type TaskSummary } from '../../../src/shared/protocol.ts';
import { formatAge, formatCost } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { Menu } from '../common/Menu.tsx';
import { MiddleText } from '../common/MiddleText.tsx';
import { modeName } from '../common/modeName.ts';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** One task: what it was about, how it ended, what it cost; and what can be done with it. */
export function TaskEntry({
  task,
  below,
  excerpt,
}: {
  task: TaskSummary;
  /** It stands below its parent. */
  below: boolean;
  excerpt: string | undefined;
}): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const workspace = useAppState((state) => state.workspace);
  const running = task.state === 'running' || task.state === 'waiting';
  const title = task.title === '' ? words('webview.untitled') : task.title;
  const [renaming, setRenaming] = useState(false);
  if (renaming) {
    return (
      <li className="list-entry" data-testid="history-item" data-task={task.id}>
        <Rename
          title={task.title}
          onDone={(renamed) => {
            setRenaming(false);
            if (renamed !== undefined) session.tasks.rename(task.id, renamed);
          }}
        />
      </li>
    );
  }
  return (
    <li
      className={below ? 'list-entry list-entry-below' : 'list-entry'}
      data-testid="history-item"
      data-task={task.id}
      {...(task.parent === undefined ? {} : { 'data-parent': task.parent })}
    >
      <button
        type="button"
        className="list-main"
        data-testid="open-task"
        onClick={() => session.openTask(task.id)}
      >
        <span className="list-title" dir="auto">
          {title}
        </span>
        {excerpt !== undefined && (
          <span className="quiet excerpt" dir="auto">
            {excerpt}
          </span>
        )}
        <span className="quiet list-facts">
          {task.parent !== undefined && (
            <span>
              <Icon name="type-hierarchy-sub" /> {words('webview.tool.new_task.base')}
            </span>
          )}
          <span>{words(`webview.taskState.${task.state}`)}</span>
          <span>{formatAge(words, task.updatedAt, Date.now())}</span>
          <span>{modeName(words, modes, task.mode)}</span>
          {task.usage.cost !== undefined && <span className="number">{formatCost(task.usage.cost)}</span>}
        </span>
        {task.cwd !== workspace && (
          <span className="quiet list-facts" data-testid="task-folder">
            <MiddleText text={task.cwd} />
          </span>
        )}
      </button>
      <Menu
        label={words('webview.taskActions', { title })}
        testId="task-actions"
        below
        items={[
          ...(task.state === 'interrupted' && task.cwd === workspace
            ? [{ id: 'resume', label: words('webview.resumeTask'), icon: 'debug-continue' }]
            : []),
          { id: 'rename', label: words('webview.rename'), icon: 'edit' },
          { id: 'markdown', label: words('webview.exportMarkdown'), icon: 'markdown' },
          { id: 'json', label: words('webview.exportJson'), icon: 'json' },
          ...(running ? [] : [{ id: 'delete', label: words('webview.delete'), icon: 'trash' }]),
        ]}
        onPick={(id) => {
          if (id === 'delete') session.tasks.delete({ id: task.id, title });
          else if (id === 'rename') setRenaming(true);
          else if (id === 'resume') session.tasks.resume(task.id);
          else session.tasks.export(task.id, id === 'json' ? 'json' : 'markdown');
        }}
      >
        <Icon name="ellipsis" />
      </Menu>
    </li>
  );
}

/** The title as a field: Enter keeps, Escape leaves it as it was. */
function Rename(props: { title: string; onDone: (title: string | undefined) => void }): React.JSX.Element {
  const words = useWords();
  const [title, setTitle] = useState(props.title);
  const keep = (): void => {
    const trimmed = title.trim();
    props.onDone(trimmed === '' || trimmed === props.title ? undefined : trimmed);
  };
  return (
    <input
      className="rename"
      value={title}
      maxLength={MAX_TITLE}
      autoFocus
      aria-label={words('webview.rename')}
      data-testid="rename"
      onChange={(event) => setTitle(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') keep();
        if (event.key === 'Escape') props.onDone(undefined);
      }}
    />
  );
}
