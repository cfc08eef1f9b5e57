import type { JournalEntry } from '../../shared/events.ts';
import type { ResultContent } from '../../shared/tools.ts';
import type { AssistantPart, ProviderRequest, UserPart } from '../provider/Provider.ts';

/** Tokens a character, and more for each byte that it takes beyond one: tokenizers differ by a third, and what a provider counted corrects it. */
const CHARACTER = 0.28;
const BYTE = 0.18;
/** Tokens of a picture of the usual size. */
const PICTURE = 1500;
/** Tokens that mark where a part begins and ends. */
const FRAME = 4;

/** About how many tokens a text is. */
export function estimateTokens(text: string): number {
  return text.length * CHARACTER + (Buffer.byteLength(text) - text.length) * BYTE;
}

/** About how many tokens a request is, before any correction. */
export function estimateRequest({ system, tools, messages }: ProviderRequest): number {
  const head = estimateTokens(system) + (tools === undefined ? 0 : estimateTokens(JSON.stringify(tools)));
  return messages.reduce((sum, { content }) => sum + estimateParts(content), head);
}

/** About what an entry adds to a request. */
export function estimateEntry(entry: JournalEntry): number {
  switch (entry.type) {
    case 'user_message':
      return (
        estimateTokens(entry.text) +
        estimateTokens(entry.environment ?? '') +
        (entry.attachments ?? []).reduce((sum, { text }) => sum + FRAME + estimateTokens(text), 0) +
        PICTURE * (entry.images?.length ?? 0)
      );
    case 'mentions_read':
      return entry.mentions.reduce((sum, { content }) => sum + estimateContent(content), 0);
    case 'assistant_message':
      return entry.content.reduce(
        (sum, block) =>
          sum +
          (block.type === 'text'
            ? estimateTokens(block.text)
            : FRAME + estimateTokens(JSON.stringify(block.nativeArgs ?? block.params))),
        FRAME,
      );
    case 'tool_finished':
      return estimateContent(entry.content);
    default:
      return 0;
  }
}

function estimateParts(parts: readonly (UserPart | AssistantPart)[]): number {
  return parts.reduce((sum, part) => sum + FRAME + estimatePart(part), 0);
}

function estimatePart(part: UserPart | AssistantPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(part.text);
    case 'image':
      return PICTURE;
    case 'tool_call':
      return estimateTokens(part.tool) + estimateTokens(JSON.stringify(part.arguments));
    case 'tool_result':
      return estimateContent(part.content);
  }
}

function estimateContent(content: readonly ResultContent[]): number {
  return content.reduce(
    (sum, part) => sum + FRAME + (part.type === 'text' ? estimateTokens(part.text) : PICTURE),
    0,
  );
}
