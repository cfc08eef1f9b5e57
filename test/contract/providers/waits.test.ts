import assert from 'node:assert/strict';
import type { ProviderEvent } from '../../../src/core/provider/Provider.ts';
import { RetryingProvider } from '../../../src/providers/retry.ts';
import { ScriptedModel, type Turn } from '../../support/ScriptedModel.ts';
import { ManualTimer } from '../../support/model/ManualTimer.ts';
import { answerOf, eventsOf, providerOf, request, until, wires, type WireName } from './support.ts';

const IDLE = 120_000;

describe('waiting for a model, over every wire API', () => {
  let model: ScriptedModel | undefined;
  let time: ManualTimer;
  let stop: AbortController;
  beforeEach(() => {
    time = new ManualTimer();
    stop = new AbortController();
  });
  afterEach(async () => await model?.stop());

  async function start(wire: WireName, turns: Turn[], retryLimit = 0): Promise<AsyncIterator<ProviderEvent>> {
    model = await ScriptedModel.start(turns);
    const provider = await providerOf(wire, model, { idleTimeoutMs: IDLE, retryLimit, timer: time.timer });
    return provider.stream(request(), stop.signal)[Symbol.asyncIterator]();
  }

  /** Reads until that text has come; the answer goes on. */
  async function readUntil(events: AsyncIterator<ProviderEvent>, text: string): Promise<ProviderEvent[]> {
    const came: ProviderEvent[] = [];
    for (let sum = ''; sum !== text;) {
      const next = await events.next();
      if (next.done === true) assert.fail(`it ended after ${JSON.stringify(came)}`);
      came.push(next.value);
      if (next.value.type === 'text') sum += next.value.text;
      else if (next.value.type === 'end') assert.fail(JSON.stringify(next.value));
    }
    return came;
  }

  async function rest(events: AsyncIterator<ProviderEvent>): Promise<ProviderEvent[]> {
    const came: ProviderEvent[] = [];
    for (;;) {
      const next = await events.next();
      if (next.done === true) return came;
      came.push(next.value);
    }
  }

  /** The other side has noticed: no answer holds a connection any more. */
  async function closed(): Promise<void> {
    await until(() => model!.answering === 0, 'the end of every answer');
  }

  /** Events of the wire format before, and after, the first piece of text. */
  const BEFORE_TEXT: Record<WireName, number> = {
    'openai-compatible': 1,
    openai: 1,
    responses: 2,
    anthropic: 2,
    google: 0,
  };

  for (const wire of wires) {
    const provider = {
      'openai-compatible': (): string => new URL(model!.url).host,
      openai: () => 'OpenAI',
      responses: () => 'OpenAI',
      anthropic: () => 'Anthropic',
      google: () => 'Google',
    }[wire];
    const stalled = () => ({
      message: { key: 'provider.stalled', args: { provider: provider(), seconds: 120 } },
      retryable: true,
    });

    it(`${wire}: silence before the headers, and before the first event`, async () => {
      for (const turn of [{ silent: true }, { text: 'never', stallAfter: 0 }]) {
        const events = await start(wire, [turn]);
        const [all] = await Promise.all([rest(events), time.fire(IDLE)]);
        assert.deepEqual(all, [{ type: 'end', stopReason: 'error', error: stalled() }]);
        await closed();
        assert.deepEqual(time.running, []);
        await model?.stop();
      }
    });

    it(`${wire}: silence in the middle keeps what came`, async () => {
      const events = await start(wire, [
        { text: 'Once upon a time', chunk: 4, stallAfter: BEFORE_TEXT[wire] + 2 },
      ]);
      await readUntil(events, 'Once upo');
      const [all] = await Promise.all([rest(events), time.fire(IDLE)]);
      assert.deepEqual(all, [{ type: 'end', stopReason: 'cut', error: stalled() }]);
      await closed();
      assert.deepEqual(time.running, []);
    });

    it(`${wire}: each byte starts the idle timer anew`, async () => {
      const events = await start(wire, [{ text: 'one two three', chunk: 1 }]);
      const { end } = answerOf(await rest(events));
      assert.equal(end.stopReason, 'end');
      assert.deepEqual([...new Set(time.started)], [IDLE]);
      assert.ok(time.started.length > 13, `${time.started.length} timers`);
      assert.deepEqual(time.running, []);
    });

    it(`${wire}: Stop ends it at once, wherever it is, and leaves nothing open`, async () => {
      // Before anything is sent.
      stop.abort();
      assert.deepEqual(await rest(await start(wire, [{ silent: true }])), [
        { type: 'end', stopReason: 'aborted' },
      ]);
      await closed();
      await model?.stop();

      // While the headers are waited for.
      stop = new AbortController();
      const waiting = rest(await start(wire, [{ silent: true }]));
      await until(() => model!.requests.length > 0, 'the request');
      stop.abort();
      assert.deepEqual(await waiting, [{ type: 'end', stopReason: 'aborted' }]);
      await closed();
      await model?.stop();

      // In the middle of the answer.
      stop = new AbortController();
      const events = await start(wire, [
        { text: 'Once upon a time', chunk: 4, stallAfter: BEFORE_TEXT[wire] + 2 },
      ]);
      await readUntil(events, 'Once upo');
      stop.abort();
      assert.deepEqual(await rest(events), [{ type: 'end', stopReason: 'aborted' }]);
      await closed();
      assert.deepEqual(time.running, []);
    });

    it(`${wire}: who stops listening closes the connection`, async () => {
      const events = await start(wire, [
        { text: 'Once upon a time', chunk: 4, stallAfter: BEFORE_TEXT[wire] + 1 },
      ]);
      await readUntil(events, 'Once');
      await events.return?.();
      await closed();
      assert.deepEqual(time.running, []);
    });

    it(`${wire}: answers one after another share a connection`, async () => {
      model = await ScriptedModel.start(Array.from({ length: 8 }, () => ({ text: 'fine' })));
      const provider = await providerOf(wire, model);
      for (let turn = 0; turn < 8; turn++) assert.equal(answerOf(await eventsOf(provider)).text, 'fine');
      assert.ok(model.connections <= 2, `${model.connections} connections`);
      await closed();
    });

    it(`${wire}: is sent again as the service asks, else after longer and longer`, async () => {
      const waits: { milliseconds: number; requests: number }[] = [];
      const { key, retryable } = { key: 'provider.overloaded', retryable: true };
      model = await ScriptedModel.start([
        { status: 429, headers: { 'retry-after': '7' } },
        { status: 500 },
        { status: 529, headers: { 'retry-after-ms': '40' } },
        { status: 503 },
        { text: 'at last' },
      ]);
      const asked = await providerOf(wire, model, {
        idleTimeoutMs: IDLE,
        retryLimit: 5,
        timer: (milliseconds, fire) => {
          if (milliseconds === IDLE) return () => undefined;
          waits.push({ milliseconds, requests: model!.requests.length });
          return soon(fire);
        },
      });
      const events = await eventsOf(asked);
      const overloaded = (status: number): object => ({
        message: { key, args: { provider: provider(), status } },
        retryable,
        status,
      });
      const limited = { key: 'provider.rateLimit', args: { provider: provider() } };
      assert.deepEqual(
        events.flatMap((event) =>
          event.type === 'retry' ? [{ attempt: event.attempt, error: event.error }] : [],
        ),
        [
          { attempt: 1, error: { message: limited, retryable, status: 429, retryAfter: 7000 } },
          { attempt: 2, error: overloaded(500) },
          { attempt: 3, error: { ...overloaded(529), retryAfter: 40 } },
          { attempt: 4, error: overloaded(503) },
        ],
      );
      assert.deepEqual(
        events.flatMap((event) => (event.type === 'retrying' ? [event.attempt] : [])),
        [1, 2, 3, 4],
      );
      assert.equal(answerOf(events).text, 'at last');
      assert.deepEqual(
        waits.map(({ requests }) => requests),
        [1, 2, 3, 4],
      );
      const [first, second, third, fourth] = waits.map(({ milliseconds }) => milliseconds);
      assert.deepEqual([first, third], [7000, 40]);
      assert.ok(second! >= 1000 && second! <= 2000, `${second}`);
      assert.ok(fourth! >= 4000 && fourth! <= 8000, `${fourth}`);
      assert.equal(new Set(model.requests.map(({ raw }) => raw)).size, 1, 'not the same request');
    });
  }

  it('comments and pings are signs of life', async () => {
    model = await ScriptedModel.start([]);
    for (const [wire, ping, answer] of [
      [
        'openai-compatible',
        ': PROCESSING\n\n',
        'data: {"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}\n\n',
      ],
      ['anthropic', 'event: ping\ndata: {"type": "ping"}\n\n', undefined],
    ] as const) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const write = (text: string): Promise<void> => writer.write(new TextEncoder().encode(text));
      const provider = await providerOf(wire, model, {
        idleTimeoutMs: IDLE,
        timer: time.timer,
        fetch: () =>
          Promise.resolve(new Response(readable, { headers: { 'content-type': 'text/event-stream' } })),
      });
      const answered = eventsOf(provider);
      for (let pings = 0; pings < 5; pings++) {
        const before = time.started.length;
        await write(ping);
        await until(() => time.started.length > before, 'a timer started anew');
        await until(() => time.running.length === 1, 'a running timer');
      }
      if (answer === undefined) {
        await time.fire(IDLE);
        assert.equal(answerOf(await answered).end.error?.message.key, 'provider.stalled');
      } else {
        await write(answer);
        await writer.close();
        assert.equal(answerOf(await answered).text, 'Yes');
      }
      assert.deepEqual(time.running, []);
    }
  });

  it('gives up after so many times, with the last failure', async () => {
    model = await ScriptedModel.start([
      { status: 500 },
      { status: 503 },
      { status: 502 },
      { text: 'too late' },
    ]);
    const inner = await providerOf('anthropic', model);
    const { end } = answerOf(
      await eventsOf(new RetryingProvider(inner, { limit: 2, timer: (_milliseconds, fire) => soon(fire) })),
    );
    assert.deepEqual(end, {
      type: 'end',
      stopReason: 'error',
      error: {
        message: { key: 'provider.overloaded', args: { provider: 'Anthropic', status: 502 } },
        retryable: true,
        status: 502,
      },
    });
    assert.equal(model.requests.length, 3);
  });

  it('never sends again what has begun, what cannot pass, or what was stopped', async () => {
    for (const turn of [
      { text: 'half', chunk: 2, cutAfter: 3 },
      { status: 401 },
      { status: 400 },
      { status: 429, headers: { 'retry-after': '86400' } },
    ]) {
      const all = await rest(await start('openai-compatible', [turn, { text: 'again' }], 3));
      assert.equal(all.filter(({ type }) => type === 'retry').length, 0);
      assert.equal(model!.requests.length, 1);
      await model?.stop();
    }
    const events = await start('openai-compatible', [{ status: 500 }, { text: 'again' }], 3);
    const first = await events.next();
    assert.equal(first.done === true ? undefined : first.value.type, 'retry');
    const next = rest(events);
    stop.abort();
    assert.deepEqual(await next, [{ type: 'end', stopReason: 'aborted' }]);
    assert.equal(model!.requests.length, 1);
    assert.deepEqual(time.running, []);
  });
});

/** A timer that runs out as soon as what is at hand is done. */
function soon(fire: () => void): () => void {
  const immediate = setImmediate(fire);
  return () => clearImmediate(immediate);
}
