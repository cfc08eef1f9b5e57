import { insertionOf, spliced, type Splice } from './insertion.ts';
import { LineFinder, type FoundLines } from './LineFinder.ts';
import { TextLines, usualLineEnd } from './lines.ts';
import { SearchReplaceError } from './parseBlocks.ts';
import type { Hunk } from './parsePatch.ts';
import { replacedLines } from './replacedLines.ts';
import { leastDifferent, notFound } from './searchReplace.ts';

/** Lines around the hunk's own number in which one of several places is taken. */
const AROUND = 40;

/**
 * The text with every hunk applied, or an error and nothing. Hunks of unified diffs are placed byte for byte where they can be; others by
 * their lines, which may differ in blanks and typographic characters, each behind the one before if it stands there at all.
 * Of several places the one that the line number, the `@@` lines or the end of the file tell is taken, and no other.
 * @throws SearchReplaceError naming the hunk, what was found instead, and what to send
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): string {
  const seeker = new HunkSeeker(text);
  const splices: (Splice & { hunk: number })[] = [];
  for (const [index, hunk] of hunks.entries()) {
    try {
      splices.push({ ...seeker.place(hunk), hunk: index + 1 });
    } catch (error) {
      if (!(error instanceof SearchReplaceError) || hunks.length === 1) throw error;
      throw new SearchReplaceError(`Hunk ${index + 1}: ${error.message}`, { cause: error });
    }
  }
  splices.sort((a, b) => a.from - b.from || a.hunk - b.hunk);
  for (const [index, splice] of splices.entries()) {
    const last = splices[index - 1];
    if (last && splice.from < last.to)
      throw new SearchReplaceError(`Hunks ${last.hunk} and ${splice.hunk} overlap. Send them as one hunk.`);
  }
  return spliced(text, splices);
}

/** Finds hunk after hunk in one text. */
class HunkSeeker {
  readonly #lines: TextLines;
  readonly #finder: LineFinder;
  /** The line behind the last hunk. */
  #cursor = 0;

  constructor(text: string) {
    this.#lines = new TextLines(text);
    this.#finder = new LineFinder(this.#lines);
  }

  place(hunk: Hunk): Splice {
    const splice = this.#exactly(hunk) ?? this.#byLines(hunk);
    this.#cursor = Math.max(this.#cursor, this.#lineBehind(splice.to));
    return splice;
  }

  #lineBehind(offset: number): number {
    const { count } = this.#lines;
    if (count === 0 || offset >= this.#lines.text.length) return count;
    return this.#lines.lineAt(offset);
  }

