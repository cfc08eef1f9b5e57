import { join } from 'node:path';
import { z } from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { RipgrepError, search, type SearchResult } from '../../services/search/ripgrep.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  path: z.string().min(1),
  regex: z.string().min(1),
  file_pattern: z.string().optional(),
});

interface SearchPlan {
  folder: ResolvedPath;
  regex: string;
  filePattern: string | undefined;
}

export class SearchFilesTool extends BaseTool<'search_files', typeof schema, SearchPlan> {
  readonly name = 'search_files';
  readonly schema = schema;
  override readonly verbatim = ['regex'] as const;

  describe({ settings }: DescribeArguments): ToolDescription {
    return {
      purpose: `Search the text of files by regular expression; gives up to ${settings.searchMaximumResults} matches with a line around each, and says how many there are. Use it to find where something is before reading whole files.`,
      parameters: {
        path: 'folder or file, relative to the workspace; . for all',
        regex:
          'Rust regular expression, one line at a time; escape ( ) [ ] { } . * + ? | ^ $ to find them as they are',
        file_pattern: 'optional glob, such as *.ts',
      },
      example:
        '<search_files>\n<path>src</path>\n<regex>function\\s+parse</regex>\n<file_pattern>*.ts</file_pattern>\n</search_files>',
    };
  }

  view({ path = '', regex = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'search', subject: regex, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { path, regex, file_pattern }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<SearchPlan>> {
    const folder = await context.resolve(path, 'list');
    if (!(await context.host.files.status(folder.real)))
      throw new ToolError(`There is no folder '${folder.shown}'. Check the path with list_files.`);
    const { real, insideWorkspace } = folder;
    const filePattern =
      file_pattern === undefined || file_pattern === '' || file_pattern === '*' ? undefined : file_pattern;
    return {
      actions: [{ type: 'read', path: real, insideWorkspace, protected: folder.protected }],
      plan: { folder, regex, filePattern },
    };
  }

  async execute({ folder, regex, filePattern }: SearchPlan, context: TaskContext): Promise<ToolResponse> {
    const { ripgrep } = context.host;
    if (ripgrep === undefined)
      throw new ToolError(
        'ripgrep was not found here, so files cannot be searched. Read the likely files instead.',
      );
    const { insideWorkspace } = folder;
    try {
      const result = await search({
        ripgrep,
        root: insideWorkspace ? context.cwd : folder.real,
        path: insideWorkspace ? folder.shown : '.',
        regex,
        ...(filePattern === undefined ? {} : { filePattern }),
        maximumMatches: context.settings.searchMaximumResults,
        maximumLineLength: context.settings.searchMaximumLineLength,
        isHidden: (file) => context.isWithheld(insideWorkspace ? file : join(folder.real, file), folder),
        signal: context.signal,
      });
      return {
        content: rendered(result),
        details: { type: 'matches', shown: result.kept, total: result.total, files: result.totalFiles },
      };
    } catch (error) {
      if (!(error instanceof RipgrepError)) throw error;
      throw new ToolError(
        `The search could not be run: ${error.message}\nMend the expression (Rust syntax: no look-around, no back-references) and send it again.`,
        { cause: error },
      );
    }
  }
}

/** `# path`, the lines as `NNN | text`, `----` between places that are not neighbours. */
function rendered({ files, kept, total, totalFiles, problems }: SearchResult): string {
  const some =
    total > kept
      ? `first ${kept} of ${total.toLocaleString('en')} matches`
      : `${total} ${total === 1 ? 'match' : 'matches'}`;
  const head =
    total === 0
      ? 'No match.'
      : `Found ${some} in ${totalFiles.toLocaleString('en')} ${totalFiles === 1 ? 'file' : 'files'}.${total > kept ? ' Narrow the expression or the folder for the rest.' : ''}`;
  const parts = files.map(({ path, lines }) => {
    const rows: string[] = [`# ${path}`];
    let last: number | undefined;
    for (const { line, text } of lines) {
      if (last !== undefined && line > last + 1) rows.push('----');
      rows.push(`${String(line).padStart(3)} | ${text}`);
      last = line;
    }
    rows.push('----');
    return rows.join('\n');
  });
  const notSearched =
    problems.length === 0 ? [] : [`Not everything could be searched:\n${problems.join('\n')}`];
  return [head, ...parts, ...notSearched].join('\n\n');
}
