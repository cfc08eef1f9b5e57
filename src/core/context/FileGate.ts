import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ModeConfig } from '../../shared/modes.ts';
import type { ApprovalRule } from '../../shared/approvals.ts';
import { deniesReading } from '../approval/decide.ts';
import { isBelow, isProtected, mayHoldSecrets } from '../approval/protectedPaths.ts';
import { FileError, type FileHost } from '../host/Host.ts';
import { editRestriction, mayEdit } from '../modes/toolsForMode.ts';
import type { ResolvedPath } from '../tools/TaskContext.ts';
import { ToolError } from '../tools/ToolError.ts';
import { IgnoreRules } from './IgnoreRules.ts';
import { refuseDevice, refuseUnusable } from './unusablePath.ts';

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
  #knownRoot: string | undefined;
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
    const { root, homes } = this.#options;
    const { platform } = process;
    refuseUnusable(path, platform);
    const realRoot = await (this.#realRoot ??= this.#real(root));
    this.#knownRoot = realRoot;
    const asked = resolve(root, path);
    refuseDevice(asked, root, platform);
    const real = await this.#real(asked);
    refuseDevice(real, realRoot, platform);
    await this.ignore.refresh(signal);
    const shownReal = relativeTo(realRoot, real);
    for (const shown of [relativeTo(root, asked), shownReal]) {
      // A pattern for folders alone ends in a slash, and so must what it is compared with.
      if (shown !== undefined && this.ignore.hides(access === 'list' ? `${shown}/` : shown))
        throw new ToolError(
          `'${path}' is hidden by the workspace's ignore file. Do without it, or ask the person to change that file.`,
        );
    }
    if (access === 'edit') this.#refuseEdit(path, real, realRoot, shownReal, mode);
    const realHomes = await (this.#realHomes ??= Promise.all(homes.map((home) => this.#real(home))));
    const isGuarded = access === 'edit' ? isProtected : mayHoldSecrets;
    return {
      real,
      shown: shownReal ?? real,
      insideWorkspace: shownReal !== undefined,
      // By both names: a protected name that is a link elsewhere is still what the editor or git looks at.
      protected: isGuarded(real, realRoot, realHomes) || isGuarded(asked, root, homes),
    };
  }

  /**
   * Whether a walk over many files must pass over this one: it is hidden, somebody said no to reading it, or it may hold secrets and
   * nobody said yes to that. Only after `resolve`. `path` is relative to the workspace or absolute, and has no links in it.
   */
  withholds(path: string, agreed: { deny: readonly ApprovalRule[]; secrets: boolean }): boolean {
    const { root } = this.#options;
    const realRoot = this.#knownRoot ?? root;
    const real = resolve(realRoot, path);
    const shown = relativeTo(realRoot, real);
    return (
      (shown !== undefined && this.ignore.hides(shown)) ||
      (!agreed.secrets && mayHoldSecrets(real, realRoot)) ||
      deniesReading(real, agreed.deny, root)
    );
  }

  /** How people and the model know the file at this real path: workspace-relative with `/`, absolute outside. */
  async shown(real: string): Promise<string> {
    const realRoot = await (this.#realRoot ??= this.#real(this.#options.root));
    return relativeTo(realRoot, real) ?? real;
  }

  /** Those of these workspace-relative names that the model may hear of: none while the ignore file cannot be used. */
  async nameable(names: readonly string[], signal: AbortSignal): Promise<string[]> {
    await this.ignore.refresh(signal);
    return this.ignore.usable ? names.filter((name) => !this.ignore.hides(name)) : [];
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
          `'${path.slice(0, 200)}' cannot be resolved: ${error.message.slice(0, 200)}. Check the path with list_files.`,
        );
      throw error;
    }
  }
}

/** Workspace-relative with `/`, `.` for the root, undefined outside. */
function relativeTo(root: string, path: string): string | undefined {
  const found = relative(root, path);
  if (found === '') return '.';
  if (found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return undefined;
  return found.split(sep).join('/');
}
