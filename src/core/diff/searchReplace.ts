import { LineFinder, type Difference, type FoundLines } from './LineFinder.ts';
import { TextLines, usualLineEnd } from './lines.ts';
import { SearchReplaceError, type SearchReplaceBlock } from './parseBlocks.ts';
import { replacedLines } from './replacedLines.ts';

/** Lines around the given start line in which a match is taken before the whole file is searched. */
const AROUND = 40;
/** Blocks that could not be placed of which the failure says everything. */
const MOST_FAILURES = 3;

/**
 * The text with every block applied, or an error and nothing: all or nothing. Places are found in the text as it is, so start lines
 * mean the file as it was read, whatever the order of the blocks. Everything outside the matched lines keeps its bytes, lines that a
 * block repeats keep theirs too, and new lines take the line break of the lines they replace.
 * @throws SearchReplaceError naming each block that cannot be placed, what was found instead, and what to send
 */
export function applyBlocks(text: string, blocks: readonly SearchReplaceBlock[]): string {
  const lines = new TextLines(text);
  const finder = new LineFinder(lines);
  const places: Place[] = [];
  const failures: Failure[] = [];
  for (const [index, block] of blocks.entries()) {
    const place = placeOf(block, lines, finder);
    if (typeof place === 'function') failures.push(() => `Block ${index + 1}: ${place()}`);
    else places.push({ ...place, index });
  }
  if (failures.length > 0) throw new SearchReplaceError(wordsFor(failures, blocks.length));
  places.sort((a, b) => a.start - b.start || a.index - b.index);
  const parts: string[] = [];
  let at = 0;
  let last: Place | undefined;
  for (const place of places) {
    if (last && place.start < last.start + last.block.search.length)
      throw new SearchReplaceError(
        `Blocks ${last.index + 1} and ${place.index + 1} overlap at line ${place.start + 1}. Send them as one block.`,
      );
    parts.push(text.slice(at, lines.offset(place.start)), replacement(place, lines));
    at = lines.offset(place.start + place.block.search.length);
    last = place;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

interface Place {
  start: number;
  difference: Difference;
  /** The block as it is placed: without what a model adds to it by mistake. */
  block: SearchReplaceBlock;
  index: number;
}

/** Why nobody can tell where a block goes; worked out for those of which it is said. */
type Failure = () => string;

/** Where the block goes, or why nobody can tell. */
function placeOf(
  block: SearchReplaceBlock,
  lines: TextLines,
  finder: LineFinder,
): Omit<Place, 'index'> | Failure {
  const { search, replace, startLine } = block;
  if (search.length === 0) {
    if (lines.count === 0) return { start: 0, difference: 0, block };
    return () => 'SEARCH is empty. To insert, search for the line beside the place and repeat it in REPLACE.';
  }
  if (search.length === replace.length && search.every((line, index) => line === replace[index]))
    return () => 'SEARCH and REPLACE are the same, so nothing would change.';
  for (const variant of [block, withoutLineNumbers(block), withoutOuterBlanks(block)]) {
    if (variant === undefined) continue;
    const found = placesOf(variant, finder);
    if (found.length === 1 && found[0]) return { ...found[0], block: variant };
    if (found.length > 1) return () => ambiguous(found);
  }
  return () => notFound('its SEARCH', search, startLine, lines, finder);
}

/** The place; several when nobody can tell which; none. At the start line comes first, then around it, then anywhere. */
function placesOf({ search, startLine }: SearchReplaceBlock, finder: LineFinder): FoundLines[] {
  if (startLine !== undefined) {
    const wanted = startLine - 1;
    const there = finder.findBetween(wanted, wanted, search);
    if (there.length > 0) return there;
    const near = finder.findBetween(wanted - AROUND, wanted + AROUND, search);
    if (near.length > 0) return leastDifferent(near);
  }
  return leastDifferent(finder.find(search));
}

/** Those that differ least. */
export function leastDifferent(found: readonly FoundLines[]): FoundLines[] {
  const least = found.reduce((low, { difference }) => Math.min(low, difference), 2);
  return found.filter(({ difference }) => difference === least);
}

/** Models copy the numbers that read_file puts before lines. */
function withoutLineNumbers(block: SearchReplaceBlock): SearchReplaceBlock | undefined {
  const number = /^\s*\d+ ?\| ?/;
  const all = [...block.search, ...block.replace];
  if (!all.every((line) => number.test(line))) return undefined;
  const strip = (part: readonly string[]): string[] =>
    part.map((line) => line.replace(/^\s*\d+ ?\|( |$)?/, ''));
  return { ...block, search: strip(block.search), replace: strip(block.replace) };
}

/** Models add blank lines at the edges that do not stand in the file: those that both parts have are left out. */
function withoutOuterBlanks({
  search,
  replace,
  startLine,
}: SearchReplaceBlock): SearchReplaceBlock | undefined {
  const isBlank = (line: string | undefined): boolean => line?.trim() === '';
  let before = 0;
  while (isBlank(search[before]) && isBlank(replace[before])) before++;
  let after = 0;
  while (isBlank(search.at(-1 - after)) && isBlank(replace.at(-1 - after))) after++;
  if (before + after === 0 || before + after >= Math.min(search.length, replace.length)) return undefined;
  const strip = (part: readonly string[]): string[] => part.slice(before, part.length - after);
  return {
    search: strip(search),
    replace: strip(replace),
    ...(startLine === undefined ? {} : { startLine: startLine + before }),
  };
}

function replacement({ start, difference, block }: Place, lines: TextLines): string {
  const { search, replace } = block;
  const found = lines.taken(start, search.length);
  return replacedLines(found, search, replace, difference, () => usualLineEnd(lines.text));
}

function ambiguous(found: readonly FoundLines[]): string {
  const lines = found.slice(0, 8).map(({ start }) => start + 1);
  return (
    `its SEARCH stands at ${found.length} places (lines ${lines.join(', ')}${found.length > 8 ? '…' : ''}). ` +
    `Add lines around it until it is unique, or give :start_line: of the one you mean.`
  );
}

/** Why a search fails: the nearest lines, and the first difference. `what` it is called, and where it should stand. */
export function notFound(
  what: string,
  search: readonly string[],
  startLine: number | undefined,
  lines: TextLines,
  finder: LineFinder,
): string {
  const wanted = startLine === undefined ? undefined : startLine - 1;
  const nearest =
    finder.nearest(search, wanted) ?? (wanted !== undefined && wanted < lines.count ? wanted : undefined);
  if (nearest === undefined)
    return `${what} was not found. No line of it stands in the file (${lines.count} lines). Read the file and search for lines that are there.`;
  const last = Math.min(lines.count, nearest + Math.min(search.length, 8));
  const shown: string[] = [];
  for (let line = nearest; line < last; line++) shown.push(`${line + 1} | ${clip(lines.line(line))}`);
  const differs = search.findIndex(
    (line, index) => nearest + index >= lines.count || line !== lines.line(nearest + index),
  );
  const first =
    differs === -1
      ? ''
      : `First difference, line ${nearest + differs + 1}: you sent ${JSON.stringify(clip(search[differs] ?? ''))}. `;
  return `${what} was not found. The nearest lines are:\n${shown.join('\n')}\n${first}Copy the lines as they stand in the file, then send ${what === 'its SEARCH' ? 'the block' : 'the call'} again.`;
}

function wordsFor(failures: readonly Failure[], blocks: number): string {
  const others = blocks - failures.length;
  const more =
    failures.length > MOST_FAILURES
      ? [`${failures.length - MOST_FAILURES} more blocks could not be placed either.`]
      : [];
  const fine =
    others > 0
      ? [`The other ${others === 1 ? 'block' : `${others} blocks`} would fit: send all of them again.`]
      : [];
  return [...failures.slice(0, MOST_FAILURES).map((say) => say()), ...more, ...fine].join('\n');
}

function clip(line: string): string {
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}
