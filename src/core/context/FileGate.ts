import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ModeConfig } from '../../shared/modes.ts';
import { isBelow, isProtected } from '../approval/protectedPaths.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { editRestriction, mayEdit } from '../modes/toolsForMode.ts';
import type { ResolvedPath } from '../tools/TaskContext.ts';
import { ToolError } from '../tools/ToolError.ts';
import { IgnoreRules } from './IgnoreRules.ts';

/** C0, C1, bidi overrides and isolates, zero-width and tag characters: a name that holds one is not what it looks like. */
const DECEPTIVE = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;
/** Not files but windows into the kernel: reading them blocks, never ends, or shows other processes. */
const KERNEL_FOLDERS = ['/dev', '/proc', '/sys'];

export interface FileGateOptions {
  /** The workspace root, absolute. */
  root: string;
  /** Folders whose content is always protected: our own data. */
  homes: readonly string[];
  files: FileHost;
}

/**
 * The one gate of every path of every tool: what it really is (links resolved), whether it lies in the workspace, whether it is
 * protected, whether it is hidden, and whether this mode may edit it. What cannot be decided is refused.
 */
export class FileGate {
  readonly ignore: IgnoreRules;
  readonly #options: FileGateOptions;
  #realRoot: Promise<string> | undefined;
  #realHomes: Promise<string[]> | undefined;

  constructor(options: FileGateOptions) {
    this.#options = options;
    this.ignore = new IgnoreRules(options.root, options.files);
  }

  /** @throws ToolError with what to do instead */
  async resolve(
    path: string,
    access: 'read' | 'edit' | 'list',
    mode: ModeConfig,
    signal: AbortSignal,
  ): Promise<ResolvedPath> {
    refuseDeceptive(path);
    const { root } = this.#options;
    const realRoot = await (this.#realRoot ??= this.#real(root));
    const asked = resolve(root, path);
    refuseDevice(asked);
    const real = await this.#real(asked);
    refuseDevice(real);
    await this.ignore.refresh(signal);
    const shownAsked = relativeTo(root, asked);
    const insideWorkspace = real === realRoot || isBelow(real, realRoot);
    const shownReal = insideWorkspace ? relativeTo(realRoot, real) : undefined;
    if (
      (shownAsked !== undefined && this.ignore.hides(shownAsked)) ||
      (shownReal !== undefined && this.ignore.hides(shownReal))
    ) {
      throw new ToolError(
        `'${path}' is hidden by the workspace's ignore file. Do without it, or ask the person to change that file.`,
      );
    }
    if (access === 'edit') this.#refuseEdit(path, real, realRoot, shownReal, mode);
    const homes = await (this.#realHomes ??= Promise.all(
      this.#options.homes.map((home) => this.#real(home)),
    ));
    return { real, shown: shownReal ?? real, insideWorkspace, protected: isProtected(real, realRoot, homes) };
  }

  #refuseEdit(
    path: string,
    real: string,
    realRoot: string,
    shownReal: string | undefined,
    mode: ModeConfig,
  ): void {
    if (real === realRoot || isBelow(realRoot, real)) {
      throw new ToolError(`'${path}' is the workspace itself, not a file in it. Name a file.`);
    }
    // Outside the workspace the whole path is tested: a mode that may only edit some files may not edit others elsewhere.
    if (mayEdit(mode, shownReal ?? real)) return;
    const { description, fileRegex } = editRestriction(mode) ?? { description: 'no files', fileRegex: '' };
    throw new ToolError(
      `${mode.name} mode may only edit: ${description} (pattern ${fileRegex}); '${path}' is none of these. ` +
        `Write to such a file, or call switch_mode if the task needs this edit.`,
    );
  }

  async #real(path: string): Promise<string> {
    try {
      return await this.#options.files.realPath(path);
    } catch (error) {
      // What cannot be resolved is refused, never used as it was asked.
      if (error instanceof FileError)
        throw new ToolError(
          `'${path}' cannot be resolved: ${error.message}. Check the path with list_files.`,
        );
      throw error;
    }
  }
}

function refuseDeceptive(path: string): void {
  if (path.trim() === '')
    throw new ToolError('The path is empty. Give a path relative to the workspace, such as src/index.ts.');
  if (DECEPTIVE.test(path))
    throw new ToolError(
      `The path ${JSON.stringify(path.slice(0, 200))} holds control or invisible characters. Give the plain path.`,
    );
  if (path === '~' || path.startsWith('~/')) {
    throw new ToolError(
      `'${path}': ~ is not expanded here. Give a path relative to the workspace, or an absolute one.`,
    );
  }
}

function refuseDevice(path: string): void {
  const names = path.split(/[/\\]+/).filter((name) => name !== '');
  const windows = process.platform === 'win32';
  if (names.some((name) => DEVICE_NAME.test(name)))
    throw new ToolError(`'${path}' names a device, not a file.`);
  // Alternate data streams and short names reach a file by another name than its own.
  if (windows && names.some((name, index) => (name.includes(':') && index > 0) || /~\d/.test(name))) {
    throw new ToolError(`'${path}' is not the plain name of a file.`);
  }
  if (KERNEL_FOLDERS.some((folder) => path === folder || isBelow(path, folder))) {
    throw new ToolError(`'${path}' is part of the system's own file systems and is not read or written.`);
  }
}

/** Workspace-relative with `/`, `.` for the root, undefined outside. */
function relativeTo(root: string, path: string): string | undefined {
  const found = relative(root, path);
  if (found === '') return '.';
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return undefined;
  return found.split(sep).join('/');
}
