import { diffArrays } from 'diff';
import type { Difference } from './LineFinder.ts';
import type { Line } from './lines.ts';

/** Lines that may differ before search and replacement are simply taken as different. */
const MOST_EDITS = 400;

/**
 * The text that stands in place of `found`, which `search` matched. Lines that the replacement repeats from the search keep the bytes
 * they have in the file; new ones are indented as the file is, where the search was indented otherwise, and end as the lines they replace.
 */
export function replacedLines(
  found: readonly Line[],
  search: readonly string[],
  replace: readonly string[],
  difference: Difference,
  usualEnd: () => string,
): string {
  const some = found.find(({ end }) => end !== '')?.end ?? usualEnd();
  const lastEnd = found.length === 0 ? some : (found.at(-1)?.end ?? '');
  if (replace.length === 0) return '';
  if (difference === 0 && found.every(({ end }, index) => end === some || index === found.length - 1))
    return replace.join(some) + lastEnd;
  const indent = difference === 2 ? indentations(found, search) : (line: string): string => line;
  const lines: Line[] = [];
  let at = 0;
  for (const step of stepsFrom(search, replace)) {
    for (const [index, text] of step.added.entries())
      lines.push({ text: indent(text), end: found[at + Math.min(index, step.removed - 1)]?.end ?? '' });
    at += step.removed;
    for (let kept = 0; kept < step.kept; kept++, at++) lines.push(found[at] ?? { text: '', end: '' });
  }
  const last = lines.length - 1;
  return lines
    .map(({ text, end }, index) => text + (index < last ? end || some : lastEnd === '' ? '' : end || lastEnd))
    .join('');
}

/** One stretch: lines that go, lines that come in their place, then lines that stay. */
interface Step {
  removed: number;
  added: string[];
  kept: number;
}

function stepsFrom(search: readonly string[], replace: readonly string[]): Step[] {
  let before = 0;
  while (before < search.length && before < replace.length && search[before] === replace[before]) before++;
  let after = 0;
  const room = Math.min(search.length, replace.length) - before;
  while (after < room && search.at(-1 - after) === replace.at(-1 - after)) after++;
  const removed = search.slice(before, search.length - after);
  const added = replace.slice(before, replace.length - after);
  const steps: Step[] = [{ removed: 0, added: [], kept: before }];
  let open: Step = { removed: 0, added: [], kept: 0 };
  const changes = diffArrays(removed, added, { maxEditLength: MOST_EDITS });
  if (changes === undefined) open = { removed: removed.length, added, kept: 0 };
  else
    for (const { value, added: isNew = false, removed: isOld = false } of changes) {
      if (isNew) open.added.push(...value);
      else if (isOld) open.removed += value.length;
      else {
        steps.push({ ...open, kept: value.length });
        open = { removed: 0, added: [], kept: 0 };
      }
    }
  steps.push({ ...open, kept: after });
  return steps;
}

/** How the search's indentations stand in the file, for lines that are indented as the search was. */
function indentations(found: readonly Line[], search: readonly string[]): (line: string) => string {
  const known = new Map<string, string>();
  for (const [index, line] of search.entries()) {
    const wanted = indentationOf(line);
    if (line.trim() !== '' && !known.has(wanted)) known.set(wanted, indentationOf(found[index]?.text ?? ''));
  }
  const longestFirst = [...known].sort(([a], [b]) => b.length - a.length);
  return (line) => {
    if (line.trim() === '') return line;
    const match = longestFirst.find(([wanted]) => line.startsWith(wanted));
    return match ? match[1] + line.slice(match[0].length) : line;
  };
}

function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
