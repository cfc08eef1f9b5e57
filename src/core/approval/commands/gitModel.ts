import {
  takeApart,
  refusal,
  unforeseen,
  none,
  type Arguments,
  type OptionTable,
  type ProgramModel,
} from './ProgramModel.ts';
import { message, type Message } from '../../../shared/strings.ts';
import type { Operand } from './paths.ts';

const NUMBER = /^\d+$/;
const PERCENT = /^\d+%?$/;
/** Placeholders that ask gpg about a signature run the program that the configuration names. */
const FORMAT = /^(?![^]*%[^%]?G)[^]*$/;
const WHEN = /^(always|auto|never)$/;
const NAMES = 'text';

const diffOptions = {
  flags: 'pusRabwWzmcMCB',
  values: { U: NUMBER, S: 'text', G: 'text' },
  long:
    'patch no-patch raw patch-with-stat numstat shortstat summary name-only name-status no-color check full-index no-renames ' +
    'pickaxe-all pickaxe-regex text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ' +
    'function-context exit-code quiet no-ext-diff no-textconv minimal patience histogram no-prefix cc compact-summary no-indent-heuristic',
  longValues: {
    unified: NUMBER,
    'diff-filter': /^[A-Za-z]+$/,
    'inter-hunk-context': NUMBER,
    'diff-algorithm': /^[a-z]+$/,
  },
  longOptional: {
    stat: /^[\d,]+$/,
    color: WHEN,
    'color-words': 'text',
    'word-diff': /^(color|plain|porcelain|none)$/,
    abbrev: NUMBER,
    'find-renames': PERCENT,
    'find-copies': PERCENT,
    dirstat: /^[\w,.]+$/,
    'ignore-submodules': /^[a-z]+$/,
    submodule: /^[a-z]+$/,
  },
  digits: true,
  runs: '--ext-diff --textconv',
  writes: '--output',
} as const satisfies OptionTable;

const logOptions = {
  ...diffOptions,
  flags: `${diffOptions.flags}iEFPgt`,
  values: { ...diffOptions.values, n: NUMBER, L: 'path' },
  long:
    `${diffOptions.long} all oneline graph no-graph no-decorate no-merges merges first-parent all-match invert-grep ` +
    'regexp-ignore-case extended-regexp fixed-strings perl-regexp abbrev-commit no-abbrev-commit relative-date follow reverse ' +
    'topo-order date-order author-date-order left-right left-only right-only cherry-mark cherry-pick boundary walk-reflogs ' +
    'full-history simplify-merges parents children no-notes log-size no-mailmap mailmap use-mailmap source',
  longValues: {
    ...diffOptions.longValues,
    'max-count': NUMBER,
    skip: NUMBER,
    since: 'text',
    after: 'text',
    until: 'text',
    before: 'text',
    author: 'text',
    committer: 'text',
    grep: 'text',
    date: 'text',
    format: FORMAT,
  },
  longOptional: {
    ...diffOptions.longOptional,
    pretty: FORMAT,
    decorate: /^(short|full|auto|no)$/,
    branches: NAMES,
    tags: NAMES,
    remotes: NAMES,
  },
  runs: `${diffOptions.runs} --show-signature`,
} as const satisfies OptionTable;

/** Revisions and files cannot be told apart by their looks: all are judged as files. */
function revisionsAndFiles({ operands }: Arguments): Operand[] {
  return operands.map(({ text, pattern }) => ({ path: text, pattern, recursive: true }));
}

interface Subcommand {
  table: OptionTable;
  operands: (given: Arguments, name: string) => Operand[] | Message;
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  status: {
    table: {
      flags: 'sbvz',
      long: 'short branch long verbose show-stash ahead-behind no-ahead-behind renames no-renames null no-column',
      values: { u: /^(no|normal|all)$/ },
      longOptional: {
        porcelain: /^(v1|v2|1|2)$/,
        'untracked-files': /^(no|normal|all)$/,
        ignored: /^[a-z]+$/,
        'ignore-submodules': /^[a-z]+$/,
        column: /^[a-z,]+$/,
      },
    },
    operands: revisionsAndFiles,
  },
  log: { table: logOptions, operands: revisionsAndFiles },
  show: { table: logOptions, operands: revisionsAndFiles },
  shortlog: {
    table: { ...logOptions, flags: 'sne', values: {}, long: 'numbered summary email all no-merges' },
    operands: revisionsAndFiles,
  },
  diff: {
    table: { ...diffOptions, long: `${diffOptions.long} cached staged merge-base` },
    operands: revisionsAndFiles,
  },
  blame: {
    table: {
      flags: 'bclftnwes',
      values: { L: 'text', M: NUMBER, C: NUMBER },
      long: 'root show-name show-number show-email line-porcelain porcelain',
      longValues: { since: 'text', date: 'text' },
    },
    operands: revisionsAndFiles,
  },
  'ls-files': {
    table: {
      flags: 'cdmsoitkvz',
      long: 'cached deleted modified stage others ignored unmerged killed exclude-standard full-name error-unmatch deduplicate',
    },
    operands: revisionsAndFiles,
  },
  'ls-tree': {
    table: { flags: 'drtlz', long: 'long name-only name-status full-name full-tree' },
    operands: revisionsAndFiles,
  },
  'rev-parse': {
    table: {
      flags: 'q',
      long: 'verify quiet symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir is-inside-work-tree is-bare-repository all branches tags',
      longOptional: { 'abbrev-ref': /^(strict|loose)$/, short: NUMBER },
    },
    operands: revisionsAndFiles,
  },
  'merge-base': {
    table: { flags: 'a', long: 'all octopus independent is-ancestor fork-point' },
    operands: revisionsAndFiles,
  },
  describe: {
    table: {
      long: 'all tags contains always long first-parent exact-match',
      longValues: { match: 'text', exclude: 'text', candidates: NUMBER },
      longOptional: { abbrev: NUMBER, dirty: 'text' },
    },
    operands: revisionsAndFiles,
  },
  // With an operand these make branches, tags and remotes.
  branch: {
    table: {
      flags: 'arvq',
      long: 'all remotes list show-current verbose no-color no-column',
      longOptional: { color: WHEN },
    },
    operands: none,
  },
  tag: { table: { flags: 'n', long: 'list', longOptional: { color: WHEN } }, operands: none },
  remote: { table: { flags: 'v', long: 'verbose' }, operands: none },
};

/** Options of git itself that change nothing: they are left out where a rule is looked up. */
const GLOBAL = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs']);
const globals = {
  runs: '-c --exec-path --config-env -p --paginate',
  writes: '',
};

/** git, as far as it only looks. Which repository it looks at is part of that: -C and --git-dir ask. */
export const gitModel: ProgramModel = {
  judge: (words) => {
    const [subcommand, ...rest] = withoutGlobals(words).slice(1);
    const name = subcommand?.text ?? '';
    if (name.startsWith('-')) return { why: refusal('git', name.replace(/=.*$/s, ''), globals) };
    const known = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (!known || subcommand?.pattern === true)
      return {
        why: name === '' ? unforeseen('git', '') : message('command.noModel', { program: `git ${name}` }),
      };
    return takeApart(`git ${name}`, rest, known.table, known.operands);
  },
};

export function withoutGlobals<Word extends { text: string }>(words: readonly Word[]): Word[] {
  if (words[0]?.text !== 'git') return [...words];
  let at = 1;
  while (GLOBAL.has(words[at]?.text ?? '')) at++;
  return [...words.slice(0, 1), ...words.slice(at)];
}
