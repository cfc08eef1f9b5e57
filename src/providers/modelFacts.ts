import { calcPrice } from '@pydantic/genai-prices';
import type { ModelFacts } from '../core/provider/Provider.ts';
import type { Usage } from '../shared/events.ts';

/** Our ids → the price table's. Local services cost nothing and are not in it. */
const PRICED: Record<string, string> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  openrouter: 'openrouter',
  deepseek: 'deepseek',
  groq: 'groq',
};
/** Services that speak native calls reliably; the others get calls in text unless the profile says otherwise. */
const NATIVE = new Set(['anthropic', 'openai', 'google', 'openrouter', 'deepseek', 'groq', 'vscode-lm']);
/** Families that see pictures. The table does not say. */
const SEES =
  /claude|gpt-4o|gpt-4\.1|gpt-5|o[134](-|$)|gemini|pixtral|llava|vision|-vl|qwen[\d.]*-?vl|gemma-?3|llama-?(3\.2|4)/i;
/** Output limits that must be asked for, else the API takes a low one. */
const MAXIMUM_OUTPUT: [RegExp, number][] = [
  [/claude-(opus|sonnet|haiku)-(4|5)|claude-(4|5)/i, 32_000],
  [/claude-3-7/i, 32_000],
  [/claude-3-5/i, 8192],
  [/claude/i, 4096],
];

/** What is known of a model offline; what nobody knows is left out or on the safe side. */
export function factsOf(provider: string, model: string): ModelFacts {
  const known = priced(provider, model, { input_tokens: 1, output_tokens: 1 });
  const maxOutputTokens = MAXIMUM_OUTPUT.find(([pattern]) => pattern.test(model))?.[1];
  return {
    ...(known?.model.context_window === undefined ? {} : { contextWindow: known.model.context_window }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    images: SEES.test(model),
    nativeTools: NATIVE.has(provider),
  };
}

/** US dollars by the offline table; undefined where it does not know the model. */
export function priceOf(provider: string, model: string, usage: Usage): number | undefined {
  return priced(provider, model, {
    input_tokens: usage.inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
  })?.total_price;
}

function priced(
  provider: string,
  model: string,
  usage: Record<string, number>,
): ReturnType<typeof calcPrice> {
  const providerId = PRICED[provider];
  return providerId === undefined ? null : calcPrice(usage, model, { providerId });
}
