import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from '../support/certificate.ts';
import { ProxyServer } from '../support/ProxyServer.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { WebSite } from '../support/WebSite.ts';
import { AcpBench, done, refusal } from './support/AcpBench.ts';
import { MAIN } from './support/clientPackages.ts';
import { toolServer } from './support/toolServer.ts';

const PERSON = 'a-person:a password';
const AT = `${encodeURIComponent('a-person')}:${encodeURIComponent('a password')}`;

describe('behind a proxy', () => {
  let bench: AcpBench;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    bench = new AcpBench();
    await bench.script([]);
  });
  afterEach(async () => {
    await bench.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  const modelPort = (): number => Number(new URL(bench.model.url).port);
  async function proxyTo(hosts: Readonly<Record<string, number>>, person?: string): Promise<ProxyServer> {
    const proxy = await ProxyServer.start(hosts, person);
    stops.push(async () => await proxy.stop());
    return proxy;
  }

  /** What answers at a port, behind TLS by this name, and the file of the certificate that vouches for it. */
  async function secured(name: string, behind: number): Promise<{ port: number; authority: string }> {
    const { key, cert } = certificate(name);
    const authority = join(bench.folder, `${name}.pem`);
    writeFileSync(authority, cert);
    const secure = createServer({ key, cert }, (asked, response) => {
      const { url, method, headers } = asked;
      const onward = request({ host: '127.0.0.1', port: behind, path: url, method, headers }, (answer) =>
        answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
      );
      asked.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    stops.push(async () => {
      secure.closeAllConnections();
      secure.close();
      await once(secure, 'close');
    });
    return { port: (secure.address() as AddressInfo).port, authority };
  }

  it('proxy: requests to the model and to tool servers leave by it, with what proves who asks', async () => {
    const tools = await toolServer();
    stops.push(tools.stop);
    const hosts = { 'model.invalid': modelPort(), 'tools.invalid': Number(new URL(tools.url).port) };
    const proxy = await proxyTo(hosts, PERSON);
    const shout = { server_name: 'far', tool_name: 'shout', arguments: '{"text":"heard"}' };
    const client = await bench.start([{ text: xmlCall('use_mcp_tool', shout) }, done()], {
      environment: {
        HTTP_PROXY: `http://${AT}@${proxy.place}`,
        LATHE_BASE_URL: 'http://model.invalid/v1',
      },
    });
    const { sessionId } = await client.agent.request('session/new', {
      cwd: bench.cwd,
      mcpServers: [{ type: 'http', name: 'far', url: 'http://tools.invalid/mcp', headers: [] }],
    });
    assert.equal(await client.prompt(sessionId, 'ask it'), 'end_turn');
    assert.match(JSON.stringify(client.call(client.calls()[0] ?? '').content), /HEARD!/);
    const asked = new Set(proxy.requests);
    assert.ok(asked.has(`POST http://model.invalid/v1/chat/completions by ${PERSON}`), [...asked].join());
    assert.ok(asked.has(`POST http://tools.invalid/mcp by ${PERSON}`));
    assert.equal(bench.model.requests[0]?.headers.authorization, 'Bearer test-key');
    assert.equal(bench.model.requests[0].headers['proxy-authorization'], undefined);
  });

  it('proxy: what is encrypted goes through it in a tunnel, by lathe run too', async () => {
    const { port, authority } = await secured('model.invalid', modelPort());
    const proxy = await proxyTo({ 'model.invalid': port });
    const environment = {
      // As many write it: without a scheme, and small.
      https_proxy: proxy.place,
      LATHE_BASE_URL: 'https://model.invalid/v1',
      NODE_EXTRA_CA_CERTS: authority,
    };
    const client = await bench.start([done('Through.'), done('Again.')], { environment });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
    assert.equal(client.text(), 'Through.');

    const running = spawn(process.execPath, [MAIN, 'run', 'go'], {
      cwd: bench.cwd,
      env: { PATH: process.env.PATH, ...bench.environment(environment) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    running.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(running, 'close')) as [number];
    assert.equal(code, 0);
    assert.match(said, /Again\./);
    assert.deepEqual(new Set(proxy.requests), new Set(['CONNECT model.invalid:443']));
  });

  it('proxy: web pages are fetched by it in a tunnel, never from its own network, and embeddings leave by it', async () => {
    const site = await WebSite.start({
      '/': '<p>Words of the page.</p>',
      '/back': (_request, response) => response.writeHead(302, { location: 'http://site.invalid/' }).end(),
      '/down': (_request, response) => response.writeHead(302, { location: 'http://printer.local/' }).end(),
      '/here': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    });
    const embedder = await WebSite.start({
      '/v1/embeddings': (_request, response) => response.end('{"data":[]}'),
    });
    stops.push(
      async () => await site.stop(),
      async () => await embedder.stop(),
    );
    const { port, authority } = await secured('site.invalid', site.port);
    const proxy = await proxyTo(
      { 'site.invalid': port, 'other.invalid': port, 'embedder.invalid': embedder.port },
      PERSON,
    );
    mkdirSync(bench.home, { recursive: true });
    writeFileSync(
      join(bench.home, 'headless.json'),
      JSON.stringify({ embedderUrl: 'http://embedder.invalid/v1', embedderModel: 'small' }),
    );
    const client = await bench.start(
      [
        { text: xmlCall('web_fetch', { url: 'https://site.invalid/back' }) },
        { text: xmlCall('codebase_search', { query: 'where is the sum' }) },
        done(),
      ],
      {
        environment: {
          HTTP_PROXY: `http://${AT}@${proxy.place}`,
          NODE_EXTRA_CA_CERTS: authority,
        },
      },
    );
    const session = await client.newSession(bench.cwd);
    const pages = [
      'http://site.invalid/',
      'https://site.invalid/down',
      'https://site.invalid/here',
      'https://other.invalid/',
    ];
    const asked = pages.map((page) => `@${page}`).join(' ');
    assert.equal(await client.prompt(session, asked), 'end_turn');
    const said = bench.model.requests.map(({ body }) => JSON.stringify((body.messages as unknown[]).at(-1)));
    assert.match(said[0] ?? '', /from=\\"https:\/\/site\.invalid\/\\" [^]*Words of the page\./);
    assert.match(said[0] ?? '', /\(private: printer\.local\)[^]*\(private: 127\.0\.0\.1:1\)/);
    assert.match(said[0] ?? '', /\(network: other\.invalid \(ERR_TLS_CERT_ALTNAME_INVALID\)\)/);
    assert.match(said[1] ?? '', /<page url=\\"https:\/\/site\.invalid\/\\">\\nWords of the page\./);
    assert.match(said[2] ?? '', /the embedder’s answer does not hold one vector for each text/);
    assert.deepEqual(
      new Set(proxy.requests),
      new Set([
        `CONNECT site.invalid:443 by ${PERSON}`,
        `CONNECT other.invalid:443 by ${PERSON}`,
        `POST http://embedder.invalid/v1/embeddings by ${PERSON}`,
      ]),
    );
    assert.deepEqual(site.requests, ['/', '/down', '/here', '/back', '/']);
    assert.deepEqual(embedder.requests, ['/v1/embeddings']);
  });

  it('proxy: this machine’s own services are reached without it, and so is what NO_PROXY names', async () => {
    const proxy = await proxyTo({ 'model.invalid': modelPort() });
    const both = { HTTP_PROXY: `http://${proxy.place}`, HTTPS_PROXY: `http://${proxy.place}` };
    const near = await bench.start([done('Near.')], { environment: both });
    const session = await near.newSession(bench.cwd);
    assert.equal(await near.prompt(session, 'go'), 'end_turn');
    assert.equal(near.text(), 'Near.');

    const far = await bench.start([], {
      environment: { ...both, LATHE_BASE_URL: 'http://model.invalid/v1', NO_PROXY: 'other.test,.invalid' },
      capabilities: { session: { notices: {} } },
    });
    const other = await far.newSession(bench.cwd);
    const answer = far.prompt(other, 'go');
    // Nobody but the proxy knows the name.
    await far.until(() => JSON.stringify(far.ofKind('notice')).includes('model.invalid'), 'the failure');
    await far.cancel(other);
    assert.equal(await answer, 'cancelled');
    assert.deepEqual(proxy.requests, []);
  });

  it('proxy: one that refuses who asks is named, and nothing is tried again', async () => {
    const proxy = await proxyTo({ 'model.invalid': modelPort() }, PERSON);
    for (const scheme of ['http', 'https']) {
      const client = await bench.start([], {
        environment: {
          [`${scheme.toUpperCase()}_PROXY`]: `http://nobody:wrong@${proxy.place}`,
          LATHE_BASE_URL: `${scheme}://model.invalid/v1`,
        },
      });
      const session = await client.newSession(bench.cwd);
      const { code, message } = await refusal(client.prompt(session, 'go'));
      assert.equal(code, -32603);
      assert.match(message, /^The proxy between here and .*model\.invalid.* refused: .*407/);
      assert.doesNotMatch(message, /wrong/);
    }
    assert.equal(proxy.requests.length, 2);
  });

  it('proxy: an address that is none is said at the start, without its password', async () => {
    const running = spawn(process.execPath, [MAIN, 'acp'], {
      env: { PATH: process.env.PATH, ...bench.environment({ HTTPS_PROXY: 'ftp://a:secret@proxy.test' }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [running.stdout, running.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(running, 'close')) as [number];
    assert.equal(code, 1);
    assert.match(said, /^The environment variable HTTPS_PROXY names no proxy that can be used/);
    assert.doesNotMatch(said, /secret/);
  });
});