  /** At its line, byte for byte; undefined when it is not there, or is no hunk of a unified diff. */
  #exactly(hunk: Hunk): Splice | undefined {
    if (!hunk.exact || hunk.startLine === undefined) return undefined;
    const { text } = this.#lines;
    const { oldBare, newBare } = hunk.exact;
    const old = sideOf(hunk, 'added', oldBare);
    const from = offsetOf(text, old === '' ? hunk.startLine : hunk.startLine - 1);
    if (from === undefined || !text.startsWith(old, from)) return undefined;
    const to = from + old.length;
    if ((oldBare || newBare) && to !== text.length) return undefined;
    // Behind a last line without a break there is no line to add after.
    if (old === '' && from > 0 && text[from - 1] !== '\n') return undefined;
    return { from, to, text: sideOf(hunk, 'removed', newBare) };
  }

  #byLines(hunk: Hunk): Splice {
    const old = linesOf(hunk, 'added');
    const next = linesOf(hunk, 'removed');
    if (old.length === 0) return insertionOf(this.#lines, this.#insertAt(hunk), next);
    let found = this.#find(old, hunk);
    // Models end hunks with a blank line that the file has not.
    if (found.length === 0 && old.at(-1) === '' && next.at(-1) === '' && old.length > 1) {
      old.pop();
      next.pop();
      found = this.#find(old, hunk);
    }
    const [place, other] = found;
    if (!place) throw new SearchReplaceError(this.#notFound(old, hunk));
    if (other) throw new SearchReplaceError(ambiguous(found));
    const taken = this.#lines.taken(place.start, old.length);
    return {
      from: this.#lines.offset(place.start),
      to: this.#lines.offset(place.start + old.length),
      text: replacedLines(taken, old, next, place.difference, () => usualLineEnd(this.#lines.text)),
    };
  }

  /** The place; several when nobody can tell which; none. */
  #find(old: readonly string[], hunk: Hunk): FoundLines[] {
    const all = this.#finder.find(old);
    const behind = all.filter(({ start }) => start >= this.#cursor);
    const found = leastDifferent(behind.length > 0 ? behind : all);
    if (found.length < 2) return found;
    const { count } = this.#lines;
    const told = [
      hunk.atEnd ? found.filter(({ start }) => start + old.length === count) : [],
      this.#atNumber(found, hunk.startLine),
      this.#belowContext(found, hunk.context),
    ].find((some) => some.length > 0);
    return told ?? found;
  }

  #atNumber(found: readonly FoundLines[], startLine: number | undefined): FoundLines[] {
    if (startLine === undefined) return [];
    const there = found.filter(({ start }) => start === startLine - 1);
    return there.length > 0 ? there : found.filter(({ start }) => Math.abs(start - startLine + 1) <= AROUND);
  }

  /** The first behind each place to which the `@@` lines lead. */
  #belowContext(found: readonly FoundLines[], context: readonly string[]): FoundLines[] {
    if (context.length === 0) return [];
    const first = this.#contextPlaces(context).map((line) => found.find(({ start }) => start >= line));
    return [...new Set(first)].filter((place) => place !== undefined);
  }

  /** Where the last of the `@@` lines stands, below all of the others. */
  #contextPlaces(context: readonly string[]): number[] {
    let from: number | undefined;
    let places: number[] = [];
    for (const line of context) {
      const above = from ?? this.#cursor;
      const found: FoundLines[] = this.#finder.find([line]);
      const behind = found.filter(({ start }) => start >= above);
      // The line may be a part of the one before the hunk, or stand above the last hunk, as a function's name does for several.
      places = leastDifferent(behind.length > 0 ? behind : found).map(({ start }) => start);
      from = places[0];
    }
    return places;
  }

  #insertAt({ context, startLine, atEnd }: Hunk): number {
    const { count } = this.#lines;
    if (context.length > 0 && !atEnd) {
      const places = this.#contextPlaces(context);
      const [only, other] = places;
      if (only === undefined)
        throw new SearchReplaceError(
          notFound('its @@ line', context.slice(-1), undefined, this.#lines, this.#finder),
        );
      if (other !== undefined)
        throw new SearchReplaceError(ambiguous(places.map((start) => ({ start, difference: 0 }))));
      return only + 1;
    }
    return startLine === undefined || atEnd ? count : Math.min(startLine, count);
  }

  #notFound(old: readonly string[], { startLine }: Hunk): string {
    return notFound('the text it changes', old, startLine, this.#lines, this.#finder);
  }
}

function linesOf({ lines, exact }: Hunk, without: 'added' | 'removed'): string[] {
  return lines
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => (exact ? text.replace(/\r$/, '') : text));
}

/** The hunk's lines before or after, as bytes. */
function sideOf({ lines }: Hunk, without: 'added' | 'removed', bare: boolean): string {
  const side = lines.filter(({ kind }) => kind !== without).map(({ text }) => `${text}\n`);
  const text = side.join('');
  return bare ? text.slice(0, -1) : text;
}

/** Where the line (0-based) begins, lines ending with `\n` alone; undefined behind the end. */
function offsetOf(text: string, line: number): number | undefined {
  let at = 0;
  for (let passed = 0; passed < line; passed++) {
    const found = text.indexOf('\n', at);
    if (found === -1) return passed === line - 1 && at < text.length ? text.length : undefined;
    at = found + 1;
  }
  return at;
}

function ambiguous(found: readonly FoundLines[]): string {
  const lines = found.slice(0, 8).map(({ start }) => start + 1);
  return (
    `it fits at ${found.length} places (lines ${lines.join(', ')}${found.length > 8 ? '…' : ''}). ` +
    `Add lines around it until it is unique, or an @@ line with the function or class it stands in.`
  );
}
