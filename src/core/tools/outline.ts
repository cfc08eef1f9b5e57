import { languageOf } from '../../services/definitions/languages.ts';
import type { Definition, Outline } from '../../services/definitions/Syntax.ts';
import type { FileHost } from '../host/Host.ts';
import { asToolError } from './fileErrors.ts';
import type { ResolvedPath } from './TaskContext.ts';
import { clip } from './textFile.ts';
import { ToolError } from './ToolError.ts';

/** Bytes of a file that is parsed. */
export const LARGEST_PARSED = 8 * 1024 * 1024;
/** Characters of a definition's line. */
const LINE = 160;

/** The definitions of a file's text. @throws ToolError when they cannot be worked out, or the signal's reason */
export async function outlineOfText(
  text: string,
  { real, shown }: ResolvedPath,
  files: FileHost,
  signal: AbortSignal,
): Promise<Outline> {
  const language = languageOf(real);
  if (language === undefined) throw new ToolError(`There is no grammar for '${shown}'.`);
  try {
    // Loaded with the first call: what it brings is not needed to start.
    const { definitions } = await import('../../services/definitions/definitions.ts');
    return await definitions(language, text, signal);
  } catch (error) {
    signal.throwIfAborted();
    // What the thread threw comes over by its name: too slow, a thread that ended, a grammar that failed on this text.
    if (error instanceof Error && ['ParseTimeout', 'ThreadEnded', 'RuntimeError'].includes(error.name))
      throw new ToolError(
        `'${shown}' could not be parsed: ${error.message}. Use search_files to find what is in it.`,
        { cause: error },
      );
    throw await asToolError(error, shown, real, files);
  }
}

/** `first-last | the line with its name`, as it is written. */
export function definitionRow({ start, end, line }: Definition, lines: (line: number) => string): string {
  const text = lines(line).trimEnd();
  return `${start}-${end} | ${text.length > LINE ? `${clip(text, LINE)}…` : text}`;
}

/** How many other definitions each one lies in. */
export function depthsOf(definitions: readonly Definition[]): number[] {
  const open: number[] = [];
  return definitions.map(({ start, end }) => {
    while (open.length > 0 && (open.at(-1) ?? 0) < start) open.pop();
    const depth = open.length;
    open.push(end);
    return depth;
  });
}

/**
 * The definitions that end behind a line, for who has read up to it: whole if they fit, else without what lies inside of others,
 * else the first of them. Empty when there are none.
 */
export function rowsBehind(
  { definitions }: Outline,
  last: number,
  lines: (line: number) => string,
  most: number,
): string[] {
  const depths = depthsOf(definitions);
  const behind = definitions
    .map((definition, index) => ({ definition, depth: depths[index] ?? 0 }))
    .filter(({ definition }) => definition.end > last);
  for (let depth = Math.max(0, ...behind.map((one) => one.depth)); depth >= 0; depth--) {
    const rows = behind
      .filter((one) => one.depth <= depth)
      .map(({ definition }) => definitionRow(definition, lines));
    let characters = 0;
    const fit = rows.filter((row) => (characters += row.length + 1) <= most);
    if (fit.length === rows.length) return rows;
    if (depth === 0) return [...fit, `(${rows.length - fit.length} more are left out)`];
  }
  return [];
}
