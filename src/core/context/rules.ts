import type { RuleRow } from '../../shared/customModes.ts';
import { message } from '../../shared/strings.ts';
import { ToolError } from '../tools/ToolError.ts';
import { reasonOf, visible, type AgentFolder } from './AgentFolder.ts';

/** What says how to work, ours first, then the peers'. Folders give their text files by name. A mode's own stand before all of it. */
const PROJECT = [
  '.lathe/rules',
  '.kilocode/rules',
  '.roo/rules',
  '.clinerules',
  '.kilocoderules',
  '.roorules',
];
/** For every agent; there is none for a mode. */
const PROJECT_FOR_ALL = ['AGENTS.md'];
const GLOBAL = ['rules'];
/** Bytes of one file and of all together: rules are read into every request. */
const LARGEST_FILE = 32 * 1024;
const LARGEST_TOTAL = 96 * 1024;
const MOST_FILES = 50;
/** Bytes of a file that is given when the model asks for it. */
const LARGEST_ASKED = 128 * 1024;
const ENDINGS = /\.(md|txt)$/i;

/** A file of rules and where it stands, as the model is told. */
export interface RuleFile {
  origin: string;
  text: string;
}

export interface Rules {
  rules: RuleFile[];
  /** Files that are too long to be given: the model may fetch them. */
  tooLong: string[];
  /** What was passed over or changed, and why. */
  problems: string[];
}

export interface RulesQuery {
  /** The slug of the mode. */
  mode: string;
  /** Absolute paths of files that the person switched off. */
  off: readonly string[];
  signal: AbortSignal;
}

/** The rules of a folder for a mode, each with its origin. */
export async function readRules(folder: AgentFolder, { mode, off, signal }: RulesQuery): Promise<Rules> {
  const rules: RuleFile[] = [];
  const tooLong: string[] = [];
  const problems: string[] = [];
  const passOver = (origin: string, error: unknown): void => {
    problems.push(`${origin}: ${reasonOf(error)}`);
  };
  const found: string[] = [];
  for (const origin of originsFor(folder, mode)) {
    try {
      found.push(...(await folder.origins(origin, ENDINGS)));
    } catch (error) {
      passOver(origin, error);
    }
  }
  let total = 0;
  const wanted = found.filter((origin) => !off.includes(folder.path(origin)));
  for (const [index, origin] of wanted.entries()) {
    try {
      if (index >= MOST_FILES) throw new ToolError(`only ${MOST_FILES} files of rules are read`);
      const file = await folder.text(origin, LARGEST_ASKED, signal);
      if (!file) continue;
      if (file.size > LARGEST_FILE || total + file.size > LARGEST_TOTAL) {
        tooLong.push(origin);
        throw new ToolError(
          file.size > LARGEST_FILE
            ? `it has ${file.size} bytes; the limit is ${LARGEST_FILE}`
            : `the rules together are longer than ${LARGEST_TOTAL} bytes`,
        );
      }
      const text = withoutMark(file.text).trim();
      const shown = visible(text);
      if (shown !== text) problems.push(`${origin}: it holds characters that nobody sees; they are shown`);
      total += file.size;
      if (shown !== '') rules.push({ origin, text: shown });
    } catch (error) {
      passOver(origin, error);
    }
  }
  return { rules, tooLong, problems };
}

/** Every file of rules in a folder, for all modes and for each, and whether it is given. */
export async function listRules(
  folder: AgentFolder,
  { off, signal }: Omit<RulesQuery, 'mode'>,
): Promise<RuleRow[]> {
  const rows: RuleRow[] = [];
  for (const { origin, mode } of await allOrigins(folder)) {
    for (const file of await folder.origins(origin, ENDINGS)) {
      const path = folder.path(file);
      const row = {
        ...{ origin: file, path, source: folder.scope, bytes: 0, on: !off.includes(path) },
        ...(mode === undefined ? {} : { mode }),
      };
      try {
        const found = await folder.text(file, LARGEST_ASKED, signal);
        const isTooLong = found !== undefined && found.size > LARGEST_FILE;
        rows.push({
          ...row,
          bytes: found?.size ?? 0,
          ...(isTooLong ? { problem: message('rules.tooLong', { limit: LARGEST_FILE }) } : {}),
        });
      } catch (error) {
        rows.push({ ...row, problem: message('rules.passedOver', { reason: reasonOf(error) }) });
      }
    }
  }
  return rows;
}

/** One file of rules of the mode, by its origin, however long; undefined when there is none. @throws FileError, ToolError */
export async function ruleText(
  folder: AgentFolder,
  origin: string,
  { mode, off, signal }: RulesQuery,
): Promise<string | undefined> {
  if (off.includes(folder.path(origin))) return undefined;
  for (const place of originsFor(folder, mode)) {
    if (!(await folder.origins(place, ENDINGS)).includes(origin)) continue;
    const found = await folder.text(origin, LARGEST_ASKED, signal);
    return found && visible(withoutMark(found.text).trim());
  }
  return undefined;
}

/** The files of rules that are for this mode alone, ours first. */
export async function ruleOriginsOf(folder: AgentFolder, mode: string): Promise<string[]> {
  const places = folder.scope === 'project' ? PROJECT : GLOBAL;
  const found = await Promise.all(
    places.map(async (place) => await folder.origins(`${place}-${mode}`, ENDINGS)),
  );
  return found.flat();
}

function originsFor({ scope }: AgentFolder, mode: string): string[] {
  const places = scope === 'project' ? PROJECT : GLOBAL;
  return [
    ...places.map((place) => `${place}-${mode}`),
    ...places,
    ...(scope === 'project' ? PROJECT_FOR_ALL : []),
  ];
}

/** The places for all modes, then those of each mode that there are. */
async function allOrigins(folder: AgentFolder): Promise<{ origin: string; mode?: string }[]> {
  const places = folder.scope === 'project' ? PROJECT : GLOBAL;
  const general = [...places, ...(folder.scope === 'project' ? PROJECT_FOR_ALL : [])];
  const own: { origin: string; mode: string }[] = [];
  for (const place of places) {
    const slash = place.lastIndexOf('/');
    const above = slash < 0 ? '.' : place.slice(0, slash);
    const prefix = `${place.slice(slash + 1)}-`;
    for (const name of await folder.names(above)) {
      if (!name.startsWith(prefix) || name === prefix) continue;
      own.push({ origin: above === '.' ? name : `${above}/${name}`, mode: name.slice(prefix.length) });
    }
  }
  return [...general.map((origin) => ({ origin })), ...own];
}

/** Without the mark at the start of a file that says how it is encoded. */
function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
