import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import type { RequestError } from '../shared/events.ts';
import { message } from '../shared/strings.ts';
import { PageError } from './pages.ts';

/** Who was asked, for the words; `key` is taken out of whatever is shown. */
export interface Asked {
  provider: string;
  model: string;
  url: string;
  key?: string | undefined;
}

const TOO_LONG =
  /context[ _](length|window|size)|maximum context|too many (input )?tokens|prompt is too long|input is too long|exceeds? the (max|context)|input token count/i;
const NO_CREDIT =
  /insufficient[_ ](quota|balance|credit)|credit balance|exceeded your current quota|billing|payment required/i;
/** On 429 the words alone do not tell: Google says `quota` and `billing` of a limit that passes within a minute. */
const NO_CREDIT_CODE = /insufficient[_ ](quota|balance|credit)/i;
const BAD_KEY =
  /(api[_ ]?key|token|credential)s? (is |are )?(not valid|invalid)|(invalid|incorrect) api[_ ]?key/i;
const NO_MODEL = /model/i;
/** OpenRouter has the model, but nobody who serves it with what was asked for. */
const NO_ENDPOINT = /no endpoints found/i;
const FILTERED = /content[_ ]?(filter|policy|management)|responsible ai|safety (filter|system)/i;
const CERTIFICATE =
  /CERT_|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS_CERT|self[- ]signed certificate|unable to verify/i;
const NETWORK =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|UND_ERR|socket hang up|other side closed|terminated|fetch failed|cannot connect to api/i;
/** A proxy that does not let us through: asking again changes nothing. */
const PROXY = /proxy authentication required|proxy response \((401|403|407)\)/i;
/** What the address itself says: nobody listens there, and asking five times in half a minute changes nothing. */
const NOBODY_THERE = /ECONNREFUSED/;
const LOOPBACK = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i;
const LONGEST_REASON = 300;
/** Milliseconds. A provider that asks for more gets its wait, but from the person, who may rather choose another model. */
const LONGEST_WAIT = 10 * 60_000;
const HIDDEN = '•••';

/** No byte came for a while. */
export class StalledError extends Error {
  override readonly name = 'StalledError';
  constructor(readonly seconds: number) {
    super(`no data for ${seconds} seconds`);
  }
}

/** The stream just ended, without a reason and without saying that something is wrong. */
export function isPlainEnd(error: unknown): boolean {
  return InvalidResponseDataError.isInstance(error) && error.data === undefined;
}

/**
 * Any failure of a request, worded for the person, with what the provider said of waiting. Holds no key.
 * `begun`: something of the answer had come.
 */
export function requestError(error: unknown, asked: Asked, begun = false): RequestError {
  const { provider, url } = asked;
  if (error instanceof StalledError)
    return { message: message('provider.stalled', { provider, seconds: error.seconds }), retryable: true };
  if (error instanceof PageError) {
    const reason = shown(error.title, asked);
    return {
      message: message('provider.page', { url, status: error.status, reason }),
      retryable: false,
      status: error.status,
    };
  }
  const refusal = refusalOf(error);
  if (refusal) return statusError(refusal, asked);
  const reason = shown(reasonOf(error), asked);
  if (TOO_LONG.test(reason))
    return { message: message('provider.tooLong', { model: asked.model }), retryable: false };
  // What a service said in its stream is no failure of the network, whatever its words.
  const thrown = error instanceof Error;
  if (thrown && CERTIFICATE.test(reason))
    return { message: message('provider.certificate', { url, reason }), retryable: false };
  if (thrown && PROXY.test(reason))
    return { message: message('provider.proxy', { url, reason }), retryable: false };
  if (thrown && NETWORK.test(reason)) {
    if (begun) return { message: message('provider.broken', { provider, reason }), retryable: true };
    return LOOPBACK.test(url) && NOBODY_THERE.test(reason)
      ? { message: message('provider.notRunning', { provider, url }), retryable: false }
      : { message: message('provider.unreachable', { url, reason }), retryable: true };
  }
  return { message: message('provider.badAnswer', { provider, reason }), retryable: false };
}

/** What a provider said no with, whether by the response's status or in the middle of its stream. */
interface Refusal {
  status: number;
  /** For the person. */
  reason: string;
  /** The same with the codes beside it, to tell what it is. */
  said: string;
  headers: Record<string, string>;
  /** Milliseconds, where the body says it. */
  retryDelay?: number | undefined;
}

/** Google names the wait in its error's details, not in a header. */
function googleDelay(body: string | undefined): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body ?? '')?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

