import { message, type Message } from '../../../shared/strings.ts';
import type { LiteralWord } from './Reading.ts';
import { mayHoldSecrets } from '../protectedPaths.ts';
import { matchesSecret, type Operand } from './paths.ts';

/** What the value of an option is: text that is shown or compared, a file, names of files by a pattern, or a text of this form. */
export type ValueKind = 'text' | 'path' | 'files' | RegExp;

export interface OptionTable {
  /** Letters of options without a value. They may stand together. */
  flags?: string;
  /** Letters of options with a value, which may follow the letter at once. */
  values?: Readonly<Record<string, ValueKind>>;
  /** Names of long options without a value, blanks between them. */
  long?: string;
  /** Long options with a value, after `=` or in the next word. */
  longValues?: Readonly<Record<string, ValueKind>>;
  /** Long options whose value can only stand after `=`, and may be missing. */
  longOptional?: Readonly<Record<string, ValueKind>>;
  /** `-20` */
  digits?: boolean;
  /** Options that are known to run programs, or to change files: for the explanation only, none of them is automatic. */
  runs?: string;
  writes?: string;
}

/** The words of a command after those that name what it does, taken apart. */
export interface Arguments {
  options: ReadonlyMap<string, string | undefined>;
  /** Every word that is no option. */
  operands: readonly LiteralWord[];
  /** Files that options name. */
  paths: readonly Operand[];
}

/** The files that a command is given, or why it asks. */
export type Modelled = { operands: Operand[] } | { why: Message };

/** What is known of a program: which arguments only read, within the workspace. What it does not know asks. */
export interface ProgramModel {
  /** It runs what the project says, and so may change the workspace. Others only look. */
  readonly changes?: true;
  /** `words` begins with the program. */
  judge: (words: readonly LiteralWord[]) => Modelled;
}

/** A program with one table of options. `operands` says which of the other words are files; refused words are a Message. */
export function program(
  table: OptionTable,
  operands: (given: Arguments, name: string) => Operand[] | Message,
): ProgramModel {
  return {
    judge: ([name, ...words]) => takeApart(name?.text ?? '', words, table, operands),
  };
}

export function takeApart(
  name: string,
  words: readonly LiteralWord[],
  table: OptionTable,
  operands: (given: Arguments, name: string) => Operand[] | Message,
): Modelled {
  const given = parseArguments(name, words, table);
  if ('key' in given) return { why: given };
  const found = operands(given, name);
  return Array.isArray(found) ? { operands: [...given.paths, ...found] } : { why: found };
}

/** All operands are files. `recursive`: the options with which the program reads what is below a folder. */
export function files(recursive: readonly string[] = []) {
  return ({ operands, options }: Arguments): Operand[] =>
    operands.map(({ text, pattern }) => ({
      path: text,
      pattern,
      recursive: recursive.some((option) => options.has(option)),
    }));
}

/** Operands are text that is shown or compared: they name no file. Patterns would become files. */
export function texts({ operands }: Arguments, name: string): Operand[] | Message {
  const pattern = operands.find((word) => word.pattern);
  return pattern ? unforeseen(name, pattern.text) : [];
}

export function none({ operands }: Arguments, name: string): Operand[] | Message {
  const [first] = operands;
  return first ? unforeseen(name, first.text) : [];
}

export function unforeseen(name: string, operand: string): Message {
  return message('command.operand', { program: name, operand });
}

/** Options by an allow-list: what is not in the table asks, and so do shortened names. */
export function parseArguments(
  name: string,
  words: readonly LiteralWord[],
  table: OptionTable,
): Arguments | Message {
  const options = new Map<string, string | undefined>();
  const operands: LiteralWord[] = [];
  const paths: Operand[] = [];
  const refuse = (option: string): Message => refusal(name, option, table);
  const take = (option: string, kind: ValueKind, word: LiteralWord): Message | undefined => {
    if (word.pattern || !isValue(kind, word.text)) return refuse(option);
    options.set(option, word.text);
    if (kind === 'path') paths.push({ path: word.text, pattern: false, recursive: false });
    return undefined;
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const { text } = word;
    /** The next word as a value. One that looks like an option may be one: asks. */
    const next = (): LiteralWord | undefined => {
      const value = words[++at];
      return value === undefined || (value.text.startsWith('-') && !/^-\d*$/.test(value.text))
        ? undefined
        : value;
    };
    if (text === '--') {
      const rest = words.slice(at + 1);
      // Harmless for a program that knows `--`, and this one may not.
      const doubtful = rest.find((one) => one.text.startsWith('-') && one.text !== '-');
      if (doubtful) return refuse(doubtful.text);
      operands.push(...rest);
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      operands.push(word);
      continue;
    }
    if (word.pattern) return refuse(text);
    if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      const option = equals < 0 ? text.slice(2) : text.slice(2, equals);
      const attached = equals < 0 ? undefined : { text: text.slice(equals + 1), pattern: false };
      const optional = own(table.longOptional, option);
      const kind = own(table.longValues, option);
      if (attached === undefined && (optional !== undefined || names(table.long).has(option))) {
        options.set(`--${option}`, undefined);
        continue;
      }
      const value = attached ?? (kind === undefined ? undefined : next());
      const kindOfValue = kind ?? (attached ? optional : undefined);
      const why =
        kindOfValue === undefined || !value ? refuse(`--${option}`) : take(`--${option}`, kindOfValue, value);
      if (why) return why;
      continue;
    }
    if (table.digits === true && /^-\d+$/.test(text)) {
      options.set('-digits', text.slice(1));
      continue;
    }
    for (let letter = 1; letter < text.length; letter++) {
      const option = text.charAt(letter);
      if (table.flags?.includes(option) === true) {
        options.set(`-${option}`, undefined);
        continue;
      }
      const kind = own(table.values, option);
      const rest = text.slice(letter + 1);
      const value = kind === undefined ? undefined : rest === '' ? next() : { text: rest, pattern: false };
      const why =
        kind === undefined || !value
          ? refuse(letter === 1 && text.length === 2 ? text : `-${option}`)
          : take(`-${option}`, kind, value);
      if (why) return why;
      break;
    }
  }
  return { options, operands, paths };
}

/** Why an option asks: what it does where that is known. Shortened and joined ones are known by their full names. */
export function refusal(
  name: string,
  option: string,
  { runs, writes }: Pick<OptionTable, 'runs' | 'writes'>,
): Message {
  const args = { program: name, option };
  const stands = (list: string | undefined): boolean =>
    [...names(list)].some(
      (known) =>
        known === option || (option.length > 3 && option.startsWith('--') && known.startsWith(option)),
    );
  if (stands(runs)) return message('command.optionRuns', args);
  if (stands(writes)) return message('command.optionWrites', args);
  return message('command.optionUnknown', args);
}

function isValue(kind: ValueKind, text: string): boolean {
  if (kind === 'text') return true;
  if (kind === 'path') return text !== '';
  if (kind === 'files')
    return (
      text.startsWith('!') ||
      !(text === '' || /[[\]{}]/.test(text) || matchesSecret(text) || mayHoldSecrets(text))
    );
  return kind.test(text);
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function names(list: string | undefined): ReadonlySet<string> {
  return new Set((list ?? '').split(' ').filter((name) => name !== ''));
}
