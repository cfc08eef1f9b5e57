import type { ProtocolErrorData } from '../../shared/protocol.ts';
import { translate, type Locale } from '../../shared/strings.ts';

/** The error body of every endpoint. */
export function refused(status: number, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers });
}

const statuses: Record<ProtocolErrorData['code'], number> = {
  invalid_params: 400,
  not_trusted: 403,
  not_found: 404,
  busy: 409,
  internal: 500,
  unavailable: 503,
};

/** An error of the protocol: its code, its sentence, and its key for programs that have words of their own. */
export function protocolRefusal({ code, message }: ProtocolErrorData, locale: Locale): Response {
  return Response.json({ error: translate(locale, message), code, message }, { status: statuses[code] });
}
