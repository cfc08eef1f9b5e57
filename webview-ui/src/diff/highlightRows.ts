import { highlight, type Highlighted } from '../markdown/highlight.ts';
import type { DiffRow } from './parsePatch.ts';

/** By what a row says, so that rows made anew while a change arrives keep their colours. */
export type ColouredRows = ReadonlyMap<string, Highlighted>;

export function colourKey({ type, text }: DiffRow): string {
  return `${type} ${text}`;
}

/** The rows in coloured stretches; each side of each hunk is read as a text of its own, so that a change cannot spoil the other. */
export async function highlightRows(rows: readonly DiffRow[], language: string): Promise<ColouredRows> {
  const coloured = new Map<string, Highlighted>();
  for (const hunk of hunks(rows))
    for (const side of ['removed', 'added'] as const) {
      const lines = hunk.filter(({ type }) => type === 'same' || type === side);
      const parts = await highlight(lines.map(({ text }) => text).join('\n'), language);
      if (!parts) return coloured;
      splitLines(parts).forEach((line, index) => {
        const row = lines[index];
        if (row) coloured.set(colourKey(row), line);
      });
    }
  return coloured;
}

function hunks(rows: readonly DiffRow[]): DiffRow[][] {
  const found: DiffRow[][] = [[]];
  for (const row of rows)
    if (row.type === 'hunk') found.push([]);
    else found.at(-1)?.push(row);
  return found.filter(({ length }) => length > 0);
}

function splitLines(parts: Highlighted): Highlighted[] {
  let line: { scope: string; text: string }[] = [];
  const lines = [line];
  for (const { scope, text } of parts)
    text.split('\n').forEach((piece, index) => {
      if (index > 0) lines.push((line = []));
      if (piece !== '') line.push({ scope, text: piece });
    });
  return lines;
}
