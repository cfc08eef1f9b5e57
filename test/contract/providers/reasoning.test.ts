import assert from 'node:assert/strict';
import type { ProviderMessage } from '../../../src/core/provider/Provider.ts';
import { ScriptedModel } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, providerOf, request, TOOLS, type WireName } from './support.ts';

const said = (text: string): ProviderMessage => ({ role: 'user', content: [{ type: 'text', text }] });

describe('what a provider wants back', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  it('reasoning goes back as it came, to who wants it', async () => {
    const back = async (wire: WireName, extra: object = {}): Promise<string> => {
      model.turns.push({
        reasoning: 'Line three.',
        calls: [{ name: 'read_file', arguments: { path: 'a' } }],
        ...extra,
      });
      const answer = answerOf(await eventsOf(await providerOf(wire, model), request({ tools: TOOLS })));
      model.turns.push({ text: 'fine' });
      const asked = request({
        tools: TOOLS,
        messages: [
          said('Hello'),
          {
            role: 'assistant',
            content: [
              ...answer.reasoning.flatMap(({ text, providerMetadata }) =>
                providerMetadata ? [{ type: 'reasoning' as const, text, providerMetadata }] : [],
              ),
              { type: 'tool_call', callId: 'c1', tool: 'read_file', arguments: { path: 'a' } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                callId: 'c1',
                tool: 'read_file',
                content: [{ type: 'text', text: 'b' }],
                isError: false,
              },
            ],
          },
        ],
      });
      await eventsOf(await providerOf(wire, model), asked);
      return model.requests.at(-1)!.raw;
    };
    const anthropic = await back('anthropic', { redacted: 'sealed thought' });
    assert.ok(anthropic.includes('{"type":"thinking","thinking":"Line three.","signature":"signed"}'));
    assert.ok(anthropic.includes('{"type":"redacted_thinking","data":"sealed thought"}'));
    assert.match(await back('responses'), /"encrypted_content":"sealed"/);
    // A chat API without signatures does not get it back.
    assert.doesNotMatch(await back('openai-compatible'), /Line three/);
  });

  it('deepseek wants the reasoning before a call, and the field even where there was none', async () => {
    model.turns.push(
      { reasoning: 'Line three.', calls: [{ name: 'read_file', arguments: { path: 'a' } }] },
      { text: 'b' },
    );
    const provider = await providerOf('deepseek', model);
    const { reasoning } = answerOf(await eventsOf(provider, request({ tools: TOOLS })));
    const call = (callId: string) => ({
      type: 'tool_call' as const,
      callId,
      tool: 'read_file',
      arguments: {},
    });
    const result = (callId: string): ProviderMessage => ({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          callId,
          tool: 'read_file',
          content: [{ type: 'text', text: 'b' }],
          isError: false,
        },
      ],
    });
    const messages: ProviderMessage[] = [
      said('Hello'),
      {
        role: 'assistant',
        content: [...reasoning.map((part) => ({ type: 'reasoning' as const, ...part })), call('c1')],
      },
      result('c1'),
      { role: 'assistant', content: [call('c2')] },
      result('c2'),
    ];
    await eventsOf(provider, request({ tools: TOOLS, messages }));
    const sent = model.requests[1]!.body.messages as Record<string, unknown>[];
    assert.deepEqual(
      sent.flatMap((one) => (one.role === 'assistant' ? [one.reasoning_content] : [])),
      ['Line three.', ''],
    );
  });

  it('google signs its calls and gets the signature back', async () => {
    model.turns.push({ calls: [{ name: 'read_file', arguments: { path: 'a' } }] }, { text: 'b' });
    const provider = await providerOf('google', model);
    const events = await eventsOf(provider, request({ tools: TOOLS }));
    const end = events.find((event) => event.type === 'tool_call_end');
    assert.ok(end?.type === 'tool_call_end' && end.providerMetadata);
    const { callId, providerMetadata } = end;
    await eventsOf(
      provider,
      request({
        tools: TOOLS,
        messages: [
          said('Hello'),
          {
            role: 'assistant',
            content: [
              { type: 'tool_call', callId, tool: 'read_file', arguments: { path: 'a' }, providerMetadata },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                callId,
                tool: 'read_file',
                content: [{ type: 'text', text: 'b' }],
                isError: false,
              },
            ],
          },
        ],
      }),
    );
    assert.match(model.requests[1]!.raw, /"thoughtSignature":"signed"/);
  });
});
