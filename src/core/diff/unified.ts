import { structuredPatch } from 'diff';
import type { ToolDetails } from '../../shared/tools.ts';

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
  if (patch === undefined) return replacedWhole(path, before ?? '', after);
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      if (line.startsWith('-')) removed++;
      lines.push(line);
    }
  }
  return { type: 'diff', path, ...capped(lines), added, removed, created: before === null };
}

function replacedWhole(path: string, before: string, after: string): DiffDetails {
  const removed = before.split('\n').length;
  const added = after.split('\n').length;
  const lines = [
    `@@ -1,${removed} +1,${added} @@`,
    ...after
      .split('\n')
      .slice(0, MOST_LINES)
      .map((line) => `+${line}`),
  ];
  return { type: 'diff', path, patch: capped(lines).patch, cut: true, added, removed, created: false };
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
