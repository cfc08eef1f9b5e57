import { z } from 'zod';
import type { ToolDetails, ToolView } from '../../shared/tools.ts';
import { languageOf } from '../../services/definitions/languages.ts';
import type { Outline } from '../../services/definitions/Syntax.ts';
import { FileError } from '../host/Host.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { definitionRow, depthsOf, LARGEST_PARSED, outlineOfText } from './outline.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { clip, decodeForReading, isBinary } from './textFile.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ path: z.string().min(1) });

interface DefinitionsPlan {
  path: ResolvedPath;
  isFolder: boolean;
}

/** One file's part of the result. */
interface Listed {
  path: string;
  /** The text's lines, to show the definitions as they are written; empty for what could not be parsed. */
  lines: string[];
  outline?: Outline;
  problem?: string;
}

/** Characters of a result, and what a token stands for when the free context is less. */
const MOST_CHARACTERS = 60_000;
const CHARACTERS_A_TOKEN = 4;
const MOST_FILES = 200;
const WORDS_FOR_KNOWN =
  'TypeScript, JavaScript, Python, Java, Go, Rust, C, C++, C#, Ruby, PHP, Kotlin, Swift, shell, CSS and markdown';

export class ListCodeDefinitionNamesTool extends BaseTool<
  'list_code_definition_names',
  typeof schema,
  DefinitionsPlan
> {
  readonly name = 'list_code_definition_names';
  readonly schema = schema;

  describe(): ToolDescription {
    return {
      purpose:
        'List the definitions (classes, functions, methods, types, headings) of a source file, or of the files directly in a folder, with the lines they take. Use it to find what to read in large files.',
      parameters: { path: 'file or folder, relative to the workspace' },
      example: '<list_code_definition_names>\n<path>src/server</path>\n</list_code_definition_names>',
    };
  }

  view({ path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'read', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { path }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<DefinitionsPlan>> {
    let resolved = await context.resolve(path, 'read');
    const status = await context.host.files.status(resolved.real);
    if (!status)
      throw await asToolError(
        new FileError('not_found', resolved.real),
        resolved.shown,
        resolved.real,
        context.host.files,
      );
    const isFolder = status.type === 'folder';
    if (isFolder) resolved = await context.resolve(path, 'list');
    else if (languageOf(resolved.real) === undefined)
      throw new ToolError(
        `The definitions of '${resolved.shown}' cannot be listed: this works for ${WORDS_FOR_KNOWN}. Use read_file or search_files.`,
      );
    const { real, insideWorkspace } = resolved;
    return {
      actions: [{ type: 'read', path: real, insideWorkspace, protected: resolved.protected }],
      plan: { path: resolved, isFolder },
    };
  }

  async execute({ path, isFolder }: DefinitionsPlan, context: TaskContext): Promise<ToolResponse> {
    if (!isFolder) {
      const listed = await outlined(path, context);
      if (listed.problem !== undefined) throw new ToolError(listed.problem);
      return rendered([listed], '', context);
    }
    const files = await sourceFiles(path, context);
    if (files.length === 0)
      throw new ToolError(
        `There is no source file directly in '${path.shown}' (${WORDS_FOR_KNOWN}). Use list_files to find a folder that has some.`,
      );
    const listed: Listed[] = [];
    for (const file of files.slice(0, MOST_FILES)) listed.push(await outlined(file, context));
    const cut =
      files.length > MOST_FILES
        ? `(first ${MOST_FILES} of ${files.length} files; name a file to see the definitions of another one)`
        : '';
    return rendered(listed, cut, context);
  }
}

/** The files directly in the folder that have a grammar and may be read, by name. */
async function sourceFiles(folder: ResolvedPath, context: TaskContext): Promise<ResolvedPath[]> {
  try {
    const entries = await context.host.files.list(folder.real);
    return entries
      .filter(({ name, type }) => type === 'file' && languageOf(name) !== undefined)
      .map(({ name }) => ({
        ...folder,
        real: `${folder.real.replace(/[/\\]$/, '')}/${name}`,
        shown: folder.shown === '.' ? name : `${folder.shown.replace(/[/\\]$/, '')}/${name}`,
      }))
      .filter(({ real, shown }) => !context.isWithheld(folder.insideWorkspace ? shown : real, folder))
      .sort((a, b) => (a.shown < b.shown ? -1 : 1));
  } catch (error) {
    throw await asToolError(error, folder.shown, folder.real, context.host.files);
  }
}

async function outlined(path: ResolvedPath, context: TaskContext): Promise<Listed> {
  const { real, shown } = path;
  const none = (problem: string): Listed => ({ path: shown, lines: [], problem });
  try {
    const { bytes } = await context.host.files.read(real, { limit: LARGEST_PARSED, signal: context.signal });
    if (isBinary(bytes))
      return none(`'${shown}' is a binary file in spite of its name, and has no definitions.`);
    const text = decodeForReading(bytes);
    const outline = await outlineOfText(text, path, context.host.files, context.signal);
    return { path: shown, lines: text.split('\n'), outline };
  } catch (error) {
    const known = await asToolError(error, shown, real, context.host.files);
    if (known instanceof ToolError) return none(known.message);
    throw known;
  }
}

/** Whole if it fits; else the inner definitions are left out first, and then what is last. */
function rendered(files: readonly Listed[], note: string, context: TaskContext): ToolResponse {
  const { contextLeft, settings } = context;
  const budget =
    contextLeft === undefined
      ? MOST_CHARACTERS
      : Math.min(MOST_CHARACTERS, contextLeft * settings.readContextShare * CHARACTERS_A_TOKEN);
  const total = files.reduce((sum, { outline }) => sum + (outline?.definitions.length ?? 0), 0);
  const levels = files.map(({ outline }) => depthsOf(outline?.definitions ?? []));
  const deepest = levels.flat().reduce((most, level) => Math.max(most, level), 0);
  let text = '';
  for (let depth = deepest; depth >= 0; depth--) {
    const blocks = files.map((file, index) => block(file, levels[index] ?? [], depth));
    text = blocks.join('\n\n');
    if (text.length > budget && depth > 0) continue;
    const left = depth < deepest ? '(definitions inside of others are left out: there are too many.' : '';
    if (text.length > budget) {
      const end = text.lastIndexOf('\n', budget);
      text = `${clip(text, end === -1 ? budget : end)}\n(cut: there are ${total} definitions in all. Name one file, or find the rest with search_files.)`;
    } else if (left !== '') text += `\n\n${left} Name one file to see its own.)`;
    break;
  }
  const details: ToolDetails = {
    type: 'files',
    files: files.map(({ path, problem }) => ({ path, ...(problem === undefined ? {} : { error: problem }) })),
  };
  return { content: [text, note].filter(Boolean).join('\n\n'), details };
}

function block({ path, lines, outline, problem }: Listed, levels: readonly number[], depth: number): string {
  if (!outline) return `# ${path}\n${problem ?? ''}`;
  const rows = outline.definitions
    .filter((_, index) => (levels[index] ?? 0) <= depth)
    .map((definition) => definitionRow(definition, (line) => lines[line - 1] ?? ''));
  const broken =
    outline.firstError === undefined
      ? []
      : [
          `(line ${outline.firstError} is not valid ${languageOf(path) ?? ''}; definitions near it may be missing)`,
        ];
  return [`# ${path}`, ...(rows.length === 0 ? ['(no definitions)'] : rows), ...broken].join('\n');
}
