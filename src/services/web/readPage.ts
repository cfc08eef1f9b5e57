import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { NetworkPlace } from '../../shared/approvals.ts';
import { placeOfAddress } from '../browser/networkPlace.ts';
import { openTunnel, TunnelError } from '../proxy/openTunnel.ts';
import { proxyFor, type ProxyPlaces } from '../proxy/ProxyPlaces.ts';
import { htmlText } from './htmlText.ts';
import { placeForProxy } from './placeForProxy.ts';

export type PageProblem =
  | 'address'
  | 'private'
  | 'redirects'
  | 'elsewhere'
  | 'status'
  | 'type'
  | 'time'
  | 'network'
  | 'proxy'
  | 'plain';

/** Why a page could not be read. `detail`: an address, a status or a type, for the sentence about it. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly reason: PageProblem,
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`${reason}: ${detail}`, options);
  }
}

export interface Page {
  /** Where it was in the end. */
  url: string;
  title: string;
  /** Readable text: of a page its words with headings, lists, links and code; of anything else what it is. */
  text: string;
  /** It was longer than is read of a page. */
  cut: boolean;
}

export interface PageOptions {
  /** Whether to go where an answer points; without it everywhere. */
  follows?: (target: URL) => boolean;
  /** Where requests leave by; directly without any. */
  proxies?: ProxyPlaces | undefined;
}

/** Milliseconds for all of it, bytes of an answer, and how often an address may point on. */
const LIMIT = 20_000;
const LARGEST = 4 * 1024 * 1024;
const MOST_REDIRECTS = 5;

/**
 * Fetches a page with GET, without cookies or keys. It must lie on the public network, at every step and by the address that is
 * really connected to; only the host of `url` itself may be this machine or a private address, when it is written as such: then it
 * is what the person typed, or agreed to, and is reached directly.
 *
 * Behind a proxy it is the proxy that connects, to what it takes the name for. So a name that leads into a private network from here is
 * not asked for, and nothing is asked for but what a certificate proves to be of that name: an `http:` page at its usual port is
 * fetched as an `https:` one, any other is refused (`plain`).
 * @throws PageError, `elsewhere` with the address that was not followed, or the signal's reason
 */
export async function readPage(
  url: string,
  signal: AbortSignal,
  { follows = () => true, proxies }: PageOptions = {},
): Promise<Page> {
  const first = addressOf(url);
  const typed = placeInLetters(first);
  const inTime = AbortSignal.timeout(LIMIT);
  const either = AbortSignal.any([signal, inTime]);
  try {
    let at = first;
    for (let step = 0; step <= MOST_REDIRECTS; step++) {
      const literal = typed !== undefined && at.hostname === first.hostname;
      const allowed = literal ? typed : 'public';
      const proxy = proxies && allowed === 'public' ? proxyFor(at, proxies) : undefined;
      if (proxy !== undefined) at = await provable(at, either);
      const response = await (proxy === undefined ? get(at, allowed, either) : getThrough(at, proxy, either));
      const target = response.headers.location;
      const status = response.statusCode ?? 0;
      if (status >= 300 && status < 400 && target !== undefined && URL.canParse(target, at.href)) {
        response.destroy();
        at = addressOf(new URL(target, at).href);
        if (!follows(at)) throw new PageError('elsewhere', at.href.slice(0, 2000));
        continue;
      }
      return await pageOf(at, status, response);
    }
    throw new PageError('redirects', String(MOST_REDIRECTS));
  } catch (error) {
    signal.throwIfAborted();
    if (inTime.aborted) throw new PageError('time', String(LIMIT / 1000), { cause: error });
    throw error;
  }
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new PageError('address', text.slice(0, 200));
  return url;
}

/** This machine or a private address, when the letters of the address say so themselves; undefined for every other name. */
function placeInLetters(url: URL): NetworkPlace | undefined {
  const host = plainHost(url);
  if (isIP(host) !== 0) return placeOfAddress(host);
  return host === 'localhost' || host.endsWith('.localhost') ? 'loopback' : undefined;
}

