import { build, type Plugin } from 'esbuild';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Frame, type Page } from 'playwright-core';
import { editorMethods } from '../../src/shared/editor.ts';
import { methods } from '../../src/shared/protocol.ts';
import { findChromium } from '../../scripts/lib/debian.mjs';
import { clientMessageSchema } from '../../src/shared/wire.ts';
import type { ScriptedAgent } from './webviewAgent.ts';
import { themeStyle, type ThemeName } from './webviewThemes.ts';

const root = join(import.meta.dirname, '../..');
const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.html': 'text/html',
};
/** As strict as the sidebar's own page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  // No forms, as there.
  'sandbox allow-scripts allow-same-origin',
].join('; ');

/** The editor's side of the page: what `acquireVsCodeApi` gives, its state kept over a reload. */
const bridge = `
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.toAgent(JSON.stringify(message)),
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
  });`;

/** The built webview on a loopback server, and a browser to look at it. */
export class WebviewHarness {
  readonly #folder: string;
  readonly #server: Server;
  readonly browser: Browser;
  readonly bytes: number;

  private constructor(folder: string, server: Server, browser: Browser, bytes: number) {
    this.#folder = folder;
    this.#server = server;
    this.browser = browser;
    this.bytes = bytes;
  }

  /** With `longer` every sentence is two fifths longer than it is, as in the wordiest of languages. */
  static async start({ longer = false } = {}): Promise<WebviewHarness> {
    const folder = await mkdtemp(join(tmpdir(), 'lathe-webview-'));
    const bytes = await buildWebview(folder, longer);
    const server = createServer((request, response) => {
      void serve(folder, new URL(request.url ?? '/', 'http://localhost')).then(({ status, type, body }) => {
        response.writeHead(status, { 'content-type': type, 'content-security-policy': policy });
        response.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await launchBrowser();
    return new WebviewHarness(folder, server, browser, bytes);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A fresh sidebar that talks to this agent. */
  async open(
    agent: ScriptedAgent,
    {
      theme = 'dark',
      width = 400,
      height = 700,
      framed = false,
      forcedColors = false,
    }: {
      theme?: ThemeName;
      width?: number;
      height?: number;
      /** Beside an editor (`#editor`), as in a window. */
      framed?: boolean;
      forcedColors?: boolean;
    } = {},
  ): Promise<Sidebar> {
    const context = await this.browser.newContext({
      viewport: { width, height },
      forcedColors: forcedColors ? 'active' : 'none',
    });
    const page = await context.newPage();
    const sidebar = new Sidebar(context, page, agent);
    await sidebar.connect();
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    sidebar.origin = `http://127.0.0.1:${address.port}`;
    await page.goto(`${sidebar.origin}/${framed ? 'window' : 'page'}.html?theme=${theme}`);
    if (framed) {
      const [, frame] = page.frames();
      if (frame === undefined) throw new Error('the window has no frame');
      sidebar.frame = frame;
    }
    await sidebar.frame.locator('[data-testid="app"][data-phase="ready"]').waitFor();
    return sidebar;
  }
}

/** A browser that asks for nothing of its own. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.LATHE_TEST_CHROMIUM ?? findChromium();
  if (executablePath === undefined) throw new Error('These tests need Chromium or Chrome on PATH.');
  return await chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** One page and its agent; every message goes over the real wire envelope and is checked against the contract. */
export class Sidebar {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly agent: ScriptedAgent;
  /** The page's own, or the frame in a window that has an editor too. */
  frame: Frame;
  origin = '';
  /** Addresses outside of the server that the page asked for. */
  readonly foreignRequests: string[] = [];
  /** What the page complained of: errors, and violations of its policy. */
  readonly complaints: string[] = [];
  /** Characters of all that the agent said to the page. */
  heard = 0;

  constructor(context: BrowserContext, page: Page, agent: ScriptedAgent) {
    this.context = context;
    this.page = page;
    this.frame = page.mainFrame();
    this.agent = agent;
  }

  async connect(): Promise<void> {
    const { page, agent } = this;
    page.on('request', (request) => {
      if (!request.url().startsWith(this.origin) && !request.url().startsWith('data:'))
        this.foreignRequests.push(request.url());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (entry) => {
      if (entry.type() === 'error') this.complaints.push(entry.text());
    });
    agent.attach((message) => this.post(message));
    await page.exposeFunction('toAgent', async (text: string) => {
      const message = clientMessageSchema.parse(JSON.parse(text));
      await this.post(await answer(agent, message.id, message.method, message.params));
    });
  }

  async post(message: unknown): Promise<void> {
    if (this.page.isClosed()) return;
    const text = JSON.stringify(message);
    this.heard += text.length;
    await this.page.evaluate(
      `(document.querySelector('iframe')?.contentWindow ?? window).postMessage(${text}, '*')`,
    );
  }

  readonly byTest = (id: string) => this.frame.getByTestId(id);

  /** The editor's colours become others, as when a person picks another theme. */
  async useTheme(theme: ThemeName): Promise<void> {
    await this.page.evaluate(`new Promise((resolve, reject) => {
      const link = document.querySelector('link[href*="theme.css"]');
      link.onload = resolve;
      link.onerror = reject;
      link.href = '/theme.css?theme=${theme}';
    })`);
  }

  /** Shows text in this font (base64) where the theme's own has no such character. */
  async useFont(font: string): Promise<void> {
    await this.page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${font}'), (character) => character.charCodeAt(0));
      const face = new FontFace('Extra', bytes.buffer);
      document.fonts.add(await face.load());
      document.documentElement.style.setProperty('--vscode-font-family', '"DejaVu Sans", Extra');
    })()`);
  }

  async close(): Promise<void> {
    this.agent.attach(() => Promise.resolve());
    await this.context.close();
  }
}

async function answer(agent: ScriptedAgent, id: number, method: string, params: unknown): Promise<unknown> {
  const contract = { ...methods, ...editorMethods };
  const known = Object.entries(contract).find(([name]) => name === method)?.[1];
  if (!known) throw new Error(`the page asked for ${method}, which the contract does not have`);
  const checked: unknown = known.params.parse(params);
  try {
    const result = await agent.handle(method, checked as Record<string, unknown>);
    return { type: 'response', id, result: known.result.parse(result) };
  } catch (error) {
    if (error instanceof Error && 'data' in error) return { type: 'error', id, error: error.data };
    throw error;
  }
}

/** Doubles each vowel of the table's sentences, which are about two fifths of their letters. */
const lengthening: Plugin = {
  name: 'longer',
  setup(building) {
    building.onLoad({ filter: /shared[\\/]strings\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = `${source.replace('export function translate', 'function plain')}
        export function translate(locale: Locale, words: Message): string {
          return plain(locale, words).replace(/[aeiou]/g, (vowel) => vowel + vowel);
        }`;
      return { contents, loader: 'ts' };
    });
  },
};

/** Builds the page as the product's build does. @returns bytes of its first script */
export async function buildWebview(folder: string, longer = false): Promise<number> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: 'webview-ui/src/index.tsx', web: 'webview-ui/src/web/web.css' },
    outdir: folder,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    target: 'es2023',
    platform: 'browser',
    jsx: 'automatic',
    loader: { '.ttf': 'file' },
    chunkNames: '[name]-[hash]',
    assetNames: '[name]',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
    plugins: longer ? [lengthening] : [],
  });
  const index = Object.entries(metafile.outputs).find(([path]) => path.endsWith('/index.js'));
  return index?.[1].bytes ?? 0;
}

async function serve(folder: string, { pathname, searchParams }: URL): Promise<Served> {
  if (pathname === '/page.html') {
    const theme = searchParams.get('theme') ?? 'dark';
    return {
      status: 200,
      type: 'text/html',
      body: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lathe</title>
        <link rel="stylesheet" href="/theme.css?${theme}"><link rel="stylesheet" href="/index.css">
        </head><body><div id="root"></div><script src="/bridge.js"></script>
        <script type="module" src="/index.js"></script></body></html>`.replace(
        '/theme.css?',
        '/theme.css?theme=',
      ),
    };
  }
  if (pathname === '/window.html')
    return {
      status: 200,
      type: 'text/html',
      body: `<!doctype html><title>A window</title><textarea id="editor"></textarea>
        <iframe src="/page.html" width="400" height="600"></iframe>`,
    };
  if (pathname === '/favicon.ico') return { status: 200, type: 'image/x-icon', body: '' };
  if (pathname === '/theme.css')
    return {
      status: 200,
      type: 'text/css',
      body: themeStyle((searchParams.get('theme') ?? 'dark') as ThemeName),
    };
  if (pathname === '/bridge.js') return { status: 200, type: 'text/javascript', body: bridge };
  const path = join(folder, pathname);
  if (!path.startsWith(folder) || !existsSync(path)) return { status: 404, type: 'text/plain', body: '' };
  return {
    status: 200,
    type: types[extname(path)] ?? 'application/octet-stream',
    body: await readFile(path),
  };
}

interface Served {
  status: number;
  type: string;
  body: string | Buffer;
}
