import assert from 'node:assert/strict';
import { ScriptedModel, type Turn } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, providerOf, request, TOOLS, wires, type WireName } from './support.ts';

const TEXT = 'I look at the file first. 先看文件，再改。 <read_file> in text stays text.';

describe('an answer’s stream, over every wire API', () => {
  let model: ScriptedModel | undefined;
  afterEach(async () => await model?.stop());

  async function ask(wire: WireName, turn: Turn, more = {}): Promise<ReturnType<typeof answerOf>> {
    model = await ScriptedModel.start([turn]);
    return answerOf(await eventsOf(await providerOf(wire, model), request(more)));
  }

  for (const wire of wires) {
    it(`${wire}: text in pieces, and its end`, async () => {
      model = await ScriptedModel.start([{ text: TEXT, chunk: 3 }]);
      const events = await eventsOf(await providerOf(wire, model));
      assert.ok(events.filter(({ type }) => type === 'text').length > 10, 'it came in one piece');
      const { text, end } = answerOf(events);
      assert.equal(text, TEXT);
      assert.equal(end.stopReason, 'end');
    });

    it(`${wire}: reasoning before the text, kept apart`, async () => {
      const { text, reasoning } = await ask(wire, {
        reasoning: 'It must be line three.',
        text: 'Line three.',
      });
      // OpenAI’s chat API has no field for it.
      assert.deepEqual(
        reasoning.map((part) => part.text),
        wire === 'openai' ? [] : ['It must be line three.'],
      );
      assert.equal(text, 'Line three.');
    });

    it(`${wire}: two calls in one message, arguments as they arrive`, async () => {
      const first = { path: 'src/a "quoted" name.ts' };
      const second = { path: '目录' };
      const { text, calls, end } = await ask(
        wire,
        {
          text: 'Both.',
          calls: [
            { name: 'read_file', arguments: first },
            { name: 'list_files', arguments: second },
          ],
        },
        { tools: TOOLS },
      );
      assert.equal(text, 'Both.');
      assert.deepEqual(
        calls.map(({ tool, arguments: text, whole }) => ({ tool, sent: JSON.parse(text) as unknown, whole })),
        [
          { tool: 'read_file', sent: first, whole: true },
          { tool: 'list_files', sent: second, whole: true },
        ],
      );
      if (wire !== 'google') assert.ok(calls[0]!.pieces > 3, 'the arguments came in one piece');
      assert.equal(end.stopReason, 'tool_calls');
    });

    it(`${wire}: an answer at its length’s limit, and one that is refused`, async () => {
      assert.equal((await ask(wire, { text: 'And so', finish: 'length' })).end.stopReason, 'max_tokens');
      await model?.stop();
      const refused = await ask(wire, { text: 'I', finish: 'content_filter' });
      assert.equal(refused.end.stopReason, 'refusal');
    });

    it(`${wire}: an end without a reason is a cut`, async () => {
      const { text, end } = await ask(wire, { text: 'Half of it', unfinished: true });
      assert.equal(text, 'Half of it');
      assert.deepEqual([end.stopReason, end.error?.retryable], ['cut', undefined]);
    });

    it(`${wire}: a connection that breaks in the middle is a cut, and says so`, async () => {
      const { text, end } = await ask(wire, { text: TEXT, chunk: 3, cutAfter: 9 });
      assert.ok(text !== '' && TEXT.startsWith(text));
      assert.equal(end.stopReason, 'cut');
      assert.equal(end.error?.message.key, 'provider.broken');
    });

    it(`${wire}: nothing at all is an error that can be tried again`, async () => {
      const { end } = await ask(wire, { rawBody: '' });
      assert.deepEqual(
        [end.stopReason, end.error?.message.key, end.error?.retryable],
        ['error', 'provider.empty', true],
      );
    });

    it(`${wire}: what is no event stream is an error, not a crash`, async () => {
      for (const rawBody of ['<html><body>Sign in</body></html>', 'data: {"half\n\n', 'data: [1,2]\n\n']) {
        const { end } = await ask(wire, { rawBody });
        assert.equal(end.stopReason, 'error', rawBody);
        assert.ok(end.error, rawBody);
        await model?.stop();
      }
    });

    it(`${wire}: broken JSON in the middle keeps what came and is a cut`, async () => {
      model = await ScriptedModel.start([{ text: 'Good start.', chunk: 100, unfinished: true }]);
      const provider = await providerOf(wire, model, {
        fetch: async (input, init) => {
          const url = (input instanceof Request ? input.url : String(input)).replace(
            'https://api.openai.com/v1',
            model!.url,
          );
          const body = await (await fetch(url, init)).text();
          return new Response(`${body}data: {"choices": [{"delta"\n\n`, {
            headers: { 'content-type': 'text/event-stream' },
          });
        },
      });
      const { text, end } = answerOf(await eventsOf(provider));
      assert.equal(text, 'Good start.');
      assert.equal(end.stopReason, 'cut');
      assert.equal(end.error?.message.key, 'provider.badAnswer');
    });
  }

  for (const wire of ['openai-compatible', 'openai', 'responses', 'anthropic'] as const) {
    it(`${wire}: a call that is cut in the middle never looks whole`, async () => {
      const { calls, end } = await ask(
        wire,
        { calls: [{ name: 'read_file', arguments: { path: 'a/very/long/path.ts' } }], cutAfter: 6 },
        { tools: TOOLS },
      );
      assert.equal(end.stopReason, 'cut');
      assert.deepEqual(
        calls.map(({ tool, whole }) => [tool, whole]),
        [['read_file', false]],
      );
    });

    it(`${wire}: a call whose arguments are no JSON is passed on as it came`, async () => {
      const raw = '{"path": "unclosed';
      const { calls } = await ask(
        wire,
        { calls: [{ name: 'read_file', arguments: {}, raw }] },
        { tools: TOOLS },
      );
      assert.deepEqual(
        calls.map(({ arguments: text }) => text),
        [raw],
      );
    });
  }

  it('takes the first, empty piece of a call’s arguments as nothing', async () => {
    const { calls } = await ask(
      'anthropic',
      { calls: [{ name: 'list_files', arguments: {} }] },
      { tools: TOOLS },
    );
    assert.deepEqual(calls[0]?.arguments === '' ? {} : JSON.parse(calls[0]!.arguments), {});
    assert.equal(calls[0]?.whole, true);
  });
});
