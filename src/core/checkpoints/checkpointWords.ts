import { message, type Message } from '../../shared/strings.ts';
import type { CheckpointError } from './Checkpoints.ts';

/** Why there is no checkpoint, for the person. */
export function whyNot(error: CheckpointError): Message {
  switch (error.reason) {
    case 'busy':
      return message('checkpoint.busy');
    case 'hidden':
      return message('checkpoint.hidden');
    case 'too_large':
      return message('checkpoint.tooLarge', { reason: error.message });
    case 'gone':
      return message('checkpoint.gone');
    case 'failed':
      return message('checkpoint.failed', { reason: error.message });
  }
}
