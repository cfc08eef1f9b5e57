import { usualLineEnd, type TextLines } from './lines.ts';

/** A stretch of a text and what stands there instead, by offsets. */
export interface Splice {
  from: number;
  to: number;
  text: string;
}

/**
 * New lines before one of a text's (0-based; its count: at the end), with the line ends that the text has. Behind a last line without a
 * break it is that line which gets one, and the new last line has none either.
 */
export function insertionOf(lines: TextLines, before: number, added: readonly string[]): Splice {
  const at = lines.offset(before);
  const end = usualLineEnd(lines.text);
  const text = added.join(end);
  return { from: at, to: at, text: at > 0 && lines.end(before - 1) === '' ? end + text : text + end };
}

/** The text with each stretch replaced; they do not overlap, and stand in order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(text.slice(at, splice.from), splice.text);
    at = splice.to;
  }
  return [...parts, text.slice(at)].join('');
}
