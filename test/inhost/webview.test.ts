import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { webviewHtml } from '../../src/frontends/vscode/webviewHtml.ts';
import { internals, until } from './support/Lathe.ts';

/** The page in a panel of its own: the same document as in the sidebar, where what it says can be heard. */
describe('the page of the sidebar', () => {
  const panels: vscode.WebviewPanel[] = [];
  afterEach(() => {
    for (const panel of panels.splice(0)) panel.dispose();
  });

  async function page(change: (html: string) => string = (html) => html): Promise<{
    said: unknown[];
    html: string;
  }> {
    const { context } = await internals();
    const root = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
    const panel = vscode.window.createWebviewPanel('test', 'test', vscode.ViewColumn.One, {
      enableScripts: true,
      localResourceRoots: [root],
    });
    panels.push(panel);
    const said: unknown[] = [];
    panel.webview.onDidReceiveMessage((message) => said.push(message));
    const html = webviewHtml(panel.webview, root, 'en');
    panel.webview.html = change(html);
    return { said, html };
  }

  const ready = (said: readonly unknown[]): boolean =>
    said.some(
      (one) => typeof one === 'object' && one !== null && 'method' in one && one.method === 'editor/ready',
    );

  it('loads under its own policy, and says that it is ready', async () => {
    const { said } = await page();
    await until(() => ready(said), 'editor/ready');
    assert.deepEqual(said[0], { type: 'request', id: 1, method: 'editor/ready', params: {} });
  });

  it('runs no script without the one-time number, and none that text brings in', async () => {
    const evil = [
      `<script>acquireVsCodeApi().postMessage('inline')</script>`,
      `<script nonce="guessed">acquireVsCodeApi().postMessage('guessed')</script>`,
      `<img src="https://127.0.0.1:9/x" onerror="acquireVsCodeApi().postMessage('handler')">`,
      `<iframe srcdoc="<script>parent.acquireVsCodeApi().postMessage('frame')</script>"></iframe>`,
      `<base href="https://127.0.0.1:9/">`,
    ].join('\n');
    const { said } = await page((html) => html.replace('<div id="root">', `${evil}<div id="root">`));
    await until(() => ready(said), 'editor/ready');
    await sleep(300);
    assert.deepEqual(
      said.filter((one) => typeof one === 'string'),
      [],
    );
  });

  it('lets nothing in or out but its own files', async () => {
    const { html } = await page();
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? '';
    const directives = Object.fromEntries(
      policy.split('; ').map((directive) => [directive.split(' ')[0] ?? '', directive.split(' ').slice(1)]),
    );
    const closed = ['default-src', 'connect-src', 'frame-src', 'form-action', 'base-uri'];
    for (const name of closed) assert.deepEqual(directives[name], ["'none'"], name);
    assert.doesNotMatch((directives['script-src'] ?? []).join(' '), /unsafe|\*:|data:|blob:/);
    assert.doesNotMatch(policy, /unsafe-eval/);
  });

  it('has a number of its own at each loading', async () => {
    const numbers = await Promise.all(
      [1, 2, 3].map(async () => /nonce="([^"]+)"/.exec((await page()).html)?.[1] ?? ''),
    );
    assert.equal(new Set(numbers).size, 3);
    for (const number of numbers) assert.match(number, /^[\w-]{24,}$/);
  });
});
