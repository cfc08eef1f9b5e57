import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { Presence } from '../../src/frontends/server/Presence.ts';
import { readerLocale } from '../../src/frontends/server/readerLocale.ts';
import type { ServerMessage } from '../../src/shared/wire.ts';
import { ScriptedModel, xmlCall } from '../support/ScriptedModel.ts';
import { TestServer } from '../support/TestServer.ts';

const TOKEN = 'a/token=of(the)%41test';
const files = {
  'index.js': 'import "./chunk-ABCDEFGH.js";',
  'chunk-ABCDEFGH.js': 'export {};',
  'index.css': 'body {}',
  'web.css': ':root {}',
  'codicon.ttf': 'font',
  'index.js.map': '{}',
  'notes.txt': 'not of the page',
};

describe('the page of the web chat and its line to the server', () => {
  let cwd: string;
  let folder: string;
  let model: ScriptedModel;
  let server: TestServer;
  const sockets: WebSocket[] = [];

  before(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-http-'));
    mkdirSync(join(cwd, 'src'));
    for (const name of ['src/parse.ts', 'src/print.ts', '.env', '.gitignore'])
      writeFileSync(join(cwd, name), name === '.gitignore' ? 'ignored.txt\n' : '');
    writeFileSync(join(cwd, 'ignored.txt'), '');
    const outer = mkdtempSync(join(tmpdir(), 'lathe-page-'));
    folder = join(outer, 'webview');
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(outer, 'secret.js'), 'secret');
    model = await ScriptedModel.start([]);
    server = await TestServer.start({
      ...{ cwd, token: TOKEN, page: folder },
      profile: { provider: 'openai-compatible', baseUrl: model.url },
      limits: { body: 50_000, frame: 2000, backlog: 100_000 },
    });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });
  after(async () => {
    await server.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });

  /** A path as it is written: what fetch makes shorter is asked for too. */
  async function get(path: string, headers: Record<string, string> = {}) {
    const sent = request(server.url, { path, headers, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += String(piece);
    return { status: response.statusCode, headers: response.headers, text };
  }

  const address = (): string => `${server.url.replace('http', 'ws')}/ws`;
  const offered = (token: string): string[] => ['lathe', `lathe.token.${token}`];
  const encoded = 'a%2Ftoken%3Dof%28the%29%2541test';

  function connect(headers: Record<string, string> = {}, protocols = offered(encoded)): WebSocket {
    const socket = new WebSocket(address(), protocols, { headers });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  /** A page that said that it is ready, and a way to ask for it. */
  async function page() {
    const socket = connect();
    await once(socket, 'open');
    const told: ServerMessage[] = [];
    const waiting = new Map<number, (said: ServerMessage) => void>();
    socket.on('message', (data: Buffer) => {
      const said = JSON.parse(data.toString()) as ServerMessage;
      if (said.type === 'notification') told.push(said);
      else waiting.get(said.id)?.(said);
    });
    let last = 0;
    const ask = async (method: string, params: object = {}): Promise<ServerMessage> => {
      const id = ++last;
      const answer = new Promise<ServerMessage>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ type: 'request', id, method, params }));
      return await answer;
    };
    const ready = await ask('editor/ready');
    return { socket, told, ask, ready };
  }

  async function refusal(socket: WebSocket): Promise<number | undefined> {
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    return response.statusCode;
  }

  it('serves the page to everyone, strictly, in the language of the reader, and says nothing of the workspace', async () => {
    const english = await get('/');
    const policy = String(english.headers['content-security-policy']);
    assert.equal(english.status, 200);
    assert.match(english.text, /<html lang="en">/);
    assert.ok(!english.text.includes(cwd) && !/<style|<script(?![^>]* src=)|\son\w+=/.test(english.text));
    assert.deepEqual(
      policy.split('; ').filter((rule) => /unsafe|\*|http/.test(rule)),
      [],
    );
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      assert.ok(policy.split('; ').includes(rule), rule);
    const chinese = await get('/', { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' });
    assert.match(chinese.text, /<html lang="zh-Hans">/);
  });

  it('serves its files by their names and nothing else', async () => {
    const seen = await Promise.all(
      ['index.js', 'chunk-ABCDEFGH.js', 'web.css', 'codicon.ttf'].map(async (name) => {
        const { status, headers, text } = await get(`/assets/${name}`);
        return [
          name,
          status,
          headers['content-type'],
          headers['cache-control'],
          text === files[name as 'web.css'],
        ];
      }),
    );
    const forever = 'public, max-age=31536000, immutable';
    assert.deepEqual(seen, [
      ['index.js', 200, 'text/javascript; charset=utf-8', 'no-cache', true],
      ['chunk-ABCDEFGH.js', 200, 'text/javascript; charset=utf-8', forever, true],
      ['web.css', 200, 'text/css; charset=utf-8', 'no-cache', true],
      ['codicon.ttf', 200, 'font/ttf', 'no-cache', true],
    ]);
    const { headers } = await get('/assets/index.js');
    const again = await get('/assets/index.js', { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.status, again.text], [304, '']);
    const zipped = await fetch(`${server.url}/assets/web.css`);
    assert.deepEqual(
      [zipped.headers.get('content-encoding'), await zipped.text()],
      ['gzip', files['web.css']],
    );
    symlinkSync(join(folder, '..', 'secret.js'), join(folder, 'later.js'));
    for (const path of [
      '../secret.js',
      '..%2fsecret.js',
      '..%5csecret.js',
      '%2e%2e%2fsecret.js',
      './../secret.js',
      '%00index.js',
      'index.js%00',
      join(folder, 'index.js'),
      encodeURIComponent(join(folder, 'index.js')),
      'notes.txt',
      'later.js',
      '',
      '%',
      'x'.repeat(5000),
    ]) {
      const { status = 0, text } = await get(`/assets/${path}`);
      assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
      assert.ok(!text.includes('secret'), path);
    }
  });

  it('opens its line to whoever has the token and is no page from elsewhere', async () => {
    assert.equal((await get('/api/page')).status, 401);
    assert.deepEqual(JSON.parse((await get('/api/page', { authorization: `Bearer ${TOKEN}` })).text), {
      workspace: cwd,
    });
    assert.equal(await refusal(connect({}, ['lathe'])), 401);
    assert.equal(await refusal(connect({}, offered('another'))), 401);
    assert.equal(await refusal(connect({}, offered('%zz'))), 401);
    assert.equal(await refusal(connect({ origin: 'https://evil.example' })), 403);
    assert.equal(await refusal(connect({ host: 'evil.example' })), 421);
    const socket = connect({ origin: server.url });
    await once(socket, 'open');
    assert.equal(socket.protocol, 'lathe');
  });

  it('is answered as far as there is no editor, in the language of its reader', async () => {
    const { ask, ready } = await page();
    assert.deepEqual(ready, {
      ...{ type: 'response', id: 1 },
      result: { locale: 'en', version: '0.0.0', workspace: cwd, trusted: true },
    });
    assert.deepEqual(await ask('editor/findPaths', { query: 'pa' }), {
      ...{ type: 'response', id: 2 },
      result: { paths: [{ path: 'src/parse.ts', kind: 'file' }] },
    });
    const found = await ask('editor/findPaths', { query: 'ignored' });
    assert.deepEqual(found, { type: 'response', id: 3, result: { paths: [] } });
    assert.deepEqual(await ask('editor/openFile', { path: 'src/parse.ts' }), {
      ...{ type: 'error', id: 4 },
      error: { code: 'unavailable', message: { key: 'server.noEditor' } },
    });
    const elsewhere = await ask('task/create', { text: 'Look', cwd: '/' });
    assert.equal(elsewhere.type === 'error' && elsewhere.error.message.key, 'error.otherWorkspace');
    assert.deepEqual(
      ['zh-CN,zh;q=0.9', 'fr;q=0.3, zh-Hans;q=0.9', 'en-GB,zh;q=0.5', '*', 'zh;q=0', 'zh-TW', ''].map(
        (said) => readerLocale(said, 'en'),
      ),
      ['zh-cn', 'zh-cn', 'en', 'en', 'en', 'en', 'en'],
    );
  });

  it('takes a yes of the page, but never its words for a file', async () => {
    model.turns.push(
      { text: xmlCall('write_to_file', { path: 'a.txt', content: 'proposed' }) },
      { text: xmlCall('attempt_completion', { result: 'done' }) },
    );
    const { ask } = await page();
    const created = await ask('task/create', { text: 'Write' });
    assert.equal(created.type, 'response');
    const { tests } = server;
    await tests.until(() => tests.entries('approval_requested').length > 0, 'the request');
    const { request: asked } = tests.entries('approval_requested')[0]!;
    const decision = { outcome: 'allow', by: 'policy', edited: { [join(cwd, 'a.txt')]: 'slipped in' } };
    await ask('approval/respond', { taskId: asked.taskId, approvalId: asked.id, decision });
    await tests.ended(1);
    assert.deepEqual(
      tests.entries('approval_resolved').map((entry) => entry.decision),
      [{ outcome: 'allow', by: 'person' }],
    );
    assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8'), 'proposed\n');
  });

  it('ends the line of what does not speak its language, and answers what is wrong', async () => {
    for (const [junk, code] of [
      ['{', 1007],
      [Buffer.from([1, 2, 3]), 1007],
      ['x'.repeat(60_000), 1009],
    ] as const) {
      const socket = connect();
      await once(socket, 'open');
      socket.send(junk);
      assert.deepEqual(((await once(socket, 'close')) as [number])[0], code);
    }
    const { ask } = await page();
    const answer = await ask('task/explode');
    assert.equal(answer.type === 'error' && answer.error.code, 'not_found');
    const many = await Promise.all(Array.from({ length: 500 }, () => ask('task/list')));
    assert.ok(many.every(({ type }) => type === 'response'));
  });

  it('closes the line of a page that does not read, and the turn goes on', async () => {
    const { socket, ask } = await page();
    model.turns.push({
      text: xmlCall('attempt_completion', { result: 'x'.repeat(3_000_000) }),
      chunk: 50_000,
    });
    const created = await ask('task/create', { text: 'Say much' });
    const { taskId } = (created as { result: { taskId: string } }).result;
    await ask('task/subscribe', { taskId });
    socket.pause();
    const { tests } = server;
    await tests.until(() => tests.ends.includes(taskId), 'the end');
    const closed = once(socket, 'close');
    // What the system has taken for it is read; then comes why it was closed.
    for (let asked = 0; asked < 40; asked++)
      socket.send(
        JSON.stringify({ type: 'request', id: 1000 + asked, method: 'task/subscribe', params: { taskId } }),
      );
    socket.resume();
    assert.equal(((await closed) as [number])[0], 1013);
  });

  it('counts a person as there a moment longer than their page', async () => {
    const presence = new Presence(0);
    const left = presence.person();
    const other = presence.person();
    left();
    other();
    assert.equal(presence.isAttended('any'), true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(presence.isAttended('any'), false);
  });
});
