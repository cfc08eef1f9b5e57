import { createAnthropic } from '@ai-sdk/anthropic';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Anthropic's Messages API. Caches what stands before a mark: tools, system, and the last two user messages are marked. */
export function anthropicProvider({ profile, baseUrl, name, key, idleTimeoutMs }: WireOptions): Provider {
  const anthropic = createAnthropic({ baseURL: baseUrl, apiKey: key ?? '' });
  return new LanguageModelProvider({
    id: profile.provider,
    name,
    url: baseUrl,
    idleTimeoutMs,
    model: (model) => anthropic(model),
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  });
}
