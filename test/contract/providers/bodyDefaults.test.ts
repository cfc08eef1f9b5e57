import assert from 'node:assert/strict';
import type { ProviderRequest } from '../../../src/core/provider/Provider.ts';
import { ScriptedModel } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, providerOf, request } from './support.ts';

describe('what a request to an unknown service says when nobody chose', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  it('a temperature and a bound where nobody chose them, and only there', async () => {
    const sent = async (options: Parameters<typeof providerOf>[2], more: Partial<ProviderRequest> = {}) => {
      model.turns.push({ text: 'fine' });
      await eventsOf(await providerOf('openai-compatible', model, options), request(more));
      return model.requests.at(-1)!.body;
    };
    const messages = [
      { role: 'system', content: 'You are careful.' },
      { role: 'user', content: 'Hello' },
    ];
    const rest = { model: 'scripted', messages, stream: true, stream_options: { include_usage: true } };
    assert.deepEqual(await sent({}), { ...rest, temperature: 0.7, max_tokens: 16_000 });
    assert.deepEqual(await sent({ profile: { contextWindow: 8192 } }), {
      ...rest,
      temperature: 0.7,
      max_tokens: 4096,
    });
    assert.deepEqual(
      await sent(
        { profile: { temperature: 0, maxOutputTokens: 900 } },
        { temperature: 0, maxOutputTokens: 900 },
      ),
      { ...rest, temperature: 0, max_tokens: 900 },
    );
    model.turns.push({ text: 'fine' });
    await eventsOf(await providerOf('lmstudio', model));
    assert.deepEqual(model.requests.at(-1)!.body, rest);
  });

  it('a model that refuses them is asked without, then and later', async () => {
    const refusal = "Unsupported parameter: 'max_tokens' is not supported with this model.";
    model.turns.push({ status: 400, error: refusal }, { text: 'one' }, { text: 'two' }, { text: 'three' });
    const provider = await providerOf('openai-compatible', model);
    const texts = [];
    for (const name of ['scripted', 'scripted', 'another'])
      texts.push(answerOf(await eventsOf(provider, request({ model: name, cacheKey: 'task-1' }))).text);
    assert.deepEqual(texts, ['one', 'two', 'three']);
    assert.deepEqual(
      model.requests.map(({ body }) => [body.model, body.temperature, body.max_tokens]),
      [
        ['scripted', 0.7, 16_000],
        ['scripted', undefined, undefined],
        ['scripted', undefined, undefined],
        ['another', 0.7, 16_000],
      ],
    );
    const [first, second] = model.requests.map(({ body }) => body);
    const { temperature, max_tokens: bound, ...without } = first!;
    assert.deepEqual([temperature, bound, second], [0.7, 16_000, without]);
  });

  it('what was refused for another reason, or was chosen, is not asked again', async () => {
    model.turns.push({ status: 400, error: 'No such model.' }, { status: 400, error: 'temperature?' });
    const chosen = { temperature: 0.2, maxOutputTokens: 100 };
    await eventsOf(await providerOf('openai-compatible', model));
    await eventsOf(await providerOf('openai-compatible', model, { profile: chosen }), request(chosen));
    assert.equal(model.requests.length, 2);
  });
});
