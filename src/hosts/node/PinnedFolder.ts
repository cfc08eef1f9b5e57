import { constants, existsSync } from 'node:fs';
import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { FileError } from '../../core/host/Host.ts';

/** Linux: a handle on a place, not on its content; it needs no right to list the folder. */
const O_PATH = 0o10000000;
const DESCRIPTORS = '/proc/self/fd';

/**
 * A folder that was agreed to, held so that what is done in it is done there: a folder of its path that becomes a link in between
 * leads nowhere else. On Linux each part of the path is opened from the one before and no link is followed; elsewhere the path is
 * compared with the real one, at the start and by `confirm`, which leaves a moment open.
 */
export class PinnedFolder {
  readonly #path: string;
  readonly #handle: FileHandle | undefined;

  private constructor(path: string, handle: FileHandle | undefined) {
    this.#path = path;
    this.#handle = handle;
  }

  /**
   * Opens the folder, and creates what is missing of it. `path` is absolute and has no links in it.
   * @throws FileError `not_permitted` where a link stands now, or the system's own error
   */
  static async open(path: string): Promise<PinnedFolder> {
    if (process.platform === 'linux' && existsSync(DESCRIPTORS))
      return new PinnedFolder(path, await openPart(path));
    await mkdir(path, { recursive: true });
    const folder = new PinnedFolder(path, undefined);
    await folder.confirm();
    return folder;
  }

  /** Path of an entry, for calls to the file system while this is open. */
  at(name: string): string {
    return this.#handle ? `${DESCRIPTORS}/${this.#handle.fd}/${name}` : join(this.#path, name);
  }

  /** Once more before something lands. @throws FileError when the path leads elsewhere by now */
  async confirm(): Promise<void> {
    if (this.#handle || (await realpath(this.#path)) === this.#path) return;
    throw linkError(this.#path);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

async function openPart(path: string): Promise<FileHandle> {
  const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const { root } = parse(path);
  let folder = await open(root, flags);
  let reached = root;
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) {
    const from = folder;
    reached = join(reached, name);
    const entry = `${DESCRIPTORS}/${from.fd}/${name}`;
    try {
      folder = await openOrCreate(entry, flags);
    } catch (error) {
      // With O_PATH a link opens as no folder.
      const isLink =
        error instanceof Error && 'code' in error && (error.code === 'ENOTDIR' || error.code === 'ELOOP');
      throw isLink ? linkError(reached, error) : error;
    } finally {
      await from.close();
    }
  }
  return folder;
}

async function openOrCreate(entry: string, flags: number): Promise<FileHandle> {
  try {
    return await open(entry, flags);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  try {
    await mkdir(entry);
  } catch (error) {
    // Somebody else made it first: what it is, open says.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return await open(entry, flags);
}

function linkError(path: string, cause?: unknown): FileError {
  return new FileError('not_permitted', path, { detail: `${path} is no plain folder`, cause });
}
