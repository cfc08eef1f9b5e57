import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Every service with OpenAI's chat API: OpenRouter, DeepSeek, Groq, Ollama, LM Studio, llama.cpp, vLLM and the rest. */
export function openaiCompatibleProvider({
  profile,
  baseUrl,
  name,
  key,
  idleTimeoutMs,
}: WireOptions): Provider {
  const compatible = createOpenAICompatible({
    name: profile.provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...(key === undefined || key === '' ? {} : { apiKey: key }),
  });
  return new LanguageModelProvider({
    id: profile.provider,
    name,
    url: baseUrl,
    idleTimeoutMs,
    model: (model) => compatible(model),
    // OpenRouter says in its usage what the request cost.
    costOf: (_metadata, { raw }) => (typeof raw?.cost === 'number' ? raw.cost : undefined),
  });
}
