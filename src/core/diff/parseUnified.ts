import { SearchReplaceError } from './parseBlocks.ts';
import type { FilePatch, Hunk, PatchLine } from './parsePatch.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HOW =
  'Send a diff as git writes it: --- a/path, +++ b/path, then hunks that begin with @@ -line,count +line,count @@.';
/** What begins something else, so that no hunk reaches over it. */
const BOUNDARY = /^(@@ -|diff --git )/;

export function isUnified(patch: string): boolean {
  return /^diff --git /m.test(patch) || /^--- .*\r?\n\+\+\+ .*(\r?\n@@ -|$)/m.test(patch);
}

/** Reads a unified diff, git's headers included. @throws SearchReplaceError when something of it cannot be read or done */
export function parseUnified(patch: string): FilePatch[] {
  const raw = patch.split('\n');
  // A diff that was sent with carriage returns throughout has them in its headers too; those are not the file's.
  const carried = raw.some((line) => BOUNDARY.test(line) && line.endsWith('\r'));
  const lines = carried ? raw.map((line) => line.replace(/\r$/, '')) : raw;
  const files: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    const start = at;
    const header: Header = {};
    for (; at < lines.length && !HUNK.test(lines[at] ?? ''); at++) {
      if (at > start && (lines[at] ?? '').startsWith('diff --git ')) break;
      // A diff without git's headers begins its next file with ---.
      if (header.to !== undefined && (lines[at] ?? '').startsWith('--- ')) break;
      readHeader(lines[at] ?? '', header);
    }
    const hunks: Hunk[] = [];
    while (HUNK.test(lines[at] ?? '')) {
      const { hunk, next } = readHunk(lines, at);
      hunks.push(hunk);
      at = next;
    }
    const file = fileOf(header, hunks);
    if (file) files.push(file);
    else if (hunks.length > 0)
      throw new SearchReplaceError(`Hunks at line ${start + 1} belong to no file. ${HOW}`);
  }
  if (files.length === 0) throw new SearchReplaceError(`The diff names no file. ${HOW}`);
  return files;
}

interface Header {
  git?: string;
  from?: string;
  to?: string;
  renamedFrom?: string;
  renamedTo?: string;
  created?: boolean;
  deleted?: boolean;
}

function readHeader(line: string, header: Header): void {
  const take = (prefix: string): string | undefined =>
    line.startsWith(prefix) ? unquoted(line.slice(prefix.length)) : undefined;
  header.git ??= line.startsWith('diff --git ') ? line.slice(11).trimEnd() : undefined;
  header.from ??= take('--- ');
  header.to ??= take('+++ ');
  header.renamedFrom ??= take('rename from ');
  header.renamedTo ??= take('rename to ');
  if (line.startsWith('new file mode')) header.created = true;
  if (line.startsWith('deleted file mode')) header.deleted = true;
  if (/^(GIT binary patch|Binary files .* differ|copy from )/.test(line))
    throw new SearchReplaceError(
      `'${line.slice(0, 120)}' cannot be applied as text. Leave that file out of the diff.`,
    );
}

function fileOf(header: Header, hunks: Hunk[]): FilePatch | undefined {
  const { from, to, renamedFrom, renamedTo } = header;
  if (renamedFrom !== undefined && renamedTo !== undefined)
    return { type: 'update', path: renamedFrom, moveTo: renamedTo, hunks };
  const none = '/dev/null';
  const prefixed = [from, to].every((one) => one === undefined || one === none || /^[abciow]\//.test(one));
  const plain = (path: string | undefined): string | undefined =>
    path === undefined || path === none ? undefined : prefixed ? path.slice(2) : path;
  const path = plain(to) ?? plain(from) ?? samePath(header.git);
  if (path === undefined) return undefined;
  if (header.deleted === true || to === none) return { type: 'delete', path, hunks };
  if (header.created === true || from === none) return { type: 'add', path, text: addedText(hunks) };
  if (hunks.length === 0)
    throw new SearchReplaceError(`'${path}' has no hunk: changes of its mode cannot be applied here. ${HOW}`);
  return { type: 'update', path, hunks };
}

/** `a/path b/path`, both the same. */
function samePath(git: string | undefined): string | undefined {
  if (git === undefined) return undefined;
  const half = git.slice(0, (git.length - 1) / 2);
  const path = unquoted(half).slice(2);
  return path === '' ? undefined : path;
}

function addedText(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind === 'added'));
  const text = lines.map((line) => `${line.text}\n`).join('');
  return hunks.at(-1)?.exact?.newBare === true ? text.slice(0, -1) : text;
}

