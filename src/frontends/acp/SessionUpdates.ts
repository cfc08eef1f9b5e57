import type { SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { emptyState, foldState, type TaskState } from '../../core/task/taskState.ts';
import { toolByName } from '../../core/tools/index.ts';
import type { JournalEntry, TaskDelta, TaskEvent } from '../../shared/events.ts';
import { translate, type Locale } from '../../shared/strings.ts';
import type { ToolView } from '../../shared/tools.ts';
import type { FileChange, FileChanges } from './FileChanges.ts';
import { MessageText } from './MessageText.ts';
import { contentOf, diffContent, locationsOf, outputContent, textContent, titleOf } from './toolCalls.ts';

export interface SessionUpdatesOptions {
  cwd: string;
  locale: Locale;
  changes: FileChanges;
  /** Kinds of updates that a client gets only when it asked for them. */
  notices: boolean;
  compaction: boolean;
  /** The task is the session's subtask with this id: two tasks may have calls of the same id. */
  subtask?: string;
  send: (update: SessionUpdate) => void;
  /** The mode or model of the task has changed. */
  onChoice: (state: Readonly<TaskState>) => void;
}

interface Call {
  tool: string;
  view: ToolView;
  rawInput?: unknown;
  /** The client has heard of it. */
  announced: boolean;
  finished: boolean;
  /** The client's terminal that shows it. */
  terminalId?: string;
  /** The end of its output, where it runs in a shell of ours. */
  output: string;
  timer?: NodeJS.Timeout;
}

/** Characters of a running command's output that an update holds; milliseconds between two of them. */
const OUTPUT_SHOWN = 8000;
const OUTPUT_EVERY = 100;
/** Its result is the agent's last message, and is shown as that. */
const COMPLETION = 'attempt_completion';
const NOTHING: ToolView = { kind: 'other', subject: '', locations: [] };

/** A task's events as a client's updates: a fold that holds what the client has been told. */
export class SessionUpdates {
  readonly #options: SessionUpdatesOptions;
  readonly #text: MessageText;
  readonly #calls = new Map<string, Call>();
  /** Calls of the message that streams: request and block → id. */
  readonly #blocks = new Map<string, { id: string; tool: string }>();
  readonly #state = emptyState();
  #title = '';
  /** False while the journal is only read: then nothing leaves. */
  #shown = true;
  #replaying = false;

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
    this.#text = new MessageText((update) => this.#send(update));
  }

  get state(): Readonly<TaskState> {
    return this.#state;
  }

  /**
   * What was before: shown to a client that loads the session, only remembered for one that resumes it. `behind` puts in what belongs
   * behind an entry.
   */
  replay(entries: readonly JournalEntry[], shown: boolean, behind: (entry: JournalEntry) => void): void {
    this.#shown = shown;
    this.#replaying = true;
    for (const entry of entries) {
      this.#entry(entry);
      behind(entry);
    }
    for (const [toolCallId, call] of this.#calls) {
      // What an interrupted turn left open runs no more; the next prompt goes on with it.
      if (call.announced && !call.finished) this.#update({ toolCallId, status: 'failed' });
      if (!shown) call.announced = false;
    }
    this.#replaying = false;
    this.#shown = true;
    this.#text.interrupted();
  }

  event(event: TaskEvent): void {
    if (event.kind === 'delta') this.#delta(event.delta);
    else this.#entry(event.entry);
  }

  /** A message of the agent's own: a question, say. */
  say(messageId: string, text: string): void {
    this.#text.whole(messageId, text);
  }

  /** The client's terminal that a call runs in, embedded while it lives. */
  terminal(toolCallId: string, terminalId: string): void {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    call.terminalId = terminalId;
    this.#update({ toolCallId, content: [{ type: 'terminal', terminalId }] });
  }

  /** A call as the client is asked about it, with the changes that are proposed, and what is asked about besides files. */
  asked(toolCallId: string, proposed: readonly FileChange[], texts: readonly string[] = []): ToolCallUpdate {
    const call = this.#calls.get(toolCallId);
    if (call) this.#announce(toolCallId, call);
    return {
      toolCallId: this.#idOf(toolCallId),
      status: 'pending',
      ...(call ? this.#head(call) : {}),
      ...(proposed.length + texts.length === 0
        ? {}
        : { content: [...texts.map(textContent), ...diffContent(proposed)] }),
    };
  }

  /** No timer goes on. */
  dispose(): void {
    for (const { timer } of this.#calls.values()) clearTimeout(timer);
  }

  #delta(delta: TaskDelta): void {
    switch (delta.type) {
      case 'block': {
        const { requestId, delta: block } = delta;
        if (block.type === 'text') this.#text.stream(requestId, block.block, block.text);
        if (block.type === 'tool_started')
          this.#blocks.set(`${requestId}-${block.block}`, { id: block.id, tool: block.name });
        break;
      }
      case 'reasoning':
        this.#text.thought(delta.requestId, delta.text);
        break;
      case 'tool_view': {
        const block = this.#blocks.get(`${delta.requestId}-${delta.block}`);
        if (block) this.#view(block.id, block.tool, delta.view);
        break;
      }
      case 'tool_output':
        this.#output(delta.callId, delta.text);
        break;
      case 'request_status':
        if (delta.error) this.#notice('warning', translate(this.#options.locale, delta.error.message));
        break;
      case 'turn_failed':
        break;
    }
  }

  #entry(entry: JournalEntry): void {
    foldState(this.#state, entry);
    switch (entry.type) {
      case 'user_message':
        if (entry.automatic !== true) this.#text.interrupted();
        if (entry.automatic !== true && this.#replaying) {
          const messageId = String(entry.seq);
          const chunk = { sessionUpdate: 'user_message_chunk', messageId } as const;
          if (entry.text !== '') this.#send({ ...chunk, content: { type: 'text', text: entry.text } });
          for (const { mediaType, data } of entry.images ?? [])
            this.#send({ ...chunk, content: { type: 'image', mimeType: mediaType, data } });
        }
        this.#info();
        break;
      case 'assistant_message':
        this.#message(entry);
        break;
      case 'request_finished':
        this.#usage();
        break;
      case 'tool_started': {
        const call = this.#calls.get(entry.callId);
        if (call) this.#announce(entry.callId, call);
        if (call?.tool !== COMPLETION) this.#update({ toolCallId: entry.callId, status: 'in_progress' });
        break;
      }
      case 'tool_finished':
        this.#finished(entry);
        break;
      case 'todos_updated':
        this.#send({
          sessionUpdate: 'plan',
          entries: entry.todos.map(({ text, status }) => ({ content: text, status, priority: 'medium' })),
        });
        break;
      case 'mode_changed':
      case 'model_changed':
        if (!this.#replaying) this.#options.onChoice(this.#state);
        break;
      case 'results_trimmed':
        this.#usage();
        break;
      case 'context_condensed':
        this.#usage();
        if (this.#options.compaction)
          this.#send({
            sessionUpdate: 'compaction_update',
            compactionId: String(entry.seq),
            status: 'completed',
            summary: [{ type: 'text', text: entry.summary }],
          });
        break;
      case 'title_changed':
        this.#info();
        break;
      case 'notice':
        this.#notice(entry.level, translate(this.#options.locale, entry.message));
        break;
      case 'task_finished':
        // A subtask's is the result of the call that began it.
        if (entry.reason === 'completed' && entry.result !== undefined && this.#options.subtask === undefined)
          this.#text.whole(String(entry.seq), entry.result);
        break;
      default:
        break;
    }
  }

  #message({ requestId, reasoning, content }: Extract<JournalEntry, { type: 'assistant_message' }>): void {
    if (reasoning) this.#text.thoughtOnce(requestId, reasoning.text);
    for (const [index, block] of content.entries()) {
      if (block.type === 'text') {
        this.#text.once(requestId, index, block.text);
        continue;
      }
      const known = this.#calls.get(block.id);
      const rawInput = block.nativeArgs ?? block.params;
      const view = known?.view ?? toolByName(block.name)?.view(block.params) ?? NOTHING;
      const call: Call = known ?? { tool: block.name, view, announced: false, finished: false, output: '' };
      call.rawInput = rawInput;
      this.#calls.set(block.id, call);
      if (call.announced)
        this.#update({ toolCallId: block.id, rawInput, locations: locationsOf(view, this.#options.cwd) });
      else this.#announce(block.id, call);
    }
    for (const key of this.#blocks.keys()) if (key.startsWith(`${requestId}-`)) this.#blocks.delete(key);
  }

  #view(toolCallId: string, tool: string, view: ToolView): void {
    const call = this.#calls.get(toolCallId);
    if (!call) {
      const begun: Call = { tool, view, announced: false, finished: false, output: '' };
      this.#calls.set(toolCallId, begun);
      this.#announce(toolCallId, begun);
      return;
    }
    call.view = view;
    if (call.announced) this.#update({ toolCallId, ...this.#headOf(call) });
  }

  #announce(toolCallId: string, call: Call): void {
    if (call.announced || call.tool === COMPLETION) return;
    call.announced = true;
    this.#send({
      sessionUpdate: 'tool_call',
      toolCallId: this.#idOf(toolCallId),
      status: 'pending',
      ...this.#head(call),
    });
  }

  #head(call: Call) {
    return { ...this.#headOf(call), ...(call.rawInput === undefined ? {} : { rawInput: call.rawInput }) };
  }

  #headOf({ tool, view, rawInput, finished }: Call) {
    const { cwd, locale } = this.#options;
    // A client opens what is named here: the beginning of a path is the path of another file.
    const isWhole = rawInput !== undefined || finished;
    return {
      title: titleOf(tool, view, locale),
      name: tool,
      kind: view.kind,
      locations: isWhole ? locationsOf(view, cwd) : [],
    };
  }

  #output(toolCallId: string, text: string): void {
    const call = this.#calls.get(toolCallId);
    if (!call || call.terminalId !== undefined) return;
    call.output = (call.output + text).slice(-OUTPUT_SHOWN);
    call.timer ??= setTimeout(() => {
      call.timer = undefined;
      if (!call.finished) this.#update({ toolCallId, content: outputContent(call.output) });
    }, OUTPUT_EVERY);
  }

  #finished(entry: Extract<JournalEntry, { type: 'tool_finished' }>): void {
    const { callId: toolCallId, tool, outcome, view, details, content } = entry;
    const changes = this.#replaying ? [] : this.#options.changes.takeWritten();
    const known = this.#calls.get(toolCallId);
    const call: Call = known ?? { tool, view, announced: false, finished: false, output: '' };
    this.#calls.set(toolCallId, call);
    call.view = view;
    call.finished = true;
    clearTimeout(call.timer);
    if (call.tool === COMPLETION) return;
    this.#announce(toolCallId, call);
    const failed = outcome !== 'done';
    const { cwd } = this.#options;
    const shown: ToolCallContent[] = contentOf(details, content, { cwd, changes, failed });
    // What is there stays: a terminal that shows it all, and the proposal that was rejected.
    const keeps = call.terminalId !== undefined || outcome === 'rejected';
    this.#update({
      toolCallId,
      status: failed ? 'failed' : 'completed',
      ...this.#headOf(call),
      ...(keeps ? {} : { content: shown }),
      rawOutput: { outcome, ...(details?.type === 'command' ? exitOf(details) : {}) },
    });
  }

  #usage(): void {
    const { model, contextTokens, usage } = this.#state;
    const size = model?.contextWindow;
    if (size === undefined || contextTokens === 0 || this.#replaying) return;
    this.#send({
      sessionUpdate: 'usage_update',
      used: contextTokens,
      size,
      ...(usage.cost === undefined ? {} : { cost: { amount: usage.cost, currency: 'USD' } }),
    });
  }

  #info(): void {
    const { title, updatedAt } = this.#state;
    if (title === this.#title || title === '') return;
    this.#title = title;
    this.#send({ sessionUpdate: 'session_info_update', title, updatedAt: new Date(updatedAt).toISOString() });
  }

  #notice(severity: 'info' | 'warning' | 'error', title: string): void {
    if (this.#options.notices) this.#send({ sessionUpdate: 'notice', severity, title });
  }

  #update(update: ToolCallUpdate): void {
    this.#send({ sessionUpdate: 'tool_call_update', ...update, toolCallId: this.#idOf(update.toolCallId) });
  }

  #idOf(callId: string): string {
    const { subtask } = this.#options;
    return subtask === undefined ? callId : `${subtask}-${callId}`;
  }

  #send(update: SessionUpdate): void {
    if (!this.#shown) return;
    if (update.sessionUpdate === 'tool_call') this.#text.interrupted();
    this.#options.send(update);
  }
}

function exitOf({ exitCode, signal }: { exitCode?: number; signal?: string }) {
  return { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) };
}
