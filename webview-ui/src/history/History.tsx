import { useState } from 'react';
import type { TaskSummary } from '../../../src/shared/protocol.ts';
import { formatAge, formatCost } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { IconButton } from '../common/IconButton.tsx';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** The tasks of this workspace: find, open, delete. */
export function History(): React.JSX.Element {
  const words = useWords();
  const tasks = useAppState((state) => state.tasks);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = tasks?.filter(({ title }) => title.toLowerCase().includes(wanted));
  return (
    <main className="screen" data-testid="history">
      <ScreenHead title={words('webview.history')} />
      <input
        type="search"
        value={search}
        placeholder={words('webview.searchTasks')}
        aria-label={words('webview.searchTasks')}
        data-testid="history-search"
        onChange={(event) => setSearch(event.target.value)}
      />
      {found === undefined && (
        <p className="quiet">
          <Icon name="loading" spin /> {words('webview.opening')}
        </p>
      )}
      {found?.length === 0 && (
        <p className="quiet">{words(wanted === '' ? 'webview.noTasks' : 'webview.noTasksFound')}</p>
      )}
      <ul className="list">
        {found?.map((task) => (
          <TaskEntry key={task.id} task={task} />
        ))}
      </ul>
    </main>
  );
}

function TaskEntry({ task }: { task: TaskSummary }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const [confirming, setConfirming] = useState(false);
  const running = task.state === 'running' || task.state === 'waiting';
  const title = task.title === '' ? words('webview.untitled') : task.title;
  return (
    <li className="list-entry" data-testid="history-item" data-task={task.id}>
      <button
        type="button"
        className="list-main"
        data-testid="open-task"
        onClick={() => session.openTask(task.id)}
      >
        <span className="list-title" dir="auto">
          {title}
        </span>
        <span className="quiet list-facts">
          <span>{words(`webview.taskState.${task.state}`)}</span>
          <span>{formatAge(words, task.updatedAt, Date.now())}</span>
          {task.usage.cost !== undefined && <span className="number">{formatCost(task.usage.cost)}</span>}
        </span>
      </button>
      {confirming ? (
        <span className="confirm" role="group" aria-label={words('webview.deleteTask', { title })}>
          <button
            type="button"
            className="button"
            data-testid="confirm-delete"
            autoFocus
            onClick={() => session.deleteTask(task.id)}
          >
            {words('webview.delete')}
          </button>
          <button type="button" className="button secondary" onClick={() => setConfirming(false)}>
            {words('webview.keep')}
          </button>
        </span>
      ) : (
        <IconButton
          icon="trash"
          label={words('webview.deleteTask', { title })}
          testId="delete-task"
          disabled={running}
          onClick={() => setConfirming(true)}
        />
      )}
    </li>
  );
}
