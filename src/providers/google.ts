import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Models that think, and that refuse to say what they think unless asked; older ones refuse the question. */
const THINKS = /gemini-(2\.5|[3-9])(?!.*(image|tts|live))/i;

/** Google's Gemini API. It caches equal beginnings by itself. */
export function googleProvider(wire: WireOptions): Provider {
  return new LanguageModelProvider({
    wire,
    model: (model, fetch) =>
      createGoogleGenerativeAI({ baseURL: wire.baseUrl, apiKey: wire.key ?? '', fetch })(model),
    providerOptions: ({ model }) =>
      THINKS.test(model) ? { google: { thinkingConfig: { includeThoughts: true } } } : undefined,
  });
}
