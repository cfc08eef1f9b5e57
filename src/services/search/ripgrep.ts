import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { fileArguments } from './filePattern.ts';
import { cutAround, readAround } from './longLines.ts';

/** ripgrep said no: a wrong expression, a folder that cannot be read. The message is ripgrep's own first lines. */
export class RipgrepError extends Error {
  override readonly name = 'RipgrepError';
}

export interface SearchOptions {
  ripgrep: string;
  /** The workspace root, absolute: results are relative to it, and ignore files above it have no say. */
  root: string;
  /** Where to search, relative to the root; `.` for all of it. */
  path: string;
  /** Rust regular expression. */
  regex: string;
  /** Glob that a file must match, such as `*.ts`; several with commas between. Ignored files are not searched, whatever it says. */
  filePattern?: string;
  /** Matches that are kept; all are counted. */
  maximumMatches: number;
  /** Characters of a line that are kept, around the first match in it. */
  maximumLineLength: number;
  /** Whether a file may not be named. Its matches are neither kept nor counted. */
  isHidden: (relativePath: string) => boolean;
  signal: AbortSignal;
}

export interface FoundLine {
  /** 1-based. */
  line: number;
  text: string;
  /** A line beside a match, for context. */
  context: boolean;
}

export interface SearchResult {
  files: { path: string; lines: FoundLine[] }[];
  kept: number;
  /** All matching lines, kept or not, and the files they are in. */
  total: number;
  totalFiles: number;
  /** What could not be searched, in ripgrep's words. */
  problems: string[];
}

/** Ignore files of the tree count, also outside of git; those above the root do not. */
const COMMON = [
  '--no-config',
  '--no-require-git',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--hidden',
  '--glob',
  '!**/.git/**',
  '--glob',
  '!**/.git',
];
/** Longer lines come as a preview: a minified file must not fill the pipe. */
const LONGEST_LINE = 4096;
/** Matches past those that are kept after which ripgrep is asked anew, and only for their number: there can be millions, and to read each would take longer than to find it. */
const MOST_UNSEEN = 5000;

/** @throws RipgrepError, or the signal's reason */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { root, path, regex, filePattern, maximumMatches, maximumLineLength, signal } = options;
  const pattern = filePattern === undefined ? undefined : fileArguments(filePattern, path);
  // A glob with folders in it overrides the ignore files in ripgrep, so what they leave must be known first.
  const candidates = pattern?.overridesIgnoreFiles === true ? new Set(await listFiles(options)) : undefined;
  const isHidden = (file: string): boolean => candidates?.has(file) === false || options.isHidden(file);
  const result: SearchResult = { files: [], kept: 0, total: 0, totalFiles: 0, problems: [] };
  const farMatches: { found: FoundLine; file: string; offset: number }[] = [];
  let current: CurrentFile | undefined;
  const enough = new AbortController();
  const take: TakeRecord = (text, start, end) => {
    // What had come before it was ended.
    if (enough.signal.aborted) return;
    if (!current || !text.startsWith(current.prefix, start)) {
      const nul = text.indexOf('\0', start);
      if (nul === -1 || nul >= end) return;
      const file = normalise(text.slice(start, nul));
      current = {
        path: file,
        prefix: text.slice(start, nul + 1),
        hidden: isHidden(file),
        matched: false,
        lines: [],
      };
    }
    const isMatch = !current.hidden && isMatchingLine(text, start + current.prefix.length);
    if (isMatch) {
      result.total++;
      if (!current.matched) result.totalFiles++;
      current.matched = true;
    }
    if (current.hidden) return;
    if (result.kept >= maximumMatches) {
      if (result.total > maximumMatches + MOST_UNSEEN) enough.abort();
      return;
    }
    const line = parse(text.slice(start + current.prefix.length, end));
    if (!line) return;
    if (isMatch) result.kept++;
    const { path: file, lines } = current;
    if (lines.length === 0) result.files.push({ path: file, lines });
    const { number, column, offset } = line;
    const found = {
      line: number,
      text: cutAround(line.text, column ?? 0, maximumLineLength),
      context: !isMatch,
    };
    lines.push(found);
    if (column !== undefined && column >= LONGEST_LINE - maximumLineLength)
      farMatches.push({ found, file, offset: offset + column });
  };
  const where = [...COMMON, ...rootIgnoreFiles(path), ...(pattern?.args ?? [])];
  const what = ['--color=never', '--with-filename', '--null', '--regexp', regex, '--', path];
  const lines = [
    ...[
      '--line-number',
      '--column',
      '--byte-offset',
      '--no-heading',
      '--context=1',
      '--no-context-separator',
    ],
    ...[`--max-columns=${LONGEST_LINE}`, '--max-columns-preview'],
  ];
  const found = { ...options, signal: AbortSignal.any([signal, enough.signal]) };
  const { code, errors } = await run(found, [...where, ...lines, ...what], '\n', take).catch(
    async (error: unknown) => {
      if (signal.aborted || !enough.signal.aborted) throw error;
      [result.total, result.totalFiles] = [0, 0];
      return await run(options, [...where, '--count', ...what], '\n', (text, start, end) => {
        const nul = text.indexOf('\0', start);
        if (nul === -1 || nul >= end || isHidden(normalise(text.slice(start, nul)))) return;
        result.total += Number(text.slice(nul + 1, end));
        result.totalFiles++;
      });
    },
  );
  if (code === 2 && result.total === 0)
    throw new RipgrepError(errors.join('\n') || `ripgrep failed in ${root}`);
  for (const { found, file, offset } of farMatches) {
    signal.throwIfAborted();
    found.text = (await readAround(join(root, file), offset, maximumLineLength)) ?? found.text;
  }
  result.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...result, problems: errors };
}

