import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { McpConfigProblem } from '../../shared/mcp.ts';
import { message } from '../../shared/strings.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import { parseConfig } from './parseConfig.ts';

/** The project's files, in the order of precedence. */
const PROJECT_FILES = [
  '.lathe/mcp.json',
  '.kilocode/mcp.json',
  '.roo/mcp.json',
  '.mcp.json',
  '.vscode/mcp.json',
];
const USER_FILE = 'mcp.json';
/** Bytes of a configuration. */
const LARGEST = 1024 * 1024;

export interface ConfigFilesOptions {
  /** LATHE_HOME. */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that a change is given to settle. */
  debounce: number;
}

/** Every entry of every file, in order of precedence; several may have one name. */
export interface ConfigRead {
  servers: McpServerConfig[];
  problems: McpConfigProblem[];
}

/** The files that name servers: the project's, then the person's own. */
export class ConfigFiles {
  readonly #options: ConfigFilesOptions;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConfigFilesOptions) {
    this.#options = options;
  }

  get userFile(): string {
    return join(this.#options.home, USER_FILE);
  }

  async read(workspace: string | undefined): Promise<ConfigRead> {
    const files = [
      ...(workspace === undefined
        ? []
        : PROJECT_FILES.map((path) => ({ path: join(workspace, path), kind: 'project' as const }))),
      { path: this.userFile, kind: 'user' as const },
    ];
    const read = await Promise.all(
      files.map(async ({ path, kind }): Promise<ConfigRead> => {
        const found = await contentOf(path);
        if (found === undefined) return { servers: [], problems: [] };
        if ('problem' in found) return { servers: [], problems: [found] };
        const { servers, problems } = parseConfig(found.content, {
          source: { kind, path },
          workspace: workspace ?? this.#options.home,
          environment: this.#options.environment,
        });
        return { servers, problems: problems.map((problem) => ({ path, problem })) };
      }),
    );
    return {
      servers: read.flatMap(({ servers }) => servers),
      problems: read.flatMap(({ problems }) => problems),
    };
  }

  /** Tells of changes, some time after the last of several. Folders that appear later are noticed by their parent. */
  watch(workspace: string | undefined, onChange: () => void): void {
    this.#close();
    const names = new Set([...PROJECT_FILES.map((path) => basename(path)), USER_FILE]);
    const folders = new Set([
      this.#options.home,
      ...(workspace === undefined ? [] : PROJECT_FILES.map((path) => dirname(join(workspace, path)))),
    ]);
    const ours = new Set([...folders].map((folder) => basename(folder)));
    for (const folder of folders) {
      try {
        const watcher = watch(folder, { persistent: false }, (_event, name) => {
          if (name !== null && !names.has(name) && !ours.has(name)) return;
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => {
            // A folder may have come or gone.
            this.watch(workspace, onChange);
            onChange();
          }, this.#options.debounce);
        });
        // A watched folder that is removed: its parent tells of its return.
        watcher.on('error', () => watcher.close());
        this.#watchers.push(watcher);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      }
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#close();
  }

  #close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }
}

async function contentOf(path: string): Promise<{ content: string } | McpConfigProblem | undefined> {
  try {
    const content = await readFile(path);
    if (content.length > LARGEST)
      return { path, problem: message('mcp.config.unreadable', { reason: `${content.length} B` }) };
    return { content: content.toString('utf8') };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { path, problem: message('mcp.config.unreadable', { reason: code }) };
  }
}
