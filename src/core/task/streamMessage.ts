import type { Fact, RecordedAnswer, RequestError, StopReason, Usage } from '../../shared/events.ts';
import type { AssistantMessageContent, BlockDelta, ToolView } from '../../shared/tools.ts';
import { AnswerPieces, recordedAnswer } from '../assistant-message/recordedAnswer.ts';
import type { AssistantMessageParser } from '../assistant-message/AssistantMessageParser.ts';
import type { Provider, ProviderRequest } from '../provider/Provider.ts';
import type { BaseTool } from '../tools/BaseTool.ts';
import type { EditPreviews } from './EditPreviews.ts';
import type { Task } from './Task.ts';

type Reasoning = NonNullable<Extract<Fact, { type: 'assistant_message' }>['reasoning']>;

/** An assistant message as it came, whole or cut. */
export interface StreamedMessage {
  content: AssistantMessageContent[];
  /** What it was read from. */
  answer: RecordedAnswer | undefined;
  reasoning: Reasoning | undefined;
  stopReason: StopReason;
  usage: Usage | undefined;
  error: RequestError | undefined;
}

export interface StreamOptions {
  task: Pick<Task, 'publish'>;
  requestId: string;
  provider: Provider;
  request: ProviderRequest;
  parser: AssistantMessageParser;
  toolByName: (name: string) => BaseTool | undefined;
  /** Who shows edits while they come, where there is an editor. */
  previews?: Pick<EditPreviews, 'take'> | undefined;
  signal: AbortSignal;
}

/** Sends one request and shows its answer while it comes: previews only, nothing runs before the stream has ended. */
export async function streamMessage(options: StreamOptions): Promise<StreamedMessage> {
  const { task, requestId, provider, request, parser, signal } = options;
  const views = new StreamingViews(options.toolByName);
  const reasoning = new ReasoningCollector();
  const metadata = new Map<string, Record<string, unknown>>();
  const show = (deltas: readonly BlockDelta[]): void => {
    for (const delta of deltas) {
      task.publish({ type: 'block', requestId, delta });
      options.previews?.take(delta, signal);
      const view = views.after(delta);
      if (view) task.publish({ type: 'tool_view', requestId, block: delta.block, view });
    }
  };
  const message: Pick<StreamedMessage, 'stopReason' | 'usage' | 'error'> = noAnswer();
  const pieces = new AnswerPieces();
  for await (const event of provider.stream(request, signal)) {
    switch (event.type) {
      case 'text':
        reasoning.pause();
        pieces.text(event.text);
        show(parser.text(event.text));
        break;
      case 'reasoning':
        reasoning.add(event.text);
        task.publish({ type: 'reasoning', requestId, text: event.text });
        break;
      case 'reasoning_end':
        reasoning.end(event.providerMetadata);
        break;
      case 'tool_call_start':
        reasoning.pause();
        pieces.call(event.callId, event.tool);
        show(parser.nativeStart(event.callId, event.tool));
        break;
      case 'tool_call_delta':
        pieces.arguments(event.callId, event.arguments);
        show(parser.nativeDelta(event.callId, event.arguments));
        break;
      case 'tool_call_end':
        if (event.providerMetadata) metadata.set(event.callId, event.providerMetadata);
        pieces.end(event.callId);
        show(parser.nativeEnd(event.callId));
        break;
      case 'retry':
        task.publish({
          type: 'request_status',
          requestId,
          error: event.error,
          attempt: event.attempt,
          retryAt: event.retryAt,
        });
        break;
      case 'retrying':
        task.publish({ type: 'request_status', requestId, error: null, attempt: event.attempt });
        break;
      case 'end':
        message.stopReason = event.stopReason;
        message.usage = event.usage;
        message.error = event.error;
        break;
    }
  }
  show(parser.finish());
  const content = parser.blocks().map((block) => {
    const providerMetadata = block.type === 'tool_use' ? metadata.get(block.id) : undefined;
    return providerMetadata ? { ...block, providerMetadata } : block;
  });
  return {
    ...message,
    content,
    answer: recordedAnswer(pieces.pieces(), content),
    reasoning: reasoning.result(),
  };
}

/** Of a request that was not answered, or not yet. */
export function noAnswer(): StreamedMessage {
  return {
    content: [],
    answer: undefined,
    reasoning: undefined,
    stopReason: 'cut',
    usage: undefined,
    error: undefined,
  };
}

/** Reasoning text with the time it took, and its parts as the provider wants them back. */
class ReasoningCollector {
  readonly #parts: Reasoning['parts'] = [];
  #open: string[] = [];
  #text: string[] = [];
  #durationMs = 0;
  #since: number | undefined;

  add(text: string): void {
    this.#since ??= performance.now();
    this.#open.push(text);
    this.#text.push(text);
  }

  end(providerMetadata: Record<string, unknown> | undefined): void {
    this.pause();
    const text = this.#open.join('');
    this.#open = [];
    if (text !== '' || providerMetadata)
      this.#parts.push(providerMetadata ? { text, providerMetadata } : { text });
  }

  /** Something else came: the clock stops. */
  pause(): void {
    if (this.#since !== undefined) this.#durationMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  result(): Reasoning | undefined {
    this.end(undefined);
    if (this.#parts.length === 0) return undefined;
    return { text: this.#text.join(''), durationMs: Math.round(this.#durationMs), parts: this.#parts };
  }
}

/** Characters of a parameter that a card's title can depend on; what comes after is not looked at. */
const TITLE_CHARACTERS = 500;

/** A call's title while it streams: asked of the tool only while the first characters of a parameter come. */
class StreamingViews {
  readonly #calls = new Map<number, { tool: BaseTool; params: Record<string, string>; shown: string }>();
  readonly #toolByName: StreamOptions['toolByName'];

  constructor(toolByName: StreamOptions['toolByName']) {
    this.#toolByName = toolByName;
  }

  /** The view after this delta, when it changed. */
  after(delta: BlockDelta): ToolView | undefined {
    if (delta.type === 'tool_started') {
      const tool = this.#toolByName(delta.name);
      if (!tool) return undefined;
      this.#calls.set(delta.block, { tool, params: {}, shown: '' });
    }
    const call = this.#calls.get(delta.block);
    if (!call || delta.type === 'text' || delta.type === 'tool_ended') return undefined;
    if (delta.type === 'param') {
      const known = call.params[delta.name] ?? '';
      if (known.length >= TITLE_CHARACTERS) return undefined;
      call.params[delta.name] = known + delta.text.slice(0, TITLE_CHARACTERS - known.length);
    }
    const view = call.tool.view(call.params);
    const shown = JSON.stringify(view);
    if (shown === call.shown) return undefined;
    call.shown = shown;
    return view;
  }
}