interface CurrentFile {
  path: string;
  /** What each of its lines begins with: its path as ripgrep writes it, and NUL. */
  prefix: string;
  hidden: boolean;
  matched: boolean;
  lines: FoundLine[];
}

/** A match has a colon behind the line's number, a line beside it a dash. */
function isMatchingLine(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at > start && text.charCodeAt(at) === 58;
}

interface OutputLine {
  number: number;
  /** Bytes of the line before its first match; undefined for a line of context. */
  column: number | undefined;
  /** Bytes of the file before the line. */
  offset: number;
  text: string;
}

/** `line:column:offset:text` for a match, `line-offset-text` for a line beside it. */
function parse(record: string): OutputLine | undefined {
  const match = /^(\d+)(?::(\d+):|-)(\d+)[:-](.*)$/s.exec(record);
  if (!match) return undefined;
  const [, number, column, offset, text = ''] = match;
  return {
    number: Number(number),
    column: column === undefined ? undefined : Number(column) - 1,
    offset: Number(offset),
    text: text.endsWith('\r') ? text.slice(0, -1) : text,
  };
}

/** Every file below `path` that no ignore file hides, relative to the root with `/`, in no order. @throws RipgrepError */
export async function listFiles(
  options: Pick<SearchOptions, 'ripgrep' | 'root' | 'path' | 'isHidden' | 'signal'>,
): Promise<string[]> {
  const files: string[] = [];
  const { code, errors } = await run(
    options,
    [
      ...COMMON,
      ...rootIgnoreFiles(options.path),
      '--glob',
      '!**/node_modules/**',
      '--files',
      '--null',
      '--',
      options.path,
    ],
    '\0',
    (text, start, end) => {
      const path = normalise(text.slice(start, end));
      if (path !== '' && !options.isHidden(path)) files.push(path);
    },
  );
  if (code === 2 && files.length === 0)
    throw new RipgrepError(errors.join('\n') || `ripgrep failed in ${options.root}`);
  return files;
}

/** Below a subfolder, the root's own ignore files must still count. ripgrep passes over those that do not exist with a message. */
function rootIgnoreFiles(path: string): string[] {
  return path === '.'
    ? []
    : ['--no-ignore-messages', '--ignore-file', '.gitignore', '--ignore-file', '.ignore'];
}

/** One record of what ripgrep says: `text` from `start` to before `end`. Most are only counted, so that none is cut out for itself. */
type TakeRecord = (text: string, start: number, end: number) => void;

async function run(
  { ripgrep, root, signal }: Pick<SearchOptions, 'ripgrep' | 'root' | 'signal'>,
  args: readonly string[],
  separator: '\n' | '\0',
  take: TakeRecord,
): Promise<{ code: number; errors: string[] }> {
  signal.throwIfAborted();
  const child = start(ripgrep, args, root, signal);
  return await new Promise((resolve, reject) => {
    let rest = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const text = rest + chunk;
      let start = 0;
      for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
        take(text, start, end);
        start = end + 1;
      }
      rest = text.slice(start);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (errors.length < 4000) errors += chunk;
    });
    child.once('error', (error) => reject(error.name === 'AbortError' ? error : notStarted(error)));
    child.once('close', (code, name) => {
      if (code === null) {
        reject(new RipgrepError(`ripgrep was ended by ${name ?? 'a signal'} before it was done`));
        return;
      }
      if (rest !== '') take(rest, 0, rest.length);
      resolve({
        code,
        errors: errors
          .split('\n')
          .filter((line) => line.trim() !== '')
          .slice(0, 8),
      });
    });
  });
}

function start(
  ripgrep: string,
  args: readonly string[],
  root: string,
  signal: AbortSignal,
): ChildProcessByStdio<null, Readable, Readable> {
  try {
    return spawn(ripgrep, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, signal });
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(error: unknown): RipgrepError {
  const why = error instanceof Error ? error.message : String(error);
  return new RipgrepError(`ripgrep could not be started: ${why}`, { cause: error });
}

function normalise(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.startsWith('./') ? slashed.slice(2) : slashed;
}
