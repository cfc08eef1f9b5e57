import { LineFinder } from './LineFinder.ts';
import { TextLines, usualLineEnd } from './lines.ts';
import { SearchReplaceError } from './parseBlocks.ts';
import { replacedLines } from './replacedLines.ts';
import { leastDifferent, notFound } from './searchReplace.ts';

/** A stretch of a text, by offsets. */
interface Stretch {
  start: number;
  end: number;
}

export interface LiteralOptions {
  /** How often the text must stand there; each of them is replaced. */
  expected?: number;
  /** Where nothing stands exactly, whole lines that differ in indentation, trailing blanks or typographic characters are taken. */
  tolerant?: boolean;
  /** What the search is called to the model. */
  parameter?: string;
}

/**
 * The text with each occurrence of `search` replaced, character by character; a line break matches whichever the file has, and the
 * replacement gets those of what it replaces. @throws SearchReplaceError when it does not stand there as often as expected
 */
export function replaceLiteral(
  text: string,
  search: string,
  replace: string,
  { expected = 1, tolerant = false, parameter = 'old_string' }: LiteralOptions = {},
): string {
  if (plainBreaks(search) === plainBreaks(replace))
    throw new SearchReplaceError(
      `${parameter} and its replacement are the same, so nothing would change. Send the text as it shall be.`,
    );
  const places = placesOf(text, search);
  if (places.length === 0) {
    const lines = new TextLines(text);
    const finder = new LineFinder(lines);
    const block = tolerant && expected === 1 ? lineBlock(search, replace) : undefined;
    const changed = block && replaceLines(lines, finder, block, parameter);
    if (changed !== undefined) return changed;
    throw new SearchReplaceError(notFound(parameter, linesOf(search), undefined, lines, finder));
  }
  const apart = expected === 1 ? places : withoutOverlaps(places);
  if (apart.length !== expected) throw new SearchReplaceError(wrongCount(text, apart, expected, parameter));
  return replaceStretches(text, apart, replace);
}

/** The text with every occurrence between two lines (1-based, both included) replaced, and how many there were. */
export function replaceEvery(
  text: string,
  search: string,
  replace: string,
  { first, last }: { first: number; last: number },
): { text: string; count: number } {
  const lines = new TextLines(text);
  const [from, to] = [lines.offset(first - 1), lines.offset(Math.min(last, lines.count))];
  const places = withoutOverlaps(placesOf(text, search)).filter(
    ({ start, end }) => start >= from && end <= to,
  );
  return { text: replaceStretches(text, places, replace), count: places.length };
}

/** Every place, overlapping ones too. A line break in the search matches with a carriage return before it or without. */
function placesOf(text: string, search: string): Stretch[] {
  const parts = plainBreaks(search).split('\n');
  const [first = '', ...rest] = parts;
  const places: Stretch[] = [];
  if (rest.length === 0 || !text.includes('\r')) {
    const whole = parts.join('\n');
    for (let at = text.indexOf(whole); at !== -1; at = text.indexOf(whole, at + 1))
      places.push({ start: at, end: at + whole.length });
    return places;
  }
  const take = (start: number): void => {
    const end = endOf(text, start + first.length, rest);
    if (end !== undefined) places.push({ start, end });
  };
  if (first === '')
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
      take(text[at - 1] === '\r' ? at - 1 : at);
  else for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) take(at);
  return places;
}

/** Where the parts end, each behind a line break, the first of them at `at`; undefined when they do not stand there. */
function endOf(text: string, at: number, parts: readonly string[]): number | undefined {
  let end = at;
  for (const part of parts) {
    if (text.startsWith('\r\n', end)) end += 2;
    else if (text[end] === '\n') end += 1;
    else return undefined;
    if (!text.startsWith(part, end)) return undefined;
    end += part.length;
  }
  return end;
}

function withoutOverlaps(places: readonly Stretch[]): Stretch[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

function replaceStretches(text: string, places: readonly Stretch[], replace: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(at, start), withBreaksOf(text, text.slice(start, end), replace));
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

/** One break for one where there are as many; else the first of what is replaced, or the file's usual one. */
function withBreaksOf(text: string, found: string, replace: string): string {
  if (!replace.includes('\n')) return replace;
  const own = found.match(/\r?\n/g) ?? [];
  const lines = plainBreaks(replace).split('\n');
  // Breaks that the model wrote out are meant, where the file does not say otherwise.
  if (own.length === 0 && replace.includes('\r\n')) return replace;
  const paired = lines.length === own.length + 1;
  const breakBefore = (line: number): string => (paired ? own[line - 1] : own[0]) ?? usualLineEnd(text);
  return lines.map((line, index) => (index === 0 ? line : breakBefore(index) + line)).join('');
}

/** The text with the lines replaced that differ least from those of the block; undefined when none come near. */
function replaceLines(
  lines: TextLines,
  finder: LineFinder,
  { search, replace }: LineBlock,
  parameter: string,
): string | undefined {
  const found = leastDifferent(finder.find(search));
  const { text } = lines;
  const [only] = found;
  if (!only) return undefined;
  if (found.length > 1) {
    const places = found.map(({ start }) => ({ start: lines.offset(start), end: lines.offset(start) }));
    throw new SearchReplaceError(wrongCount(text, places, 1, parameter));
  }
  const old = lines.taken(only.start, search.length);
  const next = replacedLines(old, search, replace, only.difference, () => usualLineEnd(text));
  return (
    text.slice(0, lines.offset(only.start)) + next + text.slice(lines.offset(only.start + search.length))
  );
}

interface LineBlock {
  search: string[];
  replace: string[];
}

/** The same as whole lines. A break at the end of both says only that they are; undefined when one of them has it. */
function lineBlock(search: string, replace: string): LineBlock | undefined {
  const [old, next] = [plainBreaks(search), plainBreaks(replace)];
  if (old.endsWith('\n') !== next.endsWith('\n') && next !== '') return undefined;
  return { search: linesOf(old), replace: next === '' ? [] : linesOf(next) };
}

function linesOf(text: string): string[] {
  return plainBreaks(text).replace(/\n$/, '').split('\n');
}

function plainBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function wrongCount(text: string, places: readonly Stretch[], expected: number, parameter: string): string {
  const lines = new TextLines(text);
  const numbers = places.slice(0, 8).map(({ start }) => lines.lineAt(start) + 1);
  const where = `${parameter} stands at ${places.length} ${places.length === 1 ? 'place' : 'places'} (lines ${numbers.join(', ')}${places.length > 8 ? '…' : ''})`;
  return expected === 1
    ? `${where}. Add lines around it until it is unique.`
    : `${where}, but ${expected} were expected. Read the file, and send the number that is meant.`;
}
