import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { isLoopback, strangerIn } from '../../src/frontends/server/guard.ts';
import { methods } from '../../src/shared/protocol.ts';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { eventsOf, TestServer } from '../support/TestServer.ts';

describe('who may ask the server, and for what', () => {
  let cwd: string;
  let model: ScriptedModel;
  let server: TestServer;
  const token = 'a-token-of-the-test';

  before(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-http-'));
    model = await ScriptedModel.start([]);
    server = await TestServer.start({
      cwd,
      token,
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native' },
      limits: { body: 20_000, frame: 2000 },
    });
  });
  after(async () => {
    await server.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** A request with headers that fetch does not let one set. */
  async function ask(path: string, headers: Record<string, string | undefined>, body?: string) {
    const sent = request(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      agent: false,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += String(piece);
    return { status: response.statusCode, text };
  }
  const bearer = { authorization: `Bearer ${token}` };
  const json = { ...bearer, 'content-type': 'application/json' };

  it('asks for the token everywhere but for the health', async () => {
    const paths = [
      '/api/chat/sessions',
      '/rpc/task/list',
      '/metrics',
      '/openapi.json',
      '/api/chat/ws',
      '/nothing',
    ];
    for (const path of paths) assert.equal((await ask(path, {})).status, 401, path);
    for (const wrong of ['', 'Bearer', 'Bearer x', `Basic ${token}`, `Bearer ${token}x`])
      assert.equal((await ask('/api/chat/sessions', { authorization: wrong })).status, 401, wrong);
    assert.equal((await ask('/api/chat/sessions', bearer)).status, 200);
    assert.deepEqual(JSON.parse((await ask('/health', {})).text), { status: 'ok', version: '0.0.0' });
  });

  it('refuses pages from elsewhere, and names that were made to point here', async () => {
    const { host } = new URL(server.url);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      assert.equal((await ask('/health', headers)).status, 403, JSON.stringify(headers));
    for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])
      assert.equal((await ask('/health', { host: name })).status, 421, name);
    assert.equal((await ask('/health', { origin: `http://${host}` })).status, 200);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/chat/ws?session_id=a`, {
      headers: { ...bearer, origin: 'https://evil.example' },
    });
    const [, refusal] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    assert.equal(refusal.statusCode, 403);
  });

  it('opens a WebSocket with the token as a subprotocol, as a browser can', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/chat/ws?session_id=a`, [
      'lathe',
      `lathe.token.${token}`,
    ]);
    await once(socket, 'open');
    assert.equal(socket.protocol, 'lathe');
    socket.send(JSON.stringify({ type: 'ping' }));
    assert.equal(String(((await once(socket, 'message')) as [Buffer])[0]), '{"type":"pong"}');
    socket.terminate();
  });

  it('knows its own names', () => {
    const may = (host: string, own: string, names: string[] = []): boolean =>
      strangerIn({ headers: { host } }, { host: own, names, token: undefined }) === undefined;
    assert.deepEqual(
      [
        may('localhost:8000', '127.0.0.1'),
        may('[::1]:8000', '::1'),
        may('192.168.1.5:8000', '0.0.0.0'),
        may('evil.example', '0.0.0.0'),
        may('lathe.example', '0.0.0.0', ['lathe.example']),
        may('box', 'box'),
        may('', '127.0.0.1'),
      ],
      [true, true, true, false, true, true, false],
    );
    assert.deepEqual(
      ['127.0.0.1', '127.1.2.3', '::1', 'localhost', '0.0.0.0', '127.evil', '128.0.0.1'].map(isLoopback),
      [...[true, true, true, true], ...[false, false, false]],
    );
  });

  it('refuses bodies that are too large, no JSON, or another shape', async () => {
    const send = async (body: string, headers: Record<string, string> = json) =>
      (await ask('/api/chat/send', headers, body)).status;
    assert.equal(await send(JSON.stringify({ session_id: 'a', message: 'x'.repeat(30_000) })), 413);
    assert.equal(await send('{'), 400);
    assert.equal(await send('{}', { ...json, 'content-type': 'text/plain' }), 415);
    for (const body of [
      {},
      { session_id: 'a' },
      { session_id: '../a', message: 'x' },
      { session_id: 'a', message: '' },
      { session_id: 'a', message: 'x', attachments: [{}] },
      [],
      null,
    ])
      assert.equal(await send(JSON.stringify(body)), 400, JSON.stringify(body));
    assert.equal((await ask('/api/chat/sessions/unknown/messages', bearer)).status, 404);
    assert.equal((await ask('/api/chat/sessions/..%2f..%2fetc/messages', bearer)).status, 400);
    assert.equal((await ask('/api/chat/sessions/a/events?since=x', bearer)).status, 400);
    assert.equal(model.requests.length, 0);
  });

  it('gives every method of the protocol an address, and describes it', async () => {
    const call = async (method: string, params: object) =>
      await ask(`/rpc/${method}`, json, JSON.stringify(params));
    assert.deepEqual(await call('task/list', {}), { status: 200, text: '[]' });
    const unknown = await call('task/nothing', {});
    assert.deepEqual(
      [unknown.status, (JSON.parse(unknown.text) as { code: string }).code],
      [404, 'not_found'],
    );
    assert.equal((await call('task/rename', { taskId: 'a' })).status, 400);
    assert.equal((await call('task/rename', { taskId: 'a', title: 'x' })).status, 404);
    const elsewhere = await call('task/create', { text: 'Look around', cwd: tmpdir() });
    assert.deepEqual(
      [elsewhere.status, (JSON.parse(elsewhere.text) as { code: string }).code],
      [503, 'unavailable'],
    );
    const document = JSON.parse((await ask('/openapi.json', bearer)).text) as {
      openapi: string;
      paths: object;
    };
    assert.equal(document.openapi, '3.1.0');
    for (const method of Object.keys(methods))
      assert.ok(Object.hasOwn(document.paths, `/rpc/${method}`), method);
    const metrics = await ask('/metrics', bearer);
    assert.match(metrics.text, /^lathe_sessions \d+$/m);
    assert.match(metrics.text, /^lathe_http_request_seconds_count\{[^}]*route="\/rpc\/task\/list"/m);
  });

  it('is not brought down by bodies and frames of any kind', async () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record({ session_id: fc.anything(), message: fc.anything(), attachments: fc.anything() })
        .map((body) =>
          JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
        ),
    );
    const targets = [
      '/api/chat/send',
      '/rpc/task/create',
      '/rpc/approval/respond',
      '/rpc/__proto__',
      '/rpc/constructor',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...targets), anything, async (path, body) => {
        // What would begin a turn is another test's.
        fc.pre(!/"(session_id|text)":"[A-Za-z0-9_-]/.test(body));
        const { status = 0 } = await ask(path, json, body);
        assert.ok(status >= 400 && status < 500, `${path} ${body}: ${status}`);
      }),
      { numRuns: 200 },
    );
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/chat/ws?session_id=a`, {
      headers: bearer,
    });
    await once(socket, 'open');
    await fc.assert(
      fc.asyncProperty(anything, async (frame) => {
        fc.pre(frame.length < 500);
        const answered = once(socket, 'message') as Promise<[Buffer]>;
        socket.send(frame);
        assert.equal((JSON.parse(String((await answered)[0])) as { type: string }).type, 'error');
      }),
      { numRuns: 100 },
    );
    socket.send(Buffer.alloc(5000));
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 1009);
    await rawBytes();
    assert.equal((await ask('/health', {})).status, 200);
    assert.deepEqual(
      server.tests.errors.filter((error) => !/a WebSocket broke|a connection broke/.test(error)),
      [],
    );
  });

  /** What is no HTTP, and half of it. */
  async function rawBytes(): Promise<void> {
    const port = Number(new URL(server.url).port);
    for (const bytes of [
      '\0\0\0',
      'GET / HTTP/1.1\r\n\r\n',
      'GET /api/chat/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
  }

  it('keeps what a bound turns away from what goes on', async () => {
    const bounded = await TestServer.start({
      cwd,
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native' },
      limits: { streams: 1, sockets: 1 },
    });
    model.turns.push({ text: ['slow ', 'answer'], delay: 200 });
    try {
      const first = await bounded.send('one', 'Hello');
      const second = await bounded.send('two', 'Hello');
      assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '2']);
      await second.body?.cancel();
      assert.equal((await eventsOf(first)).at(-1)?.event, 'done');
      const open = async (): Promise<number> => {
        const socket = new WebSocket(`${bounded.url.replace('http', 'ws')}/api/chat/ws?session_id=a`);
        return await new Promise((resolve) => {
          socket.on('open', () => resolve(101));
          socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0));
          socket.on('error', () => undefined);
        });
      };
      assert.deepEqual([await open(), await open()], [101, 503]);
    } finally {
      await bounded.stop();
    }
  });
});
