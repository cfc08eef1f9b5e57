import { git, GitError } from './git.ts';

const LONGEST_LIST = 4 * 1024 * 1024;

/** What can be said of a working tree in a line. */
export interface GitOverview {
  /** Files in the folder that are changed and not committed, new ones with them. */
  changed: number;
  /** The newest first. */
  commits: { hash: string; subject: string }[];
}

/** Undefined where there is no repository, or no git that could say. */
export async function overviewOf(
  folder: string,
  { mostCommits, signal }: { mostCommits: number; signal: AbortSignal },
): Promise<GitOverview | undefined> {
  const list = { limit: LONGEST_LIST, signal };
  const status = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty', '--', '.'];
  try {
    const { text } = await git(folder, status, list);
    const changed = text.split('\0').filter((entry) => entry !== '').length;
    return { changed, commits: await newest(folder, mostCommits, list) };
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

async function newest(
  folder: string,
  most: number,
  list: { limit: number; signal: AbortSignal },
): Promise<GitOverview['commits']> {
  try {
    const { text } = await git(folder, ['log', `--max-count=${most}`, '--format=%H %s'], list);
    return text.split('\n').flatMap((line) => {
      const [, hash, subject] = /^([0-9a-f]{40,}) (.*)$/.exec(line) ?? [];
      return hash === undefined || subject === undefined ? [] : [{ hash, subject }];
    });
  } catch (error) {
    // Before its first commit a repository has no log.
    if (error instanceof GitError) return [];
    throw error;
  }
}