function refusalOf(error: unknown): Refusal | undefined {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders: headers = {} } = error;
    if (status === undefined || status < 400) return undefined;
    return { status, ...saidBy(error), headers, retryDelay: googleDelay(error.responseBody) };
  }
  // An error in the stream: the packages hand out the service's own object, some with a status that they derived.
  if (typeof error !== 'object' || error === null || error instanceof Error) return undefined;
  const fields = error as Record<string, unknown>;
  const status = [fields.statusCode, fields.code, fields.status].map(Number).find(isHttpFailure);
  const kind = [fields.type, fields.code].map(String).join(' ');
  const reason = typeof fields.message === 'string' ? fields.message : JSON.stringify(error);
  const said = `${reason} ${kind}`;
  if (status !== undefined) return { status, reason, said, headers: {} };
  if (/overloaded|server_error|api_error|unavailable/i.test(kind))
    return { status: 503, reason, said, headers: {} };
  if (/rate_limit/i.test(kind)) return { status: 429, reason, said, headers: {} };
  return undefined;
}

function isHttpFailure(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

function statusError({ status, said, headers, retryDelay, ...refusal }: Refusal, asked: Asked): RequestError {
  const { provider, model, url } = asked;
  const reason = shown(refusal.reason, asked);
  const retryAfter = retryAfterOf(headers, Date.now()) ?? retryDelay;
  const common = { status, ...(retryAfter === undefined ? {} : { retryAfter }) };
  const final = (text: RequestError['message']): RequestError => ({
    message: text,
    retryable: false,
    ...common,
  });
  const passing = (text: RequestError['message']): RequestError => ({
    message: text,
    retryable: true,
    ...common,
  });
  if (status === 401 || (status === 400 && BAD_KEY.test(said)))
    return final(message('provider.badKey', { provider, status }));
  if (status === 402 || (status < 500 && (status === 429 ? NO_CREDIT_CODE : NO_CREDIT).test(said)))
    return final(message('provider.noCredit', { provider, status }));
  if (status === 403) return final(message('provider.forbidden', { provider, model, status, reason }));
  if (status === 413 || (status < 500 && TOO_LONG.test(said) && status !== 429))
    return final(message('provider.tooLong', { model }));
  if (status < 500 && status !== 429 && FILTERED.test(said))
    return final(message('provider.filtered', { provider, status, reason }));
  if (status === 404 && !NO_ENDPOINT.test(said)) {
    return final(
      NO_MODEL.test(said)
        ? message('provider.unknownModel', { provider, model, status })
        : message('provider.wrongAddress', { url, status }),
    );
  }
  if (status === 429) {
    return retryAfter !== undefined && retryAfter > LONGEST_WAIT
      ? final(message('provider.rateLimitLong', { provider, minutes: Math.ceil(retryAfter / 60_000) }))
      : passing(message('provider.rateLimit', { provider }));
  }
  if (status === 408 || status >= 500) return passing(message('provider.overloaded', { provider, status }));
  return final(message('provider.rejected', { provider, status, reason }));
}

/** Milliseconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterOf(headers: Record<string, string>, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(milliseconds) && milliseconds >= 0)
    return milliseconds;
  const value = headers['retry-after'];
  if (value === undefined || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The provider's own sentence, out of the usual shapes of an error body; else what the body begins with. */
function saidBy(error: APICallError): Pick<Refusal, 'reason' | 'said'> {
  const body = parsed(error.responseBody);
  const outer = Array.isArray(body) ? (body[0] as unknown) : body;
  const inner = field(outer, 'error') ?? outer;
  const whole = (error.responseBody ?? '').trim();
  const sentence = typeof inner === 'string' ? inner : field(inner, 'message');
  const reason =
    typeof sentence === 'string' && sentence !== '' ? sentence : whole === '' ? error.message : whole;
  const codes = [field(inner, 'code'), field(inner, 'type')].filter((code) => typeof code === 'string');
  return { reason, said: [reason, ...codes].join(' ') };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch (error) {
    // Not JSON: a proxy's page or plain words, which are shown as they are.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The innermost cause that says something, with its code: fetch hides the network's words in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    const said = typeof error === 'string' ? error : field(error, 'message');
    return typeof said === 'string' ? said : JSON.stringify(error);
  }
  let reason = error.name;
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const { message: words } = current;
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    const said = words.includes(code) ? words : [code, words].filter((part) => part !== '').join(': ');
    if (said !== '') reason = said;
  }
  return reason;
}

/** Short enough for a card, on one line, and without the key even when the service repeats it. */
function shown(text: string, { key }: Asked): string {
  const safe = key === undefined || key === '' ? text : text.replaceAll(key, HIDDEN);
  const line = safe.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1)}…`;
}
