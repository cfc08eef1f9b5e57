import { isAbsolute, relative, sep } from 'node:path';

/** Whether the absolute path is the folder or lies below it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
