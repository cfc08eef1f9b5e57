import type { CDPSession, Page, Protocol } from 'puppeteer-core';
import { consoleText, exceptionText } from './consoleText.ts';
import { limitConsole } from './limitConsole.ts';
import type { PageLog } from './PageLog.ts';

/** Whether a document may be loaded; the words say why not. */
export type DocumentGate = (url: string) => Promise<string | undefined>;

/**
 * What goes on in one page beside what is done in it: what it prints, whether it loads, which documents it asks for,
 * the dialogs it opens (answered at once: nothing of a page may wait for somebody who is not there), and whether it crashed.
 */
export class PageWatch {
  crashed = false;
  #mainFrame: string | undefined;
  #loading = false;
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly page: Page,
    readonly session: CDPSession,
    private readonly log: PageLog,
    private readonly mayLoad: DocumentGate,
  ) {}

  static async start(page: Page, log: PageLog, mayLoad: DocumentGate): Promise<PageWatch> {
    const session = await page.createCDPSession();
    const watch = new PageWatch(page, session, log, mayLoad);
    await watch.#listen();
    return watch;
  }

  get loading(): boolean {
    return this.#loading;
  }

  /** Resolves when the page does not load any more; at once when it does not load now. */
  async loaded(): Promise<void> {
    if (!this.#loading) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async #listen(): Promise<void> {
    const { page, session, log } = this;
    page.on('error', () => {
      this.crashed = true;
      this.#setLoading(false);
    });
    page.on('dialog', (dialog) => {
      // A question of the page's is nobody's to answer with yes; leaving a page and reading a message is.
      const yes = dialog.type() === 'alert' || dialog.type() === 'beforeunload';
      log.add(`${dialog.type()} (${yes ? 'closed' : 'answered with Cancel'})`, dialog.message());
      this.#late(yes ? dialog.accept() : dialog.dismiss());
    });
    session.on('Runtime.consoleAPICalled', ({ type, args }) => log.add(type, consoleText(args)));
    session.on('Runtime.exceptionThrown', (event) => log.add('uncaught', exceptionText(event)));
    session.on('Log.entryAdded', ({ entry }) => {
      if (entry.level !== 'verbose')
        log.add(entry.level, `${entry.text}${entry.url ? ` (${entry.url})` : ''}`);
    });
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#mainFrame = frame.id;
    });
    session.on('Page.frameStartedLoading', ({ frameId }) => this.#frame(frameId, true));
    session.on('Page.frameStoppedLoading', ({ frameId }) => this.#frame(frameId, false));
    session.on('Page.downloadWillBegin', ({ url, suggestedFilename }) =>
      log.add('download (refused)', `${suggestedFilename} (${url})`),
    );
    session.on('Fetch.requestPaused', (event) => this.#late(this.#decide(event)));
    await Promise.all([
      page.evaluateOnNewDocument(limitConsole),
      session.send('Runtime.enable'),
      session.send('Log.enable'),
      session.send('Page.enable'),
      // Documents alone, redirections and frames included: what they load in turn is the browser's own policy.
      session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] }),
    ]);
    this.#mainFrame ??= (await session.send('Page.getFrameTree')).frameTree.frame.id;
  }

  async #decide({ requestId, request }: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const refused = await this.mayLoad(request.url);
    if (refused === undefined) {
      await this.session.send('Fetch.continueRequest', { requestId });
      return;
    }
    this.log.add('refused', `${request.url}: ${refused}`);
    await this.session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }

  #frame(frameId: string, loading: boolean): void {
    if (frameId === this.#mainFrame) this.#setLoading(loading);
  }

  #setLoading(loading: boolean): void {
    this.#loading = loading;
    if (loading) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Answers to what may be gone by now: a page that was left or closed needs none. */
  #late(answer: Promise<unknown>): void {
    answer.catch((error: unknown) => {
      this.log.add('browser', error instanceof Error ? error.message : String(error));
    });
  }
}