/** Git quotes names that are not plain, bytes as octal numbers; behind a tab there may be a date. */
function unquoted(name: string): string {
  const trimmed = name.replace(/\t.*$/, '').replace(/\r$/, '');
  const [, inside] = /^"((?:[^"\\]|\\.)*)"$/.exec(trimmed) ?? [];
  if (inside === undefined) return trimmed;
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
  const bytes = [...inside.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].map(([, octal, escape, plain]) =>
    octal === undefined
      ? Buffer.from(plain ?? escapes[escape ?? ''] ?? escape ?? '')
      : Buffer.from([parseInt(octal, 8)]),
  );
  return Buffer.concat(bytes).toString('utf8');
}

/** One hunk by its counts; where they are wrong, as models write them, up to what begins the next. */
function readHunk(lines: readonly string[], start: number): { hunk: Hunk; next: number } {
  const [, startLine = '0', oldCount = '1', , newCount = '1'] = HUNK.exec(lines[start] ?? '') ?? [];
  const counted = takeLines(lines, start + 1, { old: Number(oldCount), new: Number(newCount) });
  const after = lines[counted?.next ?? 0] ?? '';
  const fits =
    counted &&
    (after.trim() === '' || BOUNDARY.test(after) || after.startsWith('--- ') || counted.next >= lines.length);
  const { taken, next, oldBare, newBare } = fits ? counted : takeLines(lines, start + 1, undefined);
  if (taken.every(({ kind }) => kind === 'kept') && oldBare === newBare)
    throw new SearchReplaceError(`The hunk at line ${start + 1} of the diff changes nothing. ${HOW}`);
  return {
    hunk: {
      context: [],
      lines: taken,
      atEnd: false,
      startLine: Number(startLine),
      exact: { oldBare, newBare },
    },
    next,
  };
}

interface Taken {
  taken: PatchLine[];
  next: number;
  oldBare: boolean;
  newBare: boolean;
}

function takeLines(
  lines: readonly string[],
  start: number,
  counts: { old: number; new: number },
): Taken | undefined;
function takeLines(lines: readonly string[], start: number, counts: undefined): Taken;
function takeLines(
  lines: readonly string[],
  start: number,
  counts: { old: number; new: number } | undefined,
): Taken | undefined {
  const taken: PatchLine[] = [];
  let [oldBare, newBare] = [false, false];
  let [oldLeft, newLeft] = [counts?.old ?? Infinity, counts?.new ?? Infinity];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('\\')) {
      const last = taken.at(-1)?.kind;
      if (last !== 'added') oldBare = true;
      if (last !== 'removed') newBare = true;
      continue;
    }
    if (counts ? oldLeft === 0 && newLeft === 0 : endsHunk(lines, at)) break;
    const kind = line.startsWith('-') ? 'removed' : line.startsWith('+') ? 'added' : 'kept';
    // Blank lines come without their space when a tool or a model trimmed them.
    if (kind === 'kept' && !line.startsWith(' ') && line.trim() !== '')
      return counts ? undefined : refuse(line, at);
    if (kind !== 'added') oldLeft--;
    if (kind !== 'removed') newLeft--;
    if (oldLeft < 0 || newLeft < 0) return undefined;
    taken.push({ kind, text: line.startsWith('\r') ? line : line.slice(1) });
  }
  if (counts && (oldLeft > 0 || newLeft > 0)) return undefined;
  return { taken, next: at, oldBare, newBare };
}

function endsHunk(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (BOUNDARY.test(line) || (line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')))
    return true;
  // Blank to the end: layout.
  return line.trim() === '' && lines.slice(at).every((rest) => rest.trim() === '' || BOUNDARY.test(rest));
}

function refuse(line: string, at: number): never {
  throw new SearchReplaceError(
    `Line ${at + 1} of the diff, ${JSON.stringify(line.slice(0, 80))}, begins with neither a space, nor +, nor -. ${HOW}`,
  );
}
