import { extname } from 'node:path';
import { FileError } from '../host/Host.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { decodeForReading, isBinary } from './textFile.ts';
import { ToolError } from './ToolError.ts';

/** Lines of a file, cut to what was asked for and to the budget. */
export interface ReadLines {
  lines: { number: number; text: string }[];
  /** `1-500`, or `10-20, 80-90`; empty for an empty file. */
  shown: string;
  /** Lines of the whole file; undefined when it is too large to count. */
  total: number | undefined;
  characters: number;
  /** What was cut, and how to read on; empty when nothing was. */
  notice: string;
}

interface Range {
  start: number;
  end: number;
}

/** Bytes up to which a file is read whole; a larger one is read in pieces, up to the lines that are wanted. */
const WHOLE = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;
const DOCUMENTS = new Set([
  '.pdf',
  '.docx',
  '.xlsx',
  '.pptx',
  '.odt',
  '.zip',
  '.gz',
  '.jar',
  '.exe',
  '.wasm',
  '.ico',
  '.bmp',
  '.tiff',
  '.mp3',
  '.mp4',
  '.woff',
  '.woff2',
  '.ttf',
]);

/** @throws ToolError for what is no text, FileError for what cannot be read */
export async function readLines(
  path: ResolvedPath,
  ranges: readonly Range[],
  budget: number,
  context: TaskContext,
): Promise<ReadLines> {
  const { files } = context.host;
  const status = await files.status(path.real);
  if (!status) throw new FileError('not_found', path.real);
  if (status.type !== 'file') throw new FileError('not_a_file', path.real);
  const wanted = ranges.length > 0 ? ranges : [{ start: 1, end: context.settings.readMaximumLines }];
  const { all, complete } =
    status.size <= WHOLE
      ? await readWhole(path, context)
      : await readUpTo(path, Math.max(...wanted.map(({ end }) => end)), status.size, context);
  const total = complete ? all.length : undefined;
  if (ranges.length > 0 && total !== undefined) {
    const beyond = wanted.find(({ start }) => start > Math.max(1, total));
    if (beyond)
      throw new ToolError(
        `'${path.shown}' has ${total} lines; there is no line ${beyond.start}. Read a range within it.`,
      );
  }
  return cut(all, wanted, ranges.length > 0, total, budget);
}

async function readWhole(
  path: ResolvedPath,
  context: TaskContext,
): Promise<{ all: string[]; complete: boolean }> {
  const { bytes, hash } = await context.host.files.read(path.real, { limit: WHOLE, signal: context.signal });
  refuseBinary(bytes, path);
  context.freshness.noteRead(path.real, hash);
  return { all: linesOf(decodeForReading(bytes)), complete: true };
}

/** The lines up to `last` of a file too large to take whole. */
async function readUpTo(
  path: ResolvedPath,
  last: number,
  size: number,
  context: TaskContext,
): Promise<{ all: string[]; complete: boolean }> {
  const decoder = new TextDecoder('utf-8');
  const all: string[] = [];
  let rest = '';
  for (let start = 0; start < size; start += PIECE) {
    const bytes = await context.host.files.readRange(
      path.real,
      start,
      Math.min(size, start + PIECE),
      context.signal,
    );
    if (start === 0) refuseBinary(bytes, path);
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    // A line without end must not fill the memory: past a piece's length it is cut, and shown as cut by the budget.
    rest = (parts.pop() ?? '').slice(0, PIECE);
    for (const part of parts) all.push(withoutReturn(part));
    if (all.length >= last) return { all, complete: false };
  }
  if (rest !== '') all.push(withoutReturn(rest));
  return { all, complete: true };
}

function refuseBinary(bytes: Uint8Array, path: ResolvedPath): void {
  const extension = extname(path.real).toLowerCase();
  if (!isBinary(bytes) && !(DOCUMENTS.has(extension) && bytes.length > 0 && extension === '.pdf')) return;
  throw new ToolError(
    `'${path.shown}' is a binary file${DOCUMENTS.has(extension) ? ` (${extension.slice(1)})` : ''} and cannot be read as text. Use a command that understands it, if the task needs it.`,
  );
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map(withoutReturn);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function cut(
  all: readonly string[],
  wanted: readonly Range[],
  asked: boolean,
  total: number | undefined,
  budget: number,
): ReadLines {
  const lines: ReadLines['lines'] = [];
  const shown: string[] = [];
  let characters = 0;
  let notice = '';
  for (const { start, end } of wanted) {
    const last = Math.min(end, all.length);
    let number = start;
    for (; number <= last; number++) {
      const text = all[number - 1] ?? '';
      const left = budget - characters;
      if (text.length + 10 > left) {
        if (left > 200) lines.push({ number, text: `${text.slice(0, left)}…` });
        characters += Math.max(0, left);
        notice = `Cut in line ${number}: one read may fill only a part of the context. Read on from line ${number + (left > 200 ? 1 : 0)}, or search for what you need.`;
        break;
      }
      lines.push({ number, text });
      characters += text.length + 10;
    }
    const lastShown = notice === '' ? last : Math.max(start, Math.min(number, last));
    if (last >= start) shown.push(`${start}-${lastShown}`);
    if (notice !== '') break;
  }
  const end = wanted.at(-1)?.end ?? 0;
  if (notice === '' && !asked && (total === undefined || total > end)) {
    notice = `Showing lines 1-${end}${total === undefined ? '' : ` of ${total}`}. Read on with a line range from ${end + 1}, or search for what you need.`;
  }
  return { lines, shown: shown.join(', '), total, characters, notice };
}
