import assert from 'node:assert/strict';
import type { ProviderMessage, ProviderRequest } from '../../../src/core/provider/Provider.ts';
import { services, type Service, type ServiceId } from '../../../src/providers/services.ts';
import { ScriptedModel } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, KEY, providerOf, request, TOOLS, wires, type WireName } from './support.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const picture = { type: 'image', mediaType: 'image/png', data: PNG } as const;
const said = (text: string): ProviderMessage => ({ role: 'user', content: [{ type: 'text', text }] });

/** A task as it grows: each turn's messages begin with the ones before. */
function turns(): ProviderMessage[][] {
  const all: ProviderMessage[] = [
    {
      role: 'user',
      content: [{ type: 'text', text: 'Mend it' }, picture, { type: 'text', text: '<environment>' }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', callId: 'c1', tool: 'read_file', arguments: { path: 'a.ts', lines: [1, 2] } },
        { type: 'tool_call', callId: 'c2', tool: 'list_files', arguments: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          callId: 'c1',
          tool: 'read_file',
          content: [{ type: 'text', text: '1| a' }],
          isError: false,
        },
        {
          type: 'tool_result',
          callId: 'c2',
          tool: 'list_files',
          content: [{ type: 'text', text: 'no such folder' }],
          isError: true,
        },
        { type: 'text', text: 'and hurry' },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_call', callId: 'c3', tool: 'read_file', arguments: { path: 'a.png' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          callId: 'c3',
          tool: 'read_file',
          content: [{ type: 'text', text: 'a.png' }, picture],
          isError: false,
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    said('Thanks'),
  ];
  return [1, 3, 5, 7].map((count) => all.slice(0, count));
}

describe('what goes out, over every wire API', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  /** The request's body. */
  async function send(
    wire: WireName,
    more: Partial<ProviderRequest>,
    name?: string,
  ): Promise<Record<string, unknown>> {
    model.turns.push({ text: 'fine' });
    const provider = await providerOf(wire, model, name === undefined ? {} : { model: name });
    const { end } = answerOf(
      await eventsOf(provider, request({ ...(name ? { model: name } : {}), ...more })),
    );
    assert.equal(end.stopReason, 'end');
    return model.requests.at(-1)!.body;
  }

  for (const wire of wires) {
    it(`${wire}: the beginning of a request is the same byte for byte from turn to turn`, async () => {
      const bodies = [];
      for (const messages of turns())
        bodies.push(await send(wire, { messages, tools: TOOLS, cacheKey: 'task-1', temperature: 0 }));
      for (const [index, body] of bodies.entries()) {
        const before = bodies[index - 1];
        if (!before) continue;
        const { head, spoken } = parts(body);
        const { head: headBefore, spoken: spokenBefore } = parts(before);
        assert.equal(head, headBefore);
        assert.ok(spoken.length > spokenBefore.length);
        assert.deepEqual(spoken.slice(0, spokenBefore.length), spokenBefore);
      }
    });

    it(`${wire}: the same request is the same bytes`, async () => {
      const more = { messages: turns().at(-1)!, tools: TOOLS, cacheKey: 'task-1' };
      await send(wire, more);
      await send(wire, structuredClone(more));
      const [first, second] = model.requests.map(({ raw }) => raw);
      assert.equal(second, first);
    });

    it(`${wire}: pictures, of a person and of a result`, async () => {
      const body = JSON.stringify(await send(wire, { messages: turns()[2]!, tools: TOOLS }));
      assert.equal(body.split(PNG).length - 1, 2);
    });

    it(`${wire}: blank text is left out, an empty message too`, async () => {
      const body = await send(wire, {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hello' },
              { type: 'text', text: ' \n' },
            ],
          },
          { role: 'assistant', content: [{ type: 'text', text: '' }] },
          said('Again'),
        ],
      });
      const texts = JSON.stringify(parts(body).spoken);
      assert.match(texts, /Hello/);
      assert.match(texts, /Again/);
      assert.doesNotMatch(texts, /"(text|content)":"\s*(\\n)?"/);
    });
  }

  it('every service is asked at its own address, with the key where one is wanted', async () => {
    for (const [id, service] of Object.entries(services) as [ServiceId, Service][]) {
      model.turns.push({ text: 'fine' });
      const { text } = answerOf(await eventsOf(await providerOf(id, model, { own: true })));
      assert.equal(text, 'fine', id);
      const {
        authorization,
        'x-api-key': anthropic,
        'x-goog-api-key': google,
      } = model.requests.at(-1)!.headers;
      assert.ok([`Bearer ${KEY}`, KEY].includes(String(authorization ?? anthropic ?? google)), id);
      assert.ok(service.local || service.baseUrl.startsWith('https://'), id);
    }
  });

  it('anthropic: the whole request', async () => {
    const body = await send('anthropic', {
      messages: turns()[2]!,
      tools: TOOLS,
      maxOutputTokens: 900,
      temperature: 0.5,
    });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const cache_control = { type: 'ephemeral' };
    assert.deepEqual(body, {
      model: 'scripted',
      max_tokens: 900,
      temperature: 0.5,
      stream: true,
      system: [{ type: 'text', text: 'You are careful.', cache_control }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Mend it' }, image, { type: 'text', text: '<environment>' }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.ts', lines: [1, 2] } },
            { type: 'tool_use', id: 'c2', name: 'list_files', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: '1| a' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'no such folder', is_error: true },
            { type: 'text', text: 'and hurry', cache_control },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c3', name: 'read_file', input: { path: 'a.png' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c3',
              content: [{ type: 'text', text: 'a.png' }, image],
              cache_control,
            },
          ],
        },
      ],
      tools: [
        { name: 'read_file', description: 'Reads a file.', input_schema: TOOLS[0]!.parameters },
        {
          name: 'list_files',
          description: 'Lists a folder.',
          input_schema: TOOLS[1]!.parameters,
          cache_control,
        },
      ],
      tool_choice: { type: 'auto' },
    });
  });

  it('anthropic: its cache is marked behind the tools, the system text and the last two user messages', async () => {
    const marks = [];
    for (const messages of turns()) marks.push(marksIn(await send('anthropic', { messages, tools: TOOLS })));
    const head = ['system.0', 'tools.1'];
    assert.deepEqual(marks, [
      ['messages.0.content.2', ...head],
      ['messages.0.content.2', 'messages.2.content.2', ...head],
      ['messages.2.content.2', 'messages.4.content.0', ...head],
      ['messages.4.content.0', 'messages.6.content.0', ...head],
    ]);
  });

  it('anthropic: a model that its package does not know may answer at length', async () => {
    assert.equal((await send('anthropic', {})).max_tokens, 16_000);
    assert.equal((await send('anthropic', {}, 'claude-sonnet-4-5')).max_tokens, 64_000);
    assert.equal((await send('anthropic', { maxOutputTokens: 500 }, 'claude-sonnet-4-5')).max_tokens, 500);
  });

  it('anthropic: arguments unbuffered are asked for at its own address only, for gateways refuse the field', async () => {
    model.turns.push({ text: 'a' }, { text: 'b' });
    for (const own of [true, false])
      await eventsOf(await providerOf('anthropic', model, { own }), request({ tools: TOOLS }));
    assert.deepEqual(
      model.requests.map(({ body }) =>
        (body.tools as object[]).map((tool) => 'eager_input_streaming' in tool),
      ),
      [
        [true, true],
        [false, false],
      ],
    );
  });

  it('openai-compatible: the whole request', async () => {
    const body = await send('openai-compatible', {
      messages: turns()[2]!,
      tools: TOOLS,
      maxOutputTokens: 900,
      temperature: 0.5,
      cacheKey: 'task-1',
    });
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
    const call = (id: string, name: string, input: object): object => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    });
    assert.deepEqual(body, {
      model: 'scripted',
      max_tokens: 900,
      temperature: 0.5,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'You are careful.' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'Mend it' }, image, { type: 'text', text: '<environment>' }],
        },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            call('c1', 'read_file', { path: 'a.ts', lines: [1, 2] }),
            call('c2', 'list_files', {}),
          ],
        },
        { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: '1| a' },
        { role: 'tool', tool_call_id: 'c2', name: 'list_files', content: 'no such folder' },
        { role: 'user', content: 'and hurry' },
        { role: 'assistant', content: null, tool_calls: [call('c3', 'read_file', { path: 'a.png' })] },
        { role: 'tool', tool_call_id: 'c3', name: 'read_file', content: 'a.png' },
        {
          role: 'user',
          content: [{ type: 'text', text: '[read_file] Pictures of the result of call c3:' }, image],
        },
      ],
      tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
      tool_choice: 'auto',
    });
  });

  it('google: the whole request', async () => {
    const body = await send(
      'google',
      { messages: turns()[1]!, tools: TOOLS, maxOutputTokens: 900 },
      'gemini-2.5-pro',
    );
    assert.deepEqual(body.generationConfig, {
      maxOutputTokens: 900,
      thinkingConfig: { includeThoughts: true },
    });
    assert.deepEqual(body.systemInstruction, { parts: [{ text: 'You are careful.' }] });
    assert.deepEqual((body.contents as unknown[])[0], {
      role: 'user',
      parts: [
        { text: 'Mend it' },
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { text: '<environment>' },
      ],
    });
    assert.equal(model.requests.at(-1)!.path, '/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
  });

  it('openai: stores nothing on the other side, and routes by the task to keep its cache', async () => {
    const body = await send('responses', { cacheKey: 'task-1' });
    assert.deepEqual(
      [body.store, body.include, body.prompt_cache_key],
      [false, ['reasoning.encrypted_content'], 'task-1'],
    );
    assert.equal((await send('openai', { cacheKey: 'task-1' })).prompt_cache_key, 'task-1');
  });

  it('openrouter: asks for its cache with Claude, and for no other', async () => {
    for (const [name, wanted] of [
      ['anthropic/claude-sonnet-4.5', { type: 'ephemeral' }],
      ['qwen/qwen3-coder', undefined],
    ] as const) {
      model.turns.push({ text: 'fine' });
      await eventsOf(await providerOf('openrouter', model, { model: name }), request({ model: name }));
      assert.deepEqual(model.requests.at(-1)!.body.cache_control, wanted);
    }
  });
});

/** A body's messages, without marks on the cache, and all else as one text. */
function parts(body: Record<string, unknown>): { head: string; spoken: string[] } {
  const field = ['messages', 'input', 'contents'].find((name) => Array.isArray(body[name]))!;
  const { [field]: messages, ...head } = body;
  return {
    head: JSON.stringify(head),
    spoken: (messages as unknown[]).map((one) =>
      JSON.stringify(one, (name, value: unknown) => (name === 'cache_control' ? undefined : value)),
    ),
  };
}

/** Paths of the objects in a body that carry a mark. */
function marksIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) =>
      name === 'cache_control' ? [path] : marksIn(inner, path === '' ? name : `${path}.${name}`),
    )
    .sort();
}
