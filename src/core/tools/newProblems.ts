import type { Problem } from '../host/Host.ts';

/** Problems that are told, and characters of each one's words. */
const MOST = 15;
const LONGEST = 300;

/** What is wrong after an edit and was not before, told for the model; '' for nothing. Lines move with edits, so they do not count. */
export function newProblems(before: readonly Problem[], after: readonly Problem[], shown: string): string {
  const known = new Map<string, number>();
  for (const problem of before) known.set(keyOf(problem), (known.get(keyOf(problem)) ?? 0) + 1);
  const fresh = after.filter((problem) => {
    const left = known.get(keyOf(problem)) ?? 0;
    known.set(keyOf(problem), left - 1);
    return left <= 0;
  });
  if (fresh.length === 0) return '';
  const rows = [...fresh]
    .sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning') || a.line - b.line)
    .slice(0, MOST)
    .map(
      ({ line, severity, message, source }) =>
        `- line ${line}, ${severity}: ${message.replace(/\s+/g, ' ').slice(0, LONGEST)}${source === '' ? '' : ` (${source})`}`,
    );
  const more = fresh.length > MOST ? [`- and ${fresh.length - MOST} more`] : [];
  return [
    `The editor finds ${fresh.length} new ${fresh.length === 1 ? 'problem' : 'problems'} in '${shown}' since this edit. Mend what it caused:`,
    ...rows,
    ...more,
  ].join('\n');
}

function keyOf({ severity, message, source }: Problem): string {
  return JSON.stringify([severity, message, source]);
}
