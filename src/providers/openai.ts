import { createOpenAI } from '@ai-sdk/openai';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/**
 * OpenAI. At its own address the Responses API, which its reasoning models need; at any other the chat API, which is what proxies and
 * look-alikes speak. Nothing is stored on the other side: reasoning travels encrypted with the conversation.
 */
export function openaiProvider(wire: WireOptions): Provider {
  const responses = wire.baseUrl === wire.service.baseUrl;
  return new LanguageModelProvider({
    wire,
    model: (model, fetch) => {
      const openai = createOpenAI({ baseURL: wire.baseUrl, apiKey: wire.key ?? '', fetch });
      return responses ? openai.responses(model) : openai.chat(model);
    },
    textResults: !responses,
    providerOptions: ({ cacheKey }) => ({
      openai: {
        ...(responses ? { store: false, include: ['reasoning.encrypted_content'] } : {}),
        ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }),
      },
    }),
  });
}
