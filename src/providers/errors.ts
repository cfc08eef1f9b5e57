import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider';
import type { RequestError } from '../shared/events.ts';
import { message } from '../shared/strings.ts';

/** Who was asked, for the words. */
export interface Asked {
  provider: string;
  model: string;
  url: string;
}

const TOO_LONG =
  /context (length|window)|maximum context|too many tokens|prompt is too long|input is too long|exceeds? the (max|context)/i;
const NETWORK_CODES =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|UND_ERR|CERT_|SELF_SIGNED|socket hang up|other side closed|terminated|fetch failed/i;
const LONGEST_REASON = 300;

/** No byte came for a while. */
export class StalledError extends Error {
  override readonly name = 'StalledError';
  constructor(readonly seconds: number) {
    super(`no data for ${seconds} seconds`);
  }
}

/** Any failure of a request, worded for the person, with what the provider said of waiting. Holds no key: headers are not looked at. */
export function requestError(error: unknown, asked: Asked): RequestError {
  if (error instanceof StalledError) {
    return {
      message: message('provider.stalled', { provider: asked.provider, seconds: error.seconds }),
      retryable: true,
    };
  }
  if (LoadAPIKeyError.isInstance(error))
    return { message: message('provider.noKey', { provider: asked.provider }), retryable: false };
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400)
    return statusError(error, error.statusCode, asked);
  const reason = reasonOf(error);
  if (NETWORK_CODES.test(reason)) {
    return {
      message: message('provider.unreachable', { url: asked.url, reason: clip(reason) }),
      retryable: true,
    };
  }
  return {
    message: message('provider.badAnswer', { provider: asked.provider, reason: clip(reason) }),
    retryable: false,
  };
}

function statusError(error: APICallError, status: number, asked: Asked): RequestError {
  const { provider, model } = asked;
  const said = saidBy(error);
  const retryAfter = retryAfterOf(error.responseHeaders ?? {}, Date.now());
  const common = { status, ...(retryAfter === undefined ? {} : { retryAfter }) };
  if (status === 401 || status === 403)
    return { message: message('provider.badKey', { provider, status }), retryable: false, ...common };
  if (status === 402)
    return { message: message('provider.noCredit', { provider, status }), retryable: false, ...common };
  if (status === 413 || TOO_LONG.test(said))
    return { message: message('provider.tooLong', { model }), retryable: false, ...common };
  if (status === 404)
    return {
      message: message('provider.unknownModel', { provider, model, status }),
      retryable: false,
      ...common,
    };
  if (status === 429)
    return { message: message('provider.rateLimit', { provider }), retryable: true, ...common };
  if (status === 408 || status >= 500)
    return { message: message('provider.overloaded', { provider, status }), retryable: true, ...common };
  return {
    message: message('provider.rejected', { provider, status, reason: clip(said) }),
    retryable: false,
    ...common,
  };
}

/** Milliseconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterOf(headers: Record<string, string>, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(milliseconds) && milliseconds >= 0)
    return milliseconds;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The provider's own sentence, out of the usual shapes of an error body. */
function saidBy(error: APICallError): string {
  const { data } = error;
  if (typeof data === 'object' && data !== null && 'error' in data) {
    const inner = data.error;
    if (typeof inner === 'string') return inner;
    if (
      typeof inner === 'object' &&
      inner !== null &&
      'message' in inner &&
      typeof inner.message === 'string'
    )
      return inner.message;
  }
  return error.message;
}

/** The innermost cause's code and message: fetch hides the network's own words in `cause`. */
function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    if ('code' in current && typeof current.code === 'string') words.push(current.code);
    if (current.message !== '' && !words.includes(current.message)) words.push(current.message);
  }
  if (words.length > 0) return words.join(': ');
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function clip(text: string): string {
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON - 1)}…`;
}
