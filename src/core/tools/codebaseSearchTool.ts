import { z } from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import type { IndexAnswer } from '../../services/codeIndex/indexThread.ts';
import { listFiles, RipgrepError } from '../../services/search/ripgrep.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { ResolvedPath, TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ query: z.string().min(1), path: z.string().optional() });

interface CodebasePlan {
  query: string;
  folder: ResolvedPath;
  /** What the found paths begin with. */
  prefix: string;
}

/** Places in an answer, and the files that one index takes. */
const PLACES = 16;
const MOST_FILES = 100_000;
/** Milliseconds that a call waits for an index that is being built; what it has by then is searched. */
const PATIENCE = 25_000;
/** Files between two words about the progress. */
const STEP = 500;
const LONGEST_QUERY = 2000;

export class CodebaseSearchTool extends BaseTool<'codebase_search', typeof schema, CodebasePlan> {
  readonly name = 'codebase_search';
  readonly schema = schema;
  override readonly verbatim = ['query'] as const;

  override isAvailable({ host }: Pick<TaskContext, 'host'>): boolean {
    return host.codeIndex !== undefined && host.ripgrep !== undefined;
  }

  describe(): ToolDescription {
    return {
      purpose:
        'Find the code that a question is about, best places first, over an index of the whole workspace. Use it first when you do not know the names to look for; for exact text use search_files.',
      parameters: {
        query: 'question or words, in English and with the words the code may use',
        path: 'optional, only what is in this folder, relative to the workspace',
      },
      example: '<codebase_search>\n<query>where are passwords checked</query>\n</codebase_search>',
    };
  }

  view({ query = '', path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'search', subject: query, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { query, path }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<CodebasePlan>> {
    const folder = await context.resolve(path?.trim() ? path : '.', 'list');
    if (!folder.insideWorkspace)
      throw new ToolError(
        `'${folder.shown}' is outside the workspace, and only the workspace is indexed. Use search_files there.`,
      );
    const status = await context.host.files.status(folder.real);
    if (!status)
      throw new ToolError(
        `There is no folder '${folder.shown}'. Leave out path, or check it with list_files.`,
      );
    const below = status.type === 'folder' ? `${folder.shown}/` : folder.shown;
    return {
      actions: [{ type: 'read', path: folder.real, insideWorkspace: true, protected: folder.protected }],
      plan: { query: query.slice(0, LONGEST_QUERY), folder, prefix: folder.shown === '.' ? '' : below },
    };
  }

  async execute(
    { query, folder, prefix }: CodebasePlan,
    context: TaskContext,
    progress: ToolProgress,
  ): Promise<ToolResponse> {
    const { codeIndex } = context.host;
    const { embedderUrl: url, embedderModel: model } = context.settings;
    if (codeIndex === undefined)
      throw new ToolError('There is no code index here. Use search_files with the words the code may use.');
    const files = await filesOf(context, folder);
    let said = 0;
    try {
      const answer = await codeIndex.search({
        root: context.cwd,
        files: files.slice(0, MOST_FILES),
        question: query,
        prefix,
        limit: PLACES,
        patience: PATIENCE,
        embedder: url === '' || model === '' ? undefined : { url, model },
        signal: context.signal,
        onProgress: ({ indexed, total }) => {
          if (indexed < said + STEP) return;
          said = indexed;
          progress.output(`${indexed.toLocaleString('en')} of ${total.toLocaleString('en')} files indexed\n`);
        },
      });
      const inFiles = new Set(answer.places.map(({ path }) => path)).size;
      return {
        content: rendered(answer, prefix, files.length),
        details: {
          type: 'matches',
          shown: answer.places.length,
          total: answer.places.length,
          files: inFiles,
        },
      };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      throw new ToolError(
        `The code index cannot be used: ${error.message}. Use search_files with the words the code may use.`,
        { cause: error },
      );
    }
  }
}

/** All files of the workspace whose content may be read: what no ignore file names, and what nobody has denied. */
async function filesOf(context: TaskContext, walked: ResolvedPath): Promise<string[]> {
  const { ripgrep } = context.host;
  if (ripgrep === undefined)
    throw new ToolError('ripgrep was not found here, so the files to search are not known. Use list_files.');
  try {
    return await listFiles({
      ripgrep,
      root: context.cwd,
      path: '.',
      isHidden: (file) => context.isWithheld(file, walked),
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof RipgrepError)) throw error;
    throw new ToolError(`The workspace could not be listed: ${error.message}`, { cause: error });
  }
}

function rendered({ places, indexed, total, problem }: IndexAnswer, prefix: string, files: number): string {
  const unfinished =
    indexed < total
      ? [
          `The index is being built: ${indexed.toLocaleString('en')} of ${total.toLocaleString('en')} files are in it so far. Ask again for the rest.`,
        ]
      : [];
  const withoutMeaning = problem === undefined ? [] : [`Found by words alone, not by meaning: ${problem}.`];
  const tooMany = files > MOST_FILES ? [`Only ${MOST_FILES} of ${files} files are indexed.`] : [];
  const where = prefix === '' ? '' : ` in '${prefix}'`;
  const head =
    places.length === 0
      ? `Nothing was found${where}. Ask with other words, or use search_files.`
      : `${places.length} ${places.length === 1 ? 'place' : 'places'}${where}, best first.`;
  const blocks = places.map(({ path, start, end, kind, name, excerpt }) => {
    const rows: string[] = [`# ${path}:${start}-${end}${kind === '' ? '' : ` ${kind} ${name}`}`];
    let last: number | undefined;
    for (const { line, text } of excerpt) {
      if (last !== undefined && line > last + 1) rows.push('----');
      rows.push(`${String(line).padStart(3)} | ${text}`);
      last = line;
    }
    return rows.join('\n');
  });
  return [[head, ...unfinished, ...withoutMeaning, ...tooMany].join(' '), ...blocks].join('\n\n');
}
