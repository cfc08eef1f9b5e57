import { join } from 'node:path';
import type { ModeConfig } from '../../shared/modes.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { ToolError } from '../tools/ToolError.ts';
import type { FileGate } from './FileGate.ts';

/** Files at the workspace root that say how to work there, ours first, then the peers'. Folders give their text files by name. */
const RULES = [
  '.lathe/rules',
  '.kilocode/rules',
  '.roo/rules',
  '.clinerules',
  '.kilocoderules',
  '.roorules',
  'AGENTS.md',
];
/** Bytes of one file and of all together: rules are read into every request. */
const LARGEST_FILE = 32 * 1024;
const LARGEST_TOTAL = 96 * 1024;
const MOST_FILES = 50;
/** Bidi controls, tag characters and other marks that steer a model and that no reviewer sees. */
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** A file of rules and where it stands, as the model is told. */
export interface RuleFile {
  origin: string;
  text: string;
}

export interface Rules {
  rules: RuleFile[];
  /** What was passed over or changed, and why. */
  problems: string[];
}

export interface RuleSources {
  /** The workspace root, absolute. */
  root: string;
  gate: FileGate;
  files: FileHost;
  mode: ModeConfig;
  signal: AbortSignal;
}

/**
 * The project's rules, each with its origin. Through the gate: what is hidden, may hold secrets or lies outside the workspace (a link
 * in a cloned repository) is not sent anywhere. What is passed over is said in `problems`.
 */
export async function projectRules({ root, gate, files, mode, signal }: RuleSources): Promise<Rules> {
  return await readRules(root, RULES, { files, signal }, async (origin) => {
    const { real, insideWorkspace, protected: secret } = await gate.resolve(origin, 'read', mode, signal);
    if (!insideWorkspace || secret)
      throw new ToolError(`${real} is ${insideWorkspace ? 'a place for secrets' : 'outside the workspace'}`);
    return real;
  });
}

/** The person's own rules for every workspace: the text files of LATHE_HOME/rules. */
export async function personalRules(home: string, files: FileHost, signal: AbortSignal): Promise<Rules> {
  return await readRules(home, ['rules'], { files, signal }, (origin) => Promise.resolve(join(home, origin)));
}

async function readRules(
  root: string,
  origins: readonly string[],
  { files, signal }: Pick<RuleSources, 'files' | 'signal'>,
  locate: (origin: string) => Promise<string>,
): Promise<Rules> {
  const rules: RuleFile[] = [];
  const problems: string[] = [];
  let total = 0;
  const passOver = (origin: string, error: unknown): void => {
    if (!(error instanceof FileError || error instanceof ToolError)) throw error;
    problems.push(`${origin}: ${error.message}`);
  };
  const found: string[] = [];
  for (const origin of origins) {
    try {
      found.push(...(await ruleFiles(root, origin, files)));
    } catch (error) {
      passOver(origin, error);
    }
  }
  for (const [index, origin] of found.entries()) {
    try {
      if (index >= MOST_FILES) throw new ToolError(`only ${MOST_FILES} files of rules are read`);
      const { bytes } = await files.read(await locate(origin), { limit: LARGEST_FILE, signal });
      if (total + bytes.length > LARGEST_TOTAL)
        throw new ToolError(`the rules together are longer than ${LARGEST_TOTAL} bytes`);
      const text = decode(bytes).replaceAll('\r\n', '\n').trim();
      const shown = visible(text);
      if (shown !== text) problems.push(`${origin}: it holds characters that nobody sees; they are shown`);
      total += bytes.length;
      if (shown !== '') rules.push({ origin, text: shown });
    } catch (error) {
      passOver(origin, error);
    }
  }
  return { rules, problems };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new ToolError('it is not UTF-8 text', { cause: error });
    throw error;
  }
}

function visible(text: string): string {
  return text.replace(UNSEEN, (mark) =>
    mark === '\n' || mark === '\t' ? mark : `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A file, or the text files of a folder by name; none where there is neither. */
async function ruleFiles(root: string, origin: string, files: FileHost): Promise<string[]> {
  const status = await files.status(join(root, origin));
  if (status?.type === 'file') return [origin];
  if (status?.type !== 'folder') return [];
  const entries = await files.list(join(root, origin));
  const texts = entries
    .filter(({ name, type }) => type === 'file' && /\.(md|txt)$/i.test(name))
    .map(({ name }) => name);
  return texts.sort().map((name) => `${origin}/${name}`);
}
