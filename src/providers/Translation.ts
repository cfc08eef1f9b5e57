import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { ProviderEvent } from '../core/provider/Provider.ts';
import type { StopReason, Usage } from '../shared/events.ts';
import { message } from '../shared/strings.ts';
import { isPlainEnd, requestError, type Asked } from './errors.ts';

export interface TranslationOptions {
  asked: Asked;
  usageOf: (usage: LanguageModelV4Usage) => Usage | undefined;
  /** What reasoning without metadata of its own goes back with, for services that refuse a conversation without it. */
  reasoningMark: SharedV4ProviderMetadata | undefined;
}

/** The package's stream parts as our events, and what the end will say. */
export class Translation {
  readonly #options: TranslationOptions;
  readonly #started = new Set<string>();
  /** Of each reasoning part: metadata comes at its start, in its deltas or at its end, as each wire API has it. */
  readonly #reasoning = new Map<string, SharedV4ProviderMetadata>();
  #usage: Usage | undefined;
  #stopReason: StopReason | undefined;
  #error: { cause: unknown } | undefined;
  #content = false;

  constructor(options: TranslationOptions) {
    this.#options = options;
  }

  *take(part: LanguageModelV4StreamPart): Iterable<ProviderEvent> {
    for (const event of this.#events(part)) {
      this.#content = true;
      yield event;
    }
  }

  *#events(part: LanguageModelV4StreamPart): Iterable<ProviderEvent> {
    switch (part.type) {
      case 'text-delta':
        if (part.delta !== '') yield { type: 'text', text: part.delta };
        break;
      case 'reasoning-start':
        this.#keep(part.id, part.providerMetadata);
        break;
      case 'reasoning-delta':
        this.#keep(part.id, part.providerMetadata);
        if (part.delta !== '') yield { type: 'reasoning', text: part.delta };
        break;
      case 'reasoning-end': {
        this.#keep(part.id, part.providerMetadata);
        const providerMetadata = this.#reasoning.get(part.id) ?? this.#options.reasoningMark;
        this.#reasoning.delete(part.id);
        yield { type: 'reasoning_end', ...(providerMetadata ? { providerMetadata } : {}) };
        break;
      }
      case 'tool-input-start':
        this.#started.add(part.id);
        yield { type: 'tool_call_start', callId: part.id, tool: part.toolName };
        break;
      case 'tool-input-delta':
        if (part.delta !== '') yield { type: 'tool_call_delta', callId: part.id, arguments: part.delta };
        break;
      case 'tool-call':
        if (!this.#started.has(part.toolCallId)) {
          yield { type: 'tool_call_start', callId: part.toolCallId, tool: part.toolName };
          yield { type: 'tool_call_delta', callId: part.toolCallId, arguments: part.input };
        }
        yield {
          type: 'tool_call_end',
          callId: part.toolCallId,
          ...(part.providerMetadata ? { providerMetadata: part.providerMetadata } : {}),
        };
        break;
      case 'finish':
        this.#stopReason = stopReasonOf(part.finishReason);
        this.#usage = this.#options.usageOf(part.usage);
        break;
      case 'error':
        if (!isPlainEnd(part.error)) this.#error ??= { cause: part.error };
        break;
      default:
        break;
    }
  }

  /** The stream closed by itself: without a finish reason it was cut. */
  end(): ProviderEvent {
    if (this.#error) return this.failed(this.#error.cause);
    const { provider, url } = this.#options.asked;
    const usage = this.#usage ? { usage: this.#usage } : {};
    if (this.#stopReason !== undefined && this.#stopReason !== 'cut')
      return { type: 'end', stopReason: this.#stopReason, ...usage };
    if (this.#content) return { type: 'end', stopReason: 'cut', ...usage };
    return {
      type: 'end',
      stopReason: 'error',
      error: { message: message('provider.empty', { provider, url }), retryable: true },
    };
  }

  /** After content came it is a cut: the same request must not be sent again as if nothing had happened. */
  failed(cause: unknown): ProviderEvent {
    const error = requestError(cause, this.#options.asked, this.#content);
    return {
      type: 'end',
      stopReason: this.#content ? 'cut' : 'error',
      error,
      ...(this.#usage ? { usage: this.#usage } : {}),
    };
  }

  aborted(): ProviderEvent {
    return { type: 'end', stopReason: 'aborted', ...(this.#usage ? { usage: this.#usage } : {}) };
  }

  #keep(id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (!metadata) return;
    const merged = { ...this.#reasoning.get(id) };
    for (const [provider, values] of Object.entries(metadata))
      merged[provider] = { ...merged[provider], ...values };
    this.#reasoning.set(id, merged);
  }
}

function stopReasonOf({ unified, raw }: LanguageModelV4FinishReason): StopReason {
  switch (unified) {
    case 'stop':
      return 'end';
    case 'tool-calls':
      return 'tool_calls';
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'other':
      // A reason that the package does not know is still a reason; none at all is a stream that was cut.
      return raw === undefined ? 'cut' : 'end';
    default:
      return 'cut';
  }
}
