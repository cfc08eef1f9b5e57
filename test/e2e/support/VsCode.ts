import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type FrameLocator, type Locator, type Page, chromium } from 'playwright-core';
import { codeServer } from '../../../scripts/lib/codeServer.mjs';
import { findChromium } from '../../../scripts/lib/debian.mjs';
import { descendants, startTime } from '../../../scripts/lib/processes.mjs';
import {
  QUIET_SETTINGS,
  type VsCodeInstallation,
  type VsCodeServer,
  installExtension,
  startServer,
  writeUserSettings,
} from '../../../scripts/lib/vsCodeServer.mjs';

export const REPOSITORY = dirname(dirname(dirname(import.meta.dirname)));
export const RESULTS = join(REPOSITORY, 'test', 'e2e', 'results');

export interface VsCodeOptions {
  /** The folder or the `.code-workspace` file to open, absolute; none is a window without a folder. It is the caller's: `stop` leaves it. */
  readonly workspace?: string;
  /** Added to the environment of VS Code, and so of the extension: LATHE_*, … `LATHE_HOME` is throw-away by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** User settings, over the quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Size of the window in pixels; 1280 × 800 by default. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Whether a folder is restricted until the person trusts it; all are trusted by default. */
  readonly asksForTrust?: boolean;
  /** Loads an extension from its folder instead of the packaged one, with a test runner to start inside it. */
  readonly development?: { readonly extension: string; readonly tests: string };
}

/** A full page load of a cold workbench on a busy machine. */
const START_MS = 90_000;
const VIEW_MS = 60_000;
/** VS Code gives up restarting the extension host at the third crash within five minutes. */
const MOST_KILLS = 2;
/** Tries at opening a file by its name. */
const MOST_PICKS = 3;

/**
 * A real VS Code in a real Chromium, with the packaged extension, on loopback and in a throw-away home.
 * Each test file starts its own and stops it: `stop` ends every process and removes every file of it.
 */
export class VsCode {
  /** Those not stopped yet, for the hooks that look after failed tests. */
  static readonly running = new Set<VsCode>();

  /** What the browser's console said, oldest first. */
  readonly console: string[] = [];
  /** The window. Another one after a crash. */
  page: Page;
  private kills = 0;

  private constructor(
    readonly options: VsCodeOptions,
    readonly folder: string,
    readonly server: VsCodeServer,
    private readonly browser: Browser,
    page: Page,
  ) {
    this.page = this.listenTo(page);
  }

  private listenTo(page: Page): Page {
    page.on('console', (message) => {
      this.console.push(message.text());
      if (this.console.length > 500) this.console.shift();
    });
    page.setDefaultTimeout(30_000);
    return page;
  }

  /** Starts VS Code on the workspace and waits for its workbench. */
  static async start(options: VsCodeOptions): Promise<VsCode> {
    const folder = mkdtempSync(join(tmpdir(), 'lathe-vscode-'));
    let server: VsCodeServer | undefined;
    let browser: Browser | undefined;
    try {
      const home = join(folder, 'home');
      const temporary = join(folder, 'tmp');
      for (const path of [home, temporary]) mkdirSync(path);
      const env = {
        ...{ HOME: home, SHELL: '/bin/bash', LATHE_HOME: join(folder, 'lathe') },
        npm_config_update_notifier: 'false', // its lines would come between those of a test's own
        // VS Code leaves its sockets behind, wherever it puts them.
        ...(process.platform === 'linux' ? { TMPDIR: temporary, XDG_RUNTIME_DIR: temporary } : {}),
        ...options.env,
      };
      const installation: VsCodeInstallation = { ...(await installed()), folder, env };
      writeUserSettings(folder, { ...QUIET_SETTINGS, ...options.settings });
      const { workspace, development } = options;
      if (!development) await installExtension(installation, packagedExtension());
      server = await startServer({
        ...installation,
        ...(workspace === undefined ? {} : { workspace }),
        smokeTestDriver: development !== undefined,
        asksForTrust: options.asksForTrust ?? false,
      });
      browser = await chromium.launch({
        executablePath: process.env['LATHE_TEST_CHROMIUM'] ?? findChromium() ?? 'chromium',
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      });
      const context = await browser.newContext({ viewport: options.size ?? { width: 1280, height: 800 } });
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
      const code = new VsCode(options, folder, server, browser, await context.newPage());
      VsCode.running.add(code);
      await code.open();
      return code;
    } catch (error) {
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
      throw error;
    }
  }

