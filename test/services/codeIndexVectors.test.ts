import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodeIndex } from '../../src/services/codeIndex/CodeIndex.ts';
import { embed, EmbedderError } from '../../src/services/codeIndex/Embedder.ts';
import type { IndexAnswer } from '../../src/services/codeIndex/indexThread.ts';

/** Words that mean the same have the same direction. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['fruit', 'apple', 'banana'],
  ['money', 'price', 'cost'],
];

/** A service that speaks OpenAI's embeddings API and knows a few words. */
class Embeddings {
  readonly requests: { model: string; input: string[]; key: string | undefined }[] = [];
  /** What it answers instead of vectors. */
  broken: { status: number; body: string } | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const { model, input } = JSON.parse(body) as { model: string; input: string[] };
        this.requests.push({ model, input, key: request.headers.authorization });
        response.statusCode = this.broken?.status ?? 200;
        const data = input.map((text, index) => ({
          index,
          embedding: MEANINGS.map((words) => (words.some((word) => text.includes(word)) ? 1 : 0)),
        }));
        // In another order than they were asked: the index says which is whose.
        response.end(this.broken?.body ?? JSON.stringify({ data: data.reverse() }));
      });
    });
  }

  static async start(): Promise<Embeddings> {
    const made = new Embeddings();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
}

describe('an embedder', () => {
  let service: Embeddings;
  beforeEach(async () => {
    service = await Embeddings.start();
  });
  afterEach(() => service.stop());

  it('gives each text its vector, of one length', async () => {
    const vectors = await embed({ url: `${service.url}/`, model: 'm', key: 'secret' }, [
      'a car for money',
      'apple',
      'x',
    ]);
    assert.deepEqual(
      vectors.map((vector) => [...vector]),
      [
        [90, 0, 90],
        [0, 127, 0],
        [0, 0, 0],
      ],
    );
    assert.deepEqual(service.requests, [
      { model: 'm', input: ['a car for money', 'apple', 'x'], key: 'Bearer secret' },
    ]);
  });

  it('says what is wrong', async () => {
    const message = async (broken: Embeddings['broken'], url = service.url): Promise<string> => {
      service.broken = broken;
      try {
        await embed({ url, model: 'm', key: undefined }, ['a']);
        return '';
      } catch (error) {
        assert.ok(error instanceof EmbedderError);
        return error.message;
      }
    };
    assert.equal(await message({ status: 404, body: '' }), 'the embedder answered with status 404');
    assert.equal(await message({ status: 200, body: 'no' }), 'the embedder’s answer is no JSON');
    const wrong = 'the embedder’s answer does not hold one vector for each text';
    for (const body of [
      '{}',
      'null',
      '{"data":[]}',
      '{"data":[{}]}',
      '{"data":[{"embedding":[1],"index":7}]}',
    ])
      assert.equal(await message({ status: 200, body }), wrong, body);
    for (const url of ['http://127.0.0.1:1/v1', 'no address'])
      assert.equal(await message(undefined, url), 'the embedder cannot be reached', url);
    const stop = new AbortController();
    const stopped = embed({ url: service.url, model: 'm', key: undefined }, ['a'], stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(stopped, new Error('stopped'));
  });

  if (!isBuiltin('node:sqlite')) return;

  it('lets the index find by meaning, follows changes, and is done without when it fails', async function () {
    this.timeout(60_000);
    const base = mkdtempSync(join(tmpdir(), 'lathe-vectors-'));
    const index = CodeIndex.create(join(base, 'index'), { key: 'secret' });
    assert.ok(index);
    const write = (path: string, text: string): void => {
      mkdirSync(join(base, 'src'), { recursive: true });
      writeFileSync(join(base, 'src', path), text);
    };
    const ask = async (question: string, files: string[], model: string | undefined): Promise<IndexAnswer> =>
      await index.search({
        root: join(base, 'src'),
        files,
        question,
        prefix: '',
        limit: 10,
        patience: 30_000,
        embedder: model === undefined ? undefined : { url: service.url, model },
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
    const first = ({ places }: IndexAnswer): string | undefined => places[0]?.path;
    try {
      write('garage.ts', 'function park(vehicle: string) {}\n');
      write('kitchen.ts', 'function peel(banana: string) {}\n');
      const files = ['garage.ts', 'kitchen.ts'];
      assert.equal(first(await ask('where do automobiles stay', files, undefined)), undefined);
      assert.equal(first(await ask('where do automobiles stay', files, 'one')), 'garage.ts');
      assert.equal(first(await ask('apple', files, 'one')), 'kitchen.ts');
      assert.ok(service.requests.every(({ key }) => key === 'Bearer secret'));
      const texts = service.requests.flatMap(({ input }) => input);
      assert.equal(texts.filter((text) => text.startsWith('garage.ts park\n')).length, 1, 'each chunk once');

      write('shop.ts', 'function pay(price: number) {}\n');
      assert.equal(first(await ask('what is the cost', [...files, 'shop.ts'], 'one')), 'shop.ts');
      assert.equal(first(await ask('what is the cost', files, 'one')), 'garage.ts');

      const before = service.requests.length;
      assert.equal(first(await ask('automobile', files, 'two')), 'garage.ts');
      const again = service.requests
        .slice(before)
        .flatMap(({ model, input }) => input.map((text) => [model, text[0]]));
      assert.deepEqual(
        again,
        [
          ['two', 'a'],
          ['two', 'g'],
          ['two', 'k'],
        ],
        'another model, other vectors',
      );

      service.broken = { status: 500, body: '' };
      const { places, problem } = await ask('park', files, 'two');
      assert.deepEqual(
        [places.map(({ path }) => path), problem],
        [['garage.ts'], 'the embedder answered with status 500'],
      );
    } finally {
      await index.dispose();
      rmSync(base, { recursive: true, force: true });
    }
  });
});
