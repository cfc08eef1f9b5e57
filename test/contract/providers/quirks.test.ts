import assert from 'node:assert/strict';
import type { ProviderEvent } from '../../../src/core/provider/Provider.ts';
import { ScriptedModel, type Reply } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, providerOf, request, TOOLS, wires, type Answer } from './support.ts';

const chunk = (choice: object | undefined, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: choice ? [{ index: 0, ...choice }] : [], ...more })}\n\n`;
const delta = (content: object): string => chunk({ delta: content, finish_reason: null });
const finish = (reason = 'tool_calls'): string =>
  `${chunk({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`;
const call = (more: object): string => delta({ tool_calls: [more] });

describe('services that speak OpenAI’s chat API in their own way', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  async function ask(rawBody: string, reply: Partial<Reply> = {}): Promise<Answer> {
    model.turns.push({ rawBody, ...reply });
    return answerOf(await eventsOf(await providerOf('openai-compatible', model), request({ tools: TOOLS })));
  }
  const calls = ({ calls }: Answer): unknown[] =>
    calls.map(({ tool, arguments: text, whole }) => [
      tool,
      text === '' ? '' : (JSON.parse(text) as unknown),
      whole,
    ]);
  const one = [['read_file', { path: 'a' }, true]];
  const text = '{"path":"a"}';

  it('a whole call in one piece, with an index or without', async () => {
    for (const index of [{ index: 0 }, {}]) {
      const answer = await ask(
        call({ ...index, id: 'c', type: 'function', function: { name: 'read_file', arguments: text } }) +
          finish(),
      );
      assert.deepEqual(calls(answer), one);
      assert.equal(answer.end.stopReason, 'tool_calls');
    }
  });

  it('an id and a name that come again with every piece, or empty', async () => {
    for (const again of [
      { id: 'c', function: { name: 'read_file' } },
      { id: '', function: { name: '' } },
      { id: null, function: { name: null } },
    ]) {
      const body = ['{"pa', 'th":', '"a"}'].map((piece) =>
        call({ index: 0, ...again, type: 'function', function: { ...again.function, arguments: piece } }),
      );
      const start = call({
        index: 0,
        id: 'c',
        type: 'function',
        function: { name: 'read_file', arguments: '' },
      });
      assert.deepEqual(calls(await ask([start, ...body, finish()].join(''))), one, JSON.stringify(again));
    }
  });

  it('a call without an id gets one', async () => {
    const answer = await ask(
      call({ index: 0, type: 'function', function: { name: 'read_file', arguments: text } }) + finish(),
    );
    assert.deepEqual(calls(answer), one);
  });

  it('a call after which the reason is “stop”', async () => {
    const answer = await ask(
      call({ index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: text } }) +
        finish('stop'),
    );
    assert.deepEqual(calls(answer), one);
    assert.equal(answer.end.error, undefined);
    assert.notEqual(answer.end.stopReason, 'cut');
  });

  it('a reason that nobody knows is still an end', async () => {
    const { end, text } = await ask(delta({ content: 'Well.' }) + finish('eos_token'));
    assert.deepEqual([text, end.stopReason, end.error], ['Well.', 'end', undefined]);
  });

  it('comments, chunks without choices, null content, lines that end in CR LF', async () => {
    const body = [
      ': PROCESSING\n\n',
      chunk(undefined),
      delta({ role: 'assistant', content: null }),
      ': PROCESSING\n\n',
      delta({ content: 'Hel' }),
      delta({ content: '' }),
      delta({ content: 'lo' }),
      finish('stop'),
    ].join('');
    for (const raw of [body, body.replaceAll('\n', '\r\n')]) {
      const { text, end } = await ask(raw);
      assert.deepEqual([text, end.stopReason, end.error], ['Hello', 'end', undefined]);
    }
  });

  it('reasoning in either field', async () => {
    for (const name of ['reasoning_content', 'reasoning']) {
      const answer = await ask(delta({ [name]: 'Hm.' }) + delta({ content: 'Yes.' }) + finish('stop'));
      assert.deepEqual([answer.reasoning.map((part) => part.text), answer.text], [['Hm.'], 'Yes.']);
    }
  });

  it('no numbers at all: usage is unknown, and so is the cost', async () => {
    const { end } = await ask(delta({ content: 'Yes.' }) + finish('stop'));
    assert.deepEqual(end, { type: 'end', stopReason: 'end' });
  });

  it('an end without a blank line, or without [DONE]', async () => {
    const body = delta({ content: 'Yes.' }) + chunk({ delta: {}, finish_reason: 'stop' });
    for (const raw of [body, body.trimEnd(), `${body}data: [DONE]`]) {
      const { text } = await ask(raw);
      assert.equal(text, 'Yes.');
    }
    assert.equal((await ask(body)).end.stopReason, 'end');
  });
});

describe('a stream in any pieces', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  for (const wire of wires) {
    it(`${wire}: gives the same events, wherever the bytes are parted`, async () => {
      const reply: Reply = {
        reasoning: 'думаю…',
        text: 'Grüße, 你好 👋 <read_file>',
        calls: [{ name: 'read_file', arguments: { path: '目录/ä "b".ts' } }],
      };
      const seen: ProviderEvent[][] = [];
      for (const size of [Infinity, 1, 2, 3, 7, 64]) {
        model.turns.push(reply);
        const provider = await providerOf(wire, model, {
          fetch: async (input, init) => {
            const url = input instanceof Request ? input.url : String(input);
            const response = await fetch(url.replace('https://api.openai.com/v1', model.url), init);
            return new Response(response.body!.pipeThrough(parted(size)), response);
          },
        });
        const events = await eventsOf(provider, request({ tools: TOOLS }));
        seen.push(events.map((event) => withoutId(event)));
      }
      for (const events of seen) assert.deepEqual(events, seen[0]);
      const answer = answerOf(seen[0]!);
      assert.equal(answer.text, reply.text);
      assert.deepEqual(JSON.parse(answer.calls[0]!.arguments), reply.calls![0]!.arguments);
    });
  }

  /** Passes bytes on in pieces of that size. */
  function parted(size: number): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform(bytes, controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      },
    });
  }

  /** Ids are made anew each time, here and there. */
  function withoutId(event: ProviderEvent): ProviderEvent {
    return 'callId' in event ? { ...event, callId: 'call' } : event;
  }
});
