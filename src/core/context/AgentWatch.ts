import { watch, type FSWatcher } from 'node:fs';
import { basename, join } from 'node:path';

/** Milliseconds that a change is given to settle: an editor writes a file in several steps. */
const SETTLE = 150;

/** Folders of a workspace, and of LATHE_HOME, in which people write for agents. */
const PROJECT_FOLDERS = [
  '.',
  '.lathe',
  '.lathe/commands',
  '.lathe/rules',
  '.kilocode',
  '.kilocode/workflows',
  '.kilocode/rules',
  '.roo',
  '.roo/commands',
  '.roo/rules',
  '.clinerules',
];
const HOME_FOLDERS = ['.', 'commands', 'rules'];
/** What counts at a root, where much else changes. */
const AT_ROOT =
  /^(\.(lathe|kilocode|roo|clinerules)|\.(kilocode|roo)(modes|rules)|AGENTS\.md|modes\.yaml|commands|rules.*)$/;

/** Tells when a file for agents may have changed. Keeps no process alive; a folder that cannot be watched is not. */
export class AgentWatch {
  readonly #onChange: () => void;
  readonly #report: (error: unknown) => void;
  readonly #roots = new Map<string, readonly string[]>();
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(home: string, onChange: () => void, report: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#report = report;
    this.#roots.set(home, HOME_FOLDERS);
  }

  /** From now on also this workspace. */
  add(workspace: string): void {
    if (this.#disposed || (this.#roots.has(workspace) && this.#watchers.length > 0)) return;
    this.#roots.set(workspace, PROJECT_FOLDERS);
    this.#watchAll();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#close();
  }

  #watchAll(): void {
    this.#close();
    for (const [root, folders] of this.#roots)
      for (const folder of folders) this.#watch(join(root, folder), folder === '.');
  }

  #watch(folder: string, isRoot: boolean): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (isRoot && name !== null && !AT_ROOT.test(basename(name))) return;
        this.#settle();
      });
      // A watched folder that is removed: its parent tells of its return.
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#report(error);
    }
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A folder may have come or gone.
      this.#watchAll();
      this.#onChange();
    }, SETTLE).unref();
  }

  #close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }
}
