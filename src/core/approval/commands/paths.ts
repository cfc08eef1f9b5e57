import { posix } from 'node:path';
import { message, type Message } from '../../../shared/strings.ts';
import { AGENT_NAMES, PROTECTED_NAMES, SECRET_NAMES } from '../protectedNames.ts';
import { isBelow, isProtected, mayHoldSecrets } from '../protectedPaths.ts';

/** A path that a command would be given. */
export interface Operand {
  /** As the program gets it; with `*` and `?` when `pattern`. */
  path: string;
  pattern: boolean;
  /** Whether the program reads what lies below a folder, too. */
  recursive: boolean;
}

/** Where paths are judged: absolute, with `/`. The folder in which the command runs is `cwd`. */
export interface Places {
  workspace: string;
  /** False where the workspace has no place on a disk: all absolute paths are outside then. */
  absolute: boolean;
  cwd: string;
  /** Our own data folders. */
  homes: readonly string[];
}

/** A workspace that is on no disk. */
export const NOWHERE: Places = { workspace: '/workspace', cwd: '/workspace', absolute: false, homes: [] };

/**
 * Why a path asks, by its name alone: links are resolved by the file gate, before the command runs.
 * `access`: what the program may do with the file.
 */
export function pathObstacles(
  { path, pattern }: Omit<Operand, 'recursive'>,
  access: 'read' | 'write',
  places: Places,
): Message[] {
  if (path === '/dev/null' || path === '-') return [];
  const found: Message[] = [];
  for (const candidate of pathsIn(path)) {
    const real = resolve(candidate, places);
    if (real === undefined) return [message('why.outsideWorkspace', { path })];
    if (
      access === 'write'
        ? isProtected(real, places.workspace, places.homes)
        : mayHoldSecrets(real, places.workspace, places.homes)
    )
      found.push(message(access === 'write' ? 'why.protected' : 'why.secret', { path }));
    if (pattern && matchesSecret(candidate)) found.push(message('why.secret', { path }));
  }
  return found.slice(0, 1);
}

/** What follows `=` or `:` may be a path, too: an option's value, a file of a commit. */
export function pathsIn(word: string): string[] {
  return [word, ...tails(word, '='), ...tails(word, ':')];
}

/** Whether a redirection into this file would change a protected one. The name may hold expansions, and a person's folder. */
export function isProtectedTarget(target: string, places: Places): boolean {
  const path = posix.normalize(posix.resolve(places.cwd, target.replaceAll('\\', '/')));
  return isProtected(path, places.workspace, places.homes);
}

/** Whether a pattern of file names could stand for one that may hold secrets. */
export function matchesSecret(pattern: string): boolean {
  return pattern
    .split(/[/\\]+/)
    .filter((name) => /[*?]/.test(name))
    .some((name) => {
      const expression = new RegExp(
        `^${name
          .toLowerCase()
          .replace(/[.+^${}()|[\]\\]/g, '\\$&')
          .replace(/\*+/g, '.*')
          .replaceAll('?', '.')}$`,
        's',
      );
      return SECRET_SAMPLES.some((sample) => expression.test(sample));
    });
}

/** Names that may hold secrets, and folders whose content may; one of each kind that protectedPaths has a pattern for. */
const SECRET_SAMPLES: readonly string[] = [
  ...SECRET_NAMES,
  ...[...PROTECTED_NAMES, ...AGENT_NAMES].filter((name) => name.startsWith('.git')),
  ...['.env', '.env.local', '.env.production', '.envrc', 'a.env', 'prod.env', 'production.env', 'local.env'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_rsa.old', 'id_ed25519_work'],
  ...['pem', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ppk', 'key'].flatMap((ending) => [
    `a.${ending}`,
    `server.${ending}`,
    `private.${ending}`,
  ]),
];

function tails(path: string, separator: string): string[] {
  return path
    .split(separator)
    .map((_, at, all) => all.slice(at).join(separator))
    .filter((tail, at) => at > 0 && tail !== '');
}

/** The absolute path, or undefined when it lies outside the workspace. Backslashes separate as well: on Windows they do. */
function resolve(path: string, { workspace, cwd, absolute }: Places): string | undefined {
  const plain = path
    .replaceAll('\\', '/')
    .split('/')
    // Some disks drop dots and blanks at the end of a name.
    .map((name) => (/^\.\.[. ]*$/.test(name) ? '..' : name))
    .join('/');
  if (/^([A-Za-z]:($|\/)|~|\/\/)/.test(plain) || (!absolute && plain.startsWith('/'))) return undefined;
  const real = posix.resolve(cwd, plain);
  return real === workspace || isBelow(real, workspace, '/') ? real : undefined;
}
