/** Stars of one path part, and `**` of one pattern: matching takes time to the power of these. */
const MOST_STARS_A_PART = 4;
const MOST_DOUBLE_STARS = 6;
const LONGEST = 1000;

/**
 * What is wrong with a line of an ignore file, undefined when nothing is. A pattern that means nothing hides nothing: the person who
 * wrote it believes that it does.
 */
export function brokenPattern(line: string): string | undefined {
  const pattern = line.replace(/^\ufeff/, '').replace(/(?<!\\)[ \t\r]+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  if (pattern.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (pattern.includes('\0')) return 'it holds a NUL';
  const body = pattern.replace(/^!/, '');
  if (/^\/*$/.test(body)) return 'it names nothing';
  return brokenClasses(body) ?? tooManyStars(body);
}

function brokenClasses(body: string): string | undefined {
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '\\') {
      if (at === body.length - 1) return 'it ends in a lone backslash';
      at++;
    } else if (body[at] === '[') {
      const end = endOfClass(body, at);
      if (end === undefined) return "'[' is never closed; write \\[ for the character itself";
      const range = reversedRange(body.slice(at + 1, end));
      if (range !== undefined) return `the range ${range} is the wrong way round`;
      at = end;
    }
  }
  return undefined;
}

/** A `]` right behind the opening (or its `!` or `^`) stands for itself. */
function endOfClass(body: string, start: number): number | undefined {
  let at = start + 1;
  if (body[at] === '!' || body[at] === '^') at++;
  if (body[at] === ']') at++;
  for (; at < body.length; at++) {
    if (body[at] === '\\') at++;
    else if (body[at] === ']') return at;
  }
  return undefined;
}

function reversedRange(inside: string): string | undefined {
  const ranges = inside.replace(/^[!^]/, '').matchAll(/([^\\-])-([^\\\]])/gu);
  for (const [range, from = '', to = ''] of ranges) if (from > to) return range;
  return undefined;
}

function tooManyStars(body: string): string | undefined {
  const parts = body.split('/');
  if (parts.filter((part) => part === '**').length > MOST_DOUBLE_STARS)
    return `it has more than ${MOST_DOUBLE_STARS} **`;
  const stars = (part: string): number => part.replace(/\\./g, '').match(/\*+/g)?.length ?? 0;
  if (parts.some((part) => stars(part) > MOST_STARS_A_PART))
    return `it has more than ${MOST_STARS_A_PART} * between two slashes`;
  return undefined;
}
