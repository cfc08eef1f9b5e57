import type { ResultContent } from '../../shared/tools.ts';
import type { ProviderMessage, UserPart } from '../provider/Provider.ts';

/** The messages for a model that does not see: a word stands where each picture was, so that it can say so. */
export function withoutPictures(messages: readonly ProviderMessage[]): ProviderMessage[] {
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.map(blind) } : message,
  );
}

const WORD = '(A picture was here. You cannot see pictures: say so if the task needs it.)';

function blind(part: UserPart): UserPart {
  if (part.type === 'image') return { type: 'text', text: WORD };
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((one): ResultContent =>
    one.type === 'image' ? { type: 'text', text: WORD } : one,
  );
  return { ...part, content };
}
