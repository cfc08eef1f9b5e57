import { usualLineEnd } from './lines.ts';

/**
 * A text that was written in a field that knows only `\n`, with the line breaks of the text that stood there first: each line that is
 * still the same, from the beginning and from the end, keeps its own, and others get the usual one. A text with a `\r` knows its own.
 * Undefined stays so.
 */
export function withLineBreaksOf(before: string, written: string | undefined): string | undefined {
  if (written === undefined || written.includes('\r') || !before.includes('\r')) return written;
  const lines = before.split(/\r\n|\r|\n/);
  const breaks = before.match(/\r\n|\r|\n/g) ?? [];
  const theirs = written.split('\n');
  const most = Math.min(lines.length, theirs.length);
  let first = 0;
  while (first < most && lines[first] === theirs[first]) first++;
  let last = 0;
  while (last < most - first && lines.at(-1 - last) === theirs.at(-1 - last)) last++;
  const usual = usualLineEnd(before);
  const breakBehind = (index: number): string => {
    if (index < first) return breaks[index] ?? usual;
    if (index >= theirs.length - last) return breaks[index - theirs.length + lines.length] ?? usual;
    return usual;
  };
  const kept = theirs
    .map((line, index) => (index === theirs.length - 1 ? line : line + breakBehind(index)))
    .join('');
  // A `\r` of its own before an empty line would run together with that line's `\n`.
  return kept.replace(/\r\n?/g, '\n') === written ? kept : written.replaceAll('\n', usual);
}
