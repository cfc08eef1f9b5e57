import assert from 'node:assert/strict';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { openTunnel } from '../../src/services/proxy/openTunnel.ts';
import { proxyFor, type ProxyPlaces } from '../../src/services/proxy/ProxyPlaces.ts';
import { PageError, readPage } from '../../src/services/web/readPage.ts';
import { certificate } from '../support/certificate.ts';
import { ProxyServer } from '../support/ProxyServer.ts';
import { WebSite } from '../support/WebSite.ts';

const never = new AbortController().signal;

/** Why a page was not read. */
async function problem(url: string, proxies: ProxyPlaces): Promise<string> {
  try {
    await readPage(url, never, { proxies });
  } catch (error) {
    if (error instanceof PageError) return `${error.reason}: ${error.detail}`;
    throw error;
  }
  return 'none';
}

describe('which proxy', () => {
  it('is asked is said by NO_PROXY, and without one for https by the other', () => {
    const by = (url: string, places: Partial<ProxyPlaces>): string | undefined =>
      proxyFor(new URL(url), { http: 'http://plain', https: 'http://secure', none: '', ...places });
    const none = 'near.test, .below.test *.star.test,ported.test:8443\t[::1]';
    assert.deepEqual(
      [
        by('https://far.test/', { none }),
        by('http://far.test/', { none }),
        by('https://far.test/', { https: undefined }),
        by('https://far.test/', { http: undefined, https: undefined }),
        ...['near', 'a.near', 'below', 'a.below', 'a.star', 'NEAR'].map((name) =>
          by(`https://${name}.test/`, { none }),
        ),
        by('https://linear.test/', { none }),
        by('https://ported.test/', { none }),
        by('https://ported.test:8443/', { none }),
        by('https://[::1]:8443/', { none }),
      ],
      [
        ...['http://secure', 'http://secure', 'http://plain', undefined],
        ...Array.from({ length: 6 }, () => undefined),
        ...['http://secure', 'http://secure', undefined, undefined],
      ],
    );
  });
});

describe('a page behind a proxy', () => {
  let site: WebSite;
  let proxy: ProxyServer;
  let proxies: ProxyPlaces;
  beforeEach(async () => {
    site = await WebSite.start({ '/': '<p>Near.</p>' });
    proxy = await ProxyServer.start({ 'site.invalid': site.port, '10.0.0.1': site.port }, 'a person:%');
    const at = `http://a%20person:%25@${proxy.place}`;
    proxies = { http: at, https: at, none: '127.0.0.1' };
  });
  afterEach(async () => {
    await proxy.stop();
    await site.stop();
  });

  it('is never one of a private network, nor one that no certificate speaks for', async () => {
    const refused = [
      ...['http://intranet/', 'https://printer.local/', 'https://router.HOME.arpa./', 'https://git.corp/'],
      ...['https://metadata.google.internal/', 'http://169.254.169.254/latest', 'https://[fe80::1]/'],
      'http://site.invalid:8080/',
    ];
    assert.deepEqual(await Promise.all(refused.map((url) => problem(url, proxies))), [
      ...['private: intranet', 'private: printer.local', 'private: router.home.arpa.', 'private: git.corp'],
      ...['private: metadata.google.internal', 'private: 169.254.169.254', 'private: [fe80::1]'],
      'plain: site.invalid:8080',
    ]);
    assert.deepEqual(proxy.requests, []);
  });

  it('is asked for in a tunnel alone, with what proves who asks, and of no server that proves nothing', async () => {
    let asked = 0;
    const unknown = createSecureServer(certificate('site.invalid'), () => asked++).listen(0, '127.0.0.1');
    await once(unknown, 'listening');
    const { port } = unknown.address() as AddressInfo;
    const to = await ProxyServer.start({ 'site.invalid': port, '203.0.113.7': port }, 'a person:%');
    try {
      const at = { ...proxies, https: `http://a%20person:%25@${to.place}` };
      assert.deepEqual(
        [await problem('http://site.invalid/', at), await problem('https://203.0.113.7/', at)],
        [
          'network: site.invalid (DEPTH_ZERO_SELF_SIGNED_CERT)',
          'network: 203.0.113.7 (DEPTH_ZERO_SELF_SIGNED_CERT)',
        ],
      );
      const by = 'by a person:%';
      assert.deepEqual(to.requests, [`CONNECT site.invalid:443 ${by}`, `CONNECT 203.0.113.7:443 ${by}`]);
      assert.equal(asked, 0);
    } finally {
      await to.stop();
      unknown.closeAllConnections();
      unknown.close();
    }
  });

  it('is reached directly by an address of this machine', async () => {
    for (const url of [site.url(), site.url('/', 'localhost')])
      assert.deepEqual(await readPage(url, never, { proxies: { ...proxies, none: '' } }), {
        ...{ url, title: '', text: 'Near.', cut: false },
      });
    assert.deepEqual(proxy.requests, []);
  });

  it('is not there when the proxy refuses, or is not there itself; its password is not repeated', async () => {
    const wrong = { ...proxies, https: `http://nobody:secret@${proxy.place}` };
    assert.equal(await problem('https://site.invalid/', wrong), 'proxy: site.invalid (407)');
    assert.equal(await problem('https://other.invalid/', proxies), 'proxy: other.invalid (502)');
    const { place } = proxy;
    await proxy.stop();
    assert.equal(
      await problem('https://site.invalid/', wrong),
      `proxy: site.invalid (${place}, ECONNREFUSED)`,
    );
  });
});

describe('a tunnel', () => {
  it('ends when its signal fires: while it is opened, and later', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const accepting = createServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nfirst'));
    }).listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(accepting, 'listening')]);
    const at = (server: typeof silent): string =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const first = new AbortController();
      const opening = openTunnel(new URL('https://site.invalid/'), at(silent), first.signal);
      const [waiting] = (await once(silent, 'connection')) as [Socket];
      first.abort(new Error('stopped'));
      await assert.rejects(opening, new Error('stopped'));
      waiting.destroy();

      const second = new AbortController();
      const socket = await openTunnel(new URL('https://site.invalid/'), at(accepting), second.signal);
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      assert.equal(bytes.toString(), 'first', 'what came with the answer is not lost');
      second.abort();
      if (!socket.closed) await once(socket, 'close');
      assert.ok(socket.destroyed);
      await assert.rejects(openTunnel(new URL('https://site.invalid/'), at(accepting), second.signal), {
        name: 'AbortError',
      });
    } finally {
      for (const server of [silent, accepting]) server.close();
    }
  });
});
