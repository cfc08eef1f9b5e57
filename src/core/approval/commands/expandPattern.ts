import { join } from 'node:path';
import { FileError, type FileHost } from '../../host/Host.ts';

/** Names that one pattern may stand for. */
const MOST = 1000;

/**
 * The files that a pattern of names stands for, as a shell would give them: sorted, without those that begin with a dot; the pattern
 * itself where there is none or there are too many.
 */
export async function expandPattern(
  pattern: string,
  cwd: string,
  files: Pick<FileHost, 'list' | 'status'>,
): Promise<string[]> {
  let found = [''];
  for (const part of pattern.split('/')) {
    const next: string[] = [];
    for (const folder of found)
      for (const name of /[*?]/.test(part) ? await namesIn(join(cwd, folder), part, files) : [part])
        next.push(folder === '' ? name : `${folder}/${name}`);
    found = next;
  }
  const there: string[] = [];
  for (const path of found.toSorted(byBytes))
    if ((await files.status(join(cwd, path))) !== undefined) there.push(path);
  // More than anyone means: the program is given the pattern, which names no file.
  return there.length === 0 || there.length > MOST ? [pattern] : there;
}

async function namesIn(folder: string, part: string, files: Pick<FileHost, 'list'>): Promise<string[]> {
  const expression = new RegExp(
    `^${part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.')}$`,
    'su',
  );
  try {
    const entries = await files.list(folder);
    return entries
      .map(({ name }) => name)
      .filter((name) => (!name.startsWith('.') || part.startsWith('.')) && expression.test(name));
  } catch (error) {
    if (error instanceof FileError) return [];
    throw error;
  }
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
