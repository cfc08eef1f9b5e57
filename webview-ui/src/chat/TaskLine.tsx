import { useEffect, useState } from 'react';
import type { TodoItem } from '../../../src/shared/tools.ts';
import { CheckpointList } from '../checkpoints/CheckpointList.tsx';
import { formatCost, formatTokens } from '../common/format.ts';
import { Icon } from '../common/Icon.tsx';
import { useAppState, useSession, useWords } from '../useSession.ts';
import { Condense } from './Condense.tsx';
import { TaskActions } from './TaskActions.tsx';

/** The task in one line; it unfolds to what was asked, the todo list, and what it took. */
export function TaskLine(): React.JSX.Element {
  const words = useWords();
  const view = useAppState((state) => state.view);
  const [open, setOpen] = useState(false);
  const done = view.todos.filter(({ status }) => status === 'completed').length;
  return (
    <header className="task" data-testid="task-line" data-task={view.taskId} data-state={view.state}>
      <div className="task-line">
        <button
          type="button"
          className="task-title"
          aria-expanded={open}
          title={view.title}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span className="task-title-text" dir="auto">
            {view.title}
          </span>
        </button>
        {view.todos.length > 0 && (
          <span className="number" title={words('webview.todoProgress', { done, all: view.todos.length })}>
            <Icon name="checklist" />
            {`${done}/${view.todos.length}`}
          </span>
        )}
        <ContextMeter />
        <Condense />
        {view.usage.cost !== undefined && (
          <span className="number" title={words('webview.cost')} data-testid="cost">
            {formatCost(view.usage.cost)}
          </span>
        )}
      </div>
      {open && <TaskDetails todos={view.todos} />}
    </header>
  );
}

function ContextMeter(): React.JSX.Element | null {
  const words = useWords();
  const used = useAppState(({ view }) => view.contextTokens);
  const size = useAppState(({ view }) => view.contextWindow);
  if (used === 0) return null;
  if (size === undefined) {
    return (
      <span className="number" title={words('webview.contextUsed', { used: used.toLocaleString() })}>
        {formatTokens(used)}
      </span>
    );
  }
  const share = Math.min(1, used / size);
  const text = words('webview.contextMeter', {
    used: used.toLocaleString(),
    size: size.toLocaleString(),
    percent: Math.round(share * 100),
  });
  return (
    <span
      className="meter"
      role="meter"
      aria-label={words('webview.context')}
      aria-valuemin={0}
      aria-valuemax={size}
      aria-valuenow={used}
      aria-valuetext={text}
      title={text}
      data-testid="context-meter"
    >
      <svg viewBox="0 0 32 6" width="32" height="6" aria-hidden="true">
        <rect className="meter-track" width="32" height="6" rx="1" />
        <rect className={share > 0.8 ? 'meter-full' : 'meter-fill'} width={32 * share} height="6" rx="1" />
      </svg>
      <span className="number">{formatTokens(used)}</span>
    </span>
  );
}

const todoIcons: Record<TodoItem['status'], string> = {
  pending: 'circle-outline',
  in_progress: 'circle-filled',
  completed: 'check',
};

/** What was asked first: it may be far before what is here. */
function usePrompt(): string {
  const session = useSession();
  const taskId = useAppState((state) => state.taskId);
  const partly = useAppState(({ before }) => before > 0);
  const [asked, setAsked] = useState<string>();
  useEffect(() => {
    if (partly && taskId !== undefined)
      session.attempt(async () => setAsked(await session.tasks.firstMessage(taskId)));
  }, [session, partly, taskId]);
  const first = useAppState(({ view }) => {
    const item = view.items.find((candidate) => candidate.type === 'user' && !candidate.automatic);
    return item?.type === 'user' ? item.text : undefined;
  });
  const title = useAppState(({ view }) => view.title);
  return (partly ? asked : first) ?? title;
}

function TaskDetails({ todos }: { todos: readonly TodoItem[] }): React.JSX.Element {
  const words = useWords();
  const prompt = usePrompt();
  const usage = useAppState(({ view }) => view.usage);
  const model = useAppState(({ view }) => view.model);
  return (
    <div className="task-details">
      <div className="task-prompt" dir="auto" tabIndex={0} role="group" aria-label={words('webview.prompt')}>
        {prompt}
      </div>
      {todos.length > 0 && (
        <ul className="todos" aria-label={words('webview.todos')} data-testid="todos">
          {todos.map(({ text, status }, index) => (
            <li key={index} className={`todo-${status}`}>
              <span
                role="img"
                aria-label={words(`webview.todo.${status}`)}
                title={words(`webview.todo.${status}`)}
              >
                <Icon name={todoIcons[status]} />
              </span>
              <span dir="auto">{text}</span>
            </li>
          ))}
        </ul>
      )}
      <CheckpointList />
      <div className="task-facts quiet">
        {model && <span>{model.model}</span>}
        <span>
          {words('webview.tokens', {
            input: formatTokens(usage.inputTokens),
            cached: formatTokens(usage.cacheReadTokens),
            output: formatTokens(usage.outputTokens),
          })}
        </span>
      </div>
      <TaskActions prompt={prompt} />
    </div>
  );
}
