import { SearchReplaceError } from '../diff/parseBlocks.ts';
import { diffDetails } from '../diff/unified.ts';
import type { Preparation, ToolResponse } from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { newProblems } from './newProblems.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { decodeForEditing, encode } from './textFile.ts';
import { ToolError } from './ToolError.ts';

/** Bytes of the largest file that is edited as text. */
export const LARGEST_EDIT = 64 * 1024 * 1024;

/** A file as it is before an edit; `text` and `hash` are null when there is none yet. */
export interface EditedFile {
  path: ResolvedPath;
  text: string | null;
  hash: string | null;
  bom: boolean;
}

/** What lands when it is approved: the file as it would be, and what must still be there. */
export interface EditPlan {
  file: EditedFile;
  after: string;
}

/** Reads what is to be edited, through the gate. @throws ToolError when it changed since it was last read, or is no text */
export async function readForEdit(path: string, context: TaskContext): Promise<EditedFile> {
  const resolved = await context.resolve(path, 'edit');
  const { files } = context.host;
  try {
    const status = await files.status(resolved.real);
    if (!status) return { path: resolved, text: null, hash: null, bom: false };
    if (status.type === 'file' && status.size > LARGEST_EDIT)
      throw new ToolError(
        `'${resolved.shown}' is too large to edit as text (${status.size} bytes; the limit is ${LARGEST_EDIT}). Use a command for it, if the task needs it.`,
      );
    const { bytes, hash, unsaved } = await files.read(resolved.real, {
      limit: LARGEST_EDIT,
      signal: context.signal,
    });
    if (unsaved)
      throw new ToolError(
        `'${resolved.shown}' is open in the editor with unsaved changes. Ask the person to save or discard them first.`,
      );
    const known = context.freshness.lastRead(resolved.real);
    if (known !== undefined && known !== hash) {
      throw new ToolError(
        `'${resolved.shown}' changed on disk since it was read. Read it again and make the change anew.`,
      );
    }
    return { path: resolved, hash, ...decodeForEditing(bytes, resolved.shown) };
  } catch (error) {
    throw await asToolError(error, resolved.shown, resolved.real, files);
  }
}

/**
 * The edit of a file that must be there, worked out by `change` on its text.
 * @throws ToolError when there is none, when the change cannot be placed, or when nothing would change
 */
export async function prepareChange(
  path: string,
  context: TaskContext,
  change: (text: string) => string,
): Promise<Preparation<EditPlan>> {
  const file = await readForEdit(path, context);
  const { shown } = file.path;
  if (file.text === null)
    throw new ToolError(
      `There is no file '${shown}' to change. Create it with write_to_file, or check the path with list_files.`,
    );
  try {
    return prepareEdit(file, change(file.text));
  } catch (error) {
    if (error instanceof SearchReplaceError)
      throw new ToolError(`'${shown}' was not changed. ${error.message}`, { cause: error });
    throw error;
  }
}

/** The edit for approval: one action, the diff for the card, the proposal for review. @throws ToolError when nothing would change */
export function prepareEdit(file: EditedFile, after: string): Preparation<EditPlan> {
  if (file.text === after)
    throw new ToolError(`'${file.path.shown}' is already so: the edit would change nothing.`);
  const { real, shown, insideWorkspace } = file.path;
  return {
    actions: [
      {
        type: 'edit',
        path: real,
        insideWorkspace,
        protected: file.path.protected,
        created: file.text === null,
      },
    ],
    plan: { file, after },
    details: diffDetails(shown, file.text, after),
    proposal: { path: real, shown, before: file.text, after },
  };
}

/** Writes the approved version, the person's own where they changed it, and says what they changed. */
export async function landEdit(
  { file, after }: EditPlan,
  context: TaskContext,
  edited: string | undefined,
): Promise<ToolResponse> {
  const { real, shown } = file.path;
  const text = edited ?? after;
  const { problems } = context.host;
  const before = file.text === null ? [] : await problems?.of(real, file.text, context.signal);
  context.signal.throwIfAborted();
  try {
    const { hash } = await context.host.files.write(real, encode({ text, bom: file.bom }), file.hash);
    context.freshness.noteRead(real, hash);
  } catch (error) {
    throw await asToolError(error, shown, real, context.host.files);
  }
  const details = {
    ...diffDetails(shown, file.text, text),
    ...(edited === undefined ? {} : { changedByPerson: true }),
  };
  const done = file.text === null ? `Created '${shown}'` : `Changed '${shown}'`;
  const counts = `${done}: ${details.added} ${details.added === 1 ? 'line' : 'lines'} added, ${details.removed} removed.`;
  const found = newProblems(before ?? [], (await problems?.of(real, text, context.signal)) ?? [], shown);
  const since = found === '' ? '' : `\n${found}`;
  if (edited === undefined) return { content: counts + since, details };
  const theirs = diffDetails(shown, after, edited);
  return {
    content: `${counts} The person changed your proposal before approving it. Their changes to your version, which you must keep:\n${theirs.patch}${theirs.cut ? '\n(the rest is not shown; read the file)' : ''}${since}`,
    details,
  };
}
