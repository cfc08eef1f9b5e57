import type { ApprovalDecision, ApprovalRequest } from './approvals.ts';
import type { Fact, JournalEntry, TaskDelta } from './events.ts';
import { FoldedItems } from './FoldedItems.ts';
import type { TaskView } from './viewItems.ts';
import { addUsage, blockKey, condensedItem, entryKey, reasoningKey, statusOf, titleOf } from './viewParts.ts';

/** One batch: a shallow copy of the view, its lists copied when first changed. */
export class ViewFold {
  readonly #before: TaskView;
  readonly #view: TaskView;
  readonly #items: FoldedItems;
  #changed = false;

  constructor(view: TaskView) {
    this.#before = view;
    this.#view = { ...view };
    this.#items = new FoldedItems(this.#view);
  }

  view(): TaskView {
    return this.#changed || this.#items.changed ? this.#view : this.#before;
  }

  entry(entry: JournalEntry): void {
    const view = this.#view;
    if (entry.seq <= view.lastSeq) return;
    this.#changed = true;
    view.lastSeq = entry.seq;
    view.failure = undefined;
    // What streamed is over when anything but its message follows the end of its request.
    if (view.openRequest === undefined && entry.type !== 'assistant_message') this.#items.dropStreaming();
    const key = entryKey(entry.seq);
    switch (entry.type) {
      case 'task_started':
        view.taskId = entry.taskId;
        view.parent = entry.parent?.taskId;
        view.cwd = entry.cwd;
        view.mode = entry.mode;
        view.model = entry.model;
        view.contextWindow = entry.model?.contextWindow;
        break;
      case 'user_message':
        this.#userMessage(key, entry);
        break;
      case 'mentions_read':
        // Words with an answer have no item of their own.
        this.#items.changeMessage(entryKey(entry.of), { mentions: entry.mentions });
        break;
      case 'request_started':
        view.model = entry.model;
        view.contextWindow = entry.model.contextWindow;
        if (entry.purpose === 'condense') {
          view.condensing = { requestId: entry.requestId, startedAt: entry.at };
          break;
        }
        this.#items.dropStreaming();
        this.#runs();
        view.openRequest = { requestId: entry.requestId, startedAt: entry.at };
        break;
      case 'request_finished':
        this.#requestFinished(key, entry);
        break;
      case 'assistant_message':
        this.#assistantMessage(entry);
        break;
      case 'approval_requested':
        view.pending = [...view.pending, entry.request];
        if (entry.request.reason === 'tool' || entry.request.reason === 'question')
          this.#items.changeCall(entry.request.callId, { state: 'waiting' });
        this.#runs();
        break;
      case 'approval_resolved':
        this.#approvalResolved(entry.approvalId, entry.decision);
        break;
      case 'tool_started':
        this.#runs();
        this.#items.call(entry.callId, entry.tool, key, (item) => ({
          ...item,
          state: 'running',
          startedAt: entry.at,
          view: entry.view,
        }));
        break;
      case 'tool_finished':
        this.#toolFinished(key, entry);
        break;
      case 'subtask_started':
        this.#items.changeCall(entry.callId, { subtask: { taskId: entry.taskId, mode: entry.mode } });
        break;
      case 'mode_changed':
        view.mode = entry.mode;
        this.#items.add({
          type: 'mode',
          key,
          mode: entry.mode,
          by: entry.by,
          ...(entry.reason === undefined ? {} : { reason: entry.reason }),
        });
        break;
      case 'model_changed':
        view.model = entry.model;
        view.contextWindow = entry.model.contextWindow;
        this.#items.add({ type: 'model', key, model: entry.model });
        break;
      case 'todos_updated':
        view.todos = entry.todos;
        break;
      case 'context_condensed':
      case 'results_trimmed':
        view.contextTokens = entry.tokensAfter ?? view.contextTokens;
        this.#items.add(condensedItem(key, entry));
        break;
      case 'checkpoint_saved':
        if (entry.callId !== undefined)
          this.#items.changeCall(entry.callId, { checkpointId: entry.checkpointId });
        if (entry.reason === 'restore')
          this.#items.add({ type: 'restored', key, undoId: entry.checkpointId });
        break;
      case 'checkpoint_restored':
        this.#items.restored(key, entry);
        break;
      case 'title_changed':
        view.title = entry.title;
        break;
      case 'notice':
        this.#items.add({ type: 'notice', key, level: entry.level, message: entry.message });
        break;
      case 'task_finished':
        this.#taskFinished(key, entry);
        break;
    }
  }

  delta(delta: TaskDelta): void {
    const view = this.#view;
    switch (delta.type) {
      case 'block':
        if (delta.requestId === view.openRequest?.requestId) this.#items.block(delta.requestId, delta.delta);
        break;
      case 'reasoning':
        if (delta.requestId === view.openRequest?.requestId)
          this.#items.reasoning(delta.requestId, delta.text);
        break;
      case 'tool_view':
        if (delta.requestId === view.openRequest?.requestId)
          this.#items.streamedView(delta.requestId, delta.block, delta.view);
        break;
      case 'tool_output':
        this.#items.output(delta.callId, delta.text);
        break;
      case 'request_status':
        if (![view.openRequest?.requestId, view.condensing?.requestId].includes(delta.requestId)) break;
        this.#changed = true;
        view.request = statusOf(delta);
        break;
      case 'turn_failed':
        this.#items.dropStreaming();
        this.#changed = true;
        view.openRequest = undefined;
        view.request = undefined;
        view.failure = { error: delta.error, unsent: delta.unsent };
        view.state = 'failed';
        break;
    }
  }

  interrupt(): void {
    const view = this.#view;
    this.#changed = true;
    this.#items.dropStreaming();
    view.openRequest = undefined;
    view.request = undefined;
    view.state = 'interrupted';
    this.#items.loseRunningCalls();
  }

  #runs(): void {
    this.#view.state = openState(this.#view.pending);
  }

  #userMessage(key: string, entry: Extract<Fact, { type: 'user_message' }>): void {
    const view = this.#view;
    const automatic = entry.automatic === true;
    this.#runs();
    if (view.title === '' && !automatic) view.title = titleOf(entry.text);
    if (automatic && entry.text === '') return;
    const { text, images = [], attachments } = entry;
    this.#items.add({ type: 'user', key, text, images, automatic, ...(attachments ? { attachments } : {}) });
  }

  #requestFinished(key: string, entry: Extract<Fact, { type: 'request_finished' }>): void {
    const view = this.#view;
    if (entry.usage) {
      view.usage = addUsage(view.usage, entry.usage);
      if (view.condensing?.requestId !== entry.requestId)
        view.contextTokens = entry.usage.inputTokens + entry.usage.outputTokens;
    }
    if (view.condensing?.requestId === entry.requestId) view.condensing = undefined;
    if (view.openRequest?.requestId === entry.requestId) view.openRequest = undefined;
    view.request = undefined;
    if (entry.stopReason === 'error' && entry.error)
      this.#items.add({ type: 'error', key, message: entry.error.message });
  }

  #assistantMessage(entry: Extract<Fact, { type: 'assistant_message' }>): void {
    this.#items.dropStreaming();
    const { requestId, reasoning, content } = entry;
    if (reasoning && reasoning.text !== '')
      this.#items.add({
        type: 'reasoning',
        key: reasoningKey(requestId),
        text: reasoning.text,
        streaming: false,
        durationMs: reasoning.durationMs,
      });
    content.forEach((block, index) => {
      const key = blockKey(requestId, index);
      if (block.type === 'tool_use') this.#items.addCall(key, block);
      else if (block.text.trim() !== '')
        this.#items.add({ type: 'text', key, text: block.text, streaming: false });
    });
  }

  #approvalResolved(approvalId: string, decision: ApprovalDecision): void {
    const view = this.#view;
    const request = view.pending.find(({ id }) => id === approvalId);
    view.pending = view.pending.filter(({ id }) => id !== approvalId);
    this.#runs();
    if (request?.reason !== 'tool' && request?.reason !== 'question') return;
    const feedback = decision.feedback ? { feedback: decision.feedback } : {};
    switch (decision.outcome) {
      case 'allow':
        this.#items.changeCall(request.callId, { state: 'running', ...feedback });
        break;
      case 'reject':
        this.#items.changeCall(request.callId, { state: 'rejected', ...feedback });
        break;
      case 'cancelled':
        this.#items.changeCall(request.callId, { state: 'queued' });
        break;
    }
  }

  #toolFinished(key: string, entry: Extract<Fact, { type: 'tool_finished' }>): void {
    const { callId, outcome, details } = entry;
    const background = outcome === 'done' && details?.type === 'command' && details.background === true;
    this.#runs();
    this.#items.call(callId, entry.tool, key, (item) => ({
      ...item,
      state: background ? 'background' : outcome,
      view: entry.view,
      result: entry.content,
      durationMs: entry.durationMs,
      output: details?.type === 'command' ? details.output : '',
      ...(details ? { details } : {}),
      ...(entry.feedback === undefined ? {} : { feedback: entry.feedback }),
    }));
    this.#items.closeCall(callId);
  }

  #taskFinished(key: string, entry: Extract<Fact, { type: 'task_finished' }>): void {
    const view = this.#view;
    view.state = entry.reason;
    view.condensing = undefined;
    view.openRequest = undefined;
    view.request = undefined;
    this.#items.dropStreaming();
    this.#items.closeCalls();
    switch (entry.reason) {
      case 'completed':
        this.#items.add({ type: 'completion', key, result: entry.result ?? '' });
        break;
      case 'failed': {
        const last = view.items.at(-1);
        const said = last?.type === 'error' && JSON.stringify(last.message) === JSON.stringify(entry.error);
        if (!said && entry.error) this.#items.add({ type: 'error', key, message: entry.error });
        break;
      }
      case 'cancelled':
      case 'refusal':
      case 'max_turn_requests':
        this.#items.add({ type: 'ended', key, reason: entry.reason });
        break;
      case 'answered':
      case 'question':
        break;
    }
  }
}

export function openState(pending: readonly ApprovalRequest[]): 'running' | 'waiting' {
  return pending.length > 0 ? 'waiting' : 'running';
}
