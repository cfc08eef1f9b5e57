import { isAbsolute, relative, sep } from 'node:path';

/** Whether `path` is `folder` or lies below it, by whole components; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const found = relative(folder, path);
  return found === '' || (found !== '..' && !found.startsWith(`..${sep}`) && !isAbsolute(found));
}

/** What the file system says, or undefined where it says no: for what is only shown or looked for. */
export async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
