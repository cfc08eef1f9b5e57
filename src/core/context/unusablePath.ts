import { posix, win32 } from 'node:path';
import { isBelow } from '../approval/protectedPaths.ts';
import { ToolError } from '../tools/ToolError.ts';

/** C0, C1, bidi overrides and isolates, zero-width and tag characters: a name that holds one is not what it looks like. */
const DECEPTIVE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;
/** Characters past which no system has a path. */
const LONGEST_PATH = 4096;
/** Windows opens a device by these names in any folder and with any ending. */
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ .]*([.:].*)?$/i;
/** Not files but windows into the kernel: reading them blocks, never ends, or shows other processes. */
const KERNEL_FOLDERS = ['/dev', '/proc', '/sys'];

/** Refuses a path by its words alone, before anything on the disk is touched. @throws ToolError with what to write instead */
export function refuseUnusable(path: string, platform: NodeJS.Platform): void {
  if (path.trim() === '')
    throw new ToolError('The path is empty. Give a path relative to the workspace, such as src/index.ts.');
  if (path.length > LONGEST_PATH)
    throw new ToolError(
      `The path is too long: ${path.length} characters, beginning with ${JSON.stringify(path.slice(0, 80))}. Give the path of one file.`,
    );
  if (DECEPTIVE.test(path))
    throw new ToolError(
      `The path ${JSON.stringify(path.slice(0, 200))} holds control or invisible characters. Give the plain path.`,
    );
  if (/^~($|[/\\])/.test(path)) {
    throw new ToolError(
      `'${path}': ~ is not expanded here. Give a path relative to the workspace, or an absolute one.`,
    );
  }
  // Merely asking for a share's real path signs in to its server.
  if (platform === 'win32' && /^[/\\]{2}/.test(path))
    throw new ToolError(
      `'${path}' is a network or device path. Give a path relative to the workspace, or one that starts with a drive.`,
    );
}

/** Refuses an absolute path that leads to no plain file, unless the workspace itself lies there. @throws ToolError */
export function refuseDevice(path: string, root: string, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    const names = below(path, root, win32.sep)
      .split(/[/\\]+/)
      .filter((name) => name !== '' && !/^[a-z]:$/i.test(name));
    if (names.some((name) => DEVICE_NAME.test(name)))
      throw new ToolError(`'${path}' names a device, not a file. Give the plain path of a file.`);
    // Alternate data streams and short names reach a file by another name than its own.
    if (names.some((name) => name.includes(':') || /~\d/.test(name)))
      throw new ToolError(`'${path}' is not the plain name of a file. Give its whole name.`);
    return;
  }
  const kernel = KERNEL_FOLDERS.find((folder) => path === folder || isBelow(path, folder, posix.sep));
  if (kernel === undefined || (isBelow(root, kernel, posix.sep) && below(path, root, posix.sep) !== path))
    return;
  throw new ToolError(
    `'${path}' is part of the system's own file systems and is not read or written. Give the path of a file.`,
  );
}

function below(path: string, root: string, separator: string): string {
  if (path === root) return '';
  return isBelow(path, root, separator) ? path.slice(root.length) : path;
}
