import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Models whose own API refuses a conversation in which the reasoning before a call is missing. */
const WANTS_REASONING = /deepseek|kimi/i;

/** Every service with OpenAI's chat API: OpenRouter, DeepSeek, Groq, Ollama, LM Studio, llama.cpp, vLLM and the rest. */
export function openaiCompatibleProvider(wire: WireOptions): Provider {
  const { provider } = wire.profile;
  const wantsReasoning = (model: string): boolean =>
    provider === 'deepseek' || (provider === 'openai-compatible' && WANTS_REASONING.test(model));
  return new LanguageModelProvider({
    wire,
    model: (model, fetch) =>
      createOpenAICompatible({
        name: provider,
        baseURL: wire.baseUrl,
        includeUsage: true,
        fetch,
        ...(wire.key === undefined ? {} : { apiKey: wire.key }),
        transformRequestBody: (body: Record<string, unknown>) =>
          wantsReasoning(String(body.model)) ? withReasoning(body) : body,
      })(model),
    textResults: true,
    reasoningMark: (model) => (wantsReasoning(model) ? { [provider]: {} } : undefined),
    providerOptions: ({ model }) =>
      // OpenRouter passes Anthropic's cache marks on, and sets them itself when the request carries this one.
      provider === 'openrouter' && /claude/i.test(model)
        ? { openrouter: { cache_control: { type: 'ephemeral' } } }
        : undefined,
    // OpenRouter says in its usage what the request cost.
    costOf: ({ raw }) => (typeof raw?.cost === 'number' ? raw.cost : undefined),
  });
}

/** A call that came without a thought, or from another model: the API wants the field all the same. */
function withReasoning(body: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(body.messages)) return body;
  const messages = body.messages.map((message: unknown) =>
    typeof message === 'object' && message !== null && 'tool_calls' in message && message.tool_calls
      ? { reasoning_content: '', ...message }
      : message,
  );
  return { ...body, messages };
}
