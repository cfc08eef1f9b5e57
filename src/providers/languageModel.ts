import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type {
  AssistantPart,
  ModelFacts,
  Provider,
  ProviderEvent,
  ProviderRequest,
  UserPart,
} from '../core/provider/Provider.ts';
import type { StopReason, Usage } from '../shared/events.ts';
import { message } from '../shared/strings.ts';
import { requestError, StalledError, type Asked } from './errors.ts';
import { factsOf, priceOf } from './modelFacts.ts';

/** What one wire API needs beyond its package: its options a request, and where it marks what it may cache. */
export interface LanguageModelProviderOptions {
  /** Our id of the provider, as in the profile. */
  id: string;
  /** Its name for a person, and its address. */
  name: string;
  url: string;
  model: (model: string) => LanguageModelV4;
  /** Milliseconds without a byte after which the request counts as stalled. */
  idleTimeoutMs: number;
  providerOptions?: (request: ProviderRequest) => SharedV4ProviderOptions;
  /** Set on the system text, the last tool and the last two user messages, where the API wants its cache marked. */
  cacheMark?: SharedV4ProviderOptions;
  /** What the provider itself said a request cost, in US dollars. */
  costOf?: (
    metadata: SharedV4ProviderMetadata | undefined,
    usage: LanguageModelV4Usage,
  ) => number | undefined;
}

/** Every provider of the AI SDK's packages behind our own contract. One attempt a call: retries are in retry.ts. */
export class LanguageModelProvider implements Provider {
  readonly id: string;
  readonly #options: LanguageModelProviderOptions;

  constructor(options: LanguageModelProviderOptions) {
    this.id = options.id;
    this.#options = options;
  }

