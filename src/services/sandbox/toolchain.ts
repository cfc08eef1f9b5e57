import { realpath, lstat, readlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { SystemFolders } from './bubblewrap.ts';
import { isInside, orUndefined } from './isInside.ts';
import type { Shown } from './SandboxProfile.ts';

/** What a machine has for building and testing, in the places that the sandbox shows. */
export interface Toolchain {
  /** Outside of the system's own folders. */
  shown: Shown[];
  /** Folders of programs that the command will find, in order. */
  path: string[];
}

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix/store',
  '/gnu/store',
];

/** Beside a folder `bin`: what its programs load. */
const BESIDE = ['lib', 'lib64', 'libexec', 'include', 'Cellar', 'opt'];

/** In a home: programs that version managers brought, and packages that were downloaded. Never their settings, which hold keys. */
const IN_HOME = [
  ...['.nvm/versions', '.volta/tools', '.volta/bin', '.fnm', '.local/share/fnm', '.n/bin', '.n/lib'],
  ...['.asdf/installs', '.asdf/shims', '.local/share/mise/installs', '.local/share/mise/shims'],
  ...[
    '.npm/_cacache',
    '.cache/node',
    '.cache/yarn',
    '.yarn/berry/cache',
    '.local/share/pnpm',
    '.bun/install/cache',
  ],
  ...['.cache/ms-playwright', '.cache/puppeteer', '.cache/Cypress', '.cache/deno'],
  ...[
    '.pyenv/versions',
    '.pyenv/shims',
    '.pyenv/libexec',
    '.cache/pip',
    '.cache/uv',
    '.local/share/uv/python',
  ],
  ...[
    '.rbenv/versions',
    '.rbenv/shims',
    '.rbenv/libexec',
    '.rustup',
    '.cargo/bin',
    '.cargo/registry',
    '.cargo/git',
  ],
  ...['go/pkg/mod', '.m2/repository', '.gradle/caches', '.gradle/wrapper', '.sdkman/candidates'],
];

/** The system's folders as they are here: folders to show, and links to make again. */
export async function systemFolders(): Promise<SystemFolders> {
  const folders: string[] = [];
  const links: { path: string; target: string }[] = [];
  for (const path of SYSTEM) {
    const found = await orUndefined(lstat(path));
    if (found?.isDirectory() === true) folders.push(path);
    else if (found?.isSymbolicLink() === true) links.push({ path, target: await readlink(path) });
  }
  return { folders, links };
}

/** What lies outside the system's folders, by PATH and by where version managers and package managers keep things. */
export async function findToolchain(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  workspace: string,
): Promise<Toolchain> {
  const shown: Shown[] = [];
  const path: string[] = [];
  const add = async (to: string): Promise<boolean> => {
    if (isInside(home, to) || isInside(to, workspace) || isInside(workspace, to)) return false;
    const from = await orUndefined(realpath(to));
    if (from === undefined || isInside(home, from) || isInside(from, workspace)) return false;
    shown.push({ from, to });
    return true;
  };
  for (const folder of (environment.PATH ?? '').split(':')) {
    if (!isAbsolute(folder) || path.includes(folder)) continue;
    if (SYSTEM.some((one) => isInside(folder, one))) {
      path.push(folder);
      continue;
    }
    if (!(await add(folder))) continue;
    path.push(folder);
    if (basename(folder) === 'bin') for (const name of BESIDE) await add(join(dirname(folder), name));
  }
  for (const name of IN_HOME) await add(join(home, name));
  return { shown: distinct(shown), path };
}

function distinct(shown: readonly Shown[]): Shown[] {
  return [...new Map(shown.map((one) => [one.to, one])).values()];
}
