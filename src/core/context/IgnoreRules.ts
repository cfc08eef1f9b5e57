import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { plainName } from '../approval/protectedPaths.ts';
import type { FileHost } from '../host/Host.ts';
import { FileError } from '../host/Host.ts';
import { ToolError } from '../tools/ToolError.ts';
import { brokenPattern } from './ignorePatterns.ts';

/** Files at the workspace root that say what Lathe may not see, ours and the peers'. All of them count. */
const IGNORE_FILES = ['.latheignore', '.kilocodeignore', '.rooignore', '.clineignore'];
/** Bytes of one ignore file, and patterns of all together. */
const LARGEST = 1024 * 1024;
const MOST_PATTERNS = 20_000;

/**
 * What the person hid from agents, with gitignore's meaning. Fails closed: while an ignore file is there but cannot be read and
 * understood, everything is refused, and so it is before the first look. Folders above the workspace have no say.
 */
export class IgnoreRules {
  readonly #root: string;
  readonly #files: FileHost;
  #stamp = '';
  #rules: Ignore | undefined;
  #lines: readonly string[] = [];
  #failure: string | undefined = 'it was not looked at yet';

  constructor(root: string, files: FileHost) {
    this.#root = root;
    this.#files = files;
  }

  /** Reads the files again where they changed. Before every use of `hides`. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      const found = await Promise.all(IGNORE_FILES.map((name) => this.#find(name)));
      const stamp = JSON.stringify(found);
      if (stamp === this.#stamp && this.#failure === undefined) return;
      const patterns: string[] = [];
      for (const file of found) if (file) patterns.push(...(await this.#patterns(file.name, signal)));
      if (patterns.length > MOST_PATTERNS)
        throw new IgnoreFileError(`the ignore files hold more than ${MOST_PATTERNS} patterns`);
      this.#rules = patterns.length === 0 ? undefined : ignore().add(patterns);
      this.#lines = patterns;
      this.#stamp = stamp;
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof FileError || error instanceof IgnoreFileError)) throw error;
      this.#failure = error.message;
    }
  }

  /** The patterns that were read last, for `hidesByRules` in a thread of its own. Only while the rules are `usable`. */
  get patterns(): readonly string[] {
    return this.#lines;
  }

  /** Whether the rules are known: there are none, or they were read and understood. */
  get usable(): boolean {
    return this.#failure === undefined;
  }

  /**
   * Whether the workspace-relative path is hidden; `/` between its parts, and at the end of a folder's.
   * However the name is spelled: in other case or Unicode form, with dots behind it, with the other slash.
   * @throws ToolError while the rules cannot be read
   */
  hides(relativePath: string): boolean {
    if (this.#failure !== undefined) {
      throw new ToolError(
        `The workspace's ignore file cannot be used (${this.#failure}), so every file is refused. Tell the person to mend it.`,
      );
    }
    return this.#rules !== undefined && hidesByRules(this.#rules, relativePath);
  }

  /** A link to nothing is not a missing file: what it hides is not known. */
  async #find(name: string): Promise<{ name: string; size: number; modifiedAt: number } | undefined> {
    const path = join(this.#root, name);
    const status = await this.#files.status(path);
    if (status) return { name, size: status.size, modifiedAt: status.modifiedAt };
    await this.#files.realPath(path);
    return undefined;
  }

  async #patterns(name: string, signal: AbortSignal): Promise<string[]> {
    const { bytes } = await this.#files.read(await this.#files.realPath(join(this.#root, name)), {
      limit: LARGEST,
      signal,
    });
    const lines = textOf(name, bytes)
      .replace(/^\ufeff/, '')
      .split(/\r?\n/);
    for (const [index, line] of lines.entries()) {
      const wrong = brokenPattern(line);
      if (wrong !== undefined) throw new IgnoreFileError(`${name}, line ${index + 1}: ${wrong}`);
    }
    return lines.map((line) => line.normalize('NFC'));
  }
}

/** Whether these rules hide the workspace-relative path, however its name is spelled. */
export function hidesByRules(rules: Ignore, relativePath: string): boolean {
  const path = relativePath.replace(/^\/+/, '');
  if (path === '' || /^\.{1,2}(\/|$)/.test(path)) return false;
  return [path.normalize('NFC'), plainPath(path)].some(
    (spelling) => spelling !== '' && rules.ignores(spelling),
  );
}

/** The path without what a careless file system drops from its names. */
function plainPath(path: string): string {
  const names = path
    .split(/[/\\]+/)
    .map(plainName)
    .filter((name) => !/^\.{0,2}$/.test(name));
  return names.join('/') + (path.endsWith('/') && names.length > 0 ? '/' : '');
}

/** The ignore file is there, and does not say what it hides. */
class IgnoreFileError extends Error {
  override readonly name = 'IgnoreFileError';
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new IgnoreFileError(`${name} is not UTF-8 text`, { cause: error });
    throw error;
  }
}
