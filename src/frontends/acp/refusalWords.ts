import type { RequestError } from '@agentclientprotocol/sdk';

/** Why the client refused, in its own words: many put them beside the message, which then only names the code. */
export function refusalWords({ message, data }: RequestError): string {
  const details = typeof data === 'object' && data !== null && 'details' in data ? data.details : undefined;
  return typeof details === 'string' && details !== '' ? details : message;
}
