import type { RequestError } from '../../shared/events.ts';
import type { StringKey } from '../../shared/strings.ts';

const TOO_LONG: StringKey = 'provider.tooLong';

/** Whether the provider refused a request because it is longer than the model's window. */
export function isTooLong({ message }: RequestError): boolean {
  return message.key === TOO_LONG;
}
