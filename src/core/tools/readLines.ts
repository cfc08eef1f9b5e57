import { extname } from 'node:path';
import { TextLines } from '../diff/lines.ts';
import { isDocument, type DocumentKind } from '../../services/extract-text/documentKinds.ts';
import { FileError } from '../host/Host.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { clip, decodeForReading, decoderFor, isBinary } from './textFile.ts';
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
  /** The text of a file of which nothing in particular was asked for and whose end is not shown. */
  cutText?: string;
}

interface Range {
  start: number;
  end: number;
}

/** Bytes up to which a file is read whole; a larger one is read in pieces, up to the lines that are wanted. */
const WHOLE = 16 * 1024 * 1024;
/** Bytes of a document that text is taken out of. */
const LARGEST_DOCUMENT = 50 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** Characters that a line's number and break take. */
const LINE_COST = 10;
/** Characters below which the beginning of a line is not worth showing. */
const LEAST_PART = 200;
const DOCUMENTS = new Set([
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

/** The lines of a file that were taken from it. */
interface Window {
  line: (number: number) => string | undefined;
  /** The number of the last line that was read. */
  last: number;
  /** Lines of the whole file, when its end was reached. */
  total: number | undefined;
  /** What must be said of these lines. */
  note?: string;
  /** All of it, of a file that is text itself. */
  text?: string;
}

/** What of a task the reading of a file needs. */
export type ReadContext = Pick<TaskContext, 'host' | 'settings' | 'signal' | 'freshness'>;

/** @throws ToolError for what is no text, FileError for what cannot be read */
export async function readLines(
  path: ResolvedPath,
  ranges: readonly Range[],
  budget: number,
  context: ReadContext,
): Promise<ReadLines> {
  const { files } = context.host;
  const status = await files.status(path.real);
  if (!status) throw new FileError('not_found', path.real);
  if (status.type !== 'file') throw new FileError('not_a_file', path.real);
  const wanted = ranges.length > 0 ? ranges : [{ start: 1, end: context.settings.readMaximumLines }];
  const extension = extname(path.real).toLowerCase();
  const window =
    isDocument(extension) && status.size > 0
      ? await readDocument(path, extension, context)
      : status.size <= WHOLE
        ? await readWhole(path, context)
        : await readWindow(path, status.size, wanted, budget, context);
  const { total } = window;
  if (ranges.length > 0 && total !== undefined) {
    const beyond = wanted.find(({ start }) => start > Math.max(1, total));
    if (beyond)
      throw new ToolError(
        `'${path.shown}' has ${total} ${total === 1 ? 'line' : 'lines'}; there is no line ${beyond.start}. Read a range within it.`,
      );
  }
  const read = cut(window, wanted, ranges.length > 0, budget);
  const cutBehind = read.lines.at(-1)?.number ?? 0;
  return {
    ...read,
    notice: [window.note ?? '', read.notice].filter((part) => part !== '').join(' '),
    ...(ranges.length > 0 || window.text === undefined || cutBehind >= window.last
      ? {}
      : { cutText: window.text }),
  };
}

async function readDocument(path: ResolvedPath, kind: DocumentKind, context: ReadContext): Promise<Window> {
  const { bytes } = await context.host.files.read(path.real, {
    limit: LARGEST_DOCUMENT,
    signal: context.signal,
  });
  return {
    ...windowOf(await textOf(bytes, kind, path, context.signal)),
    note: `This is the text of the ${kind.slice(1)} file; its lines are not those of the file itself.`,
  };
}

async function readWhole(path: ResolvedPath, context: ReadContext): Promise<Window> {
  const { bytes, hash } = await context.host.files.read(path.real, { limit: WHOLE, signal: context.signal });
  refuseBinary(bytes, path);
  context.freshness.noteRead(path.real, hash);
  const text = decodeForReading(bytes);
  return { ...windowOf(text), text };
}

/** Of a file too large to take whole, the lines that are wanted, but not more characters than can be shown. The others are only counted. */
async function readWindow(
  path: ResolvedPath,
  size: number,
  wanted: readonly Range[],
  budget: number,
  context: ReadContext,
): Promise<Window> {
  const end = Math.max(...wanted.map((range) => range.end));
  const isWanted = (number: number): boolean =>
    wanted.some((range) => number >= range.start && number <= range.end);
  const lines = new Map<number, string>();
  const window = (last: number, total?: number): Window => ({
    line: (number) => lines.get(number),
    last,
    total,
  });
  let decoder: ReturnType<typeof decoderFor> | undefined;
  let number = 1;
  let takes = isWanted(number);
  let open = '';
  let characters = 0;
  let empty = true;
  for (let start = 0; start < size; start += PIECE) {
    const bytes = await context.host.files.readRange(
      path.real,
      start,
      Math.min(size, start + PIECE),
      context.signal,
    );
    if (start === 0) refuseBinary(bytes, path);
    decoder ??= decoderFor(bytes);
    for (const [index, part] of decoder.decode(bytes, { stream: true }).split('\n').entries()) {
      if (index > 0) {
        if (takes) lines.set(number, withoutReturn(open));
        if (number === end) return window(number);
        number++;
        takes = isWanted(number);
        open = '';
        empty = true;
      }
      empty &&= part === '';
      if (!takes) continue;
      open += part;
      characters += part.length;
      if (characters <= budget) continue;
      lines.set(number, withoutReturn(open));
      return window(number);
    }
  }
  if (takes && !empty) lines.set(number, withoutReturn(open));
  // A break at the end ends the last line; no line begins after it.
  const total = empty ? number - 1 : number;
  return window(total, total);
}

async function textOf(
  bytes: Uint8Array,
  kind: DocumentKind,
  path: ResolvedPath,
  signal: AbortSignal,
): Promise<string> {
  try {
    // Loaded with the first document: nothing of it is needed to start.
    const { documentText } = await import('../../services/extract-text/documentText.ts');
    return await documentText(bytes, kind, signal);
  } catch (error) {
    // By its name: the class lives in what was just loaded.
    if (!(error instanceof Error) || error.name !== 'DocumentError') throw error;
    throw new ToolError(
      `No text can be taken out of '${path.shown}': ${error.message}. Use a command that understands it, if the task needs it.`,
      { cause: error },
    );
  }
}

function refuseBinary(bytes: Uint8Array, path: ResolvedPath): void {
  const extension = extname(path.real).toLowerCase();
  if (!isBinary(bytes)) return;
  throw new ToolError(
    `'${path.shown}' is a binary file${DOCUMENTS.has(extension) ? ` (${extension.slice(1)})` : ''} and cannot be read as text. Use a command that understands it, if the task needs it.`,
  );
}

function windowOf(text: string): Window {
  const lines = new TextLines(text);
  const { count } = lines;
  return {
    line: (number) => (number <= count ? lines.line(number - 1) : undefined),
    last: count,
    total: count,
  };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function cut(
  { line, last: known, total }: Window,
  wanted: readonly Range[],
  asked: boolean,
  budget: number,
): ReadLines {
  const lines: ReadLines['lines'] = [];
  const shown: string[] = [];
  let characters = 0;
  let notice = total === 0 ? 'The file is empty.' : '';
  for (const { start, end } of wanted) {
    const last = Math.min(end, known);
    let number = start;
    for (; number <= last; number++) {
      const text = line(number) ?? '';
      const left = budget - characters;
      if (text.length + LINE_COST > left) {
        notice = `Cut in line ${number}: one read may fill only a part of the context.`;
        if (left > LEAST_PART) {
          lines.push({ number, text: `${clip(text, left - LINE_COST)}…` });
          characters = budget;
          number++;
        }
        notice += ` Read on from line ${number}, or search for what you need.`;
        break;
      }
      lines.push({ number, text });
      characters += text.length + LINE_COST;
    }
    if (number > start) shown.push(`${start}-${number - 1}`);
    if (notice !== '') break;
  }
  const end = wanted.at(-1)?.end ?? 0;
  if (notice === '' && !asked && (total === undefined || total > end)) {
    notice = `Showing lines 1-${end}${total === undefined ? '' : ` of ${total}`}. Read on with a line range from ${end + 1}, or search for what you need.`;
  }
  return { lines, shown: shown.join(', '), total, characters, notice };
}
