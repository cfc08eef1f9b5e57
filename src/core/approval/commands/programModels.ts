import type { Message } from '../../../shared/strings.ts';
import { findModel } from './findModel.ts';
import { gitModel } from './gitModel.ts';
import {
  files,
  none,
  program,
  texts,
  unforeseen,
  type Arguments,
  type ProgramModel,
} from './ProgramModel.ts';
import type { LiteralWord } from './Reading.ts';
import type { Operand } from './paths.ts';
import { scripts } from './scriptModel.ts';
import { color, grep, NUMBER, ripgrep, WHEN } from './searchModels.ts';

/** sed's own language runs programs and writes files: only printing lines by their numbers is known to be harmless. */
const sed: ProgramModel = {
  judge: ([, ...words]) => {
    const texted = words.map(({ text }) => text);
    const [option, script, ...rest] = texted;
    const harmless =
      option === '-n' &&
      script !== undefined &&
      /^\d+(,(\d+|\$))?p$/.test(script) &&
      rest.every((text) => !text.startsWith('-'));
    if (harmless) return { operands: operandsOf(words.slice(2)) };
    const inPlace = texted.find((text) => /^(-i|--in-place)/.test(text));
    return {
      why: unforeseen(
        'sed',
        inPlace ?? (option?.startsWith('-') === true ? (script ?? option) : (option ?? 'sed')),
      ),
    };
  },
};

function operandsOf(words: readonly LiteralWord[]): Operand[] {
  return words.map(({ text, pattern }) => ({ path: text, pattern, recursive: false }));
}

/** `uniq in out` writes `out`. */
function oneFile(given: Arguments, name: string): Operand[] | Message {
  const second = given.operands[1];
  return second ? unforeseen(name, second.text) : files()(given);
}

/** Any other operand sets the clock. */
function format({ operands }: Arguments, name: string): Operand[] | Message {
  const other = operands.find(({ text, pattern }) => pattern || !text.startsWith('+'));
  return other ? unforeseen(name, other.text) : [];
}

const sums = program({ flags: 'bt', long: 'binary text tag zero' }, files());
const nothing = program({}, none);
const anyText: ProgramModel = {
  judge: ([name, ...words]) => {
    const pattern = words.find((word) => word.pattern);
    return pattern ? { why: unforeseen(name?.text ?? '', pattern.text) } : { operands: [] };
  },
};

