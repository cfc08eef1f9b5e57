import { sep } from 'node:path';
import { AGENT_NAMES, AGENT_PATTERNS, PROTECTED_NAMES, SECRET_NAMES } from './protectedNames.ts';

/** Files that hold keys and tokens: reading them shows them to the model's provider, so that asks too. */
const SECRET_PATTERNS = [
  /^\.env/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)($|[._-])/,
  /\.(pem|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^[^.].*\.key$/,
];

const PROTECTED_PATTERNS = [
  ...AGENT_PATTERNS,
  /\.code-workspace$/,
  /\.sublime-project$/,
  /\.desktop$/,
  // The short names that a careless file system gives to .git and its kin.
  /^git[a-z]{0,4}~\d$/,
];

/** Names in a row that are protected together. */
const PROTECTED_SEQUENCES = [
  ['.github', 'workflows'],
  ['.github', 'actions'],
  ['.github', 'hooks'],
  ['.github', 'agents'],
  ['.github', 'prompts'],
  ['.github', 'instructions'],
  ['.github', 'copilot-instructions.md'],
  ['.github', 'dependabot.yml'],
  ['powershell', 'profile.ps1'],
];

const SECRET_SEQUENCES = [['.git', 'config']];

/** Example files hold no secrets and are meant to be edited. */
const EXAMPLES = /^\.env(\.[a-z]+)?\.(example|sample|template|dist)$/;

/** One name without what some file systems drop: characters that nobody sees, a stream's name, dots and spaces at the end. */
export function plainName(name: string): string {
  return (
    name
      .normalize('NFC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replace(/(?<=.):.*$/s, '')
      .replace(/[. ]+$/, '') || name
  );
}

/** One name as a careless file system would compare it: plain, with compatibility forms and case folded (`ß` as `ss`, too). */
export function foldName(name: string): string {
  return plainName(name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC'));
}

/**
 * Whether changing this file could change what runs or what is allowed. `path` is a real path, absolute; only the part below
 * `root` is judged when it lies there, so that a workspace under such a folder is not protected as a whole.
 * Everything in one of `homes` (our own data folder) is protected.
 */
export function isProtected(path: string, root: string, homes: readonly string[]): boolean {
  const names = judgedNames(path, root);
  return (
    isInside(path, homes) ||
    names.some(
      (name) =>
        PROTECTED_NAMES.has(name) ||
        AGENT_NAMES.has(name) ||
        isSecretName(name) ||
        PROTECTED_PATTERNS.some((pattern) => pattern.test(name)),
    ) ||
    holdsSequence(names, [...PROTECTED_SEQUENCES, ...SECRET_SEQUENCES])
  );
}

/** Whether reading this file could show a secret. As isProtected; takes workspace-relative paths too. */
export function mayHoldSecrets(path: string, root = '', homes: readonly string[] = []): boolean {
  const names = judgedNames(path, root);
  return isInside(path, homes) || names.some(isSecretName) || holdsSequence(names, SECRET_SEQUENCES);
}

function isSecretName(name: string): boolean {
  return (
    SECRET_NAMES.has(name) || (SECRET_PATTERNS.some((pattern) => pattern.test(name)) && !EXAMPLES.test(name))
  );
}

function judgedNames(path: string, root: string): string[] {
  const judged = root !== '' && isBelow(path, root) ? path.slice(root.length) : path;
  return judged
    .split(/[/\\]+/)
    .filter((name) => name !== '')
    .map(foldName);
}

function holdsSequence(names: readonly string[], sequences: readonly (readonly string[])[]): boolean {
  return sequences.some((sequence) =>
    names.some((_, at) => sequence.every((part, offset) => names[at + offset] === part)),
  );
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || isBelow(path, folder));
}

/** Whether `path` lies below `folder`, by whole components; both absolute, without `..`. */
export function isBelow(path: string, folder: string, separator: string = sep): boolean {
  const base = folder.endsWith(separator) ? folder : folder + separator;
  return path.length > base.length && path.startsWith(base);
}
