import { spawn } from 'node:child_process';

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
  /** Glob that a file must match, such as `*.ts`. */
  filePattern?: string;
  /** Matches that are kept; all are counted. */
  maximumMatches: number;
  /** Characters of a line that are kept. */
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

/** @throws RipgrepError, or the signal's reason */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { root, path, regex, filePattern, maximumMatches, maximumLineLength, isHidden } = options;
  const result: SearchResult = { files: [], kept: 0, total: 0, totalFiles: 0, problems: [] };
  let current: { path: string; hidden: boolean; matched: boolean; lines: FoundLine[] } | undefined;
  const take = (line: string): void => {
    const nul = line.indexOf('\0');
    if (nul === -1) return;
    const file = normalise(line.slice(0, nul));
    const match = /^(\d+)([:-])(.*)$/s.exec(line.slice(nul + 1));
    if (!match) return;
    const context = match[2] === '-';
    if (current?.path !== file) current = { path: file, hidden: isHidden(file), matched: false, lines: [] };
    if (current.hidden) return;
    if (!context) {
      result.total++;
      if (!current.matched) result.totalFiles++;
      current.matched = true;
    }
    if (result.kept >= maximumMatches) return;
    if (!context) result.kept++;
    if (current.lines.length === 0) result.files.push({ path: file, lines: current.lines });
    current.lines.push({ line: Number(match[1]), text: cut(match[3] ?? '', maximumLineLength), context });
  };
  const { code, errors } = await run(
    options,
    [
      ...COMMON,
      ...rootIgnoreFiles(path),
      ...(filePattern === undefined ? [] : ['--glob', filePattern]),
      '--line-number',
      '--with-filename',
      '--null',
      '--no-heading',
      '--color=never',
      '--context=1',
      `--max-columns=${LONGEST_LINE}`,
      '--max-columns-preview',
      '--regexp',
      regex,
      '--',
      path,
    ],
    '\n',
    take,
  );
  if (code === 2 && result.total === 0)
    throw new RipgrepError(errors.join('\n') || `ripgrep failed in ${root}`);
  result.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...result, problems: errors };
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
    (file) => {
      const path = normalise(file);
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

function run(
  { ripgrep, root, signal }: Pick<SearchOptions, 'ripgrep' | 'root' | 'signal'>,
  args: readonly string[],
  separator: '\n' | '\0',
  take: (record: string) => void,
): Promise<{ code: number | null; errors: string[] }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(ripgrep, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      signal,
    });
    let rest = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const records = (rest + chunk).split(separator);
      rest = records.pop() ?? '';
      for (const record of records) take(record);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (errors.length < 4000) errors += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (rest !== '') take(rest);
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

function normalise(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.startsWith('./') ? slashed.slice(2) : slashed;
}

function cut(line: string, length: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
