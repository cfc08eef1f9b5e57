import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelFacts, Provider, ProviderEvent, ProviderRequest } from '../core/provider/Provider.ts';
import type { Usage } from '../shared/events.ts';
import type { Asked } from './errors.ts';
import { factsOf, priceOf } from './modelFacts.ts';
import { refusingPages } from './pages.ts';
import { promptOf, type PromptOptions } from './prompt.ts';
import type { WireOptions } from './registry.ts';
import { Translation } from './Translation.ts';
import { Watch } from './Watch.ts';

/** What one wire API needs beyond its package: its options a request, and where it marks what it may cache. */
export interface LanguageModelProviderOptions extends PromptOptions {
  wire: WireOptions;
  /** The package's model; its requests leave by that `fetch`, which watches over this one answer. */
  model: (model: string, fetch: typeof globalThis.fetch) => LanguageModelV4;
  providerOptions?: (request: ProviderRequest) => SharedV4ProviderOptions | undefined;
  /** Where the API's own default is too small for an edit: what to ask for when the profile says nothing. */
  maxOutputTokens?: (model: string) => number | undefined;
  /** See Translation. */
  reasoningMark?: (model: string) => SharedV4ProviderMetadata | undefined;
  /** What the provider itself said a request cost, in US dollars. */
  costOf?: (usage: LanguageModelV4Usage) => number | undefined;
}

/** Every provider of the AI SDK's packages behind our own contract. One attempt a call: retries are in retry.ts. */
export class LanguageModelProvider implements Provider {
  readonly id: string;
  readonly #options: LanguageModelProviderOptions;

  constructor(options: LanguageModelProviderOptions) {
    this.id = options.wire.profile.provider;
    this.#options = options;
  }

  facts(model: string): ModelFacts {
    return factsOf(this.#options.wire.service, model);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const { idleTimeoutMs, timer, fetch, name, baseUrl, key, problem } = this.#options.wire;
    if (problem) {
      yield { type: 'end', stopReason: 'error', error: problem };
      return;
    }
    const asked: Asked = { provider: name, model: request.model, url: baseUrl, key };
    const watch = new Watch({ signal, idleMs: idleTimeoutMs, timer });
    const translation = new Translation({
      asked,
      usageOf: (usage) => this.#usage(request.model, usage),
      reasoningMark: this.#options.reasoningMark?.(request.model),
    });
    try {
      const model = this.#options.model(request.model, watch.hearing(refusingPages(fetch)));
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
      yield translation.end();
    } catch (error) {
      yield signal.aborted ? translation.aborted() : translation.failed(error);
    } finally {
      watch.close();
    }
  }

  /** Undefined where the service counted nothing: unknown is not 0. */
  #usage(model: string, usage: LanguageModelV4Usage): Usage | undefined {
    const { inputTokens: input, outputTokens: output } = usage;
    if (input.total === undefined && output.total === undefined) return undefined;
    const counted: Usage = {
      inputTokens: input.total ?? (input.noCache ?? 0) + (input.cacheRead ?? 0) + (input.cacheWrite ?? 0),
      outputTokens: output.total ?? (output.text ?? 0) + (output.reasoning ?? 0),
      cacheReadTokens: input.cacheRead ?? 0,
      cacheWriteTokens: input.cacheWrite ?? 0,
      reasoningTokens: output.reasoning ?? 0,
    };
    const cost = this.#options.costOf?.(usage) ?? priceOf(this.#options.wire.service, model, counted);
    return cost === undefined ? counted : { ...counted, cost };
  }
}

function callOptions(
  request: ProviderRequest,
  options: LanguageModelProviderOptions,
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  const { cacheMark } = options;
  const providerOptions = options.providerOptions?.(request);
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens?.(request.model);
  const { tools } = request;
  return {
    prompt: promptOf(request, options),
    abortSignal: signal,
    ...(tools && tools.length > 0
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
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoningEffort === undefined ? {} : { reasoning: request.reasoningEffort }),
    ...(providerOptions ? { providerOptions } : {}),
  };
}
