import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findChromium } from '../../scripts/lib/debian.mjs';
import type { McpHub } from '../../src/services/mcp/McpHub.ts';
import { serverOf, textOf, withBench } from '../services/mcp/hubBench.ts';

const folder = process.env.LATHE_TEST_MCP_SERVERS ?? '';
const script = join(folder, '@playwright', 'mcp', 'cli.js');
const chromium = process.env.LATHE_TEST_CHROMIUM ?? findChromium() ?? '';
const options = ['--headless', '--isolated', '--no-sandbox', '--executable-path', chromium];

describe('the published MCP server of Playwright, with a real browser', function () {
  this.timeout(120_000);
  const bench = withBench();

  async function look(hub: McpHub, url: string): Promise<void> {
    assert.ok(serverOf(hub, 'browser').tools.length > 15);
    const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> =>
      textOf(await hub.call('browser', tool, args, { signal: AbortSignal.timeout(60_000) }));
    assert.match(await call('browser_navigate', { url }), /A shop/);
    assert.match(await call('browser_snapshot'), /Buy the last one/);
    assert.match(await call('browser_take_screenshot'), /\(image\)/);
    await call('browser_close');
  }

  it('opens a page and gives its picture, over stdio and over HTTP', async () => {
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>A shop</title><h1>A shop</h1><button>Buy the last one</button>');
    });
    await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    const b = bench();
    const listening = spawn(process.execPath, [script, ...options, '--port', '0'], {
      cwd: b.workspace,
      env: { PATH: process.env.PATH, HOME: b.home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      b.user({ browser: { command: process.execPath, args: [script, ...options], timeout: 60 } });
      await look(await b.hub(), url);
      const address = await new Promise<string>((resolve, reject) => {
        let printed = '';
        listening.once('exit', (code) =>
          reject(new Error(`it ended with ${code ?? 'a signal'}: ${printed}`)),
        );
        for (const stream of [listening.stdout, listening.stderr])
          stream.on('data', (chunk: Buffer) => {
            printed += chunk.toString();
            const [, port] = /localhost:(\d+)/.exec(printed) ?? [];
            if (port !== undefined) resolve(`http://localhost:${port}/mcp`);
          });
      });
      b.user({ browser: { url: address, timeout: 60 } });
      const hub = await b.hub();
      assert.equal(serverOf(hub, 'browser').transport, 'http');
      await look(hub, url);
    } finally {
      listening.removeAllListeners('exit');
      const ended = new Promise((resolve) => listening.once('exit', resolve));
      if (listening.exitCode === null && listening.kill('SIGTERM')) await ended;
      page.closeAllConnections();
      page.close();
    }
  });
});
