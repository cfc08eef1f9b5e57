import { structuredPatch } from 'diff';
import type { ToolDetails } from '../../shared/tools.ts';
import { TextLines } from './lines.ts';

type DiffDetails = Extract<ToolDetails, { type: 'diff' }>;

/** Lines and characters of a patch that a card shows. */
const MOST_LINES = 600;
const MOST_CHARACTERS = 60_000;
/** Changed lines past which the two texts are simply different: the comparison must not hold up an approval. */
const MOST_EDITS = 4000;

/** What changed between two versions of a file, for cards: a capped unified patch and honest counts. `before` null: a new file. */
export function diffDetails(path: string, before: string | null, after: string): DiffDetails {
  const patch = structuredPatch(path, path, before ?? '', after, '', '', {
    context: 3,
    maxEditLength: MOST_EDITS,
  });
  if (patch === undefined) return replacedWhole(path, before, after);
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of patch.hunks) {
    lines.push(
      hunkHeader(
        { start: hunk.oldStart, lines: hunk.oldLines },
        { start: hunk.newStart, lines: hunk.newLines },
      ),
    );
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      if (line.startsWith('-')) removed++;
      lines.push(line);
    }
  }
  return { type: 'diff', path, ...capped(lines), added, removed, created: before === null };
}

function replacedWhole(path: string, before: string | null, after: string): DiffDetails {
  const removed = countLines(before ?? '');
  const added = countLines(after);
  const lines = [
    hunkHeader({ start: 1, lines: removed }, { start: 1, lines: added }),
    ...after.split('\n', MOST_LINES).map((line) => `+${line}`),
  ];
  return {
    type: 'diff',
    path,
    patch: capped(lines).patch,
    cut: true,
    added,
    removed,
    created: before === null,
  };
}

/** A side without lines begins behind the line before it, as unified diffs have it. */
function hunkHeader(...sides: [before: Side, after: Side]): string {
  const [before, after] = sides.map(({ start, lines }) => `${lines === 0 ? start - 1 : start},${lines}`);
  return `@@ -${before ?? ''} +${after ?? ''} @@`;
}

interface Side {
  start: number;
  lines: number;
}

function countLines(text: string): number {
  return new TextLines(text).count;
}

function capped(lines: readonly string[]): { patch: string; cut: boolean } {
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (kept.length >= MOST_LINES || characters > MOST_CHARACTERS)
      return { patch: kept.join('\n'), cut: true };
    kept.push(line);
  }
  return { patch: kept.join('\n'), cut: false };
}
