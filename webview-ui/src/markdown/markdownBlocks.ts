import { Lexer, type Token } from 'marked';
import remend from 'remend';

/** One block of a message: its source, and its tokens with the links of the whole message resolved. */
export interface MarkdownBlock {
  raw: string;
  token: Token;
}

/** Characters beyond which a message is shown as plain text: nobody reads it, and layout would block the panel. */
export const MARKDOWN_LIMIT = 2_000_000;

/**
 * Blocks of a message. While it streams only the end is read again: all blocks before the last two stay the same objects,
 * so that what is shown of them is not rendered anew.
 */
export class BlockReader {
  #text = '';
  #blocks: readonly MarkdownBlock[] = [];

  read(text: string, streaming: boolean): readonly MarkdownBlock[] {
    const grew = streaming && this.#blocks.length > 2 && text.startsWith(this.#text);
    const kept = grew ? this.#blocks.slice(0, -2) : [];
    const start = kept.reduce((length, { raw }) => length + raw.length, 0);
    const fresh = lex(text.slice(start));
    const known = this.#blocks.slice(kept.length);
    const blocks = [...kept, ...fresh.map((block, index) => same(known[index], block) ?? block)];
    this.#text = text;
    this.#blocks = blocks;
    return streaming ? mendLast(blocks) : blocks;
  }
}

function lex(text: string): MarkdownBlock[] {
  return new Lexer({ gfm: true }).lex(text).map((token) => ({ raw: token.raw, token }));
}

function same(known: MarkdownBlock | undefined, block: MarkdownBlock): MarkdownBlock | undefined {
  return known?.raw === block.raw ? known : undefined;
}

/** Closes what the stream has not closed yet, so that no half mark is shown. */
function mendLast(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const last = blocks.at(-1);
  if (!last || last.token.type === 'code') return blocks;
  const mended = remend(last.raw, { linkMode: 'text-only', images: false });
  return mended === last.raw ? blocks : [...blocks.slice(0, -1), ...lex(mended)];
}
