import { extname } from 'node:path';
import type { Action } from '../../shared/approvals.ts';
import type { PictureType } from '../../shared/browser.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { asToolError } from './fileErrors.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const TYPES: Readonly<Record<string, PictureType>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
/** Bytes of a file that a picture may take the place of. */
const LARGEST_BEFORE = 20 * 1024 * 1024;

/** Where a picture will be written. */
export interface PictureFile {
  resolved: ResolvedPath;
  mediaType: PictureType;
  /** Hash of what is there now; null for nothing. */
  expected: string | null;
}

/** @throws ToolError with what to do instead */
export async function pictureFile(
  path: string,
  context: TaskContext,
): Promise<{ file: PictureFile; edit: Action }> {
  const resolved = await context.resolve(path.trim(), 'edit');
  const { real, shown, insideWorkspace } = resolved;
  const mediaType = TYPES[extname(real).toLowerCase()];
  if (mediaType === undefined)
    throw new ToolError(`'${shown}' is no picture's name. End it in .png, .jpg or .webp.`);
  const expected = await hashOf(resolved, context);
  return {
    file: { resolved, mediaType, expected },
    edit: {
      type: 'edit',
      path: real,
      insideWorkspace,
      protected: resolved.protected,
      created: expected === null,
    },
  };
}

/** @returns words for the model. @throws ToolError */
export async function savePicture(
  { resolved, expected }: PictureFile,
  bytes: Uint8Array,
  files: FileHost,
  what = 'screenshot',
): Promise<string> {
  try {
    await files.write(resolved.real, bytes, expected);
    return `The ${what} is in ${resolved.shown}: ${bytes.length} bytes.`;
  } catch (error) {
    throw await asToolError(error, resolved.shown, resolved.real, files);
  }
}

async function hashOf({ real, shown }: ResolvedPath, { host, signal }: TaskContext): Promise<string | null> {
  try {
    return (await host.files.read(real, { limit: LARGEST_BEFORE, signal })).hash;
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not_found') return null;
    throw await asToolError(error, shown, real, host.files);
  }
}
