import { setTimeout as sleep } from 'node:timers/promises';
import { TargetType, TimeoutError, type HTTPResponse, type Page } from 'puppeteer-core';
import type { NetworkPlace } from '../../shared/approvals.ts';
import {
  BrowserError,
  type BrowserSight,
  type BrowserStep,
  type PageSize,
  type PictureType,
} from '../../shared/browser.ts';
import { keysOf } from './keys.ts';
import { networkPlace } from './networkPlace.ts';
import { PageLog } from './PageLog.ts';
import { PageWatch } from './PageWatch.ts';
import { takePicture } from './takePicture.ts';
import { startBrowser, type StartedBrowser, type StartOptions } from './startBrowser.ts';
import { TooLong, within } from './within.ts';

/** Milliseconds. */
export interface SessionTimes {
  /** For a page to load. */
  load: number;
  /** For one thing that is done in a page, and for its picture. */
  step: number;
  /** For what a step sets off without loading a page. */
  quiet: number;
}

const usualTimes: SessionTimes = { load: 15_000, step: 10_000, quiet: 2500 };
/** Milliseconds without a request after which a page counts as quiet, and in which a step begins to load another page. */
const IDLE = 250;
const REACTION = 100;
/** Tabs that are followed at a time; more are closed. */
const MOST_TABS = 5;
/** Characters that are typed key by key; more are put in at once. */
const KEY_BY_KEY = 200;

/** One browser with the tab that is in front. A step at a time; what goes wrong in it is a BrowserError. */
export class BrowserSession {
  readonly #started: StartedBrowser;
  readonly #times: SessionTimes;
  readonly #log = new PageLog();
  readonly #tabs: PageWatch[] = [];
  /** Where the person let it go: documents of other places are not loaded. */
  readonly #places = new Set<NetworkPlace>(['public']);
  readonly #notices: string[] = [];
  /** Pages that pages opened, on their way to the front. */
  readonly #opening = new Set<Promise<void>>();
  #size: PageSize;
  #closing: Promise<void> | undefined;
  #gone = false;

