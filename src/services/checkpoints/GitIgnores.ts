import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isCode } from './disk.ts';

/** Bytes of one file of patterns. */
const LARGEST = 1024 * 1024;

interface Level {
  /** The folder whose patterns these are, relative to the root with `/` behind it; empty for the root. */
  folder: string;
  rules: Ignore;
}

/**
 * What git would leave alone in a folder, by the patterns from its repository's root down to it. Levels are added on the way down; a
 * repository within another one starts anew, as it does for git.
 */
export class GitIgnores {
  static readonly none = new GitIgnores([], '');
  /** Says whether the patterns in force are the same as at another time. */
  readonly stamp: string;
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[], stamp: string) {
    this.#levels = levels;
    this.stamp = stamp;
  }

  /**
   * With the patterns of this folder. `names`: what stands in it; `repository`: it is the root of one. A pattern that is not usable
   * ignores nothing.
   */
  enter(
    path: string,
    folder: string,
    names: ReadonlySet<string>,
    repository: boolean,
    isUsable: (pattern: string) => boolean,
  ): GitIgnores {
    const texts: string[] = [];
    if (repository) texts.push(textOf(join(path, '.git', 'info', 'exclude')));
    if (names.has('.gitignore')) texts.push(textOf(join(path, '.gitignore')));
    const patterns = texts
      .flatMap((text) => text.split(/\r?\n/))
      .filter(isUsable)
      .join('\n');
    const levels = repository ? [] : this.#levels;
    const stamp = repository ? '' : this.stamp;
    if (patterns.trim() === '') return repository ? GitIgnores.none : this;
    const rules = ignore({ ignorecase: process.platform !== 'linux' }).add(patterns);
    return new GitIgnores([...levels, { folder, rules }], `${stamp}\n${folder}\n${patterns}`);
  }

  /** `path` is relative to the root, with `/` at the end of a folder's. The deepest level that says anything decides. */
  ignores(path: string): boolean {
    for (let index = this.#levels.length - 1; index >= 0; index--) {
      const level = this.#levels[index];
      if (!level) break;
      const { ignored, unignored } = level.rules.test(path.slice(level.folder.length));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/** Nothing where there is no such file: a `.git` that is a file, or patterns that cannot be read, leave more in the checkpoint. */
function textOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    return bytes.length > LARGEST ? '' : bytes.toString('utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP')) return '';
    throw error;
  }
}
