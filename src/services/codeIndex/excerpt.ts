import { wordsOf } from './words.ts';

export interface ExcerptLine {
  /** 1-based. */
  line: number;
  text: string;
}

/** Lines of a place that are shown, and characters of a line. */
const LINES = 12;
const HEAD = 2;
const LINE = 200;

/** The lines of a place that say most: all when they are few, else its first ones and those around the most words of the question. */
export function excerptOf(
  lines: readonly string[],
  start: number,
  end: number,
  words: ReadonlySet<string>,
): ExcerptLine[] {
  const numbers = Array.from(
    { length: Math.max(0, Math.min(end, lines.length) - start + 1) },
    (_, i) => start + i,
  );
  const shown =
    numbers.length <= LINES
      ? numbers
      : [...numbers.slice(0, HEAD), ...densest(lines, numbers.slice(HEAD), words)];
  return shown.map((line) => {
    const text = (lines[line - 1] ?? '').trimEnd();
    return { line, text: text.length > LINE ? `${text.slice(0, LINE)}…` : text };
  });
}

function densest(
  lines: readonly string[],
  numbers: readonly number[],
  words: ReadonlySet<string>,
): readonly number[] {
  const size = LINES - HEAD;
  const own = numbers.map(
    (line) => new Set(wordsOf(lines[line - 1] ?? '').filter((word) => words.has(word))),
  );
  let best = 0;
  let most = -1;
  for (let at = 0; at + size <= numbers.length; at++) {
    const some = own.slice(at, at + size);
    // Different words count more than one word often.
    const score =
      new Set(some.flatMap((set) => [...set])).size * 4 + some.reduce((sum, set) => sum + set.size, 0);
    if (score > most) [best, most] = [at, score];
  }
  return numbers.slice(best, best + size);
}
