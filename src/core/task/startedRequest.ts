import { createHash } from 'node:crypto';
import type { Fact, JournalEntry } from '../../shared/events.ts';
import type { ProviderRequest } from '../provider/Provider.ts';

type Started = Extract<Fact, { type: 'request_started' }>;

/** SHA-256 of a rendered request, hex. */
export function requestHash(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

/**
 * The fact of a request that goes out. What is not messages is kept with the first request and where it changes, so that a journal
 * holds all that its requests are made of.
 */
export function startedRequest(
  entries: readonly JournalEntry[],
  { messages: _messages, ...head }: ProviderRequest,
  started: Pick<Started, 'requestId' | 'model' | 'hash' | 'purpose' | 'summary' | 'offered'>,
): Started {
  const { offered, ...rest } = started;
  const before = entries.filter((entry) => entry.type === 'request_started');
  const knownHead = before.findLast((entry) => entry.head !== undefined)?.head;
  const knownTools = before.findLast((entry) => entry.offered !== undefined)?.offered;
  return {
    type: 'request_started',
    ...rest,
    ...(JSON.stringify(knownHead) === JSON.stringify(head) ? {} : { head }),
    ...(offered === undefined || offered.join() === knownTools?.join() ? {} : { offered }),
  };
}
