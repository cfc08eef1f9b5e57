import type { NetworkPlace } from '../../shared/approvals.ts';
import { BrowserError, type PageSize } from '../../shared/browser.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import type { BrowserHost, BrowserSession } from '../host/Host.ts';

/** The browser of one turn: at most one is open, and what the person agreed to in it is known. It ends with the turn. */
export class TaskBrowser {
  readonly #settings: Pick<EditorSettings, 'browser' | 'browserSandbox'>;
  readonly #granted = new Set<string>();
  #session: BrowserSession | undefined;
  #ended = false;

  constructor(
    readonly host: BrowserHost | undefined,
    settings: Pick<EditorSettings, 'browser' | 'browserSandbox'>,
  ) {
    this.#settings = settings;
  }

  /** The open browser, if there is one. */
  get session(): BrowserSession | undefined {
    return this.#session?.isOpen === true ? this.#session : undefined;
  }

  /** A fresh one in place of what was open. @throws BrowserError `open`, or the signal's reason */
  async open(size: PageSize, signal: AbortSignal): Promise<BrowserSession> {
    if (!this.host || this.#ended) throw new BrowserError('open', 'There is no browser here.');
    await this.#session?.close();
    this.#session = undefined;
    const { browser, browserSandbox: sandbox } = this.#settings;
    const session = await this.host.open({ browser: browser.trim(), sandbox, size, signal });
    this.#session = session;
    return session;
  }

  grant(site: string, place: NetworkPlace): void {
    this.#granted.add(`${place} ${site}`);
  }

  isGranted(site: string, place: NetworkPlace): boolean {
    return this.#granted.has(`${place} ${site}`);
  }

  /** Closes what is open; another can be opened. */
  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  /** Closes it for good. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.close();
  }
}
