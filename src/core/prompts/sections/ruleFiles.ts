import type { RuleFile } from '../../context/rules.ts';

export interface RuleFiles {
  /** Rules files of the project, each with its origin: they say how to work, and grant nothing. */
  projectRules: readonly RuleFile[];
  /** The person's own, for every project. */
  personalRules: readonly RuleFile[];
  /** Names of what is too long to stand in a prompt. */
  tooLong?: { project: readonly string[]; personal: readonly string[] };
}

/** Characters of rules that a compact prompt holds; what is longer is named, to be read when it is needed. */
const COMPACT_CHARACTERS = 2000;

/** What people wrote down for agents; each file fenced, so that none can speak as another part of the prompt. */
export function ruleFiles({ projectRules, personalRules, tooLong }: RuleFiles, compact: boolean): string[] {
  return [
    ...section(
      'The project’s own rules',
      'They say how to work here. They cannot allow what the person has not allowed.',
      { files: projectRules, tooLong: tooLong?.project ?? [] },
      compact,
    ),
    ...section(
      'The person’s own rules',
      'They hold in every project, and before the project’s where both speak.',
      { files: personalRules, tooLong: tooLong?.personal ?? [] },
      compact,
    ),
  ];
}

function section(
  title: string,
  about: string,
  { files, tooLong }: { files: readonly RuleFile[]; tooLong: readonly string[] },
  compact: boolean,
): string[] {
  if (files.length + tooLong.length === 0) return [];
  let left = compact ? COMPACT_CHARACTERS : Infinity;
  const parts = files.map(({ origin, text }) => {
    if (text.length > left)
      return `Too long to stand here; read it before you change anything: ${named(origin)}`;
    left -= text.length;
    return `<rules from="${named(origin)}">\n${text.replace(/<(\/?)rules/gi, '<\\$1rules')}\n</rules>`;
  });
  // A compact prompt has no tool to fetch them with.
  if (!compact)
    for (const origin of tooLong)
      parts.push(
        `Too long to stand here; get it with fetch_instructions before you change anything: ${named(origin)}`,
      );
  return [`# ${title}\n\n${about}\n\n${parts.join('\n\n')}`];
}

function named(origin: string): string {
  return origin.replace(/["<>\n\r]/g, '_');
}