  facts(model: string): ModelFacts {
    return factsOf(this.id, model);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const { idleTimeoutMs, name, url } = this.#options;
    const asked: Asked = { provider: name, model: request.model, url };
    const watch = new Watch(signal, idleTimeoutMs);
    const translation = new Translation((usage, metadata) => this.#usage(request.model, usage, metadata));
    try {
      const model = this.#options.model(request.model);
      const { stream } = await watch.guard(
        Promise.resolve(model.doStream(callOptions(request, this.#options, watch.signal))),
      );
      const reader = stream.getReader();
      try {
        for (;;) {
          const { done, value } = await watch.guard(reader.read());
          if (done) break;
          yield* translation.take(value);
        }
      } finally {
        // The connection is closed by the watch's abort; what the reader still says about it is of no interest.
        void reader.cancel().catch(() => undefined);
      }
      yield translation.end(asked);
    } catch (error) {
      yield signal.aborted ? translation.aborted() : translation.failed(error, asked);
    } finally {
      watch.close();
    }
  }

  #usage(model: string, usage: LanguageModelV4Usage, metadata: SharedV4ProviderMetadata | undefined): Usage {
    const { inputTokens: input, outputTokens: output } = usage;
    const counted: Usage = {
      inputTokens: input.total ?? (input.noCache ?? 0) + (input.cacheRead ?? 0) + (input.cacheWrite ?? 0),
      outputTokens: output.total ?? (output.text ?? 0) + (output.reasoning ?? 0),
      cacheReadTokens: input.cacheRead ?? 0,
      cacheWriteTokens: input.cacheWrite ?? 0,
      reasoningTokens: output.reasoning ?? 0,
    };
    const cost = this.#options.costOf?.(metadata, usage) ?? priceOf(this.id, model, counted);
    return cost === undefined ? counted : { ...counted, cost };
  }
}

/** Ends a wait when the person aborts or when nothing comes for the idle time, whatever the other side does. */
class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #idleMs: number;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);

  constructor(outer: AbortSignal, idleMs: number) {
    this.#outer = outer;
    this.#idleMs = idleMs;
    outer.addEventListener('abort', this.#onAbort, { once: true });
    if (outer.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async guard<T>(wait: Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    let stop = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      const onAbort = (): void =>
        reject(this.signal.reason instanceof Error ? this.signal.reason : new Error('aborted'));
      const timer = setTimeout(
        () => this.#controller.abort(new StalledError(Math.round(this.#idleMs / 1000))),
        this.#idleMs,
      );
      this.signal.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([wait, ended]);
    } finally {
      stop();
    }
  }

  close(): void {
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}

/** The package's stream parts as our events, and what the end will say. */
class Translation {
  readonly #usageOf: (usage: LanguageModelV4Usage, metadata: SharedV4ProviderMetadata | undefined) => Usage;
  readonly #started = new Set<string>();
  #usage: Usage | undefined;
  #stopReason: StopReason | undefined;
  #error: { cause: unknown } | undefined;
  #content = false;

  constructor(
    usageOf: (usage: LanguageModelV4Usage, metadata: SharedV4ProviderMetadata | undefined) => Usage,
  ) {
    this.#usageOf = usageOf;
  }

  *take(part: LanguageModelV4StreamPart): Iterable<ProviderEvent> {
    switch (part.type) {
      case 'text-delta':
        this.#content = true;
        yield { type: 'text', text: part.delta };
        break;
      case 'reasoning-delta':
        this.#content = true;
        if (part.delta !== '') yield { type: 'reasoning', text: part.delta };
        break;
      case 'reasoning-end':
        yield {
          type: 'reasoning_end',
          ...(part.providerMetadata ? { providerMetadata: part.providerMetadata } : {}),
        };
        break;
      case 'tool-input-start':
        this.#content = true;
        this.#started.add(part.id);
        yield { type: 'tool_call_start', callId: part.id, tool: part.toolName };
        break;
      case 'tool-input-delta':
        yield { type: 'tool_call_delta', callId: part.id, arguments: part.delta };
        break;
      case 'tool-call':
        this.#content = true;
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
        this.#stopReason = stopReasonOf(part.finishReason.unified);
        this.#usage = this.#usageOf(part.usage, part.providerMetadata);
        break;
      case 'error':
        this.#error ??= { cause: part.error };
        break;
      default:
        break;
    }
  }

  /** The stream closed by itself: without a finish reason it was cut. */
  end(asked: Asked): ProviderEvent {
    if (this.#error) return this.failed(this.#error.cause, asked);
    const usage = this.#usage ? { usage: this.#usage } : {};
    if (this.#stopReason === undefined || this.#stopReason === 'cut') {
      return this.#content
        ? { type: 'end', stopReason: 'cut', ...usage }
        : {
            type: 'end',
            stopReason: 'error',
            error: { message: message('provider.cut', { provider: asked.provider }), retryable: true },
          };
    }
    return { type: 'end', stopReason: this.#stopReason, ...usage };
  }

  /** After content came it is a cut: the same request must not be sent again as if nothing had happened. */
  failed(cause: unknown, asked: Asked): ProviderEvent {
    const error = requestError(cause, asked);
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
}

function stopReasonOf(unified: string): StopReason {
  switch (unified) {
    case 'stop':
      return 'end';
    case 'tool-calls':
      return 'tool_calls';
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    default:
      // `interrupted`, `error`, and reasons that this version of the package does not know.
      return unified === 'other' ? 'end' : 'cut';
  }
}

function callOptions(
  request: ProviderRequest,
  options: LanguageModelProviderOptions,
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  const { cacheMark } = options;
  const providerOptions = options.providerOptions?.(request);
  const { tools } = request;
  return {
    prompt: promptOf(request, cacheMark),
    abortSignal: signal,
    ...(tools
      ? {
          tools: tools.map((tool, index) => ({
            type: 'function' as const,
            name: tool.name,
            description: tool.description,
            inputSchema: tool.parameters,
            ...(cacheMark && index === tools.length - 1 ? { providerOptions: cacheMark } : {}),
          })),
          toolChoice: { type: 'auto' as const },
        }
      : {}),
    ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoningEffort === undefined ? {} : { reasoning: request.reasoningEffort }),
    ...(providerOptions ? { providerOptions } : {}),
  };
}

function promptOf(
  { system, messages }: ProviderRequest,
  cacheMark: SharedV4ProviderOptions | undefined,
): LanguageModelV4Prompt {
  const mark = cacheMark ? { providerOptions: cacheMark } : {};
  const marked = new Set(messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2));
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: system, ...mark }];
  for (const [index, { role, content }] of messages.entries()) {
    const options = marked.has(index) ? mark : {};
    if (role === 'assistant') prompt.push({ role, content: content.map(assistantPart) });
    else prompt.push(...userMessages(content, options));
  }
  return prompt;
}

/** Results are a message of their own, before what the person said. */
function userMessages(
  parts: readonly UserPart[],
  options: { providerOptions?: SharedV4ProviderOptions },
): LanguageModelV4Message[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = parts.filter((part) => part.type !== 'tool_result');
  const messages: LanguageModelV4Message[] = [];
  if (results.length > 0) {
    messages.push({
      role: 'tool',
      content: results.map(({ callId, tool, content, isError }) => ({
        type: 'tool-result' as const,
        toolCallId: callId,
        toolName: tool,
        output: content.some((part) => part.type === 'image')
          ? {
              type: 'content' as const,
              value: content.map((part) => (part.type === 'text' ? part : file(part))),
            }
          : {
              type: isError ? ('error-text' as const) : ('text' as const),
              value: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
            },
      })),
      ...(others.length === 0 ? options : {}),
    });
  }
  if (others.length > 0)
    messages.push({
      role: 'user',
      content: others.map((part) => (part.type === 'text' ? part : file(part))),
      ...options,
    });
  return messages;
}

function file({ mediaType, data }: { mediaType: string; data: string }): {
  type: 'file';
  mediaType: string;
  data: { type: 'data'; data: string };
} {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function assistantPart(
  part: AssistantPart,
): Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...metadata(part.providerMetadata) };
    case 'tool_call':
      return {
        type: 'tool-call',
        toolCallId: part.callId,
        toolName: part.tool,
        input: part.arguments,
        ...metadata(part.providerMetadata),
      };
  }
}

function metadata(value: Record<string, unknown> | undefined): { providerOptions?: SharedV4ProviderOptions } {
  // It came from the same package as JSON and goes back to it unread.
  return value ? { providerOptions: value as SharedV4ProviderOptions } : {};
}