  /** The same workspace in another window of the same person, with an extension host of its own. It goes with this one. */
  async anotherWindow(): Promise<VsCode> {
    const { options, folder, server, browser } = this;
    const code = new VsCode(options, folder, server, browser, await this.page.context().newPage());
    await code.open();
    return code;
  }

  /** Crashes the page as a killed browser does, so that nothing of it has time to write anything down, and opens the window anew. */
  async crash(): Promise<void> {
    const old = this.page;
    const session = await old.context().newCDPSession(old);
    const crashed = old.waitForEvent('crash');
    // The answer never comes.
    session.send('Page.crash').catch(() => undefined);
    await crashed;
    this.page = this.listenTo(await old.context().newPage());
    await old.close();
    await this.open();
  }

  /** The folder that the extension keeps its tasks in. */
  get latheHome(): string {
    return this.options.env?.['LATHE_HOME'] ?? join(this.folder, 'lathe');
  }

  /** Loads the workbench, again if it is loaded already, as closing and opening the window does. */
  async open(): Promise<void> {
    await this.page.goto(this.address(), { timeout: START_MS });
    await this.page.locator('.monaco-workbench').waitFor({ timeout: START_MS });
  }

  /** Lathe's icon in the activity bar. */
  get icon(): Locator {
    return this.page.locator('.activitybar [role="tab"]:has([aria-label^="Lathe"])').first();
  }

  /** Lathe's view in the sidebar: the extension's own document. Other webviews of ours are not meant. */
  get view(): FrameLocator {
    // A view that was hidden and is shown again says no purpose.
    const ours = 'iframe.webview.ready[src*="extensionId=lathe.lathe"]';
    return this.page
      .frameLocator(`${ours}:is([src*="purpose=webviewView"], :not([src*="purpose="]))`)
      .frameLocator('iframe#active-frame');
  }

  /** Shows Lathe's view, and waits for it to be drawn. */
  async openSidebar(): Promise<FrameLocator> {
    await this.icon.waitFor({ timeout: START_MS });
    if ((await this.icon.getAttribute('aria-selected')) !== 'true') await this.icon.click();
    await this.view.locator('#root > *').first().waitFor({ timeout: VIEW_MS });
    return this.view;
  }

  /** Runs the first command of the palette whose title holds `title`. */
  async palette(title: string): Promise<void> {
    await this.#search(title);
    await this.#commands.filter({ hasText: title }).first().click();
  }

  /** Whether the palette offers a command whose title holds `title`, where it is now. */
  async offers(title: string): Promise<boolean> {
    await this.#search(title);
    // What a search finds, and that it finds nothing, are rows both.
    await this.#commands.first().waitFor();
    const found = await this.#commands.filter({ hasText: title }).count();
    await this.page.keyboard.press('Escape');
    return found > 0;
  }

