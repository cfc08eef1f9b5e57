import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { listFiles, RipgrepError } from '../../services/search/ripgrep.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { shownName } from './shownName.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ path: z.string().min(1), recursive: z.boolean().optional() });

interface ListPlan {
  folder: ResolvedPath;
  recursive: boolean;
}

export class ListFilesTool extends BaseTool<'list_files', typeof schema, ListPlan> {
  readonly name = 'list_files';
  readonly schema = schema;

  describe({ settings }: DescribeArguments): ToolDescription {
    return {
      purpose: `List a folder, at most ${settings.listMaximumEntries} entries; folders end with /. Not needed to find out whether an edit worked.`,
      parameters: {
        path: 'folder, relative to the workspace; . for its root',
        recursive: 'optional, true for everything below, ignored files left out',
      },
      example: '<list_files>\n<path>src</path>\n<recursive>true</recursive>\n</list_files>',
    };
  }

  view({ path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'search', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { path, recursive = false }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<ListPlan>> {
    const folder = await context.resolve(path, 'list');
    const status = await context.host.files.status(folder.real);
    if (!status)
      throw new ToolError(
        `There is no folder '${folder.shown}'. List a folder above it to see what is there.`,
      );
    if (status.type !== 'folder')
      throw new ToolError(`'${folder.shown}' is not a folder. Use read_file for a file.`);
    const { real, insideWorkspace } = folder;
    return {
      actions: [{ type: 'read', path: real, insideWorkspace, protected: folder.protected }],
      plan: { folder, recursive },
    };
  }

  async execute({ folder, recursive }: ListPlan, context: TaskContext): Promise<ToolResponse> {
    const entries = recursive ? await everythingBelow(folder, context) : await entriesOf(folder, context);
    const most = context.settings.listMaximumEntries;
    const kept = entries.slice(0, most).map(shownName);
    const details = { type: 'listing', shown: kept.length, total: entries.length } as const;
    if (entries.length === 0)
      return {
        content: `'${folder.shown}' is empty${recursive ? ', or everything in it is ignored' : ''}.`,
        details,
      };
    const cut =
      entries.length > most
        ? `\n(first ${most} of ${entries.length} entries; list a folder below for the rest)`
        : '';
    return { content: kept.join('\n') + cut, details };
  }
}

async function entriesOf(folder: ResolvedPath, context: TaskContext): Promise<string[]> {
  try {
    const entries = await context.host.files.list(folder.real);
    const shown = entries.filter(
      ({ name, type }) =>
        !folder.insideWorkspace || !context.isIgnored(below(folder, type === 'folder' ? `${name}/` : name)),
    );
    return shown.map(({ name, type }) => (type === 'folder' ? `${name}/` : name)).sort(foldersFirst);
  } catch (error) {
    throw await asToolError(error, folder.shown, folder.real, context.host.files);
  }
}

/** Files and the folders they are in, nearest first. */
async function everythingBelow(folder: ResolvedPath, context: TaskContext): Promise<string[]> {
  const { ripgrep } = context.host;
  if (ripgrep === undefined)
    throw new ToolError(
      'ripgrep was not found here, so only single folders can be listed: call list_files without recursive.',
    );
  try {
    const root = folder.insideWorkspace ? context.cwd : folder.real;
    const path = folder.insideWorkspace ? folder.shown : '.';
    const files = await listFiles({
      ripgrep,
      root,
      path,
      isHidden: folder.insideWorkspace ? (file) => context.isIgnored(file) : () => false,
      signal: context.signal,
    });
    const prefix = path === '.' ? '' : `${path}/`;
    const entries = new Set<string>();
    for (const file of files) {
      const inside = file.startsWith(prefix) ? file.slice(prefix.length) : file;
      for (let slash = inside.indexOf('/'); slash !== -1; slash = inside.indexOf('/', slash + 1))
        entries.add(inside.slice(0, slash + 1));
      entries.add(inside);
    }
    return [...entries].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  } catch (error) {
    if (error instanceof RipgrepError)
      throw new ToolError(
        `'${folder.shown}' could not be listed: ${error.message} List single folders, without recursive.`,
        { cause: error },
      );
    throw error;
  }
}

function depth(entry: string): number {
  return entry.replace(/\/$/, '').split('/').length;
}

function below(folder: ResolvedPath, name: string): string {
  return folder.shown === '.' ? name : `${folder.shown}/${name}`;
}

function foldersFirst(a: string, b: string): number {
  return Number(b.endsWith('/')) - Number(a.endsWith('/')) || (a < b ? -1 : 1);
}