  private constructor(started: StartedBrowser, size: PageSize, times: SessionTimes) {
    this.#started = started;
    this.#size = size;
    this.#times = times;
    void started.gone.then(() => (this.#gone = true));
  }

  /** @throws BrowserError `open` */
  static async open(options: StartOptions & { times?: Partial<SessionTimes> }): Promise<BrowserSession> {
    const started = await startBrowser(options);
    const session = new BrowserSession(started, options.size, { ...usualTimes, ...options.times });
    try {
      await within(session.#times.load, options.signal, session.#begin());
      return session;
    } catch (error) {
      await session.close();
      if (options.signal.aborted || error instanceof BrowserError) throw error;
      throw new BrowserError('open', `The browser did not open a page: ${wordsOf(error)}`, { cause: error });
    }
  }

  /** Whether steps can still be done in it. */
  get isOpen(): boolean {
    return !this.#gone && this.#closing === undefined;
  }

  /** Address of the page in front; empty when there is none. */
  get url(): string {
    return this.#tabs.at(-1)?.page.url() ?? '';
  }

  get size(): PageSize {
    return this.#size;
  }

  /** Does the step and looks. @throws BrowserError, or the signal's reason */
  async act(step: BrowserStep, signal: AbortSignal): Promise<BrowserSight> {
    return await this.#guarded(signal, async () => {
      await this.#do(step, signal);
      await this.#settle(signal);
      return await this.#look(signal);
    });
  }

  /** A picture alone, of the type that a file wants. */
  async picture(mediaType: PictureType, signal: AbortSignal): Promise<Uint8Array> {
    return await this.#guarded(
      signal,
      async () => await within(this.#times.step, signal, takePicture(this.#front().page, mediaType)),
    );
  }

  /** Ends the browser, however it is. Does not fail; the second call waits for the first. */
  async close(): Promise<void> {
    this.#closing ??= this.#started.end();
    await this.#closing;
  }

  async #begin(): Promise<void> {
    const { context } = this.#started;
    await this.#add(await context.newPage());
    context.on('targetcreated', (target) => {
      if (target.type() !== TargetType.PAGE) return;
      const opening = target
        .page()
        .then(
          async (page) => (page ? await this.#popup(page) : undefined),
          (error: unknown) => this.#log.add('browser', wordsOf(error)),
        )
        .finally(() => this.#opening.delete(opening));
      this.#opening.add(opening);
    });
  }

  async #add(page: Page): Promise<void> {
    const watch = await PageWatch.start(page, this.#log, async (url) => await this.#whyNot(url));
    page.once('close', () => {
      const index = this.#tabs.indexOf(watch);
      if (index !== -1) this.#tabs.splice(index, 1);
    });
    this.#tabs.push(watch);
  }

  /** A page that a page opened: it comes to the front, as a person would see it. */
  async #popup(page: Page): Promise<void> {
    try {
      if (this.#tabs.length >= MOST_TABS || (await this.#whyNot(page.url())) !== undefined) {
        this.#log.add('popup (closed)', page.url());
        await page.close();
        return;
      }
      await this.#add(page);
      // From here on it is what is seen, however long it takes to load.
      this.#notices.push(
        'The page opened another tab, which is shown now. Press Control+W to close it and go back to the page before.',
      );
      await page.setViewport(this.#size);
      await page
        .waitForFunction("document.readyState === 'complete' && location.href !== 'about:blank'", {
          polling: 50,
          timeout: this.#times.quiet,
        })
        // What is still loading, or stays empty, is shown as it is.
        .catch((error: unknown) => {
          if (!(error instanceof TimeoutError)) throw error;
        });
    } catch (error) {
      // It closed itself meanwhile, as popups do.
      this.#log.add('popup', wordsOf(error));
    }
  }

  /** Why a document is not loaded; undefined when it may be. */
  async #whyNot(address: string): Promise<string | undefined> {
    if (!URL.canParse(address)) return 'not an address';
    const url = new URL(address);
    if (['about:', 'blob:', 'data:'].includes(url.protocol)) return undefined;
    if (!isOfTheWeb(url)) return `${url.protocol} is not opened`;
    const place = await networkPlace(url, AbortSignal.timeout(this.#times.step));
    if (this.#places.has(place)) return undefined;
    return place === 'unreachable'
      ? 'no page has business with this address'
      : 'a page led to an address of this machine or of its network, which nobody agreed to';
  }

  async #do(step: BrowserStep, signal: AbortSignal): Promise<void> {
    const { page } = this.#front();
    const inTime = async (promise: Promise<unknown>): Promise<unknown> =>
      await within(this.#times.step, signal, promise);
    switch (step.type) {
      case 'navigate':
        await this.#navigate(page, step.url, signal);
        break;
      case 'click':
        await inTime(page.mouse.click(step.point.x, step.point.y));
        break;
      case 'hover':
        await inTime(page.mouse.move(step.point.x, step.point.y));
        break;
      case 'type':
        await inTime(typeText(page, step.text));
        break;
      case 'press':
        await within(this.#times.load, signal, this.#press(page, step.keys));
        break;
      case 'scroll': {
        const distance = Math.round(this.#size.height * 0.9);
        await inTime(scroll(page, step.direction === 'down' ? distance : -distance));
        break;
      }
      case 'resize':
        await inTime(page.setViewport(step.size));
        this.#size = step.size;
        break;
      case 'look':
        break;
    }
  }

  async #navigate(page: Page, address: string, signal: AbortSignal): Promise<void> {
    const url = new URL(address);
    if (!isOfTheWeb(url)) throw new BrowserError('page', 'Only http and https addresses are opened.');
    const place = await networkPlace(url, signal);
    if (place !== 'unreachable') this.#places.add(place);
    let response: HTTPResponse | null;
    const before = page.url();
    try {
      const going = page.goto(address, { waitUntil: 'load', timeout: 0 });
      response = await within(this.#times.load, signal, going);
    } catch (error) {
      if (signal.aborted) throw error;
      const seconds = this.#times.load / 1000;
      if (error instanceof TooLong && page.url() !== before) {
        this.#notices.push(`It was still loading after ${seconds} seconds.`);
        return;
      }
      if (error instanceof TooLong) {
        await within(this.#times.step, signal, this.#front().session.send('Page.stopLoading'));
        throw new BrowserError('page', `The server did not answer within ${seconds} seconds.`, {
          cause: error,
        });
      }
      // What was the matter (a download, a refused address) comes a moment after.
      await sleep(REACTION, undefined, { signal });
      throw new BrowserError('page', `It could not be opened: ${wordsOf(error)}`, { cause: error });
    }
    if (response && response.status() >= 400) this.#notices.push(`The server answered ${response.status()}.`);
  }

  /** Keys go to the page, and those that a person knows from a browser's window do there what they do for a person. */
  async #press(page: Page, keys: string): Promise<void> {
    const { modifiers, key } = keysOf(keys);
    const options = { timeout: this.#times.load };
    switch ([...modifiers, key].join('+').replace(/^Meta\+/, 'Control+')) {
      case 'Alt+ArrowLeft':
        await page.goBack(options);
        break;
      case 'Alt+ArrowRight':
        await page.goForward(options);
        break;
      case 'F5':
      case 'Control+r':
      case 'Control+R':
        await page.reload(options);
        break;
      case 'Control+w':
      case 'Control+W':
        if (this.#tabs.length < 2) throw new BrowserError('page', 'There is only this tab; use close.');
        await page.close();
        break;
      default:
        for (const held of modifiers) await page.keyboard.down(held);
        await page.keyboard.press(key);
        for (const held of modifiers.reverse()) await page.keyboard.up(held);
    }
  }

  /** Waits until what the step set off is over, within bounds. */
  async #settle(signal: AbortSignal): Promise<void> {
    const { load, quiet } = this.#times;
    await sleep(REACTION, undefined, { signal });
    await within(load, signal, Promise.all(this.#opening));
    const front = this.#front();
    try {
      await within(load, signal, front.loaded());
      if (front.crashed) return;
      await within(quiet, signal, front.page.waitForNetworkIdle({ idleTime: IDLE, timeout: quiet }));
    } catch (error) {
      // A page that is never quiet is looked at as it is.
      if (signal.aborted || !(error instanceof Error)) throw error;
      const notice = `It was still loading after ${load / 1000} seconds.`;
      if (front.loading && !this.#notices.includes(notice)) this.#notices.push(notice);
    }
  }

  async #look(signal: AbortSignal): Promise<BrowserSight> {
    const { step } = this.#times;
    const { page, crashed } = this.#front();
    if (crashed) throw new BrowserError('gone', 'The page crashed.');
    // The picture first: a page that gives none will not tell its title either.
    const bytes = await within(step, signal, takePicture(page, 'image/webp'));
    const title = await within(step, signal, page.title());
    return {
      url: page.url(),
      title,
      log: this.#log.take(),
      notices: this.#notices.splice(0),
      size: this.#size,
      picture: { mediaType: 'image/webp', data: Buffer.from(bytes).toString('base64') },
    };
  }

  #front(): PageWatch {
    const front = this.#tabs.at(-1);
    if (!front) throw new BrowserError('gone', 'The page closed itself, and there is no other.');
    return front;
  }

  /** Tells what the page could not do from a page or a browser that is no more; what does not answer is ended. */
  async #guarded<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!this.isOpen) throw new BrowserError('gone', 'The browser has ended.');
    try {
      return await Promise.race([work(), this.#lost()]);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = this.#failureOf(error);
      if (failure.reason === 'gone') await this.close();
      throw failure;
    }
  }

  #failureOf(error: unknown): BrowserError {
    const said = this.#log.take();
    const after = said === '' ? '' : `\nBefore that it said:\n${said}`;
    if (this.#gone) return new BrowserError('gone', `The browser has ended.${after}`, { cause: error });
    if (this.#tabs.some(({ crashed }) => crashed))
      return new BrowserError('gone', `The page crashed.${after}`, { cause: error });
    if (error instanceof TooLong)
      return new BrowserError('gone', `The page does not answer any more. ${error.message}${after}`, {
        cause: error,
      });
    if (error instanceof BrowserError)
      return new BrowserError(error.reason, `${error.message}${after}`, { cause: error });
    return new BrowserError('page', `${wordsOf(error)}${after}`, { cause: error });
  }

  /** Rejects when the browser ends in the middle of a step. */
  async #lost(): Promise<never> {
    await this.#started.gone;
    throw new BrowserError('gone', 'The browser has ended.');
  }
}

async function typeText(page: Page, text: string): Promise<void> {
  if (text.length <= KEY_BY_KEY) await page.keyboard.type(text);
  else await page.keyboard.sendCharacter(text);
}

/** With the wheel where the mouse is: what scrolls under it, page or list, scrolls. */
async function scroll(page: Page, distance: number): Promise<void> {
  await page.mouse.wheel({ deltaY: distance });
}

function isOfTheWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]?.slice(0, 300) ?? '';
}