  get #commands(): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row');
  }

  async #search(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input').first();
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press('F1');
      try {
        await input.fill(`>${title}`, { timeout: attempt === MOST_PICKS ? 30_000 : 10_000 });
        return;
      } catch (error) {
        // What takes the focus in that moment closes it.
        if (attempt === MOST_PICKS) throw error;
      }
    }
  }

  /** Opens a file of the workspace in an editor. `path` is relative to the workspace. */
  async openFile(path: string): Promise<void> {
    const name = path.split('/').at(-1) ?? path;
    const tab = this.page.locator('.tab.active', { hasText: name });
    for (let attempt = 1; ; attempt++) {
      await this.#pickFile(path, name);
      try {
        await tab.waitFor({ timeout: attempt === MOST_PICKS ? 30_000 : 10_000 });
        return;
      } catch (error) {
        // The list may change in the very moment of Enter: then another file is open, or none.
        if (attempt === MOST_PICKS) throw error;
      }
    }
  }

  async #pickFile(path: string, name: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+P');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(path);
    // What was found for fewer letters is listed until the search ends: Enter would open that.
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
  }

  /** The texts in the notification centre, which keeps what toasts show for a moment. */
  async notifications(): Promise<string[]> {
    await this.palette('Notifications: Show Notifications');
    const items = this.page.locator('.notifications-center .notification-list-item-message');
    const texts = await items.allInnerTexts();
    await this.palette('Notifications: Hide Notifications');
    return texts;
  }

  /** Changes a user setting in its file, which VS Code in the browser reads when its window is loaded again. */
  async setSetting(name: string, value: unknown): Promise<void> {
    const path = join(this.folder, 'data', 'User', 'settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeUserSettings(this.folder, { ...settings, [name]: value });
    await this.open();
  }

  /** Picks a colour theme by its name in the list: 'Light Modern', 'Dark Modern', 'Dark High Contrast', … */
  async setTheme(name: string): Promise<void> {
    const workbench = this.page.locator('.monaco-workbench');
    const before = await workbench.getAttribute('class');
    await this.palette('Preferences: Color Theme');
    const input = this.page.getByPlaceholder('Select Color Theme').first();
    await input.fill(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
    for (const end = Date.now() + 15_000; Date.now() < end;) {
      if ((await workbench.getAttribute('class')) !== before) return;
      await sleep(100);
    }
    throw new Error(`The theme did not change to ${name}`);
  }

  async setSize(width: number, height: number): Promise<void> {
    await this.page.setViewportSize({ width, height });
  }

  /** Drags the sidebar's border until the sidebar is about `width` pixels wide. */
  async setSidebarWidth(width: number): Promise<void> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    if (!box) throw new Error('The sidebar is not shown');
    const middle = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width, middle);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width, middle, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Saves a picture under test/e2e/results; returns its path. */
  async screenshot(name: string): Promise<string> {
    mkdirSync(RESULTS, { recursive: true });
    const path = join(RESULTS, `${name.replace(/[^\w-]+/g, '-')}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** The process of the extension host, one of this server's own. */
  async extensionHost(): Promise<number> {
    for (const end = Date.now() + VIEW_MS; Date.now() < end;) {
      for (const pid of await descendants(this.server.pid))
        if (commandLine(pid).includes('--type=extensionHost')) return pid;
      await sleep(100);
    }
    throw new Error('VS Code has no extension host');
  }

  /** Kills the extension host as a crash would, and waits until VS Code has started another. At most twice. */
  async killExtensionHost(): Promise<void> {
    if (++this.kills > MOST_KILLS)
      throw new Error('VS Code does not restart an extension host that crashes three times in five minutes');
    const pid = await this.extensionHost();
    const started = startTime(pid);
    process.kill(pid, 'SIGKILL');
    for (const end = Date.now() + 10_000; Date.now() < end && startTime(pid) === started;) await sleep(20);
    await this.extensionHost();
  }

  /** Ends the browser and VS Code with all its processes, and removes its files. */
  async stop(): Promise<void> {
    VsCode.running.delete(this);
    await this.browser.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  private address(): string {
    const { workspace, development } = this.options;
    const address = new URL(this.server.origin);
    // Without any, VS Code would open what it had open last.
    if (workspace === undefined) address.searchParams.set('ew', 'true');
    else address.searchParams.set(workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', workspace);
    if (development) {
      const remote = (path: string) => `vscode-remote://${address.host}${path}`;
      const payload = [
        ['extensionDevelopmentPath', remote(development.extension)],
        ['extensionTestsPath', remote(development.tests)],
      ];
      address.searchParams.set('payload', JSON.stringify(payload));
    }
    return address.href;
  }
}

async function installed(): Promise<{ node: string; entry: string }> {
  const { LATHE_TEST_NODE: node, LATHE_TEST_CODE_SERVER: entry } = process.env;
  return node && entry ? { node, entry } : codeServer();
}

function packagedExtension(): string {
  return process.env['LATHE_TEST_VSIX'] ?? join(REPOSITORY, 'dist', 'lathe.vsix');
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it ended while we looked
  }
}
