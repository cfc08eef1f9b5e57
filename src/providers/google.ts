import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { Provider } from '../core/provider/Provider.ts';
import { LanguageModelProvider } from './languageModel.ts';
import type { WireOptions } from './registry.ts';

/** Google's Gemini API. It caches equal beginnings by itself. */
export function googleProvider({ profile, baseUrl, name, key, idleTimeoutMs }: WireOptions): Provider {
  const google = createGoogleGenerativeAI({ baseURL: baseUrl, apiKey: key ?? '' });
  return new LanguageModelProvider({
    id: profile.provider,
    name,
    url: baseUrl,
    idleTimeoutMs,
    model: (model) => google(model),
  });
}
