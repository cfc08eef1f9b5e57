import { posix } from 'node:path';
import type { Message } from '../../../shared/strings.ts';
import { files, program, unforeseen, type Arguments, type ValueKind } from './ProgramModel.ts';
import type { Operand } from './paths.ts';

export const NUMBER = /^[+-]?\d+[a-zA-Z]{0,3}$/;
export const WHEN = /^(always|auto|never)$/;
export const color: Readonly<Record<string, ValueKind>> = { color: WHEN, colour: WHEN };

/** The first operand is an expression, the others are files, unless options hold the expression. */
function expressionThenFiles(expression: readonly string[]) {
  return (given: Arguments, name: string): Operand[] | Message => {
    const { operands, options } = given;
    const inOption = expression.some((option) => options.has(option));
    const [first] = operands;
    if (!inOption && first?.pattern === true) return unforeseen(name, first.text);
    return files()({ ...given, operands: inOption ? operands : operands.slice(1) });
  };
}

/**
 * What is below a folder is read as well. At the root that would be `.env`, too; a hidden folder holds settings more than source.
 * Below other folders the file gate can look before.
 */
function readsBelow(
  found: Operand[] | Message,
  name: string,
  root: 'reads all' | 'skips hidden',
): Operand[] | Message {
  if (!Array.isArray(found)) return found;
  if (found.length === 0 && root === 'reads all') return unforeseen(name, '-r');
  const doubtful = found.find(({ path }) => {
    const plain = posix.normalize(path.replaceAll('\\', '/'));
    return /(^|\/)\.[^./]/.test(plain) || (root === 'reads all' && /^\.?\/?$/.test(plain));
  });
  return doubtful
    ? unforeseen(name, doubtful.path)
    : found.map((operand) => ({ ...operand, recursive: true }));
}

function searchedFiles(given: Arguments, name: string): Operand[] | Message {
  const found = expressionThenFiles(['-e', '--regexp'])(given, name);
  const recursive = given.options.has('-r') || given.options.has('--recursive');
  return recursive
    ? readsBelow(found, name, given.options.has('--include') ? 'skips hidden' : 'reads all')
    : found;
}

export const grep = program(
  {
    flags: 'EFGPivwxclLnoqshHbTZzaIUr',
    values: { e: 'text', A: NUMBER, B: NUMBER, C: NUMBER, m: NUMBER },
    long:
      'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count ' +
      'files-with-matches files-without-match line-number only-matching quiet silent no-messages with-filename no-filename ' +
      'byte-offset initial-tab null null-data text recursive line-buffered',
    longValues: {
      regexp: 'text',
      'after-context': NUMBER,
      'before-context': NUMBER,
      context: NUMBER,
      'max-count': NUMBER,
      include: 'files',
      exclude: 'text',
      'exclude-dir': 'text',
    },
    longOptional: color,
    digits: true,
  },
  searchedFiles,
);

export const ripgrep = program(
  {
    flags: 'isSwxnNlcvoFPUHIqp0abV',
    values: {
      e: 'text',
      A: NUMBER,
      B: NUMBER,
      C: NUMBER,
      m: NUMBER,
      M: NUMBER,
      j: NUMBER,
      d: NUMBER,
      r: 'text',
      t: 'text',
      T: 'text',
      g: 'files',
      E: 'text',
    },
    long:
      'ignore-case case-sensitive smart-case word-regexp line-regexp line-number no-line-number files-with-matches files-without-match ' +
      'count count-matches invert-match only-matching fixed-strings pcre2 multiline multiline-dotall with-filename no-filename quiet ' +
      'pretty null text byte-offset column no-column heading no-heading trim vimgrep passthru json stats files type-list no-messages ' +
      'no-config crlf block-buffered line-buffered no-ignore-messages version',
    longValues: {
      regexp: 'text',
      'after-context': NUMBER,
      'before-context': NUMBER,
      context: NUMBER,
      'max-count': NUMBER,
      'max-columns': NUMBER,
      'max-depth': NUMBER,
      'max-filesize': NUMBER,
      threads: NUMBER,
      replace: 'text',
      type: 'text',
      'type-not': 'text',
      glob: 'files',
      iglob: 'files',
      sort: /^(none|path|modified|accessed|created)$/,
      sortr: /^(none|path|modified|accessed|created)$/,
      encoding: 'text',
      color: /^(always|auto|never|ansi)$/,
      'context-separator': 'text',
    },
    runs: '--pre --hostname-bin --search-zip -z --hyperlink-format',
  },
  // It skips hidden and ignored files but by options that are not in its table.
  (given, name) =>
    readsBelow(
      given.options.has('--files') ? files()(given) : expressionThenFiles(['-e', '--regexp'])(given, name),
      name,
      'skips hidden',
    ),
);
