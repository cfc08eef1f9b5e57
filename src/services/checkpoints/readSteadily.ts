import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** What tells a file that did not change: while it is the same, its content is. */
export interface FileStamp {
  size: number;
  /** Epoch milliseconds, with fractions where the file system has them: of the content, and of anything. */
  modified: number;
  changed: number;
  inode: number;
  /** Whether the file was at rest when it was read: a change right behind could have the same times. */
  steady: boolean;
}

/** Milliseconds that a file must have been left alone: the tick of the kernel's clock for files, or of old file systems. */
const TICK = 50;
const COARSE_TICK = 2100;

function stampOf(status: Stats): Omit<FileStamp, 'steady'> {
  return { size: status.size, modified: status.mtimeMs, changed: status.ctimeMs, inode: status.ino };
}

/**
 * A file's bytes with the stamp that they had; undefined when there are more than `limit`. A link is not followed.
 * @throws the file system's error
 */
export function readSteadily(
  path: string,
  limit: number,
): { bytes: Buffer; mode: number; stamp: FileStamp } | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const startedAt = Date.now();
    const before = fstatSync(file);
    if (!before.isFile() || before.size > limit) return undefined;
    let bytes = Buffer.allocUnsafe(before.size);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(file, bytes, filled, bytes.length - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    bytes = bytes.subarray(0, filled);
    const after = fstatSync(file);
    const [first, second] = [stampOf(before), stampOf(after)];
    const same =
      filled === before.size &&
      first.size === second.size &&
      first.modified === second.modified &&
      first.changed === second.changed;
    return { bytes, mode: before.mode, stamp: { ...first, steady: same && atRest(first, startedAt) } };
  } finally {
    closeSync(file);
  }
}

function atRest({ modified, changed }: Omit<FileStamp, 'steady'>, now: number): boolean {
  const tick = Number.isInteger(modified / 1000) && Number.isInteger(changed / 1000) ? COARSE_TICK : TICK;
  return now - Math.max(modified, changed) > tick;
}
