import { useEffect, useState } from 'react';
import { MAX_TITLE, type TaskSummary } from '../../../src/shared/protocol.ts';
import { formatAge, formatCost } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { Menu } from '../common/Menu.tsx';
import { modeName } from '../common/modeName.ts';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';

/** Entries that are shown before asking for more: a list of thousands must not block the panel. */
const SHOWN = 100;
/** Milliseconds without a key after which the text of tasks is searched. */
const PAUSE = 200;

/** The tasks of this workspace: find, open, export, delete. */
export function History(): React.JSX.Element {
  const words = useWords();
  const tasks = useAppState((state) => state.tasks);
  const [search, setSearch] = useState('');
  const [mode, setMode] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const wanted = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const excerpts = useExcerpts(search.trim());
  const found = tasks?.filter(
    (task) =>
      (mode === '' || task.mode === mode) &&
      (excerpts.has(task.id) || wanted.every((word) => task.title.toLowerCase().includes(word))),
  );
  // Of tasks whose price nobody knows, there is nothing to add up.
  const costs = (found ?? []).flatMap(({ usage }) => (usage.cost === undefined ? [] : [usage.cost]));
  const filtered = wanted.length > 0 || mode !== '';
  return (
    <main className="screen" data-testid="history">
      <ScreenHead title={words('webview.history')} />
      <div className="filters">
        <input
          type="search"
          value={search}
          placeholder={words('webview.searchTasks')}
          aria-label={words('webview.searchTasks')}
          data-testid="history-search"
          onChange={(event) => setSearch(event.target.value)}
        />
        <ModeFilter mode={mode} onChange={setMode} />
      </div>
      {found === undefined && (
        <p className="quiet">
          <Icon name="loading" spin /> {words('webview.opening')}
        </p>
      )}
      {found !== undefined && (
        <p className="quiet" role="status" data-testid="history-count">
          {found.length === 0
            ? words(filtered ? 'webview.noTasksFound' : 'webview.noTasks')
            : words('webview.taskCount', { count: found.length })}
          {costs.length > 0 && `${words('webview.listSeparator')}${formatCost(sum(costs))}`}
        </p>
      )}
      <Deleted />
      <ul className="list">
        {found?.slice(0, shown).map((task) => (
          <TaskEntry key={task.id} task={task} excerpt={excerpts.get(task.id)} />
        ))}
      </ul>
      {found !== undefined && found.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + SHOWN)}>
          {words('webview.showMoreTasks', { count: found.length - shown })}
        </button>
      )}
    </main>
  );
}

/** Where tasks say what is looked for; asked when typing pauses. */
function useExcerpts(query: string): ReadonlyMap<string, string> {
  const session = useSession();
  const [excerpts, setExcerpts] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    setExcerpts(new Map());
    if (query.length < 2) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      session.attempt(async () => {
        const found = await session.tasks.search(query.slice(0, 200));
        if (!over) setExcerpts(found);
      });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, query]);
  return excerpts;
}

function ModeFilter(props: { mode: string; onChange: (mode: string) => void }): React.JSX.Element | null {
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const tasks = useAppState((state) => state.tasks);
  const used = [...new Set(tasks?.map(({ mode }) => mode))];
  if (used.length < 2) return null;
  return (
    <select
      value={props.mode}
      aria-label={words('webview.filterMode')}
      data-testid="history-mode"
      onChange={(event) => props.onChange(event.target.value)}
    >
      <option value="">{words('webview.allModes')}</option>
      {used.map((slug) => (
        <option key={slug} value={slug}>
          {modeName(words, modes, slug)}
        </option>
      ))}
    </select>
  );
}

/** What was just deleted, until it really is. */
function Deleted(): React.JSX.Element | null {
  const session = useSession();
  const words = useWords();
  const deleted = useAppState((state) => state.deleted);
  if (!deleted) return null;
  return (
    <div className="banner" role="status" data-testid="deleted">
      <Icon name="trash" />
      <span dir="auto">{words('webview.deleted', { title: deleted.title })}</span>
      <button
        type="button"
        className="link"
        data-testid="undo-delete"
        onClick={() => session.tasks.undoDelete()}
      >
        {words('webview.undo')}
      </button>
    </div>
  );
}

function TaskEntry({ task, excerpt }: { task: TaskSummary; excerpt: string | undefined }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
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
        {excerpt !== undefined && (
          <span className="quiet excerpt" dir="auto">
            {excerpt}
          </span>
        )}
        <span className="quiet list-facts">
          <span>{words(`webview.taskState.${task.state}`)}</span>
          <span>{formatAge(words, task.updatedAt, Date.now())}</span>
          <span>{modeName(words, modes, task.mode)}</span>
          {task.usage.cost !== undefined && <span className="number">{formatCost(task.usage.cost)}</span>}
        </span>
      </button>
      <Menu
        label={words('webview.taskActions', { title })}
        testId="task-actions"
        below
        items={[
          { id: 'rename', label: words('webview.rename'), icon: 'edit' },
          { id: 'markdown', label: words('webview.exportMarkdown'), icon: 'markdown' },
          { id: 'json', label: words('webview.exportJson'), icon: 'json' },
          ...(running ? [] : [{ id: 'delete', label: words('webview.delete'), icon: 'trash' }]),
        ]}
        onPick={(id) => {
          if (id === 'delete') session.tasks.delete({ id: task.id, title });
          else if (id === 'rename') setRenaming(true);
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
