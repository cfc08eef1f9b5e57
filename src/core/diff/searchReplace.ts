import { joinLines, splitLines, usualLineEnd, type Line } from './lines.ts';

/** One SEARCH/REPLACE block. Lines are without their breaks. */
export interface SearchReplaceBlock {
  search: string[];
  replace: string[];
  /** 1-based line where the search should stand. */
  startLine?: number;
}

/** A block list that cannot be read, or a block that cannot be placed: words for the model. */
export class SearchReplaceError extends Error {
  override readonly name = 'SearchReplaceError';
}

const SEARCH = /^(<{7,9} ?SEARCH>?|-{7,9} ?SEARCH>?)\s*$/;
const DIVIDER = /^={7,9}\s*$/;
const REPLACE = /^(>{7,9} ?REPLACE|\+{7,9} ?REPLACE)\s*$/;
const START_LINE = /^:start_line:\s*(\d+)\s*$/;
const END_LINE = /^:end_line:\s*(\d+)\s*$/;
const SEPARATOR = /^-{7,9}\s*$/;
const ESCAPED = /^\\(?=<{7}|={7}|>{7}|-{7}|\+{7}|:start_line:|:end_line:)/;
/** Lines around the given start line in which a match is taken before the whole file is searched. */
const AROUND = 40;
const HOW =
  'Each block is: <<<<<<< SEARCH, optionally :start_line:N and -------, the lines to find, =======, the new lines, >>>>>>> REPLACE, each marker on a line of its own.';

/** Reads the blocks of a diff: ours, and Cline's `------- SEARCH` / `+++++++ REPLACE`. @throws SearchReplaceError */
export function parseBlocks(diff: string): SearchReplaceBlock[] {
  const blocks: SearchReplaceBlock[] = [];
  let block: SearchReplaceBlock | undefined;
  let part: 'outside' | 'head' | 'search' | 'replace' = 'outside';
  const wrong = (line: number, what: string): never => {
    throw new SearchReplaceError(
      `Line ${line} of the diff: ${what} ${HOW} A line of content that looks like a marker is written with a backslash before it.`,
    );
  };
  for (const [index, line] of diff.split(/\r?\n/).entries()) {
    const number = index + 1;
    if (SEARCH.test(line)) {
      if (part !== 'outside') wrong(number, 'a block begins before the last one has ended.');
      block = { search: [], replace: [] };
      part = 'head';
    } else if (part === 'outside' || !block) {
      if (DIVIDER.test(line) || REPLACE.test(line)) wrong(number, 'a marker stands outside of a block.');
    } else if (REPLACE.test(line)) {
      if (part !== 'replace') wrong(number, 'the block has no ======= line.');
      blocks.push(block);
      part = 'outside';
    } else if (DIVIDER.test(line)) {
      if (part === 'replace') wrong(number, 'the block has a second ======= line.');
      part = 'replace';
    } else if (part === 'head' && START_LINE.test(line)) {
      const start = Number(START_LINE.exec(line)?.[1]);
      if (start > 0) block.startLine = start;
    } else if (part === 'head' && END_LINE.test(line)) {
      // The search itself says how long it is.
    } else if (part === 'head' && SEPARATOR.test(line)) {
      part = 'search';
    } else {
      if (part === 'head') part = 'search';
      block[part === 'replace' ? 'replace' : 'search'].push(line.replace(ESCAPED, ''));
    }
  }
  if (part !== 'outside') throw new SearchReplaceError(`The last block has no >>>>>>> REPLACE line. ${HOW}`);
  if (blocks.length === 0) throw new SearchReplaceError(`The diff holds no SEARCH/REPLACE block. ${HOW}`);
  return blocks;
}

/**
 * The text with every block applied, or an error and nothing: all or nothing. Places are found in the text as it is, so start lines
 * mean the file as it was read, whatever the order of the blocks. Everything outside the matched lines keeps its bytes; new lines take
 * the line break of the lines they replace. @throws SearchReplaceError naming the block, what was found instead, and what to send
 */
