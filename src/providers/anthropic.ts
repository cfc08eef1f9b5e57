import { createAnthropic } from '@ai-sdk/anthropic';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Models that the package knows get their own limit from it. */
const KNOWN = /claude/i;
/** For the others (proxies with names of their own) it would take 4096, which cuts an edit of a longer file. */
const OUTPUT_OF_OTHERS = 16_000;

/** Anthropic's Messages API. Caches what stands before a mark: tools, system, and the last two user messages are marked. */
export function anthropicProvider(wire: WireOptions): Provider {
  // Gateways and look-alikes refuse the field that asks for arguments unbuffered, and with it the whole request.
  const toolStreaming = wire.baseUrl === wire.service.baseUrl;
  return new LanguageModelProvider({
    wire,
    providerOptions: () => ({ anthropic: { toolStreaming } }),
    model: (model, fetch) => createAnthropic({ baseURL: wire.baseUrl, apiKey: wire.key ?? '', fetch })(model),
    maxOutputTokens: (model) => (KNOWN.test(model) ? undefined : OUTPUT_OF_OTHERS),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
}
