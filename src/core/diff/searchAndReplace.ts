import { runInNewContext } from 'node:vm';
import { LineFinder } from './LineFinder.ts';
import { TextLines } from './lines.ts';
import { replaceEvery, replaceLiteral } from './literal.ts';
import { SearchReplaceError } from './parseBlocks.ts';
import { notFound } from './searchReplace.ts';

/** One replacement. Lines are 1-based, both included. */
export interface Replacement {
  search: string;
  replace: string;
  use_regex?: boolean | undefined;
  ignore_case?: boolean | undefined;
  start_line?: number | undefined;
  end_line?: number | undefined;
  /** Exactly one place; otherwise every place is replaced. */
  once?: boolean;
}

/** Milliseconds that an expression of the model's gets: it may backtrack for ever. */
const EXPRESSION_TIME = 1000;
/** Characters of an expression. */
const LONGEST_EXPRESSION = 20_000;

/** One replacement after another, each on what the last one left, and how many places changed. @throws SearchReplaceError */
export function searchAndReplace(
  text: string,
  replacements: readonly Replacement[],
): { text: string; count: number } {
  let result = text;
  let count = 0;
  for (const [index, replacement] of replacements.entries()) {
    try {
      const step = replaceIn(result, replacement);
      result = step.text;
      count += step.count;
    } catch (error) {
      if (!(error instanceof SearchReplaceError) || replacements.length === 1) throw error;
      throw new SearchReplaceError(`Operation ${index + 1}: ${error.message}`, { cause: error });
    }
  }
  return { text: result, count };
}

function replaceIn(text: string, replacement: Replacement): { text: string; count: number } {
  const { search, replace, once = false } = replacement;
  if (once) return { text: replaceLiteral(text, search, replace, { parameter: 'search' }), count: 1 };
  const lines = new TextLines(text);
  const { start_line: first = 1, end_line: last = lines.count } = replacement;
  if (first > last || first > Math.max(1, lines.count))
    throw new SearchReplaceError(
      `There are no lines ${first} to ${last}: the file has ${lines.count}. Read it, and send lines that are there.`,
    );
  const result = isExpression(replacement)
    ? replaceExpression(text, lines, replacement, { first, last })
    : replaceEvery(text, search, replace, { first, last });
  if (result.count > 0) return result;
  const where = first === 1 && last === lines.count ? '' : `Between lines ${first} and ${last}, `;
  throw new SearchReplaceError(
    where +
      (replacement.use_regex === true
        ? 'search matches nothing. It is a JavaScript regular expression, ^ and $ at the ends of lines. Read the file and send one that matches.'
        : notFound('search', search.split(/\r?\n/), first, lines, new LineFinder(lines))),
  );
}

function isExpression({ use_regex, ignore_case }: Replacement): boolean {
  return use_regex === true || ignore_case === true;
}

/** In an expression's replacement `$1` and `$<name>` are its groups; where the search is plain text they are plain text too. */
function replaceExpression(
  text: string,
  lines: TextLines,
  { search, replace, use_regex: isPattern = false, ignore_case: ignoreCase = false }: Replacement,
  { first, last }: { first: number; last: number },
): { text: string; count: number } {
  const [from, to] = [lines.offset(first - 1), lines.offset(Math.min(last, lines.count))];
  const carriage = isCarriage(text);
  const plain = (part: string): string => (carriage ? part.replaceAll('\r\n', '\n') : part);
  const source = isPattern ? search : plain(search).replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  const expression = compiled(source, ignoreCase);
  const part = plain(text.slice(from, to));
  const count = matchesOf(expression, part);
  const changed = isPattern
    ? part.replace(expression, plain(replace))
    : part.replace(expression, () => plain(replace));
  const whole = carriage ? changed.replaceAll('\n', '\r\n') : changed;
  return { text: text.slice(0, from) + whole + text.slice(to), count };
}

function compiled(source: string, ignoreCase: boolean): RegExp {
  // A longer one can be too large for the machine behind it, which says so only when it runs.
  if (source.length > LONGEST_EXPRESSION)
    throw new SearchReplaceError(
      `search is too long for an expression (${source.length} characters; the limit is ${LONGEST_EXPRESSION}). Send a shorter one, or use search_replace for text as it is.`,
    );
  try {
    return new RegExp(source, ignoreCase ? 'gim' : 'gm');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SearchReplaceError(
      `search is no regular expression: ${error.message.slice(0, 300)}. Mend it, or leave out use_regex to search for the text as it is.`,
      { cause: error },
    );
  }
}

/** How often it matches. Only a script of its own can be stopped in the middle of matching; replacing matches the same again. */
function matchesOf(expression: RegExp, text: string): number {
  try {
    const count: unknown = runInNewContext(
      'let count = 0; for (const _ of text.matchAll(expression)) count++; count',
      { expression, text },
      { timeout: EXPRESSION_TIME },
    );
    return typeof count === 'number' ? count : 0;
  } catch (error) {
    const isTooSlow =
      typeof error === 'object' &&
      error !== null &&
      'code' in error &&
      error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (!isTooSlow) throw error;
    throw new SearchReplaceError(
      'search takes too long on this file. Send a simpler expression, or restrict it with start_line and end_line.',
    );
  }
}

/** Every line break is `\r\n`: the expression then sees plain ones, so that `$` and `\n` mean what they say. */
function isCarriage(text: string): boolean {
  const breaks = text.match(/\r?\n/g) ?? [];
  return breaks.length > 0 && breaks.every((one) => one === '\r\n');
}
