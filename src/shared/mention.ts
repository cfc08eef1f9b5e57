/** A path as it stands in a message, with the lines that are meant, counted from 1: `@src/a.ts:3-9`, `@"my file.ts":3`. */
export function mentionOf(path: string, lines?: { first: number; last: number }): string {
  const mention = /\s/.test(path) ? `@"${path}"` : `@${path}`;
  if (!lines) return mention;
  return lines.first === lines.last ? `${mention}:${lines.first}` : `${mention}:${lines.first}-${lines.last}`;
}
