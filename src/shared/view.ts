import type { JournalEntry, TaskEvent } from './events.ts';
import type { PageBase } from './protocol.ts';
import type { TaskView } from './viewItems.ts';
import { openState, ViewFold } from './ViewFold.ts';

export function emptyView(): TaskView {
  return {
    taskId: '',
    parent: undefined,
    title: '',
    cwd: '',
    mode: '',
    model: undefined,
    state: 'idle',
    items: [],
    pending: [],
    todos: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    contextTokens: 0,
    contextWindow: undefined,
    request: undefined,
    failure: undefined,
    openRequest: undefined,
    condensing: undefined,
    lastSeq: 0,
    streaming: 0,
    openCalls: new Map(),
  };
}

/**
 * The view after these events. The items are copied at most once a call, and an item that did not change stays the same
 * object. Entries that were seen before are passed over; kinds that this version does not know change nothing.
 */
export function foldAll(view: TaskView, events: readonly TaskEvent[]): TaskView {
  const fold = new ViewFold(view);
  for (const event of events) {
    if (event.kind === 'entry') fold.entry(event.entry);
    else fold.delta(event.delta);
  }
  return fold.view();
}

/**
 * Whether a turn runs, as the agent says it: the journal alone cannot tell a turn that runs from one whose process is gone.
 * Without a turn, calls that were under way have an outcome that nobody knows, and previews are gone.
 */
export function withRunning(view: TaskView, running: boolean): TaskView {
  if (!running && view.condensing) return withRunning({ ...view, condensing: undefined }, running);
  const open = view.state === 'running' || view.state === 'waiting' || view.state === 'interrupted';
  if (!open) return view;
  if (running) return view.state === 'interrupted' ? { ...view, state: openState(view.pending) } : view;
  if (view.state === 'interrupted') return view;
  const fold = new ViewFold(view);
  fold.interrupt();
  return fold.view();
}

/** What a view begins with when only the end of the journal is there. */
export function viewFrom({ model, parent, ...base }: PageBase): TaskView {
  return { ...emptyView(), ...base, parent, model, contextWindow: model?.contextWindow };
}

/** The view with the items of a page of the journal that ends where it begins. */
export function withEarlier(view: TaskView, base: PageBase, entries: readonly JournalEntry[]): TaskView {
  const events = entries.map((entry): TaskEvent => ({ kind: 'entry', entry }));
  const { items } = foldAll(viewFrom(base), events);
  if (items.length === 0) return view;
  return {
    ...view,
    items: [...items, ...view.items],
    openCalls: new Map(Array.from(view.openCalls, ([callId, index]) => [callId, index + items.length])),
  };
}
