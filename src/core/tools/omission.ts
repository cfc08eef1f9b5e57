/** A comment that stands for code which was left out. */
const OMISSION =
  /^\s*(\/\/|#|\/\*|<!--|--|;|%)\s*(\.\.\.|…)?\s*\[?(the )?(rest|remainder|remaining|existing|previous|other|same)\b[^\n]{0,60}\b(code|content|file|lines|implementation|unchanged|same|remains?|stays?|here|above|before)\b.*$/i;

/** The first line of a text that stands for left-out code and is none of the file's own. */
export function omissionIn(lines: readonly string[], before: string): string | undefined {
  const own = new Set(before.split('\n').map((line) => line.trim()));
  return lines.find((line) => OMISSION.test(line) && !own.has(line.trim()));
}
