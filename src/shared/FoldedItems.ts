import type { Fact } from './events.ts';
import type { BlockDelta, ToolUse } from './tools.ts';
import { viewOfCall } from './viewOfCall.ts';
import { appendOutput, blockKey, blockOf, newCall, reasoningKey, stringParams } from './viewParts.ts';
import type { TaskView, ToolItem, UserItem, ViewItem } from './viewItems.ts';

/** The items of a view while a batch is folded in: its lists are copied when they are first changed. */
export class FoldedItems {
  readonly #view: TaskView;
  #items: ViewItem[] | undefined;
  #openCalls: Map<string, number> | undefined;

  /** `view` is a copy that may be changed. */
  constructor(view: TaskView) {
    this.#view = view;
  }

  get changed(): boolean {
    return this.#items !== undefined || this.#openCalls !== undefined;
  }

  /** Adds what stays, before the previews: they are replaced by what comes after it. */
  add(item: ViewItem): void {
    const items = this.#writable();
    if (this.#view.streaming === 0) items.push(item);
    else items.splice(items.length - this.#view.streaming, 0, item);
  }

  addCall(key: string, block: ToolUse): void {
    const params = block.nativeArgs ? stringParams(block.nativeArgs, block.params) : block.params;
    this.#calls().set(block.id, this.#view.items.length);
    this.add(
      newCall(key, block.id, block.name, block.origin, 'queued', params, viewOfCall(block.name, params)),
    );
  }

  /** Changes a call, or adds one whose message this version could not read. */
  call(callId: string, tool: string, key: string, change: (item: ToolItem) => ToolItem): void {
    const index = this.#view.openCalls.get(callId);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'tool') {
      this.#set(index, change(item));
      return;
    }
    this.#calls().set(callId, this.#view.items.length - this.#view.streaming);
    this.add(change(newCall(key, callId, tool, 'native', 'queued', {}, viewOfCall(tool, {}))));
  }

  changeCall(callId: string, change: Partial<ToolItem>): void {
    const index = this.#view.openCalls.get(callId);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'tool') this.#set(index, { ...item, ...change });
  }

  /** Changes the person's message of this key, if it is here. */
  changeMessage(key: string, change: Partial<UserItem>): void {
    const index = this.#view.items.findLastIndex((item) => item.key === key);
    const item = this.#view.items[index];
    if (item?.type === 'user') this.#set(index, { ...item, ...change });
  }

  /** The files are as they were; what was said when that began becomes its end. */
  restored(key: string, entry: Extract<Fact, { type: 'checkpoint_restored' }>): void {
    const { checkpointId, undoId, savedAt, written, removed, problems } = entry;
    const done = { checkpointId, savedAt, written, removed, problems };
    const index = this.#view.items.findLastIndex(
      (item) => item.type === 'restored' && item.undoId === undoId,
    );
    const item = this.#view.items[index];
    if (item?.type === 'restored') this.#set(index, { ...item, done });
    else this.add({ type: 'restored', key, undoId, done });
  }

  /** The call has its result. */
  closeCall(callId: string): void {
    this.#calls().delete(callId);
  }

  /** What came of calls that were under way is not known; a subtask stands still and can go on. */
  loseRunningCalls(): void {
    for (const [callId, index] of this.#view.openCalls) {
      const item = this.#view.items[index];
      if (item?.type === 'tool' && item.state === 'running')
        this.changeCall(callId, { state: item.subtask ? 'queued' : 'unknown' });
    }
  }

  /** The turn is over: no call can change any more, but one whose subtask has not come to its end. */
  closeCalls(): void {
    this.loseRunningCalls();
    for (const [callId, index] of [...this.#view.openCalls]) {
      const item = this.#view.items[index];
      if (item?.type !== 'tool' || item.subtask === undefined) this.closeCall(callId);
    }
  }

  output(callId: string, text: string): void {
    const index = this.#view.openCalls.get(callId);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index === undefined || item?.type !== 'tool') return;
    this.#set(index, { ...item, output: appendOutput(item.output, text) });
  }

  /** What has come of a block of the message that streams. */
  block(requestId: string, delta: BlockDelta): void {
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

  reasoning(requestId: string, text: string): void {
    const key = reasoningKey(requestId);
    const index = this.#streamingIndex(key);
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'reasoning')
      this.#set(index, { ...item, text: item.text + text });
    else this.#preview(-1, { type: 'reasoning', key, text, streaming: true });
  }

  /** How the tool itself shows a call that streams. */
  streamedView(requestId: string, block: number, view: ToolItem['view']): void {
    const index = this.#streamingIndex(blockKey(requestId, block));
    const item = index === undefined ? undefined : this.#view.items[index];
    if (index !== undefined && item?.type === 'tool') this.#set(index, { ...item, view });
  }

  dropStreaming(): void {
    const view = this.#view;
    if (view.streaming === 0) return;
    const items = this.#writable();
    items.length -= view.streaming;
    view.streaming = 0;
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

  #set(index: number, item: ViewItem): void {
    this.#writable()[index] = item;
  }

  #writable(): ViewItem[] {
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
