import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from '../support/certificate.ts';
import { ProxyServer } from '../support/ProxyServer.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
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
    const { key, cert } = certificate('model.invalid');
    const authority = join(bench.folder, 'authority.pem');
    writeFileSync(authority, cert);
    // What the model says, behind TLS.
    const secure = createServer({ key, cert }, (asked, response) => {
      const onward = request(
        {
          host: '127.0.0.1',
          port: modelPort(),
          path: asked.url,
          method: asked.method,
          headers: asked.headers,
        },
        (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)),
      );
      asked.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    stops.push(async () => {
      secure.closeAllConnections();
      secure.close();
      await once(secure, 'close');
    });
    const proxy = await proxyTo({ 'model.invalid': (secure.address() as AddressInfo).port });
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
