import type { Definition } from '../definitions/Syntax.ts';

/** A piece of a file that is found as one: a definition, a part of a long one, or what lies between. Lines are 1-based. */
export interface Chunk {
  start: number;
  end: number;
  /** Kind of the definition; empty for what is none. */
  kind: string;
  /** Its name behind those it lies in: `FileGate resolve`. */
  name: string;
}

/** Lines of a definition that is one chunk with all that is in it, and of a piece of what is longer. */
const WHOLE = 60;
const PIECE = 50;
const LONGEST_NAME = 200;
/** A line that is only a comment, in any of the languages. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|if|end|define|el))|--|;;)/;

/** Cuts a file along its definitions; what has none is cut into pieces. Every line that is not blank is in one chunk. */
export function chunksOf(lines: readonly string[], definitions: readonly Definition[]): Chunk[] {
  const chunks: Chunk[] = [];
  const whole = { start: 1, end: lines.length, kind: '', name: '' };
  cut(lines, whole, nested(withComments(lines, definitions)), chunks);
  return chunks;
}

interface Nested extends Chunk {
  inner: Nested[];
}

/** What is in `whole` and in none of `inner` becomes pieces of `whole`; each of `inner` is a chunk, or is cut itself. */
function cut(lines: readonly string[], whole: Chunk, inner: readonly Nested[], chunks: Chunk[]): void {
  let next = whole.start;
  for (const part of inner) {
    if (part.end < next) continue; // two definitions on one line: the first has it
    const start = Math.max(part.start, next);
    pieces(lines, { ...whole, start: next, end: start - 1 }, chunks);
    if (part.end - start < WHOLE) chunks.push({ start, end: part.end, kind: part.kind, name: part.name });
    else cut(lines, { ...part, start }, part.inner, chunks);
    next = part.end + 1;
  }
  pieces(lines, { ...whole, start: next }, chunks);
}

function pieces(lines: readonly string[], { start, end, kind, name }: Chunk, chunks: Chunk[]): void {
  const isBlank = (line: number): boolean => (lines[line - 1] ?? '').trim() === '';
  let first = start;
  let last = end;
  while (first <= last && isBlank(first)) first++;
  while (last >= first && isBlank(last)) last--;
  for (let from = first; from <= last; from += PIECE)
    chunks.push({ start: from, end: Math.min(last, from + PIECE - 1), kind, name });
}

/** A comment right above a definition belongs to it. Headings begin with what is the sign of a comment elsewhere. */
function withComments(lines: readonly string[], definitions: readonly Definition[]): Chunk[] {
  return definitions.map(({ kind, name, start, end }) => {
    let first = start;
    if (kind !== 'heading') while (first > 1 && COMMENT.test(lines[first - 2] ?? '')) first--;
    return { kind, name, start: first, end };
  });
}

/** Flat definitions as a tree; the names of outer ones stand before those of inner ones. */
function nested(definitions: readonly Chunk[]): Nested[] {
  const roots: Nested[] = [];
  const open: Nested[] = [];
  for (const definition of definitions) {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) < definition.start) open.pop();
    const outer = open.at(-1);
    const one: Nested = {
      ...definition,
      // What only overlaps its neighbour ends where that one does.
      end: Math.min(definition.end, outer?.end ?? definition.end),
      name: (outer ? `${outer.name} ${definition.name}` : definition.name).slice(-LONGEST_NAME),
      inner: [],
    };
    (outer?.inner ?? roots).push(one);
    open.push(one);
  }
  return roots;
}