const models: Readonly<Record<string, ProgramModel>> = {
  git: gitModel,
  find: findModel,
  rg: ripgrep,
  grep,
  egrep: grep,
  fgrep: grep,
  sed,
  npm: scripts(['test', 't'], ['run', 'run-script']),
  pnpm: scripts(['test', 't'], ['run']),
  yarn: scripts(['test'], ['run']),
  bun: scripts([], ['run']),
  echo: anyText,
  true: anyText,
  false: anyText,
  printf: program({}, texts),
  pwd: program({ flags: 'LP', long: 'logical physical' }, none),
  ls: program(
    {
      flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
      values: { I: 'text', T: NUMBER, w: NUMBER },
      long:
        'all almost-all author escape ignore-backups directory file-type group-directories-first no-group human-readable si ' +
        'dereference-command-line dereference inode kibibytes numeric-uid-gid literal hide-control-chars quote-name reverse ' +
        'recursive size zero full-time',
      longValues: {
        ignore: 'text',
        hide: 'text',
        sort: 'text',
        time: 'text',
        'time-style': 'text',
        format: 'text',
        'block-size': NUMBER,
        width: NUMBER,
        'indicator-style': 'text',
      },
      longOptional: { ...color, classify: WHEN },
    },
    files(),
  ),
  cat: program(
    {
      flags: 'AbeEnstTuv',
      long: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    },
    files(),
  ),
  tac: program({ flags: 'b', long: 'before' }, files()),
  nl: program(
    { flags: 'p', values: { b: /^[atn]$/, v: NUMBER, w: NUMBER, i: NUMBER, s: 'text', n: /^(ln|rn|rz)$/ } },
    files(),
  ),
  head: program(
    {
      flags: 'qvz',
      values: { n: NUMBER, c: NUMBER },
      long: 'quiet silent verbose zero-terminated',
      longValues: { lines: NUMBER, bytes: NUMBER },
      digits: true,
    },
    files(),
  ),
  tail: program(
    {
      flags: 'qvzr',
      values: { n: NUMBER, c: NUMBER },
      long: 'quiet silent verbose zero-terminated',
      longValues: { lines: NUMBER, bytes: NUMBER },
      digits: true,
    },
    files(),
  ),
  wc: program(
    { flags: 'clmwL', long: 'bytes chars lines max-line-length words', longValues: { total: 'text' } },
    files(),
  ),
  sort: program(
    {
      flags: 'bdfgiMhnRrVcCmsuz',
      values: { k: 'text', t: 'text', S: NUMBER },
      long:
        'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort ' +
        'numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug',
      longValues: {
        key: 'text',
        'field-separator': 'text',
        'buffer-size': NUMBER,
        parallel: NUMBER,
        sort: 'text',
      },
      longOptional: { check: 'text' },
      runs: '--compress-program',
      writes: '-o --output -T --temporary-directory',
    },
    files(),
  ),
  uniq: program(
    {
      flags: 'cdDiuz',
      values: { f: NUMBER, s: NUMBER, w: NUMBER },
      long: 'count repeated ignore-case unique zero-terminated',
      longValues: { 'skip-fields': NUMBER, 'skip-chars': NUMBER, 'check-chars': NUMBER },
    },
    oneFile,
  ),
  cut: program(
    {
      flags: 'nsz',
      values: { b: 'text', c: 'text', d: 'text', f: 'text' },
      long: 'complement only-delimited zero-terminated',
      longValues: {
        bytes: 'text',
        characters: 'text',
        delimiter: 'text',
        fields: 'text',
        'output-delimiter': 'text',
      },
    },
    files(),
  ),
  tr: program({ flags: 'cCdst', long: 'complement delete squeeze-repeats truncate-set1' }, texts),
  comm: program({ flags: '123z', long: 'check-order nocheck-order total zero-terminated' }, files()),
  cmp: program({ flags: 'bls', values: { n: NUMBER }, long: 'print-bytes verbose quiet silent' }, files()),
  diff: program(
    {
      flags: 'abBcdeEilnNpqrstTuwyZ',
      values: { U: NUMBER, C: NUMBER, W: NUMBER },
      long:
        'normal brief report-identical-files ed rcs side-by-side show-c-function expand-tabs recursive new-file ignore-case ' +
        'ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines text strip-trailing-cr minimal',
      longValues: { label: 'text', width: NUMBER },
      longOptional: { ...color, unified: NUMBER, context: NUMBER },
      digits: true,
    },
    files(['-r', '--recursive']),
  ),
  du: program(
    {
      flags: '0abchHklmPsSx',
      values: { d: NUMBER, t: NUMBER },
      long: 'all apparent-size bytes total human-readable si summarize separate-dirs one-file-system',
      longValues: { 'max-depth': NUMBER, exclude: 'text' },
    },
    files(),
  ),
  df: program(
    { flags: 'ahHiklmPT', long: 'all human-readable si inodes local portability print-type total' },
    files(),
  ),
  stat: program(
    {
      flags: 'ftLx',
      values: { c: 'text' },
      long: 'dereference file-system terse',
      longValues: { format: 'text', printf: 'text' },
    },
    files(),
  ),
  file: program(
    {
      flags: 'bhiLNr0',
      long: 'brief mime mime-type mime-encoding no-pad raw print0',
      writes: '-C --compile',
      runs: '-z --uncompress -Z',
    },
    files(),
  ),
  tree: program(
    {
      flags: 'adfishDpugQNqrtcUvJXCn',
      values: { L: NUMBER, I: 'text', P: 'text' },
      long: 'noreport dirsfirst du prune',
      writes: '-o',
    },
    files(),
  ),
  basename: program(
    { flags: 'az', values: { s: 'text' }, long: 'multiple zero', longValues: { suffix: 'text' } },
    texts,
  ),
  dirname: program({ flags: 'z', long: 'zero' }, texts),
  realpath: program({ flags: 'eLmPqsz', long: 'canonicalize-existing canonicalize-missing quiet' }, files()),
  readlink: program({ flags: 'efmnqsvz' }, files()),
  which: program({ flags: 'as' }, texts),
  uname: program({ flags: 'amnoprsvi', long: 'all' }, none),
  whoami: nothing,
  nproc: program({ long: 'all' }, none),
  id: program({ flags: 'gGnruz' }, none),
  date: program(
    {
      flags: 'uR',
      long: 'utc rfc-email',
      longOptional: { 'iso-8601': 'text', 'rfc-3339': 'text' },
      writes: '-s --set',
    },
    format,
  ),
  seq: program({ flags: 'w', values: { s: 'text', f: 'text' } }, ({ operands }, name) => {
    const odd = operands.find(({ text }) => !/^\d+$/.test(text));
    return odd ? unforeseen(name, odd.text) : [];
  }),
  md5sum: sums,
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
};

/** What is known of the program, by its plain name. */
export function modelOf(name: string): ProgramModel | undefined {
  return Object.hasOwn(models, name) ? models[name] : undefined;
}
