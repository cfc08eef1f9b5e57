import { LineTable } from './LineTable.ts';
import type { TextLines } from './lines.ts';

/** How much found lines differ from those looked for: nothing; trailing blanks and typographic characters; indentation too. */
export type Difference = 0 | 1 | 2;

export interface FoundLines {
  /** 0-based line at which all of the search stands. */
  start: number;
  difference: Difference;
}

/** Occurrences past which a line or a word says nothing about where. */
const COMMON = 50;
/** The longest lines and words that are looked for to find the nearest place. */
const TELLING_LINES = 5;
const TELLING_WORDS = 4;

/** Searches that scan the text before a table of its lines is worth its making. */
const SCANS = 3;

/** Finds runs of lines in one text. Each search reads the text once, however many differences are tolerated. */
export class LineFinder {
  readonly #lines: TextLines;
  #plain: string | undefined;
  #table: LineTable | undefined;
  #searches = 0;

  constructor(lines: TextLines) {
    this.#lines = lines;
  }

  /** Every place at which `search` (not empty) stands. */
  find(search: readonly string[]): FoundLines[] {
    const keys = search.map((line) => plainOf(line).trim());
    const anchor = longest(keys);
    const found: FoundLines[] = [];
    const take = (line: number): void => {
      const difference = this.#at(line - anchor, search);
      if (difference !== undefined) found.push({ start: line - anchor, difference });
    };
    const key = keys[anchor] ?? '';
    if (key !== '') for (const line of this.#linesThatAre(key)) take(line);
    else for (let line = 0; line < this.#lines.count; line++) take(line);
    return found;
  }

  /** The same, beginning at the lines from `first` to `last` only. */
  findBetween(first: number, last: number, search: readonly string[]): FoundLines[] {
    const found: FoundLines[] = [];
    for (let start = Math.max(0, first); start <= Math.min(last, this.#lines.count); start++) {
      const difference = this.#at(start, search);
      if (difference !== undefined) found.push({ start, difference });
    }
    return found;
  }

  /** How the lines from `start` differ from the search; undefined when they are others. */
  #at(start: number, search: readonly string[]): Difference | undefined {
    if (start < 0 || start + search.length > this.#lines.count) return undefined;
    let most: Difference = 0;
    for (const [offset, wanted] of search.entries()) {
      const difference = differenceOf(wanted, this.#lines.line(start + offset));
      if (difference === undefined) return undefined;
      if (difference > most) most = difference;
    }
    return most;
  }

  /** Where most of `search` stands in the right distance, for the words of a failure; undefined when nothing of it is there. */
  nearest(search: readonly string[], wanted: number | undefined): number | undefined {
    const keys = search.map((line) => plainOf(line).trim());
    const lines = tellingOf(keys.map((text, offset) => ({ text, offset }))).slice(0, TELLING_LINES);
    const words = tellingOf(
      keys.flatMap((key, offset) =>
        (key.match(/[\p{L}\p{N}_$]{3,}/gu) ?? []).map((text) => ({ text, offset })),
      ),
    ).slice(0, TELLING_WORDS);
    return this.#mostVoted(lines, wanted, true) ?? this.#mostVoted(words, wanted, false);
  }

  #mostVoted(
    telling: readonly { text: string; offset: number }[],
    wanted: number | undefined,
    whole: boolean,
  ): number | undefined {
    const votes = new Map<number, number>();
    for (const { text, offset } of telling) {
      const places: number[] = [];
      for (const line of this.#linesWith(text)) {
        if (whole && plainOf(this.#lines.line(line)).trim() !== text) continue;
        places.push(Math.max(0, line - offset));
        if (places.length > COMMON) break;
      }
      if (places.length > COMMON) continue;
      for (const place of places) votes.set(place, (votes.get(place) ?? 0) + text.length);
    }
    const away = (place: number): number => (wanted === undefined ? place : Math.abs(place - wanted));
    let best: { place: number; votes: number } | undefined;
    for (const [place, count] of votes)
      if (!best || count > best.votes || (count === best.votes && away(place) < away(best.place)))
        best = { place, votes: count };
    return best?.place;
  }

  /** Every line that is the text but for the blanks at its ends. Few searches scan the text; many look into a table of its lines. */
  *#linesThatAre(text: string): Iterable<number> {
    if (++this.#searches <= SCANS) {
      yield* this.#linesWith(text);
      return;
    }
    const whole = this.#plainText();
    const table = (this.#table ??= new LineTable(whole, this.#lines));
    for (const { line, start } of table.alike(text)) if (whole.startsWith(text, start)) yield line;
  }

  /** Every line that holds the text, typographic characters taken as plain ones. */
  *#linesWith(text: string): Iterable<number> {
    const whole = this.#plainText();
    for (let at = whole.indexOf(text); at !== -1;) {
      const line = this.#lines.lineAt(at);
      yield line;
      at = whole.indexOf(text, this.#lines.offset(line + 1));
    }
  }

  /** Of the same length as the text, so that offsets are the same in both. */
  #plainText(): string {
    return (this.#plain ??= plainOf(this.#lines.text));
  }
}

function differenceOf(wanted: string, actual: string): Difference | undefined {
  if (wanted === actual) return 0;
  const [one, other] = [plainOf(wanted), plainOf(actual)];
  if (one.trimEnd() === other.trimEnd()) return 1;
  return one.trim() === other.trim() ? 2 : undefined;
}

/** Typographic quotes, dashes and spaces as the plain ones that models write for them. */
function plainOf(text: string): string {
  if (!/[\u2010-\u201d\u2212\u00a0\u2002-\u200a\u202f\u205f\u3000]/.test(text)) return text;
  return text
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

/** The longest first, each once. */
function tellingOf(texts: { text: string; offset: number }[]): { text: string; offset: number }[] {
  const seen = new Set<string>();
  return texts
    .filter(({ text }) => text !== '' && !seen.has(text) && seen.add(text))
    .sort((a, b) => b.text.length - a.text.length);
}

function longest(keys: readonly string[]): number {
  let best = 0;
  for (const [index, key] of keys.entries()) if (key.length > (keys[best]?.length ?? 0)) best = index;
  return best;
}
