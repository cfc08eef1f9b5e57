import { useEffect, useRef, useState } from 'react';
import type { TaskSummary } from '../../../src/shared/protocol.ts';
import { formatCost } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { modeName } from '../common/modeName.ts';
import { ScreenHead } from '../common/ScreenHead.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { subtasksBelow } from './subtasksBelow.ts';
import { TaskEntry } from './TaskEntry.tsx';

/** Entries that are shown before asking for more: a list of thousands must not block the panel. */
const SHOWN = 100;
/** Milliseconds without a key after which the text of tasks is searched. */
const PAUSE = 200;

/** The tasks of this workspace, or of all: find, open, resume, rename, export, delete. */
export function History(): React.JSX.Element {
  const words = useWords();
  const hasWorkspace = useAppState((state) => state.workspace !== undefined);
  const [everywhere, setEverywhere] = useState(false);
  const tasks = useTasks(everywhere);
  const [search, setSearch] = useState('');
  const [mode, setMode] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const wanted = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const { excerpts, searching } = useExcerpts(search.trim());
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
        {hasWorkspace && (
          <select
            value={everywhere ? 'all' : 'this'}
            aria-label={words('webview.filterWorkspace')}
            data-testid="history-workspace"
            onChange={(event) => setEverywhere(event.target.value === 'all')}
          >
            <option value="this">{words('webview.thisWorkspace')}</option>
            <option value="all">{words('webview.allWorkspaces')}</option>
          </select>
        )}
        <ModeFilter tasks={tasks} mode={mode} onChange={setMode} />
      </div>
      {found === undefined && (
        <p className="quiet">
          <Icon name="loading" spin /> {words('webview.opening')}
        </p>
      )}
      {found !== undefined && (
        <p className="quiet" role="status" data-testid="history-count">
          {found.length === 0
            ? !searching &&
              words(
                filtered
                  ? 'webview.noTasksFound'
                  : everywhere
                    ? 'webview.noTasksAnywhere'
                    : 'webview.noTasks',
              )
            : words('webview.taskCount', { count: found.length })}
          {costs.length > 0 && `${words('webview.listSeparator')}${formatCost(sum(costs))}`}
          {searching && (
            <span data-testid="searching">
              {' '}
              <Icon name="loading" spin /> {words('webview.searching')}
            </span>
          )}
        </p>
      )}
      <Deleted />
      <ul className="list">
        {subtasksBelow(found ?? [])
          .slice(0, shown)
          .map(({ task, below }) => (
            <TaskEntry key={task.id} task={task} below={below} excerpt={excerpts.get(task.id)} />
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

/** Those of this workspace, which the session keeps fresh; or those of all, fetched again whenever those change. */
function useTasks(everywhere: boolean): readonly TaskSummary[] | undefined {
  const session = useSession();
  const here = useAppState((state) => state.tasks);
  const [all, setAll] = useState<readonly TaskSummary[]>();
  useEffect(() => {
    if (!everywhere) return undefined;
    let over = false;
    session.attempt(async () => {
      const found = await session.tasks.everywhere();
      if (!over) setAll(found);
    });
    return () => {
      over = true;
    };
  }, [session, everywhere, here]);
  return everywhere ? all : here;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Where tasks say what is looked for; asked when typing pauses. What is typed next takes the place of a search that still goes on. */
function useExcerpts(query: string): { excerpts: ReadonlyMap<string, string>; searching: boolean } {
  const session = useSession();
  const [found, setFound] = useState({ query: '', excerpts: NOTHING });
  const asks = query.length >= 2;
  useEffect(() => {
    if (!asks) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      session.attempt(async () => {
        let excerpts = NOTHING;
        try {
          excerpts = await session.tasks.search(query.slice(0, 200));
        } finally {
          if (!over) setFound({ query, excerpts });
        }
      });
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, query, asks]);
  const known = asks && found.query === query;
  return { excerpts: known ? found.excerpts : NOTHING, searching: asks && !known };
}

function ModeFilter(props: {
  tasks: readonly TaskSummary[] | undefined;
  mode: string;
  onChange: (mode: string) => void;
}): React.JSX.Element | null {
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const used = [...new Set(props.tasks?.map(({ mode }) => mode))];
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
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The row took the focused button with it; never from an editor.
    if (deleted && document.hasFocus() && document.activeElement === document.body) undo.current?.focus();
  }, [deleted]);
  if (!deleted) return null;
  return (
    <div className="banner" role="status" data-testid="deleted">
      <Icon name="trash" />
      <span dir="auto">{words('webview.deleted', { title: deleted.title })}</span>
      <button
        type="button"
        ref={undo}
        className="link"
        data-testid="undo-delete"
        onClick={() => session.tasks.undoDelete()}
      >
        {words('webview.undo')}
      </button>
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
