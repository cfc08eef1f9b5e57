import { extname, isAbsolute, resolve } from 'node:path';
import { definitions } from '../../../services/definitions/definitions.ts';
import { languageOf } from '../../../services/definitions/languages.ts';
import type { Definition } from '../../../services/definitions/Syntax.ts';
import type { MentionTarget } from '../../../shared/mention.ts';
import { message } from '../../../shared/strings.ts';
import { deniesReading } from '../../approval/decide.ts';
import { FileError, type FileStatus } from '../../host/Host.ts';
import { asToolError } from '../../tools/fileErrors.ts';
import { readLines } from '../../tools/readLines.ts';
import type { ResolvedPath } from '../../tools/TaskContext.ts';
import { decodeForReading, isBinary } from '../../tools/textFile.ts';
import { ToolError } from '../../tools/ToolError.ts';
import { MentionProblem, mentioned, type MentionSources, type Reading } from './MentionSources.ts';

type PathTarget = Extract<MentionTarget, { kind: 'path' }>;

const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};
const LARGEST_PICTURE = 5 * 1024 * 1024;
/** Bytes of a file in which a definition is looked for. */
const LARGEST_SOURCE = 4 * 1024 * 1024;
/** Names of a folder's listing, with one level below it. */
const MOST_NAMES = 200;
const MOST_DEFINITIONS = 5;

/**
 * A mentioned file, its lines, a definition in it, or a folder's listing. Through the gate; the person's own word is the yes to what
 * lies plainly in their workspace, and to nothing else. Undefined for a word that names nothing and may be just a word.
 * @throws MentionProblem
 */
export async function readPath(
  written: string,
  target: PathTarget,
  budget: number,
  sources: MentionSources,
): Promise<Reading | undefined> {
  const found = await find(written, target, sources);
  if (!found) {
    if (!target.certain) return undefined;
    throw new MentionProblem(
      `There is no file or folder '${target.path}' in the workspace. If a path is meant, look for it with list_files; else take it as a word.`,
      message('mention.missing', { mention: written }),
    );
  }
  const { path, status, whole } = found;
  try {
    if (status.type === 'folder') return await readFolder(path, sources);
    if (status.type !== 'file') throw new FileError('not_a_file', path.real);
    const media = PICTURES[extname(path.real).toLowerCase()];
    if (media !== undefined) return await readPicture(written, path, media, sources);
    if (target.symbol !== undefined && !whole)
      return await readSymbol(written, path, target.symbol, budget, sources);
    const ranges = target.lines
      ? [{ start: target.lines.first, end: target.lines.last }]
      : [{ start: 1, end: Number.MAX_SAFE_INTEGER }];
    return await readText('file', path, {}, ranges, budget, sources);
  } catch (error) {
    throw await problemOf(error, written, path, sources);
  }
}

/** The path through the gate, when something is there. A leading / is the workspace's, as some write it, before it is the disk's. */
async function find(
  written: string,
  { path, symbol }: PathTarget,
  sources: MentionSources,
): Promise<{ path: ResolvedPath; status: FileStatus; whole: boolean } | undefined> {
  const { gate, mode, signal, host } = sources;
  const bases = path.startsWith('/') ? [`.${path}`, path] : [path];
  // A file whose own name holds a # comes first.
  const names = symbol === undefined ? bases : [...bases.map((base) => `${base}#${symbol}`), ...bases];
  for (const name of names) {
    try {
      const resolved = await gate.resolve(name, 'read', mode, signal);
      const status = await host.files.status(resolved.real);
      if (!status) continue;
      refuse(written, resolved, sources);
      const listed = status.type === 'folder' ? await gate.resolve(name, 'list', mode, signal) : resolved;
      return { path: listed, status, whole: symbol === undefined || !bases.includes(name) };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const reason = error.message;
      throw new MentionProblem(reason, message('mention.refused', { mention: written, reason }), {
        cause: error,
      });
    }
  }
  return undefined;
}

/** What would be asked for if the model read it is not read in passing. */
function refuse(written: string, path: ResolvedPath, { deny, root }: MentionSources): void {
  const args = { mention: written };
  if (deniesReading(path.real, deny, root))
    throw new MentionProblem(
      `The person’s rules deny reading ${path.shown}. Do without it, or ask them.`,
      message('mention.denied', args),
    );
  const ask = `Call read_file for it if the task needs it: the person will be asked.`;
  if (!path.insideWorkspace)
    throw new MentionProblem(
      `${path.shown} lies outside of the workspace and was not read. ${ask}`,
      message('mention.outside', args),
    );
  if (path.protected)
    throw new MentionProblem(
      `${path.shown} may hold secrets and was not read. ${ask}`,
      message('mention.secret', args),
    );
}

