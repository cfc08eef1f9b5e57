import { dirname } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { FileError, type FileHost } from '../host/Host.ts';
import { ToolError } from './ToolError.ts';

/** A failed file access worded for the model, with names that come near when nothing is there. Other errors pass through. */
export async function asToolError(
  error: unknown,
  shown: string,
  real: string,
  files: FileHost,
): Promise<unknown> {
  if (!(error instanceof FileError)) return error;
  const words = { cause: error };
  switch (error.reason) {
    case 'not_found':
      return new ToolError(
        `There is no file '${shown}'.${await nearNames(real, files)} Use list_files to see what is there.`,
        words,
      );
    case 'not_a_file':
      return new ToolError(`'${shown}' is not a file. Use list_files for a folder.`, words);
    case 'not_a_folder':
      return new ToolError(`'${shown}' is not a folder. Use read_file for a file.`, words);
    case 'not_permitted':
      return new ToolError(
        `'${shown}' may not be accessed (${error.message}). Ask the person to change its permissions if the task needs it.`,
        words,
      );
    case 'too_large':
      return new ToolError(
        `'${shown}' is too large to take as a whole (${error.message}). Read a range of lines, or search in it.`,
        words,
      );
    case 'changed':
      return new ToolError(
        `'${shown}' changed on disk since it was read, so nothing was written. Read it again and make the change anew.`,
        words,
      );
    case 'unsaved':
      return new ToolError(
        `'${shown}' is open in the editor with unsaved changes, so nothing was written. Ask the person to save or discard them.`,
        words,
      );
    case 'failed':
      return new ToolError(`'${shown}' could not be used: ${error.message}`, words);
  }
}

async function nearNames(real: string, files: FileHost): Promise<string> {
  const name = real.slice(dirname(real).length + 1);
  try {
    const entries = await files.list(dirname(real));
    const near = entries
      .map((entry) => ({
        name: entry.name,
        distance: distance(entry.name.toLowerCase(), name.toLowerCase()),
      }))
      .filter((entry) => entry.distance <= Math.max(2, name.length / 3))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, 3);
    return near.length === 0
      ? ''
      : ` Did you mean ${near.map((entry) => `'${entry.name}'`).join(' or ')} in the same folder?`;
  } catch (error) {
    // The folder is missing too: there is nothing to suggest.
    if (error instanceof FileError) return '';
    throw error;
  }
}
