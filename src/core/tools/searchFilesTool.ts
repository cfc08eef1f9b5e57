import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { RipgrepError, search, type SearchResult } from '../../services/search/ripgrep.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { shownName } from './shownName.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  path: z.string().min(1),
  regex: z.string().min(1),
  file_pattern: z.string().optional(),
});

/** Characters of an expression or glob: longer ones are no command's argument, and no model means them. */
const LONGEST = 10_000;

interface SearchPlan {
  folder: ResolvedPath;
  /** What the results are relative to, and what is searched in it. */
  root: string;
  path: string;
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
    refuseUnusable('regex', regex);
    refuseUnusable('file_pattern', file_pattern ?? '');
    const folder = await context.resolve(path, 'list');
    const status = await context.host.files.status(folder.real);
    if (!status)
      throw new ToolError(`There is no file or folder '${folder.shown}'. Check the path with list_files.`);
    const { real, insideWorkspace } = folder;
    const where = insideWorkspace
      ? { root: context.cwd, path: folder.shown }
      : status.type === 'folder'
        ? { root: real, path: '.' }
        : { root: dirname(real), path: basename(real) };
    const filePattern =
      file_pattern === undefined || file_pattern === '' || file_pattern === '*' ? undefined : file_pattern;
    return {
      actions: [{ type: 'read', path: real, insideWorkspace, protected: folder.protected }],
      plan: { folder, ...where, regex, filePattern },
    };
  }

  async execute(
    { folder, root, path, regex, filePattern }: SearchPlan,
    context: TaskContext,
  ): Promise<ToolResponse> {
    const { ripgrep } = context.host;
    if (ripgrep === undefined)
      throw new ToolError(
        'ripgrep was not found here, so files cannot be searched. Read the likely files instead.',
      );
    const named = (file: string): string => (folder.insideWorkspace ? file : join(root, file));
    try {
      const result = await search({
        ripgrep,
        root,
        path,
        regex,
        ...(filePattern === undefined ? {} : { filePattern }),
        maximumMatches: context.settings.searchMaximumResults,
        maximumLineLength: context.settings.searchMaximumLineLength,
        isHidden: (file) => context.isWithheld(named(file), folder),
        signal: context.signal,
      });
      return {
        content: rendered(result, named),
        details: { type: 'matches', shown: result.kept, total: result.total, files: result.totalFiles },
      };
    } catch (error) {
      if (!(error instanceof RipgrepError)) throw error;
      throw new ToolError(`The search could not be run: ${error.message}${wayOut(error.message)}`, {
        cause: error,
      });
    }
  }
}

function refuseUnusable(parameter: 'regex' | 'file_pattern', value: string): void {
  if (value.length > LONGEST)
    throw new ToolError(
      `${parameter} is ${value.length} characters long; the limit is ${LONGEST}. Search for a telling part of it.`,
    );
  if (value.includes('\0')) throw new ToolError(`${parameter} holds a NUL character. Leave it out.`);
  if (/[\r\n]/.test(value))
    throw new ToolError(
      `${parameter} holds a line break, but one line is searched at a time. Search for a part within a line.`,
    );
}

function wayOut(message: string): string {
  if (/glob/.test(message))
    return '\nMend file_pattern, such as *.ts or src/**/*.{js,ts}, and send it again.';
  if (/regex/.test(message))
    return '\nMend the expression (Rust syntax, one line at a time: no look-around, no back-references) and send it again.';
  return '';
}

/** `# path`, the lines as `NNN | text`, `----` between places that are not neighbours. */
function rendered(
  { files, kept, total, totalFiles, problems }: SearchResult,
  named: (file: string) => string,
): string {
  const some =
    total > kept
      ? `first ${kept} of ${total.toLocaleString('en')} matches`
      : `${total} ${total === 1 ? 'match' : 'matches'}`;
  const head =
    total === 0
      ? 'No match.'
      : `Found ${some} in ${totalFiles.toLocaleString('en')} ${totalFiles === 1 ? 'file' : 'files'}.${total > kept ? ' Narrow the expression or the folder for the rest.' : ''}`;
  const parts = files.map(({ path, lines }) => {
    const rows: string[] = [`# ${shownName(named(path))}`];
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
