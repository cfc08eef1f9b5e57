import { diffDetails } from '../diff/unified.ts';
import type { ToolResponse } from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { LARGEST_EDIT, type EditedFile } from './fileEdit.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { decodeForEditing } from './textFile.ts';
import { ToolError } from './ToolError.ts';

/** A file that is to go. */
export interface Deletion {
  path: ResolvedPath;
  /** What must still be there; undefined for what is too large to be compared. */
  hash: string | undefined;
  /** The file as text; undefined when it is none. */
  file: (EditedFile & { text: string }) | undefined;
}

/** A file that is there, through the gate. @throws ToolError when there is none, or when it changed since it was last read */
export async function prepareDeletion(path: string, context: TaskContext): Promise<Deletion> {
  const resolved = await context.resolve(path, 'edit');
  const { files } = context.host;
  const { real, shown } = resolved;
  try {
    const status = await files.status(real);
    if (status?.type === 'file' && status.size > LARGEST_EDIT)
      return { path: resolved, hash: undefined, file: undefined };
    const { bytes, hash, unsaved } = await files.read(real, { limit: LARGEST_EDIT, signal: context.signal });
    if (unsaved)
      throw new ToolError(
        `'${shown}' is open in the editor with unsaved changes. Ask the person to save or discard them first.`,
      );
    const known = context.freshness.lastRead(real);
    if (known !== undefined && known !== hash)
      throw new ToolError(
        `'${shown}' changed on disk since it was read. Read it again before you delete it.`,
      );
    return { path: resolved, hash, file: textOf(resolved, hash, bytes) };
  } catch (error) {
    throw await asToolError(error, shown, real, files);
  }
}

function textOf(path: ResolvedPath, hash: string, bytes: Uint8Array): Deletion['file'] {
  try {
    return { path, hash, ...decodeForEditing(bytes, path.shown) };
  } catch (error) {
    // No text: it can be deleted all the same, but not shown.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

export async function landDeletion(
  { path: { real, shown }, hash, file }: Deletion,
  context: TaskContext,
): Promise<ToolResponse> {
  try {
    const { trashed } = await context.host.files.delete(real, hash);
    context.freshness.noteRead(real, null);
    return {
      content: trashed ? `Moved '${shown}' to the trash.` : `Deleted '${shown}'.`,
      ...(file ? { details: diffDetails(shown, file.text, '') } : {}),
    };
  } catch (error) {
    throw await asToolError(error, shown, real, context.host.files);
  }
}
