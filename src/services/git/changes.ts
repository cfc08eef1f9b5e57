import { git, GitError, type GitOutput } from './git.ts';

const LONGEST_LIST = 4 * 1024 * 1024;
/** Paths whose differences are asked for at once: a command line has an end. */
const MOST_PATHS = 2000;
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty', '--relative'];

export interface Commit {
  hash: string;
  author: string;
  /** ISO 8601. */
  date: string;
  message: string;
}

/** What a reader is asked for, and what they may see: paths are relative to the folder, with `/`. */
export interface ReadOptions {
  /** Bytes of differences. */
  limit: number;
  mayRead: (path: string) => boolean;
  signal: AbortSignal;
}

export interface Changes {
  diff: GitOutput;
  /** Changed paths that may not be read, by number: not even their names are told. */
  withheld: number;
  /** Changed paths whose differences are not there, because they are too many. */
  notShown: string[];
}

/** What is changed in a folder of a working tree and not committed, staged or not. @throws GitError */
export async function uncommitted(
  folder: string,
  options: ReadOptions,
): Promise<Changes & { branch: string; untracked: string[] }> {
  const { mayRead, signal } = options;
  const list = { limit: LONGEST_LIST, signal };
  const branch = (
    await git(folder, ['rev-parse', '--abbrev-ref', '--symbolic-full-name', 'HEAD'], list).catch(missing)
  )?.text.trim();
  // Before the first commit there is nothing to compare with but what is staged.
  const against = branch === undefined ? '--cached' : 'HEAD';
  const names = await git(folder, ['diff', ...PLAIN, '--name-only', '-z', against], list);
  const untracked = await git(
    folder,
    ['ls-files', '--others', '--exclude-standard', '-z', '--directory'],
    list,
  );
  const changes = await diffOf(folder, paths(names.text), ['diff', ...PLAIN, against], options);
  return {
    ...changes,
    branch: branch ?? '(no commit yet)',
    untracked: paths(untracked.text).filter((path) => mayRead(path)),
  };
}

/** A commit, and what it changed in this folder. @throws GitError when there is none of that name */
export async function commitOf(
  folder: string,
  name: string,
  options: ReadOptions,
): Promise<Changes & { commit: Commit }> {
  const list = { limit: LONGEST_LIST, signal: options.signal };
  const { text: hash } = await git(
    folder,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    list,
  ).catch((error: unknown) => {
    if (error instanceof GitError && error.message.startsWith('git ended'))
      throw new GitError(`there is no commit ${name}`, { cause: error });
    throw error;
  });
  const show = ['show', '--format=', '--first-parent', '-m', ...PLAIN];
  const format = '--format=%H%x00%an%x00%aI%x00%B';
  const head = await git(folder, ['show', '--no-patch', format, hash.trim()], list);
  const [id = '', author = '', date = '', message = ''] = head.text.split('\0');
  const names = await git(folder, [...show, '--name-only', '-z', hash.trim()], list);
  const changes = await diffOf(folder, paths(names.text), [...show, '--patch', hash.trim()], options);
  return { ...changes, commit: { hash: id, author, date, message: message.trim() } };
}

async function diffOf(
  folder: string,
  changed: readonly string[],
  command: readonly string[],
  { limit, mayRead, signal }: ReadOptions,
): Promise<Changes> {
  const readable = changed.filter((path) => mayRead(path));
  const shown = readable.slice(0, MOST_PATHS);
  const diff =
    shown.length === 0
      ? { text: '', cut: false }
      : await git(folder, [...command, '--', ...shown], { limit, signal });
  return { diff, withheld: changed.length - readable.length, notShown: readable.slice(MOST_PATHS) };
}

function paths(text: string): string[] {
  return [...new Set(text.split('\0').map((path) => path.replace(/^\n/, '')))].filter((path) => path !== '');
}

function missing(error: unknown): undefined {
  if (error instanceof GitError && /unknown revision|ambiguous argument 'HEAD'|HEAD/.test(error.message))
    return undefined;
  throw error;
}
