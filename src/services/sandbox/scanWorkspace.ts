import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** How the sandbox treats a name of the workspace: read-only, not there, or as any other. */
export type Standing = 'guarded' | 'hidden' | undefined;
/** `path`: relative to the workspace, with `/`. */
export type Classify = (path: string, isFolder: boolean) => Standing;

export interface ScanEntry {
  /** Relative to the workspace. */
  path: string;
  type: 'file' | 'folder' | 'link';
  standing: 'guarded' | 'hidden';
  /** Of a link: where it points, as written. */
  target?: string;
}

/** The workspace holds more than can be looked through before each command. */
export class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge';
}

/** Entries that are looked at. */
export const MOST_ENTRIES = 200_000;
/** Entries that a sandbox can treat apart: each is a mount. */
export const MOST_APART = 2000;
/** Folders that are read at a time. */
const AT_ONCE = 32;
/** What package managers install runs as code anyway: nothing in it is worth protecting from what runs beside it. */
const PASSED_OVER = 'node_modules';

/**
 * Everything in the workspace that stands apart, not what lies below such a folder. Links are not followed.
 * @throws WorkspaceTooLarge
 */
export async function scanWorkspace(
  workspace: string,
  classify: Classify,
  signal?: AbortSignal,
): Promise<ScanEntry[]> {
  const found: ScanEntry[] = [];
  let seen = 0;
  let waiting = [''];
  while (waiting.length > 0) {
    signal?.throwIfAborted();
    const now = waiting.slice(0, AT_ONCE);
    waiting = waiting.slice(AT_ONCE);
    const listings = await Promise.all(
      now.map(async (folder) => [folder, await entriesOf(workspace, folder)] as const),
    );
    for (const [folder, entries] of listings) {
      seen += entries.length;
      for (const entry of entries) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        const isFolder = entry.isDirectory();
        const standing = classify(path, isFolder);
        if (standing === undefined) {
          if (isFolder && entry.name !== PASSED_OVER) waiting.push(path);
          continue;
        }
        if (entry.isSymbolicLink())
          found.push({ path, type: 'link', standing, target: await readlink(join(workspace, path)) });
        else found.push({ path, type: isFolder ? 'folder' : 'file', standing });
      }
    }
    if (seen > MOST_ENTRIES || found.length > MOST_APART)
      throw new WorkspaceTooLarge(`${seen} entries, ${found.length} of them apart`);
  }
  return found;
}

async function entriesOf(workspace: string, folder: string): Promise<Dirent[]> {
  try {
    return await readdir(join(workspace, folder), { withFileTypes: true });
  } catch (error) {
    // A folder that went away, or that nobody may read: nothing in it can be changed by a command of the same person either.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR') return [];
    throw error;
  }
}