export function applyBlocks(text: string, blocks: readonly SearchReplaceBlock[]): string {
  const lines = splitLines(text);
  const finder = new LineFinder(lines);
  const places = blocks.map((block, index) => ({
    ...placeOf(block, `Block ${index + 1}`, lines, finder),
    index,
  }));
  places.sort((a, b) => a.start - b.start || a.index - b.index);
  const result: Line[] = [];
  let at = 0;
  for (const { start, length, replacement, index } of places) {
    if (start < at)
      throw new SearchReplaceError(`Block ${index + 1} overlaps another block. Send them as one block.`);
    for (; at < start; at++) result.push(lines[at] ?? { text: '', end: '' });
    result.push(...withEnds(replacement, lines.slice(start, start + length), usualLineEnd(lines)));
    at = start + length;
  }
  for (; at < lines.length; at++) result.push(lines[at] ?? { text: '', end: '' });
  return joinLines(result);
}

interface Place {
  start: number;
  length: number;
  replacement: string[];
}

function placeOf(block: SearchReplaceBlock, name: string, lines: readonly Line[], finder: LineFinder): Place {
  const { search, replace, startLine } = block;
  if (search.length === 0) {
    if (lines.length === 0) return { start: 0, length: 0, replacement: replace };
    throw new SearchReplaceError(
      `${name}: SEARCH is empty. To insert, search for the line beside the place and repeat it in REPLACE.`,
    );
  }
  if (search.length === replace.length && search.every((line, index) => line === replace[index])) {
    throw new SearchReplaceError(`${name}: SEARCH and REPLACE are the same, so nothing would change.`);
  }
  for (const tolerance of tolerances) {
    const found = choose(finder.find(search, tolerance), startLine);
    if (found === 'none') continue;
    if (Array.isArray(found)) {
      throw new SearchReplaceError(
        `${name}: its SEARCH stands at ${found.length} places (lines ${found
          .slice(0, 8)
          .map((start) => start + 1)
          .join(', ')}${found.length > 8 ? '…' : ''}). ` +
          `Add lines around it until it is unique, or give :start_line: of the one you mean.`,
      );
    }
    const replacement =
      tolerance === 'indentation' ? reindented(replace, search, lines[found]?.text ?? '') : replace;
    return { start: found, length: search.length, replacement };
  }
  throw new SearchReplaceError(notFound(name, search, startLine, lines, finder));
}

/** How much a line may differ and still be the same: nothing; trailing blanks and typographic quotes; indentation too. */
const tolerances = ['exact', 'blanks', 'indentation'] as const;
type Tolerance = (typeof tolerances)[number];

function key(text: string, tolerance: Tolerance): string {
  if (tolerance === 'exact') return text;
  const plain = text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\u00a0/g, ' ');
  return tolerance === 'blanks' ? plain.trimEnd() : plain.trim();
}

/** The place, all places when nobody can tell which, or 'none'. */
function choose(candidates: readonly number[], startLine: number | undefined): number | number[] | 'none' {
  if (candidates.length === 0) return 'none';
  if (startLine !== undefined) {
    const wanted = startLine - 1;
    if (candidates.includes(wanted)) return wanted;
    const near = candidates.filter((start) => Math.abs(start - wanted) <= AROUND);
    if (near.length === 1) return near[0] ?? 'none';
    if (near.length > 1) return near;
  }
  return candidates.length === 1 ? (candidates[0] ?? 'none') : [...candidates];
}

