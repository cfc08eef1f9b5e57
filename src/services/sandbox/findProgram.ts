import { access, constants, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isInside, orUndefined } from './isInside.ts';

const WORLD_WRITABLE = 0o002;
const STICKY = 0o1000;

/**
 * The program that a plain name stands for, absolute, as it stands in PATH. Never one that a command in the workspace could have put
 * there: not in the workspace, not by a link into it, not in a folder that everybody may write.
 */
export async function findProgram(
  name: string,
  path: string | undefined,
  workspace: string,
): Promise<string | undefined> {
  if (!/^[\w][\w.+-]*$/.test(name)) return undefined;
  for (const folder of (path ?? '').split(':')) {
    if (!isAbsolute(folder) || isInside(folder, workspace)) continue;
    const file = join(folder, name);
    if (await isTrustworthy(file, folder, workspace)) return file;
  }
  return undefined;
}

async function isTrustworthy(file: string, folder: string, workspace: string): Promise<boolean> {
  const found = await orUndefined(stat(file));
  if (found?.isFile() !== true) return false;
  if ((await orUndefined(access(file, constants.X_OK).then(() => true))) !== true) return false;
  const holder = await orUndefined(stat(folder));
  if (!holder || (holder.mode & WORLD_WRITABLE && !(holder.mode & STICKY))) return false;
  const [real, realFolder] = [await orUndefined(realpath(file)), await orUndefined(realpath(folder))];
  return ![real, realFolder].some((one) => one === undefined || isInside(one, workspace));
}
