import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { McpOutcome } from '../../shared/mcp.ts';
import { withoutControls } from './ServerLog.ts';

type Failure = Extract<McpOutcome, { type: 'failure' }>;

/** Whether the person must sign in. Also when the SDK wrapped it on its way. */
export function wantsSignIn(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if (current instanceof UnauthorizedError) return true;
    if (current instanceof SdkHttpError && current.status === 401) return true;
    current = current.cause;
  }
  return false;
}

/** The server has forgotten us (it was started anew): what was sent reached no tool. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(textOf(error)));
}

/** Nothing was sent: there is no connection, or none could be made. */
export function neverSent(error: unknown): boolean {
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return true;
  if (!(error instanceof Error)) return false;
  if (error.message === 'Not connected' || error.message === 'the server is not running') return true;
  return codesOf(error).some((code) => ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code));
}

/** The process or the stream ended while the call ran. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return true;
  return (
    error instanceof Error &&
    codesOf(error).some((code) =>
      ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET', 'ERR_STREAM_DESTROYED'].includes(code),
    )
  );
}

/** One of the classes of failure, in words for the model. `timeout` in milliseconds. */
export function failureOf(error: unknown, server: string, timeout: number): Failure {
  if (wantsSignIn(error))
    return transport(
      `the person has to sign in to the MCP server '${server}' first. Go on without it, or ask them to sign in`,
      false,
    );
  if (error instanceof ProtocolError)
    return {
      type: 'failure',
      class: 'protocol',
      message: `the server refused it: ${short(error.message)} (code ${error.code})`,
      mayHaveRun: false,
    };
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return {
      type: 'failure',
      class: 'validation',
      message: `its answer does not fit the protocol: ${short(error.message)}`,
      mayHaveRun: true,
    };
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return transport(`the server gave no answer within ${Math.round(timeout / 1000)} seconds`, true);
  if (isConnectionLost(error)) return transport('the connection ended before the answer came', true);
  return transport(short(reasonOf(error)), !neverSent(error) && !(error instanceof SdkHttpError));
}

/** Why, in the words of whoever failed, for people and logs. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SdkHttpError) return textOf(error);
  const { cause } = error;
  if (cause instanceof Error && cause.message !== '' && !error.message.includes(cause.message))
    return `${error.message}: ${reasonOf(cause)}`;
  const [code] = codesOf(error);
  return error.message === '' ? (code ?? error.name) : error.message;
}

function transport(words: string, mayHaveRun: boolean): Failure {
  return { type: 'failure', class: 'transport', message: words, mayHaveRun };
}

function textOf(error: SdkHttpError): string {
  const { text } = error.data;
  return `${error.message}${typeof text === 'string' && !error.message.includes(text) ? ` ${text}` : ''}`;
}

function codesOf(error: Error): string[] {
  const codes: string[] = [];
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') codes.push(current.code);
    if (current instanceof AggregateError)
      for (const inner of current.errors as unknown[])
        if (inner instanceof Error && 'code' in inner && typeof inner.code === 'string')
          codes.push(inner.code);
    current = current.cause;
  }
  return codes;
}

function short(text: string): string {
  const clean = withoutControls(text).trim();
  return clean.length <= 600 ? clean : `${clean.slice(0, 599)}…`;
}
