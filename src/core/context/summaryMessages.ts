import type { JournalEntry, ModelReference } from '../../shared/events.ts';
import { condensing } from '../prompts/condensing.ts';
import type { ProviderMessage } from '../provider/Provider.ts';
import { apiMessages } from '../task/apiMessages.ts';

/** What a summary is asked of: entries up to `through`, their results trimmed or not, without `dropped` messages behind the first. */
export interface SummaryWish {
  through: number;
  guidance?: string | undefined;
  trimmed: boolean;
  dropped: number;
}

/** The messages of a request for a summary: a task's own, so that the provider's cache is of use, and the wish at their end. */
export function summaryMessages(
  entries: readonly JournalEntry[],
  reference: ModelReference,
  { through, guidance, trimmed, dropped }: SummaryWish,
): ProviderMessage[] {
  const old = entries.filter(({ seq }) => seq <= through);
  const trimming: JournalEntry = {
    seq: through + 1,
    at: 0,
    ...{ type: 'results_trimmed', through, tokensBefore: 0, tokensAfter: 0 },
  };
  const messages = apiMessages(trimmed ? [...old, trimming] : old, reference);
  const [first, ...rest] = messages;
  // The first message says what the task is; of the rest the end counts most.
  return asking(first ? [first, ...rest.slice(dropped)] : [], condensing.request(guidance));
}

/** The messages with one more text of the user's at their end; roles go on alternating. */
function asking(messages: readonly ProviderMessage[], text: string): ProviderMessage[] {
  const last = messages.at(-1);
  return last?.role === 'user'
    ? [...messages.slice(0, -1), { role: 'user', content: [...last.content, { type: 'text', text }] }]
    : [...messages, { role: 'user', content: [{ type: 'text', text }] }];
}
