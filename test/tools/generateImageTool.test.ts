import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderId } from '../../src/shared/settings.ts';
import { createProvider } from '../../src/providers/registry.ts';
import { ScriptedModel, xmlCall } from '../support/ScriptedModel.ts';
import { PictureService, type PictureAnswer } from '../support/PictureService.ts';
import { TestAgent } from '../support/TestAgent.ts';
import {
  decoded,
  parseNative,
  parseXml,
  withContext,
  type TestContext,
  type TestContextOptions,
} from '../support/testContext.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqGeoBwADhgGAvwrbGAAAAABJRU5ErkJggg==',
  'base64',
);
const inImages = { json: { data: [{ b64_json: PNG.toString('base64') }] } };
const args = { prompt: 'A lathe & a <chip>', path: 'art/lathe.png' };

describe('generate_image', () => {
  const create = withContext();
  const open: { stop: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.stop();
  });

  async function start(
    answers: PictureAnswer[],
    {
      provider = 'openai-compatible',
      model = 'gpt-image-1',
      ...options
    }: Partial<TestContextOptions> & {
      provider?: ProviderId;
      model?: string;
    } = {},
  ): Promise<{ context: TestContext; service: PictureService }> {
    const service = await PictureService.start(answers);
    open.push(service);
    const made = await createProvider(
      { name: 'pictures', provider, model, baseUrl: `${service.url}/v1`, protocol: 'auto' },
      { key: 'test-key', idleTimeoutMs: 10_000, retryLimit: 3 },
    );
    const context = await create({
      ...options,
      makePicture: async (request, signal) => {
        assert.ok(made.makePicture);
        return await made.makePicture({ ...request, model }, signal);
      },
    });
    return { context, service };
  }

  it('takes the same call in XML and natively', () => {
    assert.deepEqual(decoded(parseXml(xmlCall('generate_image', args))), args);
    assert.deepEqual(decoded(parseNative('generate_image', args)), args);
  });

  it('asks OpenAI’s image API, saves what comes, and shows it', async () => {
    const { context, service } = await start([inImages]);
    const { prepared, response } = await context.native('generate_image', args);
    assert.deepEqual(prepared?.actions, [
      {
        type: 'edit',
        path: join(context.root, 'art/lathe.png'),
        insideWorkspace: true,
        protected: false,
        created: true,
      },
    ]);
    assert.deepEqual(
      service.calls.map(({ method, path, headers, body }) => [
        method,
        path,
        headers.authorization,
        JSON.parse(body.toString()) as unknown,
      ]),
      [
        [
          'POST',
          '/v1/images/generations',
          'Bearer test-key',
          { model: 'gpt-image-1', prompt: args.prompt, output_format: 'png', n: 1 },
        ],
      ],
    );
    assert.deepEqual(response, {
      content: `The picture is in art/lathe.png: ${PNG.length} bytes. It is shown to the person; to look at it yourself, use read_file.`,
      details: {
        type: 'picture',
        path: 'art/lathe.png',
        mediaType: 'image/png',
        data: PNG.toString('base64'),
      },
    });
    assert.deepEqual(readFileSync(join(context.root, 'art/lathe.png')), PNG);
  });

  it('sends a picture to start from, which is read through the gate', async () => {
    const { context, service } = await start([inImages], { files: { 'a.png': PNG, '.env': 'KEY=1' } });
    const { prepared } = await context.xml('generate_image', { ...args, image: 'a.png' });
    assert.deepEqual(
      prepared?.actions.map(({ type }) => type),
      ['edit', 'read'],
    );
    const [call] = service.calls;
    assert.equal(call?.path, '/v1/images/edits');
    assert.match(call.headers['content-type'] ?? '', /^multipart\/form-data/);
    assert.ok(call.body.includes(PNG) && call.body.includes(args.prompt));
    const secret = await context.native('generate_image', { ...args, image: '.env' });
    assert.match(secret.error ?? '', /'\.env' is no picture to start from/);
    assert.equal(service.calls.length, 1);
  });

  it('asks OpenRouter in its own way', async () => {
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const { context, service } = await start(
      [
        {
          json: {
            choices: [{ message: { content: '', images: [{ type: 'image_url', image_url: { url } }] } }],
          },
        },
      ],
      { provider: 'openrouter', model: 'a/b', files: { 'from.png': PNG } },
    );
    const { response } = await context.native('generate_image', { ...args, image: 'from.png' });
    assert.equal(response?.details?.type, 'picture');
    assert.deepEqual(
      service.calls.map(({ path, body }) => [path, JSON.parse(body.toString()) as unknown]),
      [
        [
          '/v1/chat/completions',
          {
            model: 'a/b',
            modalities: ['image', 'text'],
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: args.prompt },
                  { type: 'image_url', image_url: { url } },
                ],
              },
            ],
          },
        ],
      ],
    );
  });

  it('fetches a picture that is only named, at the service itself and without the key', async () => {
    const { context, service } = await start([], { model: 'flux' });
    service.answer({ json: { data: [{ url: `${service.url}/files/1.png` }] } });
    service.answer({ bytes: PNG });
    const { response } = await context.native('generate_image', args);
    assert.equal(response?.details?.type, 'picture');
    assert.deepEqual(
      service.calls.map(({ method, path, headers }) => [method, path, headers.authorization]),
      [
        ['POST', '/v1/images/generations', 'Bearer test-key'],
        ['GET', '/files/1.png', undefined],
      ],
    );
    service.answer({ json: { data: [{ url: 'http://169.254.169.254/secret' }] } });
    const elsewhere = await context.native('generate_image', args);
    assert.match(elsewhere.error ?? '', /an address that is not asked: http:\/\/169\.254\.169\.254/);
    assert.equal(service.calls.length, 3);
  });

  it('says what went wrong, writes nothing, and does not ask twice', async () => {
    const cases: [PictureAnswer, RegExp][] = [
      [{ status: 401, json: { error: { message: 'bad key' } } }, /did not accept the API key|key/i],
      [{ status: 500, json: { error: { message: 'worker died' } } }, /cannot answer just now/],
      [{ json: { data: [] } }, /picture was not made/],
      [{ json: { data: [{ b64_json: Buffer.from('no picture').toString('base64') }] } }, /is no picture/],
    ];
    for (const [answer, expected] of cases) {
      const { context, service } = await start([answer]);
      const { error } = await context.native('generate_image', args);
      assert.match(error ?? '', expected);
      assert.match(error ?? '', /Nothing was written\. Go on without it, or draw an SVG/);
      assert.doesNotMatch(error ?? '', /test-key/);
      assert.equal(service.calls.length, 1);
      assert.equal(existsSync(join(context.root, 'art')), false);
    }
  });

  it('stops when the turn does, and keeps what was there when the answer is no', async () => {
    const { context, service } = await start(['hang'], { files: { 'art/lathe.png': 'before' } });
    const denied = await context.native('generate_image', args, { answer: { allowed: false } });
    assert.deepEqual([denied.denied, service.calls], [true, []]);
    const controller = new AbortController();
    const running = context.native('generate_image', args, { signal: controller.signal });
    while (service.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(context.read('art/lathe.png'), 'before');
  });

  it('refuses what is no name of a picture, and says what is missing', async () => {
    const { context } = await start([]);
    const wrong = await context.native('generate_image', { ...args, path: 'a.svg' });
    assert.match(wrong.error ?? '', /End it in \.png, \.jpg or \.webp/);
    const without = await create();
    const { error } = await without.native('generate_image', args);
    assert.match(error ?? '', /No image model is set up here/);
  });

  it('is offered where a setting names a profile, and runs with that profile’s model', async () => {
    const service = await PictureService.start([inImages]);
    open.push(service);
    const model = await ScriptedModel.start([
      { text: xmlCall('generate_image', args) },
      { text: xmlCall('attempt_completion', { result: 'Made.' }) },
    ]);
    open.push(model);
    const workspace = await create();
    const agent = await TestAgent.start({
      cwd: workspace.root,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
      settings: { imageProfile: 'pictures' },
      automatic: { edit: true },
    });
    try {
      await agent.agent.dispatcher.call('profile/save', {
        profile: {
          name: 'pictures',
          provider: 'openai-compatible',
          model: 'dall-e-3',
          baseUrl: service.url,
          protocol: 'auto',
        },
      });
      await agent.run('Draw a lathe.');
      assert.match(JSON.stringify(model.requests[0]), /## generate_image/);
      assert.deepEqual(readFileSync(join(workspace.root, 'art/lathe.png')), PNG);
      assert.equal(
        (JSON.parse(service.calls[0]?.body.toString() ?? '') as Record<string, unknown>).response_format,
        'b64_json',
      );
    } finally {
      await agent.stop();
    }
  });
});