async function readText(
  kind: 'file' | 'symbol',
  path: ResolvedPath,
  origin: Readonly<Record<string, string>>,
  ranges: { start: number; end: number }[],
  budget: number,
  sources: MentionSources,
): Promise<Reading> {
  const read = await readLines(path, ranges, budget, sources);
  const width = String(read.lines.at(-1)?.number ?? 1).length;
  const body = read.lines.map(({ number, text }) => `${String(number).padStart(width)} | ${text}`);
  const text = [...body, ...(read.notice === '' ? [] : [`(${read.notice})`])].join('\n');
  return {
    kind,
    outcome: read.notice.includes('Cut in line') ? 'part' : 'whole',
    content: [
      mentioned(kind, { path: path.shown, ...origin, ...(read.shown !== '' && { lines: read.shown }) }, text),
    ],
  };
}

async function readSymbol(
  written: string,
  path: ResolvedPath,
  symbol: string,
  budget: number,
  sources: MentionSources,
): Promise<Reading> {
  const language = languageOf(path.real);
  const { bytes } = await sources.host.files.read(path.real, {
    limit: LARGEST_SOURCE,
    signal: sources.signal,
  });
  const found =
    language === undefined || isBinary(bytes)
      ? []
      : named((await definitions(language, decodeForReading(bytes), sources.signal)).definitions, symbol);
  if (found.length === 0)
    throw new MentionProblem(
      `No definition '${symbol}' was found in ${path.shown}. Look for it with list_code_definition_names or search_files.`,
      message('mention.noSymbol', { mention: written }),
    );
  const ranges = found.slice(0, MOST_DEFINITIONS).map(({ start, end }) => ({ start, end }));
  return await readText('symbol', path, { symbol }, ranges, budget, sources);
}

/** Definitions of this name; `Cart.total` is one that lies in another. */
function named(all: readonly Definition[], symbol: string): Definition[] {
  const same = all.filter(({ name }) => name === symbol);
  if (same.length > 0) return same;
  const parts = symbol.split('.');
  const name = parts.at(-1);
  const outer = all.filter((one) => one.name === parts.at(-2));
  return all.filter(
    (one) => one.name === name && outer.some(({ start, end }) => one.start >= start && one.end <= end),
  );
}

async function readFolder(path: ResolvedPath, sources: MentionSources): Promise<Reading> {
  const names: string[] = [];
  const top = await entriesOf(path.real, path.shown, sources);
  for (const { name, isFolder } of top) {
    names.push(isFolder ? `${name}/` : name);
    if (!isFolder || top.length > MOST_NAMES || names.length > MOST_NAMES) continue;
    const shown = path.shown === '.' ? name : `${path.shown}/${name}`;
    const below = await entriesOf(resolve(path.real, name), shown, sources);
    names.push(...below.map((one) => `${name}/${one.name}${one.isFolder ? '/' : ''}`));
  }
  const shown = names.slice(0, MOST_NAMES);
  const more = names.length - shown.length;
  const note =
    more > 0
      ? [`(${more} more. List a folder in it with list_files.)`]
      : shown.length === 0
        ? ['(It is empty.)']
        : [];
  return {
    kind: 'folder',
    outcome: more > 0 ? 'part' : 'whole',
    content: [mentioned('folder', { path: path.shown }, [...shown.map(plain), ...note].join('\n'))],
  };
}

/** By name, without what is hidden and what every project has too much of. */
async function entriesOf(
  real: string,
  shown: string,
  { host, gate, signal }: MentionSources,
): Promise<{ name: string; isFolder: boolean }[]> {
  signal.throwIfAborted();
  const entries = await host.files.list(real);
  return entries
    .filter(({ name }) => name !== '.git' && name !== 'node_modules')
    .map(({ name, type }) => ({ name, isFolder: type === 'folder' }))
    .filter(({ name, isFolder }) => {
      const path = shown === '.' ? name : `${shown}/${name}`;
      return isAbsolute(shown) || !gate.ignore.hides(isFolder ? `${path}/` : path);
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A file's name is anybody's: it stays one line. */
function plain(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
}

async function readPicture(
  written: string,
  path: ResolvedPath,
  mediaType: string,
  { images, host, signal }: MentionSources,
): Promise<Reading> {
  if (!images)
    throw new MentionProblem(
      `${path.shown} is a picture, and this model does not see pictures.`,
      message('mention.noSight', { mention: written }),
    );
  const { bytes } = await host.files.read(path.real, { limit: LARGEST_PICTURE, signal });
  return {
    kind: 'file',
    outcome: 'whole',
    content: [
      mentioned('file', { path: path.shown }, 'The picture follows.'),
      { type: 'image', mediaType, data: Buffer.from(bytes).toString('base64') },
    ],
  };
}

async function problemOf(
  error: unknown,
  written: string,
  path: ResolvedPath,
  { host }: MentionSources,
): Promise<unknown> {
  const known = await asToolError(error, path.shown, path.real, host.files);
  if (!(known instanceof ToolError)) return known;
  const reason = known.message;
  return new MentionProblem(reason, message('mention.refused', { mention: written, reason }), {
    cause: error,
  });
}
