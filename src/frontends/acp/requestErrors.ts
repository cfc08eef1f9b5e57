import { RequestError } from '@agentclientprotocol/sdk';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
export const SIGN_IN = -32000;
const NOT_FOUND = -32002;

/** Without a model nobody answers: for a client that is what signing in is for. */
const NO_MODEL = ['error.noProfile', 'error.unknownProfile'];

export function unknownSession(id: string, locale: Locale): RequestError {
  return new RequestError(NOT_FOUND, translate(locale, message('acp.error.unknownSession', { id })), {
    sessionId: id,
  });
}

/** What the agent could not do, by the protocol's codes and in the person's words. */
export function requestError(error: unknown, locale: Locale): unknown {
  if (!(error instanceof ProtocolError)) return error;
  return new RequestError(codeOf(error), translate(locale, error.words), { reason: error.code });
}

function codeOf({ code, words }: ProtocolError): number {
  if (NO_MODEL.includes(words.key)) return SIGN_IN;
  switch (code) {
    case 'invalid_params':
      return INVALID_PARAMS;
    case 'not_found':
      return NOT_FOUND;
    case 'busy':
    case 'unavailable':
    case 'not_trusted':
      return INVALID_REQUEST;
    case 'internal':
      return INTERNAL;
  }
}
