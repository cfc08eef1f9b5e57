import { open } from 'node:fs/promises';

/** Share of a cut line that stands before its match. */
const BEFORE = 0.25;
/** Bytes that a character takes at most. */
const WIDEST = 4;

/** At most `length` characters of the line, around the byte `column` where there are more. No character is cut in two. */
export function cutAround(line: string, column: number, length: number): string {
  if (line.length <= length) return line;
  const at = Buffer.from(line).subarray(0, column).toString().length;
  const start = Math.max(0, Math.min(at - Math.floor(length * BEFORE), line.length - length));
  const end = start + length;
  const from = start + (isLow(line, start) ? 1 : 0);
  const to = end - (isLow(line, end) ? 1 : 0);
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}

/** The text of one line around a byte of a file, for lines too long to be taken whole; undefined when it cannot be had. */
export async function readAround(path: string, offset: number, length: number): Promise<string | undefined> {
  const before = Math.floor(length * BEFORE);
  const from = Math.max(0, offset - before * WIDEST);
  try {
    const file = await open(path, 'r');
    try {
      const mark = Buffer.alloc(2);
      await file.read(mark, 0, 2, 0);
      // In UTF-16 ripgrep counts the bytes of what it made of it.
      if (['fffe', 'feff'].includes(mark.toString('hex'))) return undefined;
      const buffer = Buffer.alloc(length * 2 * WIDEST);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      const found = buffer.subarray(0, bytesRead);
      const head = found
        .subarray(0, offset - from)
        .toString()
        .replace(/^\ufffd+/, '');
      const rest = found.subarray(offset - from).toString();
      const line = `${head.slice(head.lastIndexOf('\n') + 1)}${rest.split('\n', 1)[0] ?? ''}`;
      const column = Buffer.byteLength(head.slice(head.lastIndexOf('\n') + 1));
      return `…${cutAround(line, column, length).replace(/^…/, '')}`;
    } finally {
      await file.close();
    }
  } catch (error) {
    // The file is gone by now: the beginning of the line, which ripgrep gave, is shown instead.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
