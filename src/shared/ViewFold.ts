import type { ApprovalDecision, ApprovalRequest } from './approvals.ts';
import type { Fact, JournalEntry, TaskDelta } from './events.ts';
import type { BlockDelta, ToolUse } from './tools.ts';
import { viewOfCall } from './viewOfCall.ts';
import {
  addUsage,
  appendOutput,
  statusOf,
  blockKey,
  blockOf,
  condensedItem,
  entryKey,
  newCall,
  reasoningKey,
  stringParams,
  titleOf,
} from './viewParts.ts';
import type { TaskView, ToolItem, ViewItem } from './viewItems.ts';

/** One batch: a shallow copy of the view, its lists copied when first changed. */
export class ViewFold {
  readonly #before: TaskView;
  readonly #view: TaskView;
  #items: ViewItem[] | undefined;
  #openCalls: Map<string, number> | undefined;
  #changed = false;

  constructor(view: TaskView) {
    this.#before = view;
    this.#view = { ...view };
  }

  view(): TaskView {
    return this.#changed ? this.#view : this.#before;
  }

  entry(entry: JournalEntry): void {
    const view = this.#view;
    if (entry.seq <= view.lastSeq) return;
    this.#changed = true;
    view.lastSeq = entry.seq;
    view.failure = undefined;
    // What streamed is over when anything but its message follows the end of its request.
    if (view.openRequest === undefined && entry.type !== 'assistant_message') this.#dropStreaming();
    const key = entryKey(entry.seq);
    switch (entry.type) {
      case 'task_started':
        view.taskId = entry.taskId;
        view.cwd = entry.cwd;
        view.mode = entry.mode;
        view.model = entry.model;
        view.contextWindow = entry.model?.contextWindow;
        break;
      case 'user_message':
        this.#userMessage(key, entry);
        break;
      case 'request_started':
        view.model = entry.model;
        view.contextWindow = entry.model.contextWindow;
        if (entry.purpose === 'condense') {
          view.condensing = { requestId: entry.requestId, startedAt: entry.at };
          break;
        }
        this.#dropStreaming();
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
          this.#changeCall(entry.request.callId, { state: 'waiting' });
        this.#runs();
        break;
      case 'approval_resolved':
        this.#approvalResolved(entry.approvalId, entry.decision);
        break;
      case 'tool_started':
        this.#runs();
        this.#call(entry.callId, entry.tool, key, (item) => ({
          ...item,
          state: 'running',
          startedAt: entry.at,
          view: entry.view,
        }));
        break;
      case 'tool_finished':
        this.#toolFinished(key, entry);
        break;
      case 'mode_changed':
        view.mode = entry.mode;
        this.#add({
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
        this.#add({ type: 'model', key, model: entry.model });
        break;
      case 'todos_updated':
        view.todos = entry.todos;
        break;
      case 'context_condensed':
      case 'results_trimmed':
        view.contextTokens = entry.tokensAfter ?? view.contextTokens;
        this.#add(condensedItem(key, entry));
        break;
      case 'title_changed':
        view.title = entry.title;
        break;
      case 'notice':
        this.#add({ type: 'notice', key, level: entry.level, message: entry.message });
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
        if (delta.requestId === view.openRequest?.requestId) this.#block(delta.requestId, delta.delta);
        break;
      case 'reasoning':
        if (delta.requestId === view.openRequest?.requestId) this.#reasoning(delta.requestId, delta.text);
        break;
      case 'tool_view': {
        if (delta.requestId !== view.openRequest?.requestId) break;
        const index = this.#streamingIndex(blockKey(delta.requestId, delta.block));
        const item = index === undefined ? undefined : view.items[index];
        if (index !== undefined && item?.type === 'tool') this.#set(index, { ...item, view: delta.view });
        break;
      }
      case 'tool_output': {
        const index = view.openCalls.get(delta.callId);
        const item = index === undefined ? undefined : view.items[index];
        if (index === undefined || item?.type !== 'tool') break;
        this.#set(index, { ...item, output: appendOutput(item.output, delta.text) });
        break;
      }
      case 'request_status':
        if (![view.openRequest?.requestId, view.condensing?.requestId].includes(delta.requestId)) break;
        this.#changed = true;
        view.request = statusOf(delta);
        break;
      case 'turn_failed':
        this.#dropStreaming();
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
    this.#dropStreaming();
    view.openRequest = undefined;
    view.request = undefined;
    view.state = 'interrupted';
    this.#loseRunningCalls();
  }

  #loseRunningCalls(): void {
    for (const [callId, index] of this.#view.openCalls) {
      const item = this.#view.items[index];
      if (item?.type === 'tool' && item.state === 'running') this.#changeCall(callId, { state: 'unknown' });
    }
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
    this.#add({ type: 'user', key, text: entry.text, images: entry.images ?? [], automatic });
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
      this.#add({ type: 'error', key, message: entry.error.message });
  }

  #assistantMessage(entry: Extract<Fact, { type: 'assistant_message' }>): void {
    this.#dropStreaming();
    const { requestId, reasoning, content } = entry;
    if (reasoning && reasoning.text !== '')
      this.#add({
        type: 'reasoning',
        key: reasoningKey(requestId),
        text: reasoning.text,
        streaming: false,
        durationMs: reasoning.durationMs,
      });
    content.forEach((block, index) => {
      const key = blockKey(requestId, index);
      if (block.type === 'tool_use') this.#addCall(key, block);
      else if (block.text.trim() !== '') this.#add({ type: 'text', key, text: block.text, streaming: false });
    });
  }

  #addCall(key: string, block: ToolUse): void {
    const params = block.nativeArgs ? stringParams(block.nativeArgs, block.params) : block.params;
    this.#calls().set(block.id, this.#view.items.length);
    this.#add(
      newCall(key, block.id, block.name, block.origin, 'queued', params, viewOfCall(block.name, params)),
    );
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
        this.#changeCall(request.callId, { state: 'running', ...feedback });
        break;
      case 'reject':
        this.#changeCall(request.callId, { state: 'rejected', ...feedback });
        break;
      case 'cancelled':
        this.#changeCall(request.callId, { state: 'queued' });
        break;
    }
  }

  #toolFinished(key: string, entry: Extract<Fact, { type: 'tool_finished' }>): void {
    const { callId, outcome, details } = entry;
    const background = outcome === 'done' && details?.type === 'command' && details.background === true;
    this.#runs();
    this.#call(callId, entry.tool, key, (item) => ({
      ...item,
      state: background ? 'background' : outcome,
      view: entry.view,
      result: entry.content,
      durationMs: entry.durationMs,
      output: details?.type === 'command' ? details.output : '',
      ...(details ? { details } : {}),
      ...(entry.feedback === undefined ? {} : { feedback: entry.feedback }),
    }));
    this.#calls().delete(callId);
  }

  #taskFinished(key: string, entry: Extract<Fact, { type: 'task_finished' }>): void {
    const view = this.#view;
    view.state = entry.reason;
    view.condensing = undefined;
    view.openRequest = undefined;
    view.request = undefined;
    this.#dropStreaming();
    this.#loseRunningCalls();
    if (view.openCalls.size > 0) view.openCalls = this.#openCalls = new Map<string, number>();
    switch (entry.reason) {
      case 'completed':
        this.#add({ type: 'completion', key, result: entry.result ?? '' });
        break;
      case 'failed': {
        const last = view.items.at(-1);
        const said = last?.type === 'error' && JSON.stringify(last.message) === JSON.stringify(entry.error);
        if (!said && entry.error) this.#add({ type: 'error', key, message: entry.error });
        break;
      }
      case 'cancelled':
      case 'refusal':
      case 'max_turn_requests':
        this.#add({ type: 'ended', key, reason: entry.reason });
        break;
      case 'answered':
      case 'question':
        break;
    }
  }

  #block(requestId: string, delta: BlockDelta): void {
    const key = blockKey(requestId, delta.block);
    const index = this.#streamingIndex(key);
    const item = index === undefined ? undefined : this.#view.items[index];
    switch (delta.type) {
      case 'text':
        if (item === undefined)
          this.#preview(delta.block, { type: 'text', key, text: delta.text, streaming: true });
        else if (index !== undefined && item.type === 'text')
          this.#set(index, { ...item, text: item.text + delta.text });
        break;
      case 'tool_started':
        if (item === undefined)
          this.#preview(
            delta.block,
            newCall(key, delta.id, delta.name, delta.origin, 'streaming', {}, viewOfCall(delta.name, {})),
          );
        break;
      case 'param': {
        if (index === undefined || item?.type !== 'tool') break;
        const value = (item.params[delta.name] ?? '') + delta.text;
        this.#set(index, { ...item, params: { ...item.params, [delta.name]: value } });
        break;
      }
      case 'tool_ended':
        if (index !== undefined && item?.type === 'tool')
          this.#set(index, { ...item, state: delta.truncated === true ? 'cut_off' : 'queued' });
        break;
    }
  }

  #reasoning(requestId: string, text: string): void {
    const key = reasoningKey(requestId);
    const index = this.#streamingIndex(key);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'reasoning')
      this.#set(index, { ...item, text: item.text + text });
    else this.#preview(-1, { type: 'reasoning', key, text, streaming: true });
  }

  /** Adds a preview in the order of the blocks; losing one delta must not put another in the wrong place. */
  #preview(block: number, item: ViewItem): void {
    const items = this.#writable();
    const view = this.#view;
    let index = items.length;
    while (index > items.length - view.streaming && blockOf(items[index - 1]?.key ?? '') > block) index--;
    items.splice(index, 0, item);
    view.streaming++;
  }

  #streamingIndex(key: string): number | undefined {
    const { items, streaming } = this.#view;
    for (let index = items.length - 1; index >= items.length - streaming; index--)
      if (items[index]?.key === key) return index;
    return undefined;
  }

  #dropStreaming(): void {
    const view = this.#view;
    if (view.streaming === 0) return;
    const items = this.#writable();
    items.length -= view.streaming;
    view.streaming = 0;
  }

  /** Adds what stays, before the previews: they are replaced by what comes after it. */
  #add(item: ViewItem): void {
    const items = this.#writable();
    if (this.#view.streaming === 0) items.push(item);
    else items.splice(items.length - this.#view.streaming, 0, item);
  }

  /** Changes a call, or adds one whose message this version could not read. */
  #call(callId: string, tool: string, key: string, change: (item: ToolItem) => ToolItem): void {
    const index = this.#view.openCalls.get(callId);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'tool') {
      this.#set(index, change(item));
      return;
    }
    this.#calls().set(callId, this.#view.items.length - this.#view.streaming);
    this.#add(change(newCall(key, callId, tool, 'native', 'queued', {}, viewOfCall(tool, {}))));
  }

  #changeCall(callId: string, change: Partial<ToolItem>): void {
    const index = this.#view.openCalls.get(callId);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'tool') this.#set(index, { ...item, ...change });
  }

  #set(index: number, item: ViewItem): void {
    this.#writable()[index] = item;
  }

  #writable(): ViewItem[] {
    this.#changed = true;
    this.#items ??= this.#view.items.slice();
    this.#view.items = this.#items;
    return this.#items;
  }

  #calls(): Map<string, number> {
    this.#openCalls ??= new Map(this.#view.openCalls);
    this.#view.openCalls = this.#openCalls;
    return this.#openCalls;
  }
}

export function openState(pending: readonly ApprovalRequest[]): 'running' | 'waiting' {
  return pending.length > 0 ? 'waiting' : 'running';
}
