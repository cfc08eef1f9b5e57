import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { FileHost } from '../host/Host.ts';
import { FileError } from '../host/Host.ts';
import { ToolError } from '../tools/ToolError.ts';

/** Files at the workspace root that say what Lathe may not see, ours and the peers'. All of them count. */
const IGNORE_FILES = ['.latheignore', '.kilocodeignore', '.rooignore', '.clineignore'];
const LARGEST = 1024 * 1024;

/**
 * What the person hid from agents, with gitignore's meaning. Fails closed: while an ignore file is there but cannot be read,
 * everything is refused. Folders above the workspace have no say.
 */
export class IgnoreRules {
  readonly #root: string;
  readonly #files: FileHost;
  #stamp = '';
  #rules: Ignore | undefined;
  #failure: string | undefined;

  constructor(root: string, files: FileHost) {
    this.#root = root;
    this.#files = files;
  }

  /** Reads the files again where they changed. Before every use of `refuses`. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      const statuses = await Promise.all(
        IGNORE_FILES.map((name) => this.#files.status(join(this.#root, name))),
      );
      const stamp = JSON.stringify(statuses.map((status) => status && [status.size, status.modifiedAt]));
      if (stamp === this.#stamp && this.#failure === undefined) return;
      const texts: string[] = [];
      for (const [index, status] of statuses.entries()) {
        if (!status) continue;
        const { bytes } = await this.#files.read(join(this.#root, IGNORE_FILES[index] ?? ''), {
          limit: LARGEST,
          signal,
        });
        texts.push(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      }
      this.#rules = texts.length === 0 ? undefined : ignore().add(texts.join('\n'));
      this.#stamp = stamp;
      this.#failure = undefined;
    } catch (error) {
      if (!(error instanceof FileError || error instanceof TypeError)) throw error;
      this.#failure = error.message;
    }
  }

  /** Whether the workspace-relative path (with `/`) is hidden. @throws ToolError while the rules cannot be read */
  hides(relativePath: string): boolean {
    if (this.#failure !== undefined) {
      throw new ToolError(
        `The workspace's ignore file cannot be read (${this.#failure}), so every file is refused. Tell the person to mend it.`,
      );
    }
    if (!this.#rules || relativePath === '' || relativePath === '.' || relativePath.startsWith('..'))
      return false;
    return this.#rules.ignores(relativePath);
  }
}
