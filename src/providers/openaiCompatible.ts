import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Provider } from '../core/provider/Provider.ts';
import { BodyDefaults } from './bodyDefaults.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Models whose own API refuses a conversation in which the reasoning before a call is missing. */
const WANTS_REASONING = /deepseek|kimi/i;

/** Every service with OpenAI's chat API: OpenRouter, DeepSeek, Groq, Ollama, LM Studio, llama.cpp, vLLM and the rest. */
export function openaiCompatibleProvider(wire: WireOptions): Provider {
  const { provider } = wire.profile;
  const wantsReasoning = (model: string): boolean =>
    provider === 'deepseek' || (provider === 'openai-compatible' && WANTS_REASONING.test(model));
  const defaults = provider === 'openai-compatible' ? new BodyDefaults(wire.profile) : undefined;
  return new LanguageModelProvider({
    wire,
    model: (model, fetch) =>
      createOpenAICompatible({
        name: provider,
        baseURL: wire.baseUrl,
        includeUsage: true,
        fetch: defaults?.asking(fetch) ?? fetch,
        ...(wire.key === undefined ? {} : { apiKey: wire.key }),
        transformRequestBody: (body: Record<string, unknown>) => {
          const named = withMessages(body, (messages) => withNames(messages).map(withPlainText));
          const whole = wantsReasoning(String(body.model)) ? withMessages(named, withReasoning) : named;
          return defaults?.added(whole) ?? whole;
        },
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

type Message = Record<string, unknown>;

function withMessages(body: Message, change: (messages: readonly Message[]) => Message[]): Message {
  return Array.isArray(body.messages) ? { ...body, messages: change(body.messages as Message[]) } : body;
}

/** A call that came without a thought, or from another model: the API wants the field all the same. */
function withReasoning(messages: readonly Message[]): Message[] {
  return messages.map((message) => (message.tool_calls ? { reasoning_content: '', ...message } : message));
}

/** A result says whose it is by the name, too: templates of some models are written by it. The package leaves it out. */
function withNames(messages: readonly Message[]): Message[] {
  const names = new Map<unknown, string>();
  return messages.map((message) => {
    for (const { id, function: called } of (message.tool_calls ?? []) as Call[]) names.set(id, called.name);
    if (message.role !== 'tool') return message;
    const { role, tool_call_id: id, ...rest } = message;
    const name = names.get(id);
    return { role, tool_call_id: id, ...(name === undefined ? {} : { name }), ...rest };
  });
}

/** Many servers of this API take text as one string only; what a message holds besides its text, or of marks, stays as parts. */
function withPlainText(message: Message): Message {
  const { role, content } = message;
  if (role !== 'user' || !Array.isArray(content) || !content.every(isPlainText)) return message;
  return { ...message, content: content.map(({ text }) => text).join('\n\n') };
}

function isPlainText(part: Message): part is { type: 'text'; text: string } {
  return part.type === 'text' && typeof part.text === 'string' && Object.keys(part).length === 2;
}

interface Call {
  id: string;
  function: { name: string };
}
