import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { requestError, retryAfterOf } from '../../../src/providers/errors.ts';
import { services } from '../../../src/providers/services.ts';
import type { RequestError } from '../../../src/shared/events.ts';
import { locales, translate } from '../../../src/shared/strings.ts';
import { ScriptedModel, type Reply } from '../../support/ScriptedModel.ts';
import { answerOf, eventsOf, KEY, providerOf, wires, type EndEvent, type WireName } from './support.ts';

describe('a refused request, over every wire API', () => {
  let model: ScriptedModel;
  beforeEach(async () => {
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => await model.stop());

  async function ask(wire: WireName, reply: Reply): Promise<EndEvent> {
    model.turns.push(reply);
    return answerOf(await eventsOf(await providerOf(wire, model))).end;
  }

  /** The whole end, and that both languages say it without a hole or the key. */
  function assertFailed(end: EndEvent, error: RequestError): void {
    assert.deepEqual(end, { type: 'end', stopReason: 'error', error });
    for (const locale of locales) {
      const words = translate(locale, error.message);
      assert.doesNotMatch(words, /[{}]/);
      assert.ok(!words.includes(KEY));
    }
  }

  for (const wire of wires) {
    const asked = (): { provider: string; url: string } => ({
      provider: {
        'openai-compatible': new URL(model.url).host,
        openai: 'OpenAI',
        responses: 'OpenAI',
        anthropic: 'Anthropic',
        google: 'Google',
      }[wire],
      url: wire === 'responses' ? services.openai.baseUrl : model.url,
    });

    it(`${wire}: the key`, async () => {
      const { provider } = asked();
      assertFailed(await ask(wire, { status: 401, error: 'Incorrect API key provided' }), {
        message: { key: 'provider.badKey', args: { provider, status: 401 } },
        retryable: false,
        status: 401,
      });
      // Google says it with 400.
      assertFailed(
        await ask(wire, { status: 400, error: 'API key not valid. Please pass a valid API key.' }),
        {
          message: { key: 'provider.badKey', args: { provider, status: 400 } },
          retryable: false,
          status: 400,
        },
      );
      assertFailed(await ask(wire, { status: 403, error: `${KEY} may not use this model` }), {
        message: {
          key: 'provider.forbidden',
          args: { provider, model: 'scripted', status: 403, reason: '••• may not use this model' },
        },
        retryable: false,
        status: 403,
      });
    });

    it(`${wire}: the model and the address`, async () => {
      const { provider, url } = asked();
      assertFailed(await ask(wire, { status: 404, error: 'The model `scripted` does not exist' }), {
        message: { key: 'provider.unknownModel', args: { provider, model: 'scripted', status: 404 } },
        retryable: false,
        status: 404,
      });
      assertFailed(await ask(wire, { status: 404, error: 'Not Found' }), {
        message: { key: 'provider.wrongAddress', args: { url, status: 404 } },
        retryable: false,
        status: 404,
      });
      assertFailed(
        await ask(wire, { status: 404, error: 'No endpoints found that support tool use for this model' }),
        {
          message: {
            key: 'provider.rejected',
            args: {
              provider,
              status: 404,
              reason: 'No endpoints found that support tool use for this model',
            },
          },
          retryable: false,
          status: 404,
        },
      );
    });

    it(`${wire}: too many requests, for now, for long, or for want of credit`, async () => {
      const { provider } = asked();
      const soon: RequestError = {
        message: { key: 'provider.rateLimit', args: { provider } },
        retryable: true,
        status: 429,
      };
      assertFailed(await ask(wire, { status: 429 }), soon);
      assertFailed(await ask(wire, { status: 429, headers: { 'retry-after': '7' } }), {
        ...soon,
        retryAfter: 7000,
      });
      assertFailed(
        await ask(wire, { status: 429, headers: { 'retry-after-ms': '250', 'retry-after': '7' } }),
        { ...soon, retryAfter: 250 },
      );
      assertFailed(await ask(wire, { status: 429, headers: { 'retry-after': '3600' } }), {
        message: { key: 'provider.rateLimitLong', args: { provider, minutes: 60 } },
        retryable: false,
        status: 429,
        retryAfter: 3_600_000,
      });
      assertFailed(
        await ask(wire, {
          status: 429,
          error: 'You exceeded your current quota, please check your plan and billing details.',
          details: { code: 'insufficient_quota', type: 'insufficient_quota' },
        }),
        {
          message: { key: 'provider.noCredit', args: { provider, status: 429 } },
          retryable: false,
          status: 429,
        },
      );
      for (const [status, error] of [
        [402, 'Insufficient Balance'],
        [400, 'Your credit balance is too low to access the API.'],
      ] as const) {
        assertFailed(await ask(wire, { status, error }), {
          message: { key: 'provider.noCredit', args: { provider, status } },
          retryable: false,
          status,
        });
      }
    });

    it(`${wire}: a service in trouble`, async () => {
      const { provider } = asked();
      for (const status of [408, 500, 502, 503, 504, 529]) {
        assertFailed(await ask(wire, { status, error: 'Overloaded' }), {
          message: { key: 'provider.overloaded', args: { provider, status } },
          retryable: true,
          status,
        });
      }
    });

    it(`${wire}: a conversation that is too long, whoever says it how`, async () => {
      const sentences: [number, string, Record<string, unknown>?][] = [
        [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
        [400, "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens"],
        [400, 'Please reduce the length of the messages.', { code: 'context_length_exceeded' }],
        [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
        [400, 'the request exceeds the available context size. try increasing the context size'],
        [413, 'Request exceeds the maximum size'],
      ];
      for (const [status, error, details] of sentences) {
        // Google's `code` is its status.
        if (wire === 'google' && details) continue;
        assertFailed(await ask(wire, { status, error, ...(details ? { details } : {}) }), {
          message: { key: 'provider.tooLong', args: { model: 'scripted' } },
          retryable: false,
          status,
        });
      }
    });

    it(`${wire}: what a filter or the service does not want, in its own words`, async () => {
      const { provider } = asked();
      const filtered = 'The response was filtered due to the content management policy.';
      assertFailed(await ask(wire, { status: 400, error: filtered }), {
        message: { key: 'provider.filtered', args: { provider, status: 400, reason: filtered } },
        retryable: false,
        status: 400,
      });
      const long = `temperature is not\n supported ${'and so on '.repeat(60)}`;
      // There it is asked once more without what nobody chose.
      if (wire === 'openai-compatible') model.turns.push({ status: 400, error: long });
      const { error } = await ask(wire, { status: 400, error: long });
      assert.deepEqual(error?.message, {
        key: 'provider.rejected',
        args: { provider, status: 400, reason: `${long.replace(/\s+/g, ' ').slice(0, 299)}…` },
      });
    });

    it(`${wire}: a web page is never taken for an answer`, async () => {
      const { provider, url } = asked();
      const page = (status: number, rawBody: string): Reply => ({
        status,
        rawBody,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
      const signIn =
        '<!doctype html><html><head><title>Sign in · Example</title></head><body>…</body></html>';
      for (const status of [200, 401, 403, 404]) {
        assertFailed(await ask(wire, page(status, signIn)), {
          message: { key: 'provider.page', args: { url, status, reason: 'Sign in · Example' } },
          retryable: false,
          status,
        });
      }
      assertFailed(
        await ask(wire, page(200, '<html><style>b{}</style><body><b>Blocked</b> here</body></html>')),
        {
          message: { key: 'provider.page', args: { url, status: 200, reason: 'Blocked here' } },
          retryable: false,
          status: 200,
        },
      );
      assertFailed(await ask(wire, page(502, '<html><head><title>502 Bad Gateway</title></head></html>')), {
        message: { key: 'provider.overloaded', args: { provider, status: 502 } },
        retryable: true,
        status: 502,
      });
    });

    it(`${wire}: nobody at the address`, async () => {
      const { provider } = asked();
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/v1`;
      const name = wire === 'openai-compatible' ? `127.0.0.1:${port}` : provider;
      const end = answerOf(await eventsOf(await providerOf(wire, { url }))).end;
      if (wire === 'responses') {
        // Its address is not on this machine: a network that fails may come back.
        assert.deepEqual(end.error, {
          message: {
            key: 'provider.unreachable',
            args: { url: services.openai.baseUrl, reason: `connect ECONNREFUSED 127.0.0.1:${port}` },
          },
          retryable: true,
        });
      } else {
        assertFailed(end, {
          message: { key: 'provider.notRunning', args: { provider: name, url } },
          retryable: false,
        });
      }
    });
  }

  it('words of Google about waiting stand in the body', async () => {
    const end = await ask('google', {
      status: 429,
      error: 'You exceeded your current quota, please check your plan and billing details.',
      details: {
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
      },
    });
    assertFailed(end, {
      message: { key: 'provider.rateLimit', args: { provider: 'Google' } },
      retryable: true,
      status: 429,
      retryAfter: 34_500,
    });
  });

  it('an error inside of the stream is told apart as one before it', async () => {
    const { host: provider } = new URL(model.url);
    const event = (error: object): Reply => ({ rawBody: `data: ${JSON.stringify({ error })}\n\n` });
    assertFailed(await ask('openai-compatible', event({ code: 429, message: 'rate-limited upstream' })), {
      message: { key: 'provider.rateLimit', args: { provider } },
      retryable: true,
      status: 429,
    });
    assertFailed(
      await ask('openai-compatible', event({ message: 'model is loaded with context length of only 4096' })),
      { message: { key: 'provider.tooLong', args: { model: 'scripted' } }, retryable: false },
    );
    assertFailed(await ask('openai-compatible', event({ message: 'llama runner process has terminated' })), {
      message: {
        key: 'provider.badAnswer',
        args: { provider, reason: 'llama runner process has terminated' },
      },
      retryable: false,
    });
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { error } = await ask('anthropic', {
      rawBody: `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`,
    });
    assert.deepEqual([error?.message.key, error?.retryable], ['provider.overloaded', true]);
  });

  it('a prompt that Google blocks is a refusal, not an empty answer', async () => {
    const { stopReason } = await ask('google', {
      rawBody: `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } })}\n\n`,
    });
    assert.equal(stopReason, 'refusal');
  });

  it('a hosted service without a key is not even asked, nor with one that cannot be a key', async () => {
    for (const wire of ['anthropic', 'openai', 'google', 'openrouter', 'deepseek', 'groq'] as const) {
      const { name: provider, baseUrl: url } = services[wire];
      const refuse = (): never => assert.fail('a request went out');
      for (const key of [undefined, '', '  ']) {
        const { end } = answerOf(await eventsOf(await providerOf(wire, { url }, { key, fetch: refuse })));
        assertFailed(end, { message: { key: 'provider.noKey', args: { provider } }, retryable: false });
      }
      for (const key of ['sk-１２３', 'sk-1\nsk-2', 'sk 1']) {
        const { end } = answerOf(await eventsOf(await providerOf(wire, { url }, { key, fetch: refuse })));
        assertFailed(end, { message: { key: 'provider.unusableKey', args: { provider } }, retryable: false });
      }
    }
  });

  it('a local service is asked without a key, and a pasted key without its line end', async () => {
    model.turns.push({ text: 'a' }, { text: 'b' });
    await eventsOf(await providerOf('ollama', model, { key: undefined }));
    await eventsOf(await providerOf('openai-compatible', model, { key: `${KEY}\n` }));
    assert.deepEqual(
      model.requests.map(({ headers }) => headers.authorization),
      [undefined, `Bearer ${KEY}`],
    );
  });

  it('an address may be pasted with the path of its endpoint', async () => {
    for (const [wire, tail] of [
      ['openai-compatible', '/chat/completions'],
      ['openai-compatible', '/models/'],
      ['anthropic', '/messages'],
      ['google', '/'],
    ] as const) {
      model.turns.push({ text: 'there' });
      const provider = await providerOf(wire, { url: `${model.url}${tail}` });
      assert.equal(answerOf(await eventsOf(provider)).text, 'there', tail);
    }
  });

  it('models of the editor say where they are', async () => {
    assertFailed(answerOf(await eventsOf(await providerOf('vscode-lm', model))).end, {
      message: { key: 'provider.editorOnly' },
      retryable: false,
    });
  });
});

describe('a failure of the network, in words', () => {
  const asked = { provider: 'Groq', model: 'm', url: services.groq.baseUrl, key: KEY };
  const failed = (code: string, text: string): Error =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(text), { code }) });

  it('a name that nobody knows', () => {
    assert.deepEqual(requestError(failed('ENOTFOUND', 'getaddrinfo ENOTFOUND api.groq.com'), asked), {
      message: {
        key: 'provider.unreachable',
        args: { url: services.groq.baseUrl, reason: 'getaddrinfo ENOTFOUND api.groq.com' },
      },
      retryable: true,
    });
  });

  it('a certificate that is not trusted', () => {
    const text = 'self-signed certificate in certificate chain';
    assert.deepEqual(requestError(failed('SELF_SIGNED_CERT_IN_CHAIN', text), asked), {
      message: {
        key: 'provider.certificate',
        args: { url: services.groq.baseUrl, reason: `SELF_SIGNED_CERT_IN_CHAIN: ${text}` },
      },
      retryable: false,
    });
  });

  it('Retry-After in seconds, in milliseconds and as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    assert.deepEqual(
      [
        { 'retry-after': '12' },
        { 'retry-after': '0.5' },
        { 'retry-after-ms': '80' },
        { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' },
        { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' },
        { 'retry-after': '-3' },
        { 'retry-after': 'soon' },
        { 'retry-after': '' },
        {},
      ].map((headers) => retryAfterOf(headers as Record<string, string>, now)),
      [12_000, 500, 80, 90_000, 0, undefined, undefined, undefined, undefined],
    );
  });
});

/** A port of this machine on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
