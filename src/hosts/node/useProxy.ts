import { ProxyError, type ProxyPlaces } from '../../services/proxy/ProxyPlaces.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

/** What a proxy would not reach: it has a loopback of its own. */
const OWN = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The proxies that the environment names, as curl and npm read it: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, the small letters first.
 * Undefined without one. @throws ProxyError when it names what is no proxy
 */
export function proxyPlaces(environment: NodeJS.ProcessEnv, locale: Locale): ProxyPlaces | undefined {
  const named = (name: string): string | undefined => {
    const value = (environment[name.toLowerCase()] ?? environment[name])?.trim();
    return value === undefined || value === '' ? undefined : proxyAddress(name, value, locale);
  };
  const none = (environment.no_proxy ?? environment.NO_PROXY ?? '').trim();
  const [http, https] = [named('HTTP_PROXY'), named('HTTPS_PROXY')];
  if ((http === undefined && https === undefined) || none === '*') return undefined;
  return { http, https, none: [none, ...OWN].filter((part) => part !== '').join(',') };
}

/** A name without a scheme is that of an HTTP proxy. */
function proxyAddress(variable: string, value: string, locale: Locale): string {
  const address = value.includes('://') ? value : `http://${value}`;
  if (isProxy(address)) return address;
  // A proxy's address may hold a password: it is not repeated.
  const words = message('error.proxy', { variable });
  throw new ProxyError(translate(locale, words), words);
}

function isProxy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  // A stray % in a password cannot be read back.
  const isReadable = !/%(?![0-9a-f]{2})/i.test(username + password);
  return isReadable && (protocol === 'http:' || protocol === 'https:');
}

let using: Promise<void> | undefined;

/**
 * Lets requests of `fetch` in this process leave by the proxies that the environment names; without any nothing is loaded. Node does so
 * itself from version 24 on, and only where it was told to before it started. Nothing may be sent before this resolves, or after it
 * rejected. @throws ProxyError
 */
export async function useProxy(environment: NodeJS.ProcessEnv, locale: Locale): Promise<void> {
  await (using ??= sendBy(environment, locale));
}

async function sendBy(environment: NodeJS.ProcessEnv, locale: Locale): Promise<void> {
  const places = proxyPlaces(environment, locale);
  if (!places) return;
  const { sendThrough } = await import('../../services/proxy/sendThrough.ts');
  sendThrough(places);
}
