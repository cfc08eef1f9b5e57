import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { diffDetails } from '../diff/unified.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landDeletion, prepareDeletion, type Deletion } from './fileDeletion.ts';
import { asToolError } from './fileErrors.ts';
import { actionOf } from './PatchedFiles.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ path: z.string().min(1) });

/** Entries of a folder that can be deleted at once: each is looked at before anyone is asked. */
const MOST_ENTRIES = 200;

type DeletePlan =
  { type: 'file'; deletion: Deletion } | { type: 'folder'; folder: ResolvedPath; entries: ResolvedPath[] };

export class DeleteFileTool extends BaseTool<'delete_file', typeof schema, DeletePlan> {
  readonly name = 'delete_file';
  readonly schema = schema;

  describe(): ToolDescription {
    return {
      purpose: 'Delete a file, or a folder with all that is in it.',
      parameters: { path: 'file or folder, relative to the workspace' },
      example: '<delete_file>\n<path>src/old.js</path>\n</delete_file>',
    };
  }

  view({ path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'delete', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare({ path }: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<DeletePlan>> {
    const resolved = await context.resolve(path, 'edit');
    const status = await context.host.files.status(resolved.real);
    if (status?.type === 'folder') {
      const entries = await entriesBelow(resolved, context);
      return {
        actions: [resolved, ...entries].map((entry) => actionOf({ path: entry })),
        plan: { type: 'folder', folder: resolved, entries },
      };
    }
    const deletion = await prepareDeletion(path, context);
    return {
      actions: [actionOf(deletion)],
      plan: { type: 'file', deletion },
      ...(deletion.file ? { details: diffDetails(resolved.shown, deletion.file.text, '') } : {}),
    };
  }

  async execute(plan: DeletePlan, context: TaskContext): Promise<ToolResponse> {
    if (plan.type === 'file') return await landDeletion(plan.deletion, context);
    const { folder, entries } = plan;
    const now = await entriesBelow(folder, context);
    if (now.map(({ real }) => real).join('\0') !== entries.map(({ real }) => real).join('\0'))
      throw new ToolError(
        `What is in '${folder.shown}' changed while the person was asked, so nothing was deleted. Look at it with list_files, then call delete_file again.`,
      );
    return await landDeletion({ path: folder, hash: undefined, file: undefined }, context);
  }
}

/**
 * Everything below a folder, each entry through the gate: what is hidden, or what this mode may not change, keeps the whole folder.
 * Links are entries and are not followed.
 */
async function entriesBelow(folder: ResolvedPath, context: TaskContext): Promise<ResolvedPath[]> {
  const found: ResolvedPath[] = [];
  const { files } = context.host;
  const walk = async (path: string): Promise<void> => {
    context.signal.throwIfAborted();
    const entries = await files.list(path);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = `${path}/${entry.name}`;
      if (found.length >= MOST_ENTRIES)
        throw new ToolError(
          `'${folder.shown}' holds more than ${MOST_ENTRIES} entries, too many to look at. Delete the folders in it one by one, or use a command if the task needs it.`,
        );
      found.push(entry.type === 'other' ? { ...folder, real: below } : await context.resolve(below, 'edit'));
      if (entry.type === 'folder') await walk(below);
    }
  };
  try {
    await walk(folder.real);
  } catch (error) {
    throw await asToolError(error, folder.shown, folder.real, files);
  }
  return found;
}
