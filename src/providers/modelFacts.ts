import { calcPrice } from '@pydantic/genai-prices';
import type { ModelFacts } from '../core/provider/Provider.ts';
import type { Usage } from '../shared/events.ts';
import type { Service } from './services.ts';

/** Families that see pictures. The table does not say. */
const SEES =
  /claude|gpt-4o|gpt-4\.1|gpt-5|o[134](-|$)|gemini|pixtral|llava|vision|-vl|qwen[\d.]*-?vl|gemma-?3|llama-?(3\.2|4)/i;
/** Windows that the table does not have. */
const WINDOW: [RegExp, number][] = [
  [/gemini-(1\.5-pro|exp)/i, 2_097_152],
  [/gemini-([2-9]|1\.5|pro|flash)/i, 1_048_576],
  [/claude/i, 200_000],
];

/** What is known of a model offline; what nobody knows is left out or on the safe side. */
export function factsOf(service: Service, model: string): ModelFacts {
  const known = priced(service, model, { input_tokens: 1, output_tokens: 1 });
  const contextWindow = known?.model.context_window ?? WINDOW.find(([pattern]) => pattern.test(model))?.[1];
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    images: SEES.test(model),
    nativeTools: service.nativeTools,
  };
}

/** US dollars by the offline table; undefined where it does not know the model. */
export function priceOf(service: Service, model: string, usage: Usage): number | undefined {
  // Services have been seen to count less input than was cached; the table refuses to price that.
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  return priced(service, model, {
    input_tokens: Math.max(usage.inputTokens, cached),
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
  })?.total_price;
}

function priced(
  { prices: providerId }: Service,
  model: string,
  usage: Record<string, number>,
): ReturnType<typeof calcPrice> {
  const countable = Object.values(usage).every((count) => Number.isFinite(count) && count >= 0);
  return providerId === undefined || !countable ? null : calcPrice(usage, model, { providerId });
}