function plainHost({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** What every page is asked with. */
const HEADERS = {
  accept: 'text/html,text/plain,text/markdown,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': 'Lathe',
};

async function get(url: URL, allowed: NetworkPlace, signal: AbortSignal): Promise<IncomingMessage> {
  const host = plainHost(url);
  const refuse = (place: NetworkPlace): PageError | undefined =>
    place === 'unreachable' || place !== allowed ? new PageError('private', url.host) : undefined;
  // Of an address nothing is looked up.
  const refused = isIP(host) === 0 ? undefined : refuse(placeOfAddress(host));
  if (refused) throw refused;
  // With the first page: what these bring along takes longer to load than all of ours that is loaded at every start.
  const { request: send } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(
      url,
      {
        signal,
        lookup: checkedLookup(refuse),
        headers: HEADERS,
      },
      resolve,
    );
    request.on('error', (error) => reject(networkError(url, error)));
    request.end();
  });
}

/** The address over https, if a proxy may be asked for it. @throws PageError */
async function provable(url: URL, signal: AbortSignal): Promise<URL> {
  if ((await placeForProxy(url, signal)) !== 'public') throw new PageError('private', url.host);
  if (url.protocol === 'http:' && url.port !== '') throw new PageError('plain', url.host);
  const secure = new URL(url);
  secure.protocol = 'https:';
  return secure;
}

async function getThrough(url: URL, proxy: string, signal: AbortSignal): Promise<IncomingMessage> {
  const host = plainHost(url);
  const servername = isIP(host) === 0 ? host : '';
  try {
    const [{ request: send }, { connect }] = await Promise.all([import('node:https'), import('node:tls')]);
    const socket = await openTunnel(url, proxy, signal);
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const createConnection = (): Socket => connect({ socket, host, servername });
      const request = send(url, { signal, headers: HEADERS, createConnection }, resolve);
      request.on('error', reject);
      request.end();
    });
  } catch (error) {
    if (error instanceof TunnelError)
      throw new PageError('proxy', `${url.host} (${error.reason})`, { cause: error });
    throw networkError(url, error);
  }
}

/** The addresses that are checked are those that are connected to: a name cannot mean another one a moment later. */
function checkedLookup(refuse: (place: NetworkPlace) => PageError | undefined): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        done(error, []);
        return;
      }
      const refused = addresses.map(({ address }) => refuse(placeOfAddress(address))).find((one) => one);
      const [first] = addresses;
      if (refused) done(refused, []);
      else if (options.all === true || !first) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

async function pageOf(url: URL, status: number, response: IncomingMessage): Promise<Page> {
  if (status < 200 || status >= 300) {
    response.destroy();
    throw new PageError('status', String(status));
  }
  const type = response.headers['content-type'] ?? 'text/plain';
  const media = (type.split(';')[0] ?? '').trim().toLowerCase();
  if (!/^text\/|[/+](json|xml|xhtml\+xml|javascript|yaml|x-yaml|toml)$/.test(media)) {
    response.destroy();
    throw new PageError('type', media.slice(0, 100));
  }
  const { bytes, cut } = await bodyOf(url, response);
  const text = decoded(bytes, type);
  const isPage = media === 'text/html' || media === 'application/xhtml+xml';
  return { url: url.href, cut, ...(isPage ? htmlText(text, url.href) : { title: '', text }) };
}

async function bodyOf(url: URL, response: IncomingMessage): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(response)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > LARGEST) break;
    }
  } catch (error) {
    throw networkError(url, error);
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, LARGEST), cut: size > LARGEST };
}

function unpacked(response: IncomingMessage): Readable {
  const into = (stream: Transform): Readable => {
    response.on('error', (error) => stream.destroy(error));
    return response.pipe(stream);
  };
  switch (response.headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
      return into(createGunzip());
    case 'br':
      return into(createBrotliDecompress());
    case 'deflate':
      return into(createInflate());
    default:
      return response;
  }
}

/** By what the answer says, else what the page says of itself, else UTF-8. */
function decoded(bytes: Buffer, type: string): string {
  const declared =
    /charset=["']?([\w-]+)/i.exec(type)?.[1] ??
    /<meta[^>]+charset=["']?([\w-]+)/i.exec(bytes.subarray(0, 2048).toString('latin1'))?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8').decode(bytes);
  } catch (error) {
    // A name that nobody knows.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

function networkError(url: URL, error: unknown): PageError {
  if (error instanceof PageError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new PageError('network', `${url.host} (${code})`, { cause: error });
}
