import { existsSync, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core';
import { BrowserError, type PageSize } from '../../shared/browser.ts';
import { within } from './within.ts';

export interface StartOptions {
  /** Absolute path of a program, or the http(s) or ws(s) address of a browser that lets itself be driven. */
  browser: string;
  /** Whether pages are kept apart from the machine by the browser's own sandbox. */
  sandbox: boolean;
  size: PageSize;
  /** What the program may see of our environment. */
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** A browser that runs, and a place in it without history, cookies or downloads. */
export interface StartedBrowser {
  context: BrowserContext;
  /** Resolves when it has ended, however that came. */
  gone: Promise<void>;
  /** Ends what was started, a program of ours with all its processes. Does not fail. */
  end(): Promise<void>;
}

/** Milliseconds to start or to reach a browser, and to let one close itself. */
const START_TIME = 30_000;
const CLOSE_TIME = 3000;
const PROFILE = 'lathe-browser-';

/** Profiles that a browser of this process uses: all others of this process are leftovers. */
const used = new Set<string>();

/** @throws BrowserError `open`, or the signal's reason */
export async function startBrowser(options: StartOptions): Promise<StartedBrowser> {
  return /^(https?|wss?):\/\//i.test(options.browser) ? await reach(options) : await launch(options);
}

async function launch({
  browser: program,
  sandbox,
  size,
  environment,
  signal,
}: StartOptions): Promise<StartedBrowser> {
  if (!isAbsolute(program) || !existsSync(program))
    throw new BrowserError('open', `There is no browser at '${program}'.`);
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  if (sandbox && isRoot)
    throw new BrowserError(
      'open',
      'The browser cannot keep pages in its sandbox when it runs as root, so it was not started.',
    );
  await removeLeftovers();
  // At once, so that nobody else takes it for a leftover.
  const profile = mkdtempSync(join(tmpdir(), `${PROFILE}${process.pid}-`));
  used.add(profile);
  const stop = new AbortController();
  const starting = puppeteer.launch({
    signal: stop.signal,
    executablePath: program,
    headless: true,
    // The pipe is the program's life line: it ends when we do, however we end.
    pipe: true,
    userDataDir: profile,
    defaultViewport: size,
    env: environment,
    timeout: START_TIME,
    args: [`--window-size=${size.width},${size.height}`, ...(sandbox ? [] : ['--no-sandbox'])],
    // What a page may not do to a person, it may not do here.
    ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-ipc-flooding-protection'],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  try {
    const browser = await within(START_TIME, signal, starting);
    const { context, gone } = await own(browser, signal);
    return { context, gone, end: async () => await endProgram(browser, profile) };
  } catch (error) {
    // It may still be on its way up.
    stop.abort();
    await inTime(
      starting.then(
        async (browser) => await endProgram(browser, profile),
        async () => await removeProfile(profile),
      ),
    );
    if (signal.aborted) throw signal.reason;
    throw new BrowserError('open', `The browser did not start: ${wordsOf(error)}`, { cause: error });
  }
}

/** A browser of somebody else's: what we opened in it is closed, and it goes on. */
async function reach({ browser: address, size, signal }: StartOptions): Promise<StartedBrowser> {
  const isSocket = /^wss?:/i.test(address);
  const connecting = puppeteer.connect({
    ...(isSocket ? { browserWSEndpoint: address } : { browserURL: address }),
    defaultViewport: size,
  });
  try {
    const browser = await within(START_TIME, signal, connecting);
    const { context, gone } = await own(browser, signal);
    return {
      context,
      gone,
      end: async () => {
        if (browser.connected) await inTime(context.close());
        await inTime(browser.disconnect());
      },
    };
  } catch (error) {
    void connecting.then(
      async (browser) => await browser.disconnect(),
      () => undefined,
    );
    if (signal.aborted) throw signal.reason;
    throw new BrowserError('open', `The browser at ${address} could not be reached: ${wordsOf(error)}`, {
      cause: error,
    });
  }
}

async function own(
  browser: Browser,
  signal: AbortSignal,
): Promise<{ context: BrowserContext; gone: Promise<void> }> {
  const gone = new Promise<void>((resolve) => {
    browser.once('disconnected', () => resolve());
  });
  const context = await within(
    START_TIME,
    signal,
    browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } }),
  );
  return { context, gone };
}

async function endProgram(browser: Browser, profile: string): Promise<void> {
  const child = browser.process();
  if (browser.connected) await inTime(browser.close());
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    kill(child.pid);
    await inTime(ended);
  }
  await removeProfile(profile);
}

/** The program leads a process group of its own where there are such. */
function kill(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // It ended while we looked.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits a little for what may fail or never end, because the thing it is for is going away. */
async function inTime(promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIME);
  });
  await Promise.race([
    promise.then(
      () => undefined,
      () => undefined,
    ),
    over,
  ]);
  clearTimeout(timer);
}

async function removeProfile(profile: string): Promise<void> {
  used.delete(profile);
  try {
    // A program that was killed may go on writing until the last of its processes has ended.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  } catch (error) {
    // Something still holds it: the next browser that starts takes it away.
    if (!(error instanceof Error)) throw error;
  }
}

/** Profiles whose process was killed before it could take them away, and such as could not be taken away at once. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${PROFILE}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined) continue;
    const profile = join(tmpdir(), name);
    if (Number(pid) === process.pid ? !used.has(profile) : !isAlive(Number(pid)))
      await removeProfile(profile);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0]?.slice(0, 300) ?? '';
}
