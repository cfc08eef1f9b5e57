import type { Provider } from '../core/provider/Provider.ts';
import type { Profile, ProviderId } from '../shared/settings.ts';
import { RetryingProvider } from './retry.ts';

export interface CreateProviderOptions {
  key: string | undefined;
  idleTimeoutMs: number;
  retryLimit: number;
}

/** What a wire API's own file needs to build its provider. */
export interface WireOptions {
  profile: Profile;
  baseUrl: string;
  name: string;
  key: string | undefined;
  idleTimeoutMs: number;
}

type Wire = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

interface Service {
  name: string;
  wire: Wire;
  baseUrl: string;
}

/** Services with an address of their own. `openai-compatible` has none: its profile must say. */
export const services: Record<Exclude<ProviderId, 'tour' | 'vscode-lm'>, Service> = {
  anthropic: { name: 'Anthropic', wire: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  openai: { name: 'OpenAI', wire: 'openai', baseUrl: 'https://api.openai.com/v1' },
  google: { name: 'Google', wire: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' },
  openrouter: { name: 'OpenRouter', wire: 'openai-compatible', baseUrl: 'https://openrouter.ai/api/v1' },
  deepseek: { name: 'DeepSeek', wire: 'openai-compatible', baseUrl: 'https://api.deepseek.com/v1' },
  groq: { name: 'Groq', wire: 'openai-compatible', baseUrl: 'https://api.groq.com/openai/v1' },
  ollama: { name: 'Ollama', wire: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
  lmstudio: { name: 'LM Studio', wire: 'openai-compatible', baseUrl: 'http://127.0.0.1:1234/v1' },
  llamacpp: { name: 'llama.cpp', wire: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1' },
  vllm: { name: 'vLLM', wire: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1' },
  'openai-compatible': {
    name: 'The service',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
  },
};

/** The provider of a profile, with retries. Its package is loaded now and not before. `vscode-lm` is the editor's own: hosts/vscode. */
export async function createProvider(
  profile: Profile,
  { key, idleTimeoutMs, retryLimit }: CreateProviderOptions,
): Promise<Provider> {
  if (profile.provider === 'tour') {
    const { TourProvider } = await import('./tour.ts');
    return new TourProvider();
  }
  if (profile.provider === 'vscode-lm') throw new Error('models of the editor are only there inside VS Code');
  const service = services[profile.provider];
  const options: WireOptions = {
    profile,
    baseUrl: profile.baseUrl ?? service.baseUrl,
    name: service.name,
    key,
    idleTimeoutMs,
  };
  return new RetryingProvider(await build(service.wire, options), { limit: retryLimit });
}

async function build(wire: Wire, options: WireOptions): Promise<Provider> {
  switch (wire) {
    case 'anthropic':
      return (await import('./anthropic.ts')).anthropicProvider(options);
    case 'openai':
      return (await import('./openai.ts')).openaiProvider(options);
    case 'google':
      return (await import('./google.ts')).googleProvider(options);
    case 'openai-compatible':
      return (await import('./openaiCompatible.ts')).openaiCompatibleProvider(options);
  }
}
