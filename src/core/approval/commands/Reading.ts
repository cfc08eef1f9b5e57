import { message, type Message } from '../../../shared/strings.ts';

/** What a shell that we know calls itself; `other` is every shell that no grammar of ours reads. */
export type Shell = 'bash' | 'zsh' | 'pwsh' | 'cmd' | 'other';

/** What joins a command to the next one; a line break is `;`. */
export type Joint = '|' | '&&' | '||' | ';';

/** A word as the program would get it. With `pattern`, `*` and `?` stand for names of files. */
export interface LiteralWord {
  text: string;
  pattern: boolean;
}

export interface Redirect {
  /** Undefined where the command names none. */
  descriptor: number | undefined;
  operator: string;
  target: string;
}

/** A simple command all of whose words are known before it runs. */
export interface LiteralCommand {
  words: LiteralWord[];
  redirects: Redirect[];
  /** What joins it to the next command; undefined after the last. */
  joint: Joint | undefined;
}

/** A simple command anywhere in the text, also where it would run only in some case. */
export interface FoundCommand {
  /** As written. */
  source: string;
  /** Undefined for a word that is only known when it runs. The program is the first; assignments before it are left out. */
  words: (string | undefined)[];
  /** What keeps this one from being literal. */
  obstacles: Message[];
  /** Position in the text that was read; commands of a text inside another one have the position there. */
  start: number;
}

/** What one grammar sees in a command. */
export interface Reading {
  /** The whole as commands in a row; undefined when anything in it is not literal. */
  literal: LiteralCommand[] | undefined;
  /** What keeps the whole from being literal, in the order of the text. */
  obstacles: Message[];
  found: FoundCommand[];
  /** Files that redirections would write, wherever they stand; expansions in them as written. */
  written: string[];
  /** Texts that programs would read: here-documents and here-strings. */
  texts: string[];
}

/** One word as a grammar decoded it. */
export interface DecodedWord {
  /** The word as the program would get it; what is only known when it runs stands in it as written. */
  text: string;
  known: boolean;
  pattern: boolean;
  obstacles: Message[];
}

const LONGEST_PIECE = 80;

/** A piece of the command for a sentence: never more than a line of it. */
export function piece(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_PIECE ? `${line.slice(0, LONGEST_PIECE)}…` : line;
}

/** What in unquoted text is not literal, in any grammar. `atStart`: whether the word begins with it. */
export function unquotedObstacles(source: string, atStart: boolean, shell: Shell): Message[] {
  // Nearly all words are such, whatever the shell.
  if (/^[\w./:,@%+-]*$/.test(source)) return [];
  const found: Message[] = [];
  const plain = source.includes('\\')
    ? source.replace(/\\[^]/g, (pair) => (pair === '\\\n' ? pair : '__'))
    : source;
  const text = piece(source);
  if (plain.includes('\\')) found.push(message('command.continuation'));
  if (/[{}]/.test(plain)) found.push(message('command.braces', { text }));
  if (/[[\]()]/.test(plain)) found.push(message('command.pattern', { text }));
  // Bash puts the person's folder after `=` and `:` too, where a word looks like an assignment.
  if (/[=:]~/.test(plain) || (atStart && plain.startsWith('~')))
    found.push(message('command.tilde', { text }));
  if (/[$`]/.test(plain)) found.push(message('command.variable', { text }));
  if (/[\s<>|&;"']/.test(plain.replaceAll('\\\n', '')) || (atStart && plain.startsWith('#')))
    found.push(message('command.syntax'));
  // Extended globs, `=program` and the like: what is left is what zsh takes as it is.
  if (shell === 'zsh' && (!/^[\w./:,@%+=*?-]*$/.test(source) || (atStart && source.startsWith('='))))
    found.push(message('command.characters', { text, shell }));
  return found;
}

/** A pattern is foreseeable where it begins with a plain folder: what it finds is then no option. Quotes beside it are not. */
export function patternObstacles(source: string): Message[] {
  const foreseeable =
    /^[\w.][\w.@+-]*\/(?:[\w.@+*?-]+\/)*[\w.@+*?-]*$/.test(source) && !source.includes('**');
  return foreseeable ? [] : [message('command.pattern', { text: piece(source) })];
}

/** Whether a redirection changes nothing and shows nothing: to /dev/null, or of one output into the other. */
export function isHarmless({ descriptor, operator, target }: Redirect): boolean {
  switch (operator) {
    case '>':
    case '>>':
      return target === '/dev/null' && (descriptor === undefined || descriptor === 1 || descriptor === 2);
    case '&>':
      return target === '/dev/null' && descriptor === undefined;
    case '<':
      return target === '/dev/null' && (descriptor === undefined || descriptor === 0);
    case '>&':
      return /^[12]$/.test(target) && (descriptor === undefined || descriptor === 1 || descriptor === 2);
    default:
      return false;
  }
}

/** Whether an operator of a redirection may change the file that it names. */
export function writes(operator: string): boolean {
  return operator.includes('>');
}
