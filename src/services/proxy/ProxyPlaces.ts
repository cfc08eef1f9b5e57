import type { Message } from '../../shared/strings.ts';

/** What should say where requests leave by says something else: nothing is sent. The message is in the person's words. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  constructor(
    message: string,
    readonly words: Message,
  ) {
    super(message);
  }
}

/** Where requests leave by. */
export interface ProxyPlaces {
  /** For `http:` addresses, and for `https:` ones: of a proxy; undefined where requests leave directly. */
  http: string | undefined;
  https: string | undefined;
  /** Hosts that are reached directly, separated by commas. */
  none: string;
}

/**
 * The proxy that a request for this address leaves by, made over `https:`; undefined for directly. By the rules of undici, which everything that
 * is fetched with `fetch` goes by: without a proxy for `https:` that of `http:` is taken, a name in `none` stands for those below it too.
 */
export function proxyFor(url: URL, { http, https, none }: ProxyPlaces): string | undefined {
  const host = url.hostname.toLowerCase();
  const port = url.port === '' ? '443' : url.port;
  const isNear = none.split(/[,\s]+/).some((entry) => {
    const [, name = entry, only = port] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const plain = name.replace(/^\*?\./, '').toLowerCase();
    return plain !== '' && only === port && (host === plain || host.endsWith(`.${plain}`));
  });
  return isNear ? undefined : (https ?? http);
}
