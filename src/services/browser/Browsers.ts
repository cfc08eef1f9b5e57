import type { NetworkPlace } from '../../shared/approvals.ts';
import type { PageSize } from '../../shared/browser.ts';
import type { BrowserSession, SessionTimes } from './BrowserSession.ts';
import { findBrowser } from './findBrowser.ts';
import { networkPlace } from './networkPlace.ts';

export interface OpenBrowserOptions {
  /** A program's absolute path or a running browser's address, by the person's setting; empty for the one that was found. */
  browser: string;
  sandbox: boolean;
  size: PageSize;
  signal: AbortSignal;
}

/** The browsers of this machine. What drives them is loaded when the first is opened. */
export class Browsers {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #times: Partial<SessionTimes>;
  readonly #open = new Set<BrowserSession>();

  private constructor(
    /** The program that is started when the person named none. */
    readonly found: string | undefined,
    environment: NodeJS.ProcessEnv,
    times: Partial<SessionTimes>,
  ) {
    this.#environment = environment;
    this.#times = times;
  }

  /** `environment`: what a browser may see of ours. `times`: in place of the usual ones. */
  static async find(environment: NodeJS.ProcessEnv, times: Partial<SessionTimes> = {}): Promise<Browsers> {
    return new Browsers(await findBrowser({ platform: process.platform, environment }), environment, times);
  }

  async placeOf(url: URL, signal: AbortSignal): Promise<NetworkPlace> {
    return await networkPlace(url, signal);
  }

  /** @throws BrowserError `open`, or the signal's reason */
  async open({ browser, sandbox, size, signal }: OpenBrowserOptions): Promise<BrowserSession> {
    const { BrowserSession } = await import('./BrowserSession.ts');
    const session = await BrowserSession.open({
      browser: browser === '' ? (this.found ?? '') : browser,
      sandbox,
      size,
      environment: this.#environment,
      signal,
      times: this.#times,
    });
    for (const one of this.#open) if (!one.isOpen) this.#open.delete(one);
    this.#open.add(session);
    return session;
  }

  /** Ends all that are open. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#open].map(async (session) => await session.close()));
    this.#open.clear();
  }
}
