import * as z from 'zod';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { methods } from '../../shared/protocol.ts';
import { message } from '../../shared/strings.ts';

/**
 * A request as a client may make it, whoever writes in its page: it answers as a person, gives no words for a file (the person's
 * version of a proposal is read from the diff itself), and begins tasks in these folders only. @throws ProtocolError
 */
export function restricted(method: string, params: unknown, folders: readonly string[]): unknown {
  if (method === 'approval/respond') {
    const parsed = methods[method].params.safeParse(params);
    if (!parsed.success) throw invalidRequest(method, parsed.error);
    const { edited, ...decision } = parsed.data.decision;
    return { ...parsed.data, decision: { ...decision, by: 'person' } };
  }
  if (method === 'task/create') {
    const parsed = methods[method].params.safeParse(params);
    if (!parsed.success) throw invalidRequest(method, parsed.error);
    const { cwd } = parsed.data;
    if (cwd !== undefined && !folders.includes(cwd))
      throw new ProtocolError('unavailable', message('error.otherWorkspace', { folder: cwd }));
  }
  return params;
}

export function invalidRequest(method: string, error: z.ZodError): ProtocolError {
  const reason = z.prettifyError(error);
  return new ProtocolError('invalid_params', message('error.invalidRequest', { method, reason }));
}
