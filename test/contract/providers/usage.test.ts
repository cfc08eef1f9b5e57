import assert from 'node:assert/strict';
import { factsOf, priceOf } from '../../../src/providers/modelFacts.ts';
import { services } from '../../../src/providers/services.ts';
import type { Usage } from '../../../src/shared/events.ts';
import { ScriptedModel, type Reply } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, providerOf, request, wires, type WireName } from './support.ts';

const counted = { input: 12_000, output: 900, cacheRead: 9000, reasoning: 300 };
/** The same as everybody counts it. */
const usage: Usage = {
  inputTokens: 12_000,
  outputTokens: 900,
  cacheReadTokens: 9000,
  cacheWriteTokens: 0,
  reasoningTokens: 300,
};
/** A model of each wire API with its prices in US dollars a million tokens: input, cache read, output. */
const PRICED: Record<WireName, [model: string, input: number, cached: number, output: number] | undefined> = {
  'openai-compatible': undefined,
  openai: ['gpt-4.1', 2, 0.5, 8],
  responses: ['gpt-4.1', 2, 0.5, 8],
  anthropic: ['claude-sonnet-4-5', 3, 0.3, 15],
  google: ['gemini-2.5-flash', 0.3, 0.03, 2.5],
};

describe('what a request used and cost, over every wire API', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  async function usageOf(
    service: Parameters<typeof providerOf>[0],
    reply: Reply,
    name = 'scripted',
  ): Promise<Usage | undefined> {
    model.turns.push({ text: 'fine', ...reply });
    const provider = await providerOf(service, model, { model: name });
    return answerOf(await eventsOf(provider, request({ model: name }))).end.usage;
  }

  for (const wire of wires) {
    // Anthropic counts its reasoning with the rest.
    const expected = wire === 'anthropic' ? { ...usage, reasoningTokens: 0 } : usage;

    it(`${wire}: the service’s own numbers; what an unknown model costs is unknown, not 0`, async () => {
      assert.deepEqual(await usageOf(wire, { usage: counted }), expected);
    });

    const priced = PRICED[wire];
    if (priced) {
      it(`${wire}: what a known model costs, cached tokens at their own price`, async () => {
        const [name, input, cached, output] = priced;
        const { cost, ...numbers } = (await usageOf(wire, { usage: counted }, name))!;
        assert.deepEqual(numbers, expected);
        assert.equal(cost!.toFixed(9), ((3000 * input + 9000 * cached + 900 * output) / 1e6).toFixed(9));
      });
    }

    it(`${wire}: a stream without numbers has no usage`, async () => {
      assert.equal(await usageOf(wire, { unfinished: true, chunk: 100 }), undefined);
    });
  }

  it('anthropic: tokens written to the cache are counted in the input and priced as such', async () => {
    const { cost, ...numbers } = (await usageOf(
      'anthropic',
      { usage: { input: 12_000, output: 900, cacheRead: 9000, cacheWrite: 2000 } },
      'claude-sonnet-4-5',
    ))!;
    assert.deepEqual(numbers, { ...usage, cacheWriteTokens: 2000, reasoningTokens: 0 });
    assert.equal(cost!.toFixed(9), ((1000 * 3 + 9000 * 0.3 + 2000 * 3.75 + 900 * 15) / 1e6).toFixed(9));
  });

  it('openrouter: what it says a request cost is the truth', async () => {
    const said = { usage: { ...counted, cost: 0.0421 } };
    assert.equal((await usageOf('openrouter', said, 'anthropic/claude-sonnet-4.5'))?.cost, 0.0421);
    assert.equal((await usageOf('openrouter', said, 'nobody/unheard-of'))?.cost, 0.0421);
    assert.equal((await usageOf('openrouter', { usage: counted }, 'nobody/unheard-of'))?.cost, undefined);
  });

  it('a model on this machine has no price', async () => {
    for (const local of ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const)
      assert.equal((await usageOf(local, { usage: counted }, 'gpt-4.1'))?.cost, undefined);
  });
});

describe('what is known of a model', () => {
  it('windows, pictures and native calls of models that everybody knows', () => {
    assert.deepEqual(
      (
        [
          ['anthropic', 'claude-sonnet-4-5-20250929'],
          ['openai', 'gpt-4.1'],
          ['google', 'gemini-2.5-pro'],
          ['openrouter', 'openai/gpt-5'],
          ['groq', 'moonshotai/kimi-k2-instruct'],
        ] as const
      ).map(([provider, model]) => factsOf(services[provider], model)),
      [
        { contextWindow: 200_000, images: true, nativeTools: true },
        { contextWindow: 1_000_000, images: true, nativeTools: true },
        { contextWindow: 1_048_576, images: true, nativeTools: true },
        { contextWindow: 400_000, images: true, nativeTools: true },
        { contextWindow: 131_072, images: false, nativeTools: true },
      ],
    );
  });

  it('of others nothing is made up: no window, no pictures, calls in text where native ones are not sure', () => {
    for (const provider of ['ollama', 'lmstudio', 'llamacpp', 'vllm', 'openai-compatible'] as const)
      assert.deepEqual(factsOf(services[provider], 'house-model-7b'), { images: false, nativeTools: false });
    for (const provider of ['anthropic', 'openai', 'google', 'openrouter', 'deepseek', 'groq'] as const)
      assert.deepEqual(factsOf(services[provider], 'house-model-7b'), { images: false, nativeTools: true });
    for (const model of ['', ' ', '__proto__', 'a'.repeat(10_000), '模型'])
      assert.deepEqual(factsOf(services.openai, model), { images: false, nativeTools: true });
  });

  it('numbers that cannot be have no price', () => {
    const priced = (more: Partial<Usage>): number | undefined =>
      priceOf(services.anthropic, 'claude-sonnet-4-5', { ...usage, ...more });
    assert.ok(priced({})! > 0);
    assert.equal(priced({ inputTokens: NaN }), undefined);
    assert.equal(priced({ outputTokens: -1 }), undefined);
    // Some services leave what was cached out of the input.
    assert.ok(priced({ inputTokens: 0 })! > 0);
    assert.equal(priceOf(services['openai-compatible'], 'claude-sonnet-4-5', usage), undefined);
  });
});
