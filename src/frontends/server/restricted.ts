import { methods } from '../../shared/protocol.ts';

/** What a client over a network may not say: words for a file of this machine in an answer, or that nobody but a person gave it. */
export function restricted(method: string, params: unknown): unknown {
  if (method !== 'approval/respond') return params;
  const parsed = methods[method].params.safeParse(params);
  // The dispatcher says what is wrong with it.
  if (!parsed.success) return params;
  return { ...parsed.data, decision: { ...parsed.data.decision, by: 'person' } };
}
