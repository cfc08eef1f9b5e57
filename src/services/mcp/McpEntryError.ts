import type { Message } from '../../shared/strings.ts';

/** Why a configuration was not changed: words for the person. Nothing was written. */
export class McpEntryError extends Error {
  override readonly name = 'McpEntryError';
  constructor(readonly words: Message) {
    super(words.key);
  }
}
