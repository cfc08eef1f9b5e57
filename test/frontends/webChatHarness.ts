import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { ScriptedModel, type Turn } from '../support/ScriptedModel.ts';
import { TestServer, type TestServerOptions } from '../support/TestServer.ts';
import { buildWebview, launchBrowser } from './webviewHarness.ts';

/** The built page and a browser, for as many servers as a test wants. */
export class WebChatHarness {
  private constructor(
    readonly folder: string,
    readonly browser: Browser,
  ) {}

  static async start(): Promise<WebChatHarness> {
    const folder = mkdtempSync(join(tmpdir(), 'lathe-page-'));
    await buildWebview(folder);
    return new WebChatHarness(folder, await launchBrowser());
  }

  async stop(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A server over a new workspace with these files, whose model answers by this script. */
  async serve(
    turns: Turn[],
    options: Partial<TestServerOptions> & { files?: Record<string, string> } = {},
  ): Promise<WebChat> {
    const { files = {}, ...others } = options;
    const cwd = mkdtempSync(join(tmpdir(), 'lathe-web-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const model = await ScriptedModel.start(turns);
    const server = await TestServer.start({
      cwd,
      page: this.folder,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
      ...others,
    });
    return new WebChat(this.browser, server, model, cwd);
  }
}

/** One server, and the tabs that look at it. */
export class WebChat {
  /** What pages complained of: errors, and violations of their policy. */
  readonly complaints: string[] = [];
  /** Addresses outside of the server that pages asked for. */
  readonly foreign: string[] = [];
  readonly #contexts: BrowserContext[] = [];

  constructor(
    readonly browser: Browser,
    readonly server: TestServer,
    readonly model: ScriptedModel,
    readonly cwd: string,
  ) {}

  /** A tab of a browser of its own, before it goes anywhere. */
  async tab(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 400, height: 720 }, ...options });
    this.#contexts.push(context);
    return await this.tabIn(context);
  }

  /** Another tab of the same browser. */
  async tabIn(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (entry) => {
      if (entry.type() === 'error') this.complaints.push(entry.text());
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (origin !== this.server.url && !['data:', 'blob:'].includes(protocol))
        this.foreign.push(request.url());
    });
    return page;
  }

  /** The chat, ready. */
  async open(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.tab(options);
    await page.goto(this.server.url);
    await ready(page);
    return page;
  }

  async stop(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.server.stop();
    await this.model.stop();
    rmSync(this.cwd, { recursive: true, force: true });
  }
}

export async function ready(page: Page): Promise<void> {
  await page.locator('[data-testid="app"][data-phase="ready"]').waitFor();
}

/** Writes into the composer and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer').press('Enter');
}
