import type { ProviderId } from '../shared/settings.ts';

/** A kind of API, with a file of its own in this folder. */
export type WireApi = 'anthropic' | 'openai' | 'google' | 'openai-compatible';

/** Not the tour, which asks nobody, nor the editor's own models. */
export type ServiceId = Exclude<ProviderId, 'tour' | 'vscode-lm'>;

/** What is known of a service that models are asked at. */
export interface Service {
  /** For a person. Empty where only its address is known. */
  name: string;
  wire: WireApi;
  /** Unless the profile says otherwise. */
  baseUrl: string;
  /** Runs on the person's own machine and asks for no key. */
  local: boolean;
  /** Its models speak native calls reliably; others get calls in text unless the profile says otherwise. */
  nativeTools: boolean;
  /** Its id in the price table. Without one, what a request cost is unknown. */
  prices?: string;
}

/** A profile's address wins over the one here; `openai-compatible` is any other service, whose profile must have one. */
export const services: Record<ServiceId, Service> = {
  anthropic: {
    name: 'Anthropic',
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    local: false,
    nativeTools: true,
    prices: 'anthropic',
  },
  openai: {
    name: 'OpenAI',
    wire: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    local: false,
    nativeTools: true,
    prices: 'openai',
  },
  google: {
    name: 'Google',
    wire: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    local: false,
    nativeTools: true,
    prices: 'google',
  },
  openrouter: {
    name: 'OpenRouter',
    wire: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    local: false,
    nativeTools: true,
    prices: 'openrouter',
  },
  deepseek: {
    name: 'DeepSeek',
    wire: 'openai-compatible',
    baseUrl: 'https://api.deepseek.com/v1',
    local: false,
    nativeTools: true,
    prices: 'deepseek',
  },
  groq: {
    name: 'Groq',
    wire: 'openai-compatible',
    baseUrl: 'https://api.groq.com/openai/v1',
    local: false,
    nativeTools: true,
    prices: 'groq',
  },
  ollama: {
    name: 'Ollama',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    local: true,
    nativeTools: false,
  },
  lmstudio: {
    name: 'LM Studio',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    local: true,
    nativeTools: false,
  },
  llamacpp: {
    name: 'llama.cpp',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
    local: true,
    nativeTools: false,
  },
  vllm: {
    name: 'vLLM',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8000/v1',
    local: true,
    nativeTools: false,
  },
  'openai-compatible': {
    name: '',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
    local: true,
    nativeTools: false,
  },
};
