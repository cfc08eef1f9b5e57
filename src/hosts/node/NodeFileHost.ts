import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileError, type FileContent, type FileHost, type FileStatus } from '../../core/host/Host.ts';
import { PinnedFolder } from './PinnedFolder.ts';

/** Files of this machine's disk. */
export class NodeFileHost implements FileHost {
  async status(path: string): Promise<FileStatus | undefined> {
    try {
      const found = await stat(path);
      const type = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
      return { type, size: found.size, modifiedAt: found.mtimeMs };
    } catch (error) {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw fileError(error, path);
    }
  }

  async read(path: string, { limit, signal }: { limit: number; signal: AbortSignal }): Promise<FileContent> {
    signal.throwIfAborted();
    return await withFile(path, READING, async (file) => {
      await confirmPlace(file, path);
      const { size } = await regularFile(file, path);
      if (size > limit)
        throw new FileError('too_large', path, {
          detail: `${path} has ${size} bytes; the limit is ${limit}`,
        });
      const bytes = await file.readFile({ signal });
      return { bytes, hash: hashOf(bytes), unsaved: false };
    });
  }

  async readRange(path: string, start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    return await withFile(path, READING, async (file) => {
      await confirmPlace(file, path);
      await regularFile(file, path);
      const bytes = Buffer.alloc(Math.max(0, end - start));
      let filled = 0;
      while (filled < bytes.length) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    });
  }

  async write(path: string, bytes: Uint8Array, expected: string | null): Promise<{ hash: string }> {
    let folder: PinnedFolder | undefined;
    try {
      folder = await PinnedFolder.open(dirname(path));
      await this.#replace(folder, basename(path), bytes, expected);
      return { hash: hashOf(bytes) };
    } catch (error) {
      throw fileError(error, path);
    } finally {
      await folder?.close();
    }
  }

  async #replace(
    folder: PinnedFolder,
    name: string,
    bytes: Uint8Array,
    expected: string | null,
  ): Promise<void> {
    const path = folder.at(name);
    const temporary = folder.at(`.${name}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const mode = await this.#expect(path, expected);
      const file = await open(temporary, 'wx', mode ?? 0o666);
      try {
        // open() subtracts the umask; an existing file keeps its own bits.
        if (mode !== undefined) await file.chmod(mode);
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      // Once more, as late as can be: what was written in between must not be lost.
      await this.#expect(path, expected);
      await folder.confirm();
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async delete(path: string, expected: string | undefined): Promise<{ trashed: boolean }> {
    // Opening the folder would make what is missing of it.
    if (!(await this.status(path))) throw new FileError('not_found', path);
    let folder: PinnedFolder | undefined;
    try {
      folder = await PinnedFolder.open(dirname(path));
      const entry = folder.at(basename(path));
      if (expected !== undefined) await this.#expect(entry, expected);
      await folder.confirm();
      await rm(entry, { recursive: expected === undefined });
      return { trashed: false };
    } catch (error) {
      throw fileError(error, path);
    } finally {
      await folder?.close();
    }
  }

  async list(path: string): Promise<{ name: string; type: FileStatus['type'] }[]> {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.map((entry) => ({
        name: entry.name,
        type: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
      }));
    } catch (error) {
      throw fileError(error, path);
    }
  }

  async realPath(path: string): Promise<string> {
    const missing: string[] = [];
    for (let current = path; ; current = dirname(current)) {
      try {
        return join(await realpath(current), ...missing);
      } catch (error) {
        const parent = dirname(current);
        if (!isCode(error, 'ENOENT') || parent === current) throw fileError(error, path);
        // A link that points nowhere is not a missing file: writing through it would create its target.
        if (await isLink(current))
          throw new FileError('not_permitted', path, {
            detail: `${current} is a link to nothing`,
            cause: error,
          });
        missing.unshift(basename(current));
      }
    }
  }

  /** The mode bits of what is there, undefined when nothing is. */
  async #expect(path: string, expected: string | null): Promise<number | undefined> {
    let found: { hash: string; mode: number } | undefined;
    try {
      const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
      found = await withFile(path, flags, async (file) => {
        const status = await regularFile(file, path);
        return { hash: hashOf(await file.readFile()), mode: status.mode & 0o7777 };
      });
    } catch (error) {
      if (!(error instanceof FileError && error.reason === 'not_found')) throw error;
    }
    if ((found?.hash ?? null) !== expected) throw new FileError('changed', path);
    return found?.mode;
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function withFile<T>(path: string, flags: number, use: (file: OpenFile) => Promise<T>): Promise<T> {
  let file: OpenFile | undefined;
  try {
    file = await open(path, flags);
    return await use(file);
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await file?.close();
  }
}

const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * That what was opened stands where it was agreed to: a folder of its path may have become a link in between. On Linux the open file
 * itself says where it is; elsewhere the path is compared afterwards, which leaves a moment open.
 */
async function confirmPlace(file: OpenFile, path: string): Promise<void> {
  const place =
    process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`) : await realpath(path);
  // One that was replaced as it was opened is still what stood there.
  if (place === path || place === `${path} (deleted)`) return;
  throw new FileError('not_permitted', path, { detail: `${path} leads to another place by now` });
}

async function regularFile(file: OpenFile, path: string): Promise<{ size: number; mode: number }> {
  const status = await file.stat();
  if (!status.isFile()) throw new FileError('not_a_file', path);
  return status;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw fileError(error, path);
  }
}

export function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof FileError || error.name === 'AbortError') return error;
  // Calls within a pinned folder name its descriptor.
  const detail = error.message.replaceAll(/\/proc\/self\/fd\/\d+/g, () => dirname(path));
  const options = { cause: error, detail };
  if (isCode(error, 'ENOENT')) return new FileError('not_found', path, options);
  if (isCode(error, 'ENOTDIR')) return new FileError('not_a_folder', path, options);
  if (isCode(error, 'EISDIR')) return new FileError('not_a_file', path, options);
  if (isCode(error, 'EACCES', 'EPERM', 'EROFS', 'ELOOP'))
    return new FileError('not_permitted', path, options);
  return new FileError('failed', path, options);
}