/** Finds runs of lines. Each tolerance indexes the file once, whatever the number of blocks. */
class LineFinder {
  readonly #lines: readonly Line[];
  readonly #indexes = new Map<Tolerance, { keys: string[]; places: Map<string, number[]> }>();

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** Every 0-based line at which all of `search` stands. */
  find(search: readonly string[], tolerance: Tolerance): number[] {
    const { keys, places } = this.#index(tolerance);
    const wanted = search.map((line) => key(line, tolerance));
    // The rarest line gives the fewest places to look at.
    let rarest = { offset: 0, places: [] as number[], count: Infinity };
    for (const [offset, line] of wanted.entries()) {
      const found = places.get(line) ?? [];
      if (found.length < rarest.count) rarest = { offset, places: found, count: found.length };
    }
    return rarest.places
      .map((place) => place - rarest.offset)
      .filter(
        (start) =>
          start >= 0 &&
          start + wanted.length <= keys.length &&
          wanted.every((line, offset) => keys[start + offset] === line),
      );
  }

  /** Where the most lines of `search` stand in the right distance, for the error; undefined when none does. */
  nearest(search: readonly string[]): number | undefined {
    const { places } = this.#index('indentation');
    const votes = new Map<number, number>();
    for (const [offset, line] of search.entries()) {
      const trimmed = key(line, 'indentation');
      const found = trimmed === '' ? [] : (places.get(trimmed) ?? []);
      // A line that stands everywhere says nothing about where.
      if (found.length > 50) continue;
      for (const place of found) votes.set(place - offset, (votes.get(place - offset) ?? 0) + 1);
    }
    let best: { start: number; votes: number } | undefined;
    for (const [start, count] of votes) if (!best || count > best.votes) best = { start, votes: count };
    return best && Math.max(0, best.start);
  }

  #index(tolerance: Tolerance): { keys: string[]; places: Map<string, number[]> } {
    const known = this.#indexes.get(tolerance);
    if (known) return known;
    const keys = this.#lines.map(({ text }) => key(text, tolerance));
    const places = new Map<string, number[]>();
    for (const [index, line] of keys.entries()) {
      const found = places.get(line);
      if (found) found.push(index);
      else places.set(line, [index]);
    }
    const index = { keys, places };
    this.#indexes.set(tolerance, index);
    return index;
  }
}

/** The replacement moved by what the file's indentation differs from the search's. */
function reindented(replace: readonly string[], search: readonly string[], found: string): string[] {
  const wanted = indentation(search[0] ?? '');
  const actual = indentation(found);
  return replace.map((line) =>
    line.trim() === '' || !line.startsWith(wanted) ? line : actual + line.slice(wanted.length),
  );
}

function indentation(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function withEnds(replacement: readonly string[], replaced: readonly Line[], usual: string): Line[] {
  const first = replaced.find(({ end }) => end !== '')?.end ?? usual;
  const last = replaced.at(-1)?.end ?? '';
  return replacement.map((text, index) => {
    if (index < replacement.length - 1) return { text, end: replaced[index]?.end || first };
    return { text, end: replaced.length === 0 ? usual : last };
  });
}

function notFound(
  name: string,
  search: readonly string[],
  startLine: number | undefined,
  lines: readonly Line[],
  finder: LineFinder,
): string {
  const nearest =
    finder.nearest(search) ??
    (startLine !== undefined && startLine <= lines.length ? startLine - 1 : undefined);
  const intro = `${name}: its SEARCH was not found.`;
  if (nearest === undefined)
    return `${intro} No line of it stands in the file (${lines.length} lines). Read the file and search for lines that are there.`;
  const shown = lines
    .slice(nearest, nearest + Math.min(search.length, 8))
    .map(({ text }, index) => `${nearest + index + 1} | ${clip(text)}`);
  const differs = search.findIndex((line, index) => line !== lines[nearest + index]?.text);
  const first =
    differs === -1
      ? ''
      : ` First difference, line ${nearest + differs + 1}: you sent ${JSON.stringify(clip(search[differs] ?? ''))}.`;
  return `${intro} The nearest lines are:\n${shown.join('\n')}\n${first.trim()} Copy the lines as they stand in the file, then send the block again.`;
}

function clip(line: string): string {
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}
