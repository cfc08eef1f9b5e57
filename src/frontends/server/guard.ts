import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardOptions {
  /** The address that the server listens at, as it was given. */
  host: string;
  /** What a client must show; none is asked for without it. */
  token: string | undefined;
  /** Further names by which clients may call the server, as of a proxy before it. */
  names: readonly string[];
}

export interface Refusal {
  /** Of HTTP. */
  status: number;
  reason: string;
}

/**
 * Whether a request comes from where it may; undefined when it does. `Host` must name this server (else a page whose name was made to
 * point here could ask), and `Origin` must be this server's own (else a page of somebody else in the person's browser could).
 */
export function strangerIn(
  { headers }: Pick<IncomingMessage, 'headers'>,
  options: GuardOptions,
): Refusal | undefined {
  const { host, origin } = headers;
  const name = host === undefined ? undefined : nameOf(`http://${host}`);
  if (name === undefined || !isOwnName(name, options))
    return { status: 421, reason: 'this server does not answer to that Host' };
  const fromElsewhere = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
  if (fromElsewhere || headers['sec-fetch-site'] === 'cross-site')
    return { status: 403, reason: 'requests of pages from elsewhere are refused' };
  return undefined;
}

/**
 * Undefined when the token is right, or none is asked for. A browser cannot set a header on a WebSocket: there the token comes as a
 * subprotocol.
 */
export function tokenMissing(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { token }: Pick<GuardOptions, 'token'>,
): Refusal | undefined {
  if (token === undefined || tokensIn(headers).some((given) => isToken(given, token))) return undefined;
  return { status: 401, reason: 'a token is missing, or it is another: Authorization: Bearer …' };
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function isOwnName(name: string, { host, names }: GuardOptions): boolean {
  const own = host.toLowerCase();
  if (isLoopback(name) || name === own || names.includes(name)) return true;
  // At every address of the machine: an address cannot be made to point here by somebody's name server.
  return (own === '0.0.0.0' || own === '::') && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function nameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}

/** The subprotocol that a browser names beside the one with its token. */
export const SOCKET_PROTOCOL = 'lathe';
const TOKEN_PROTOCOL = 'lathe.token.';

/** What a client shows. A subprotocol has only some characters: others come percent-encoded. */
function tokensIn(headers: IncomingMessage['headers']): string[] {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return [bearer];
  const named = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .find((one) => one.startsWith(TOKEN_PROTOCOL))
    ?.slice(TOKEN_PROTOCOL.length);
  if (named === undefined) return [];
  return /%(?![0-9a-f]{2})/i.test(named) ? [named] : [named, unescaped(named)];
}

/** Byte by byte: tokens are ASCII. */
function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Takes the same time however much of it is right. */
function isToken(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
