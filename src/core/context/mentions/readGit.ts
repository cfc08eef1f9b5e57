import { relative } from 'node:path';
import { commitOf, uncommitted, type Changes } from '../../../services/git/changes.ts';
import { GitError } from '../../../services/git/git.ts';
import { message } from '../../../shared/strings.ts';
import { cutTo, MentionProblem, mentioned, type MentionSources, type Reading } from './MentionSources.ts';

const MOST_UNTRACKED = 100;
const LONGEST_MESSAGE = 4000;

/** What is changed and not committed. @throws MentionProblem */
export async function readChanges(
  written: string,
  budget: number,
  sources: MentionSources,
): Promise<Reading> {
  const { root, signal } = sources;
  const changes = await orProblem(
    written,
    uncommitted(root, { limit: budget * 2, mayRead: readable(sources), signal }),
  );
  const { untracked, branch } = changes;
  const more = untracked.length - MOST_UNTRACKED;
  const notes = [
    ...(untracked.length > 0
      ? [
          `New files that git does not know yet: ${untracked.slice(0, MOST_UNTRACKED).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`,
        ]
      : []),
    ...(changes.diff.text === '' && untracked.length === 0
      ? ['Nothing is changed since the last commit.']
      : []),
  ];
  return reading('git-changes', { branch }, notes, changes, budget);
}

/** A commit and what it changed. @throws MentionProblem */
export async function readCommit(
  written: string,
  name: string,
  budget: number,
  sources: MentionSources,
): Promise<Reading> {
  const { root, signal } = sources;
  const found = await orProblem(
    written,
    commitOf(root, name, { limit: budget * 2, mayRead: readable(sources), signal }),
  );
  const { commit } = found;
  const head = [
    `Author: ${commit.author}`,
    `Date: ${commit.date}`,
    '',
    cutTo(commit.message, LONGEST_MESSAGE).text,
  ];
  return reading('commit', { commit: commit.hash }, [head.join('\n')], found, budget);
}

function reading(
  kind: 'git-changes' | 'commit',
  origin: Readonly<Record<string, string>>,
  head: readonly string[],
  { diff, withheld, notShown }: Changes,
  budget: number,
): Reading {
  const { text, cut } = cutTo(diff.text.trimEnd(), budget);
  const isCut = cut > 0 || diff.cut || notShown.length > 0;
  const how = kind === 'commit' ? 'git show' : 'git diff HEAD';
  const notes = [
    ...(isCut
      ? [
          `(Cut after ${text.length} characters of differences. For the rest run ${how} with the paths that matter, or read the files.)`,
        ]
      : []),
    ...(withheld > 0
      ? [
          `(${withheld} changed ${withheld === 1 ? 'file is' : 'files are'} hidden, denied or may hold secrets, and not shown.)`,
        ]
      : []),
  ];
  return {
    kind,
    outcome: isCut ? 'part' : 'whole',
    content: [mentioned(kind, origin, [...head, text, ...notes].filter((part) => part !== '').join('\n\n'))],
  };
}

function readable({ gate, deny }: MentionSources): (path: string) => boolean {
  return (path) => !gate.withholds(path.replace(/\/$/, ''), { deny, secrets: false });
}

async function orProblem<T>(written: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new MentionProblem(
      `Git says: ${error.message}.`,
      message('mention.git', { mention: written, reason: error.message }),
      { cause: error },
    );
  }
}

/** The path of a problem's file, as the workspace calls it; undefined outside of it. */
export function inWorkspace(root: string, path: string): string | undefined {
  const found = relative(root, path).replaceAll('\\', '/');
  return found === '' || found === '..' || found.startsWith('../') || /^([a-z]:)?\//i.test(found)
    ? undefined
    : found;
}
