import { createHash } from 'node:crypto';
import type { RecordedAnswer } from '../../shared/events.ts';
import type { AssistantMessageContent } from '../../shared/tools.ts';

/** A part of an answer as the provider gave it; what came in several chunks is one piece. `ended`: the call came to its end. */
export type AnswerPiece =
  | { type: 'text'; text: string }
  | { type: 'call'; id: string; tool: string; arguments: string; ended: boolean };

type Kept = NonNullable<RecordedAnswer['pieces']>[number];

/** Characters from which on a text of the message is named instead of kept twice. */
const LONG = 40;

/** Gathers an answer while it streams. */
export class AnswerPieces {
  readonly #pieces: { piece: AnswerPiece; chunks: string[] }[] = [];
  readonly #calls = new Map<string, { piece: AnswerPiece; chunks: string[] }>();

  text(text: string): void {
    if (text === '') return;
    const last = this.#pieces.at(-1);
    if (last?.piece.type === 'text') last.chunks.push(text);
    else this.#pieces.push({ piece: { type: 'text', text: '' }, chunks: [text] });
  }

  call(id: string, tool: string): void {
    if (this.#calls.has(id)) return;
    const call = { piece: { type: 'call' as const, id, tool, arguments: '', ended: false }, chunks: [] };
    this.#calls.set(id, call);
    this.#pieces.push(call);
  }

  arguments(id: string, text: string): void {
    this.#calls.get(id)?.chunks.push(text);
  }

  end(id: string): void {
    const call = this.#calls.get(id);
    if (call?.piece.type === 'call') call.piece = { ...call.piece, ended: true };
  }

  /** Joined here and nowhere else. */
  pieces(): AnswerPiece[] {
    return this.#pieces.map(({ piece, chunks }) =>
      piece.type === 'text' ? { ...piece, text: chunks.join('') } : { ...piece, arguments: chunks.join('') },
    );
  }
}

/** An answer as the journal keeps it beside the blocks that were read from it: what stands there is not kept again. */
export function recordedAnswer(
  pieces: readonly AnswerPiece[],
  content: readonly AssistantMessageContent[],
): RecordedAnswer {
  const hash = hashOf(pieces);
  const derived = answerPieces({ hash }, content);
  if (derived !== undefined && hashOf(derived) === hash) return { hash };
  let block = 0;
  const kept = pieces.flatMap((piece): Kept[] => {
    if (piece.type === 'text') {
      const { parts, next } = named(piece.text, content, block);
      block = next;
      return parts;
    }
    const call = content.findIndex((one) => one.type === 'tool_use' && one.id === piece.id);
    block = Math.max(block, call + 1);
    return [{ call, arguments: piece.arguments, ...(piece.ended ? {} : { open: true as const }) }];
  });
  return { hash, pieces: kept };
}

/**
 * The answer that was recorded with these blocks, as it came; undefined when it was not kept, or names what is not there.
 */
export function answerPieces(
  answer: RecordedAnswer,
  content: readonly AssistantMessageContent[],
): AnswerPiece[] | undefined {
  const pieces: AnswerPiece[] = [];
  const addText = (text: string): void => {
    const last = pieces.at(-1);
    if (last?.type === 'text') last.text += text;
    else pieces.push({ type: 'text', text });
  };
  if (answer.pieces === undefined) {
    for (const block of content) {
      if (block.type === 'text') addText(block.text);
      else if (block.origin === 'native' && block.nativeArgs !== undefined)
        pieces.push(callPiece(block, JSON.stringify(block.nativeArgs)));
      else return undefined;
    }
    return pieces;
  }
  for (const kept of answer.pieces) {
    if (typeof kept === 'string') {
      addText(kept);
      continue;
    }
    const block = content['call' in kept ? kept.call : kept.block];
    if ('call' in kept) {
      if (block?.type !== 'tool_use') return undefined;
      pieces.push({ ...callPiece(block, kept.arguments), ended: kept.open !== true });
      continue;
    }
    const text = block?.type === 'text' ? block.text : block?.params[kept.param ?? ''];
    if (text === undefined) return undefined;
    addText(text);
  }
  return pieces;
}

/** SHA-256 of an answer, hex. */
export function hashOf(pieces: readonly AnswerPiece[]): string {
  return createHash('sha256').update(JSON.stringify(pieces)).digest('hex');
}

function callPiece(
  { id, name, calledAs, truncated }: Extract<AssistantMessageContent, { type: 'tool_use' }>,
  args: string,
): Extract<AnswerPiece, { type: 'call' }> {
  return { type: 'call', id, tool: calledAs ?? name, arguments: args, ended: truncated !== true };
}

/** A text with the long texts of the blocks from `from` on named where they stand in it, in their order. */
function named(
  text: string,
  content: readonly AssistantMessageContent[],
  from: number,
): { parts: Kept[]; next: number } {
  const parts: Kept[] = [];
  let taken = 0;
  let block = from;
  for (; block < content.length; block++) {
    const one = content[block];
    if (one === undefined || (one.type === 'tool_use' && one.origin === 'native')) break;
    const texts: [string | undefined, string][] =
      one.type === 'text' ? [[undefined, one.text]] : Object.entries(one.params);
    for (const [param, value] of texts) {
      const at = value.length < LONG ? -1 : text.indexOf(value, taken);
      if (at === -1) continue;
      if (at > taken) parts.push(text.slice(taken, at));
      parts.push({ block, ...(param === undefined ? {} : { param }) });
      taken = at + value.length;
    }
  }
  if (taken < text.length) parts.push(text.slice(taken));
  return { parts, next: block };
}
