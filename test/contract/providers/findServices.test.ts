import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { findServices } from '../../../src/providers/findServices.ts';
import { ManualTimer } from '../../support/model/ManualTimer.ts';
import { until } from './support.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('looking for model services on this machine', () => {
  const stops: (() => Promise<void>)[] = [];
  const asked: string[] = [];
  afterEach(async () => {
    asked.length = 0;
    for (const stop of stops.splice(0)) await stop();
  });

  /** A service on a free port; its base URL. */
  async function serve(handler: Handler): Promise<string> {
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      handler(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  const answer =
    (
      body: string,
      status = 200,
      headers: Record<string, string> = { 'content-type': 'application/json' },
    ): Handler =>
    (_request, response) =>
      response.writeHead(status, headers).end(body);

  const ollama = JSON.stringify({
    object: 'list',
    data: [
      { id: 'qwen3-coder:30b', object: 'model', created: 1, owned_by: 'library' },
      { id: 'nomic-embed-text:latest', object: 'model', created: 1, owned_by: 'library' },
    ],
  });
  const lmstudio = JSON.stringify({
    object: 'list',
    data: [
      { id: 'text-embedding-nomic-embed-text-v1.5', object: 'model', owned_by: 'organization_owner' },
      { id: 'openai/gpt-oss-20b', object: 'model', owned_by: 'organization_owner' },
    ],
  });

  it('finds what runs, with the models that can talk', async () => {
    const [first, second] = [await serve(answer(ollama)), await serve(answer(lmstudio))];
    const found = await findServices({
      places: [
        { provider: 'ollama', baseUrl: first },
        { provider: 'lmstudio', baseUrl: second },
      ],
    });
    assert.deepEqual(found, [
      { provider: 'ollama', baseUrl: first, models: ['qwen3-coder:30b'] },
      { provider: 'lmstudio', baseUrl: second, models: ['openai/gpt-oss-20b'] },
    ]);
    assert.deepEqual(asked, ['GET /v1/models', 'GET /v1/models']);
  });

  it('what is missing, garbage, locked or elsewhere is not found, and hides nobody', async () => {
    const there = await serve(answer(ollama));
    const elsewhere = await serve(answer(ollama));
    const strange = [
      await closedPort(),
      await serve(answer('')),
      await serve(answer('<html>It works!</html>', 200, { 'content-type': 'text/html' })),
      await serve(answer('{"data":')),
      await serve(answer('null')),
      await serve(answer('{"data":{"id":"a"}}')),
      await serve(answer('{"data":[{"name":"no id"}]}')),
      await serve(answer('{"data":[]}')),
      await serve(answer(ollama, 401)),
      await serve(answer(ollama, 500)),
      await serve((_request, response) => response.writeHead(302, { location: `${elsewhere}/models` }).end()),
      await serve((request) => request.socket.destroy()),
      await serve((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"data":');
        response.destroy();
      }),
      await serve(answer(`{"data":[${'{"id":"m"},'.repeat(400_000)}{"id":"m"}]}`)),
      await speaking('SSH-2.0-OpenSSH_9.9\r\n'),
    ];
    const found = await findServices({
      places: [...strange, there].map((baseUrl) => ({ provider: 'ollama' as const, baseUrl })),
    });
    assert.deepEqual(found, [{ provider: 'ollama', baseUrl: there, models: ['qwen3-coder:30b'] }]);
  });

  it('waits for nobody longer than its patience, and finds the others', async () => {
    const time = new ManualTimer();
    const there = await serve(answer(lmstudio));
    let silent = 0;
    const places = [
      await serve(() => {
        silent++;
      }),
      await serve((_request, response) => {
        silent++;
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[{"id":"half"');
      }),
    ];
    const looking = findServices({
      places: [
        ...places.map((baseUrl) => ({ provider: 'ollama' as const, baseUrl })),
        { provider: 'lmstudio', baseUrl: there },
      ],
      timer: time.timer,
    });
    await until(() => silent === 2 && time.running.length === 2, 'two silent services');
    await time.fire(1500);
    await time.fire(1500);
    assert.deepEqual(await looking, [
      { provider: 'lmstudio', baseUrl: there, models: ['openai/gpt-oss-20b'] },
    ]);
    assert.deepEqual(time.running, []);
  });

  /** An address of this machine where nothing listens. */
  async function closedPort(): Promise<string> {
    const server = createSocketServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return `http://127.0.0.1:${port}/v1`;
  }

  /** Something that is no web server. */
  async function speaking(words: string): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createSocketServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.write(words);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      if (server.listening) await once(server, 'close');
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
});
