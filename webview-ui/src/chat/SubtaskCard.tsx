import type { TaskView, ToolItem } from '../../../src/shared/viewItems.ts';
import { Icon } from '../common/Icon.tsx';
import { modeName } from '../common/modeName.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { useAppState, useOpenRow, useSession, useWords, type Words } from '../useSession.ts';
import { CallTime } from './CallTime.tsx';
import { resultText } from './PlainBody.tsx';
import { shownState, toolIcon, verb } from './toolWords.ts';

/** A subtask: its title leads into it; its mode, what it does now, and its state; open, what it is to do and what it came to. */
export function SubtaskCard({ item }: { item: ToolItem }): React.JSX.Element {
  const session = useSession();
  const words = useWords();
  const modes = useAppState((state) => state.modes);
  const [open, toggle] = useOpenRow(item.key, false);
  const taskId = item.subtask?.taskId ?? '';
  const live = useAppState(({ subtasks }) => subtasks.find((subtask) => subtask.taskId === taskId)?.view);
  const waits = useAppState(({ subtasks }) => subtasks.at(-1)?.view.state === 'waiting');
  const shown = stateOf(item, live, waits);
  const state = shownState(words, shown);
  const interrupted = shown.state === 'queued';
  const word = interrupted ? words('webview.taskState.interrupted') : state.word;
  const title = item.view.subject;
  const done = live?.todos.filter(({ status }) => status === 'completed').length ?? 0;
  const facts = [
    modeName(words, modes, item.subtask?.mode ?? ''),
    ...(live && live.todos.length > 0
      ? [words('webview.subtask.steps', { done, all: live.todos.length })]
      : []),
    ...(live && shown.state === 'running' ? activity(words, live) : []),
  ];
  return (
    <div
      className={`card card-${shown.state}`}
      data-testid="subtask-card"
      data-task={taskId}
      data-state={interrupted ? 'interrupted' : shown.state}
    >
      <div className="card-head">
        <button
          type="button"
          className="card-toggle"
          aria-expanded={open}
          aria-label={`${words('webview.tool.new_task.base')} ${title}`}
          onClick={toggle}
        >
          <Icon name={toolIcon(item.tool)} />
          <span className="card-verb">{words('webview.tool.new_task.base')}</span>
        </button>
        <span className="card-object">
          {' '}
          <button
            type="button"
            className="card-subject card-open subtask-title"
            data-testid="open-subtask"
            aria-label={words('webview.subtask.open', { title })}
            title={title}
            dir="auto"
            onClick={() => session.openTask(taskId)}
          >
            {title}
          </button>
        </span>
        <span className="card-state">
          {!state.spin && <CallTime item={item} />}
          {(!state.quiet || interrupted) && <span>{word}</span>}
          {state.spin && <CallTime item={item} />}
          <span title={word} className="card-state-icon">
            <Icon name={interrupted ? 'debug-pause' : state.icon} spin={state.spin} />
            {state.quiet && <span className="hidden">{word}</span>}
          </span>
        </span>
      </div>
      <div className="subtask-facts quiet">
        {facts.map((fact, index) => (
          <span key={index} dir="auto">
            {fact}
          </span>
        ))}
      </div>
      {open && (
        <div className="card-body">
          <p className="quiet">{words('webview.subtask.asked')}</p>
          <Markdown text={item.params.message ?? ''} />
          {item.result.length > 0 && (
            <>
              <p className="quiet">{words('webview.result')}</p>
              <Markdown text={resultText(item)} />
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** The call as its subtask is now: what the subtask waits for, its parent waits for. */
function stateOf(item: ToolItem, live: TaskView | undefined, waits: boolean): ToolItem {
  if (item.state !== 'running' || !live) return item;
  if (waits) return { ...item, state: 'waiting' };
  return live.state === 'interrupted' ? { ...item, state: 'queued' } : item;
}

/** What it does now, in a few words. */
function activity(words: Words, { items }: TaskView): string[] {
  const last = items.findLast(({ type }) => type === 'tool');
  if (last?.type !== 'tool' || last.tool === 'attempt_completion') return [];
  return [`${verb(words, last)} ${last.view.subject}`.trim()];
}
