import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserSession } from '../../src/core/host/Host.ts';
import { Browsers } from '../../src/services/browser/Browsers.ts';
import { isBrowserError, type BrowserStep } from '../../src/shared/browser.ts';
import {
  browserProcesses,
  browserProfiles,
  remainingProcesses,
  remainingProfiles,
  sandbox,
} from '../support/browserProcesses.ts';
import { WebSite } from '../support/WebSite.ts';

const BUTTON = 'style="position:absolute;left:0;top:0;width:300px;height:300px"';
const middle = { x: 150, y: 150 };
const size = { width: 400, height: 320 };

describe('a browser session', function () {
  this.timeout(60_000);
  let browsers: Browsers;
  let site: WebSite;
  let elsewhere: WebSite;
  const { signal } = new AbortController();

  before(async () => {
    browsers = await Browsers.find(process.env, { load: 4000, step: 4000, quiet: 1000 });
    elsewhere = await WebSite.start({ '/': '<title>Elsewhere</title>' });
    site = await WebSite.start({
      '/': '<title>Home</title>Hello',
      '/silent': () => undefined,
      '/endless': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Endless</title>first part');
      },
      '/flood': '<title>Flood</title><script>for (let i = 1; i <= 1e5; i++) console.log("line", i)</script>',
      '/dialogs': `<title>Dialogs</title><script>alert('Hello');
        document.title = [confirm('Delete all?'), prompt('Your name?', 'x')].join(' ');
        addEventListener('beforeunload', (event) => event.preventDefault())</script><button ${BUTTON}>x</button>`,
      '/alerts': `<title>Alerts</title><button ${BUTTON} onclick="for (let i = 0; i < 30; i++) alert(i)">x</button>`,
      '/popup': `<title>Opener</title><button ${BUTTON} onclick="window.open('/')">x</button>`,
      '/popups': `<title>Opener</title><script>for (let i = 0; i < 20; i++) open('/?' + i)</script>`,
      '/popdown': `<title>Opener</title><button ${BUTTON} onclick="window.open('/').close()">x</button>`,
      '/hang': `<title>Hang</title><button ${BUTTON} onclick="for (;;);">x</button>`,
      '/file': (_, response) =>
        void response.writeHead(200, { 'content-disposition': 'attachment; filename="virus.exe"' }).end('x'),
      '/to-file': (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      '/to-cloud': (_, response) =>
        void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      '/to-network': (_, response) =>
        void response.writeHead(302, { location: 'http://10.255.255.1/' }).end(),
      '/frame': '<title>Frame</title><iframe src="http://192.168.255.254/admin"></iframe>',
      '/link': `<title>Link</title><a href="/" ${BUTTON}>x</a>`,
      '/slow-link': `<title>Link</title><a href="/endless" ${BUTTON}>x</a>`,
      '/errors': `<title>Errors</title><img src="/none.png"><script>console.error(new TypeError('bad'), { a: [1, 2], b: null });
        Promise.reject(new Error('late')); missing()</script>`,
      '/list': `<title>List</title><div style="height:300px;overflow:auto" onscroll="console.log('list')"><p style="height:2000px">x</p></div>`,
      '/keys': `<title>Keys</title><script>addEventListener('keydown', ({ key, ctrlKey, shiftKey }) => console.log(key, ctrlKey, shiftKey))</script>`,
    });
  });
  afterEach(async () => {
    await browsers.dispose();
    assert.deepEqual([await remainingProcesses(), await remainingProfiles()], [[], []]);
  });
  after(async () => {
    await site.stop();
    await elsewhere.stop();
  });

  const open = async (): Promise<BrowserSession> =>
    await browsers.open({ browser: '', sandbox, size, signal });
  const go = (path: string): BrowserStep => ({ type: 'navigate', url: site.url(path) });
  const click: BrowserStep = { type: 'click', point: middle };
  /** What a person would see of it, without the picture. */
  const seen = async (session: BrowserSession, step: BrowserStep): Promise<unknown> => {
    const { picture, size: _, url, ...rest } = await session.act(step, signal);
    assert.equal(picture?.mediaType, 'image/webp');
    assert.ok(Buffer.from(picture.data, 'base64').subarray(8, 12).toString() === 'WEBP');
    return { ...rest, path: url.replace(site.url(''), '') };
  };
  const failure = async (session: BrowserSession, step: BrowserStep): Promise<unknown> => {
    try {
      return await seen(session, step);
    } catch (error) {
      if (!isBrowserError(error)) throw error;
      return [error.reason, error.message.replaceAll(site.url(''), ''), session.isOpen];
    }
  };
  const quiet = { log: '', notices: [] };

  it('shows a page that never finishes as it is, and says so; the session goes on', async () => {
    const session = await open();
    const still = { log: '', notices: ['It was still loading after 4 seconds.'], title: 'Endless' };
    assert.deepEqual(await seen(session, go('/endless')), { ...still, path: '/endless' });
    assert.deepEqual(await seen(session, go('/')), { ...quiet, title: 'Home', path: '/' });
    await session.act(go('/slow-link'), signal);
    assert.deepEqual(await seen(session, click), { ...still, path: '/endless' });
  });

  it('gives up on a server that never answers; the session goes on', async () => {
    const session = await open();
    assert.deepEqual(await failure(session, go('/silent')), [
      'page',
      'The server did not answer within 4 seconds.',
      true,
    ]);
    assert.deepEqual(await seen(session, go('/')), { ...quiet, title: 'Home', path: '/' });
    const { port } = await closedServer();
    assert.deepEqual(await failure(session, { type: 'navigate', url: `http://127.0.0.1:${port}/` }), [
      'page',
      `It could not be opened: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:${port}/`,
      true,
    ]);
  });

  it('answers dialogs: messages are closed, questions get Cancel, leaving is allowed', async () => {
    const session = await open();
    assert.deepEqual(await seen(session, go('/dialogs')), {
      log: 'alert (closed): Hello\nconfirm (answered with Cancel): Delete all?\nprompt (answered with Cancel): Your name?',
      notices: [],
      title: 'false',
      path: '/dialogs',
    });
    await session.act(click, signal);
    assert.deepEqual(await seen(session, go('/')), {
      log: 'beforeunload (closed): ',
      notices: [],
      title: 'Home',
      path: '/',
    });
    await session.act(go('/alerts'), signal);
    const { log } = await session.act(click, signal);
    assert.deepEqual(
      log.split('\n'),
      Array.from({ length: 30 }, (_, index) => `alert (closed): ${index}`),
    );
  });

  it('follows a page that a page opens, and goes back when it is closed', async () => {
    const session = await open();
    await session.act(go('/popup'), signal);
    assert.deepEqual(await seen(session, click), {
      log: '',
      notices: [
        'The page opened another tab, which is shown now. Press Control+W to close it and go back to the page before.',
      ],
      title: 'Home',
      path: '/',
    });
    assert.deepEqual(await seen(session, { type: 'press', keys: 'Control+W' }), {
      ...quiet,
      title: 'Opener',
      path: '/popup',
    });
    assert.deepEqual(await failure(session, { type: 'press', keys: 'ctrl+w' }), [
      'page',
      'There is only this tab; use close.',
      true,
    ]);
  });

  it('lets no page open more tabs than a few, nor end the session by closing one', async () => {
    const session = await open();
    // What nobody clicked for is not opened at all.
    assert.deepEqual(await seen(session, go('/popups')), { ...quiet, title: 'Opener', path: '/popups' });
    await session.act(go('/popdown'), signal);
    await session.act(click, signal);
    assert.equal(session.url, site.url('/popdown'));
    await session.act(go('/popup'), signal);
    const logs: string[] = [];
    for (let tab = 1; tab <= 5; tab++) {
      logs.push((await session.act(click, signal)).log);
      await session.act(go('/popup'), signal);
    }
    assert.deepEqual(logs, ['', '', '', '', `popup (closed): ${site.url('/')}`]);
  });

  it('keeps the first and the last of a hundred thousand lines', async () => {
    const session = await open();
    const { log, title } = await session.act(go('/flood'), signal);
    const lines = log.split('\n');
    assert.equal(title, 'Flood');
    assert.ok(lines.length <= 82, `${lines.length} lines`);
    assert.deepEqual(
      [lines[0], lines[19], lines.at(-1)],
      ['log: line 1', 'log: line 20', 'log: line 100000'],
    );
    assert.match(log, /^log: \(99760 more lines here\)$/m);
  });

  it('tells errors, what could not be loaded, and values as they are', async () => {
    const session = await open();
    const { log } = await session.act(go('/errors'), signal);
    const lines = log.replaceAll(site.url(''), '').split('\n').sort();
    assert.deepEqual(
      lines.map((line) => line.replace(/ ⏎ at .*?(?= \{|$)/, '')),
      [
        'error: Failed to load resource: the server responded with a status of 404 (Not Found) (/none.png)',
        'error: TypeError: bad {a: Array(2), b: null}',
        'uncaught: Uncaught (in promise) Error: late',
        'uncaught: Uncaught ReferenceError: missing is not defined',
      ],
    );
  });

  it('ends a page that does not answer, and says what to do', async () => {
    const session = await open();
    await session.act(go('/hang'), signal);
    assert.deepEqual(await failure(session, click), [
      'gone',
      'The page does not answer any more. It took longer than 4 seconds.',
      false,
    ]);
    assert.deepEqual(await failure(session, go('/')), ['gone', 'The browser has ended.', false]);
  });

  it('tells of a page that crashed', async () => {
    const session = await open();
    await session.act(go('/'), signal);
    for (const { pid, command } of browserProcesses())
      if (command.includes('--type=renderer')) process.kill(pid, 'SIGKILL');
    await sleep(200);
    assert.deepEqual(await failure(session, { type: 'look' }), ['gone', 'The page crashed.', false]);
  });

  it('tells of a browser that was killed, also in the middle of a step', async () => {
    const session = await open();
    await session.act(go('/'), signal);
    const main = browserProcesses().filter(({ command }) => !command.includes('--type='));
    const step = failure(session, go('/silent'));
    await sleep(300);
    for (const { pid } of main) process.kill(pid, 'SIGKILL');
    assert.deepEqual(await step, ['gone', 'The browser has ended.', false]);
    assert.equal(session.isOpen, false);
    // Another can be opened.
    assert.deepEqual(await seen(await open(), go('/')), { ...quiet, title: 'Home', path: '/' });
  });

  it('downloads nothing, opens no file, and is led to no address that nobody agreed to', async () => {
    const session = await open();
    const aborted = (path: string, code: string): string => `It could not be opened: net::${code} at ${path}`;
    const why = 'a page led to an address of this machine or of its network, which nobody agreed to';
    assert.deepEqual(await failure(session, go('/file')), [
      'page',
      `${aborted('/file', 'ERR_ABORTED')}\nBefore that it said:\ndownload (refused): virus.exe (/file)`,
      true,
    ]);
    assert.deepEqual(await failure(session, go('/to-file')), [
      'page',
      aborted('/to-file', 'ERR_UNSAFE_REDIRECT'),
      true,
    ]);
    assert.deepEqual(await failure(session, go('/to-cloud')), [
      'page',
      `${aborted('/to-cloud', 'ERR_BLOCKED_BY_CLIENT')}\nBefore that it said:\nrefused: http://169.254.169.254/: no page has business with this address`,
      true,
    ]);
    assert.deepEqual(await failure(session, go('/to-network')), [
      'page',
      `${aborted('/to-network', 'ERR_BLOCKED_BY_CLIENT')}\nBefore that it said:\nrefused: http://10.255.255.1/: ${why}`,
      true,
    ]);
    const framed = await session.act(go('/frame'), signal);
    assert.match(framed.log, new RegExp(`^refused: http://192\\.168\\.255\\.254/admin: ${why}$`, 'm'));
    assert.deepEqual(
      await failure(session, { type: 'navigate', url: 'file:///etc/passwd' }).then(
        (all) => (all as unknown[])[0],
      ),
      'page',
    );
  });

  it('presses keys as a person does, those of the window too, and scrolls what is under the mouse', async () => {
    const session = await open();
    await session.act(go('/keys'), signal);
    assert.deepEqual(await seen(session, { type: 'press', keys: 'ctrl+shift+ArrowDown' }), {
      log: 'log: Control true false\nlog: Shift true true\nlog: ArrowDown true true',
      notices: [],
      title: 'Keys',
      path: '/keys',
    });
    assert.equal(
      (await session.act({ type: 'type', text: 'a!' }, signal)).log,
      'log: a false false\nlog: ! false false',
    );
    await session.act(go('/'), signal);
    assert.equal((await session.act({ type: 'press', keys: 'Alt+ArrowLeft' }, signal)).title, 'Keys');
    assert.equal((await session.act({ type: 'press', keys: 'Alt+Right' }, signal)).title, 'Home');
    const before = site.requests.length;
    await session.act({ type: 'press', keys: 'F5' }, signal);
    assert.deepEqual(site.requests.slice(before), ['/']);
    await session.act(go('/list'), signal);
    await session.act({ type: 'hover', point: middle }, signal);
    assert.match((await session.act({ type: 'scroll', direction: 'down' }, signal)).log, /list/);
  });

  it('ends at once when it is stopped: while it starts, loads, and waits for a page that hangs', async () => {
    const stopped = async (work: (stop: AbortSignal) => Promise<unknown>): Promise<unknown> => {
      const stop = new AbortController();
      const reason = new Error('stopped');
      setTimeout(() => stop.abort(reason), 300);
      const end = await work(stop.signal).catch((error: unknown) => error);
      return end === reason;
    };
    assert.equal(
      await stopped(async (stop) => await browsers.open({ browser: '', sandbox, size, signal: stop })),
      true,
    );
    assert.deepEqual(await remainingProcesses(), []);
    const session = await open();
    assert.equal(await stopped(async (stop) => await session.act(go('/silent'), stop)), true);
    await session.act(go('/hang'), signal);
    assert.equal(await stopped(async (stop) => await session.act(click, stop)), true);
    await session.close();
  });

  it('does not outlive the process that started it, and its folder goes with the next', async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, '..', 'support', 'openBrowser.ts')],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SANDBOX: sandbox ? 'on' : 'off' } },
    );
    try {
      await once(child.stdout, 'data');
      const owner = child.pid ?? 0;
      assert.ok(browserProcesses(owner).length > 0);
      assert.equal(browserProfiles(owner).length, 1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      assert.deepEqual(await remainingProcesses(owner), []);
      await open();
      assert.deepEqual(browserProfiles(owner), []);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('opens its own corner of a running browser, and leaves that one running', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'lathe-remote-'));
    const child = spawn(
      browsers.found ?? '',
      [
        '--headless=new',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        '--no-first-run',
        ...(sandbox ? [] : ['--no-sandbox']),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      let said = '';
      const socket = await new Promise<string>((resolve) => {
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          const address = /ws:\/\/\S+/.exec(said)?.[0];
          if (address !== undefined) resolve(address);
        });
      });
      const address = `http://${new URL(socket).host}`;
      const pages = async (): Promise<number> => {
        const listed = (await (await fetch(`${address}/json/list`)).json()) as { type: string }[];
        return listed.filter(({ type }) => type === 'page').length;
      };
      for (const browser of [address, socket]) {
        const session = await browsers.open({ browser, sandbox: true, size, signal });
        assert.deepEqual(await seen(session, go('/')), { ...quiet, title: 'Home', path: '/' });
        assert.equal(await pages(), 2);
        await session.close();
        assert.equal(await pages(), 1);
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      await assert.rejects(
        browsers.open({ browser: address, sandbox: true, size, signal }),
        (error) =>
          isBrowserError(error) &&
          error.reason === 'open' &&
          error.message.startsWith(`The browser at ${address} could not be reached`),
      );
    } finally {
      child.kill('SIGKILL');
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
});

async function closedServer(): Promise<{ port: number }> {
  const server = await WebSite.start({});
  const { port } = server;
  await server.stop();
  return { port };
}
