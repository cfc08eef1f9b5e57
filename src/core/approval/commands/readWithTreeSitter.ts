import type { Parser } from 'web-tree-sitter';
import { message, type Message } from '../../../shared/strings.ts';
import { plainNode, type PlainNode } from './PlainNode.ts';
import {
  patternObstacles,
  piece,
  unquotedObstacles,
  writes,
  type DecodedWord,
  type FoundCommand,
  type Joint,
  type LiteralCommand,
  type Reading,
  type Redirect,
  type Shell,
} from './Reading.ts';

const JOINTS: Readonly<Record<string, Joint>> = { '|': '|', '&&': '&&', '||': '||', ';': ';', '\n': ';' };

/** What tree-sitter's bash grammar sees. Never throws on any text; walks without recursion, however deep the text is nested. */
export function readWithTreeSitter(text: string, parser: Parser, shell: Shell): Reading {
  const tree = parser.parse(text);
  if (!tree)
    return {
      literal: undefined,
      obstacles: [message('command.syntax')],
      found: [],
      written: [],
      texts: [],
    };
  try {
    const { rootNode } = tree;
    const root = plainNode(rootNode, text, KINDS);
    return new TreeReader({ text, root, hasError: rootNode.hasError, shell }).read();
  } finally {
    tree.delete();
  }
}

/** Of bash's grammar: it is the only one that is read here. */
const KINDS = new Map<number, Pick<PlainNode, 'type' | 'isNamed'>>();

interface ReadTree {
  text: string;
  root: PlainNode;
  hasError: boolean;
  shell: Shell;
}

class TreeReader {
  readonly #text: string;
  readonly #root: PlainNode;
  readonly #hasError: boolean;
  readonly #shell: Shell;
  readonly #commands: LiteralCommand[] = [];
  readonly #obstacles: Message[] = [];

  constructor({ text, root, hasError, shell }: ReadTree) {
    this.#text = text;
    this.#root = root;
    this.#hasError = hasError;
    this.#shell = shell;
  }

  read(): Reading {
    this.#readCommands();
    const gaps = this.#gaps();
    if (this.#hasError || gaps.length > 0) this.#obstacles.push(message('command.syntax'));
    const last = this.#commands.at(-1);
    if (last) last.joint = undefined;
    return {
      literal: this.#obstacles.length === 0 && last ? this.#commands : undefined,
      obstacles: this.#obstacles,
      ...this.#findAll(),
    };
  }

  /** The row of commands, in the order of the text: with these kinds of nodes alone that order is the order in which they run. */
  #readCommands(): void {
    const waiting: PlainNode[] = [this.#root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      switch (node.type) {
        case 'program':
        case 'list':
        case 'pipeline':
          waiting.push(...node.children.toReversed());
          break;
        case 'redirected_statement': {
          const [body, ...rest] = node.children;
          if (!body || !['command', 'list', 'pipeline'].includes(body.type)) this.#refuse(node);
          else waiting.push(...[body, ...rest].toReversed());
          break;
        }
        case 'command':
          this.#readCommand(node);
          break;
        case 'file_redirect':
          this.#readRedirect(node);
          break;
        default: {
          const joint = JOINTS[node.type];
          if (joint && !node.isNamed) this.#join(joint);
          else this.#refuse(node);
        }
      }
    }
  }

  #join(joint: Joint): void {
    const last = this.#commands.at(-1);
    if (last?.joint === undefined && last) last.joint = joint;
    else if (joint !== ';') this.#obstacles.push(message('command.syntax'));
  }

  #readCommand(node: PlainNode): void {
    const last = this.#commands.at(-1);
    if (last) last.joint ??= ';';
    const command: LiteralCommand = { words: [], redirects: [], joint: undefined };
    this.#commands.push(command);
    for (const child of node.children) {
      if (child.type === 'file_redirect') this.#readRedirect(child);
      else if (child.type === 'variable_assignment' || !isWord(child)) this.#refuse(child);
      else this.#addWord(command, child);
    }
    if (command.words.length === 0) this.#obstacles.push(message('command.syntax'));
  }

  #addWord(command: LiteralCommand, node: PlainNode): void {
    const { text, pattern, obstacles } = decode(node, this.#shell);
    this.#obstacles.push(...obstacles);
    command.words.push({ text, pattern });
  }

  /** The grammar takes words that follow a redirection for its own: they are the command's. */
  #readRedirect(node: PlainNode): void {
    const command = this.#commands.at(-1);
    const [redirect, ...words] = redirectOf(node, this.#shell);
    if (!command || !redirect) {
      this.#refuse(node);
      return;
    }
    command.redirects.push(redirect.redirect);
    this.#obstacles.push(...redirect.obstacles);
    for (const { node: word } of words) this.#addWord(command, word);
  }

  #refuse(node: PlainNode): void {
    this.#obstacles.push(obstacleOf(node));
  }

  /** Text that belongs to no leaf of the tree, and is more than blanks between words. */
  #gaps(): string[] {
    const gaps: string[] = [];
    let end = 0;
    const check = (from: number, to: number): void => {
      const gap = this.#text.slice(from, to);
      if (!/^[ \t\n]*$/.test(gap)) gaps.push(gap);
    };
    each(this.#root, (node) => {
      // The content of a string is looked at as a whole, between its quotes.
      const leaf = node.children.length === 0 || node.type === 'string';
      if (!leaf) return true;
      check(end, node.startIndex);
      end = Math.max(end, node.endIndex);
      return false;
    });
    check(end, this.#text.length);
    return gaps;
  }

  #findAll(): Pick<Reading, 'found' | 'written' | 'texts'> {
    const found: FoundCommand[] = [];
    const written: string[] = [];
    const texts: string[] = [];
    each(this.#root, (node) => {
      switch (node.type) {
        case 'command':
        case 'declaration_command':
        case 'unset_command':
          found.push(this.#found(node));
          break;
        case 'file_redirect': {
          const [redirect] = redirectOf(node, this.#shell);
          if (redirect && writes(redirect.redirect.operator)) written.push(redirect.redirect.target);
          break;
        }
        case 'heredoc_body':
          texts.push(node.text);
          break;
        case 'herestring_redirect':
          texts.push(...node.children.filter(isWord).map((word) => decode(word, this.#shell).text));
          break;
      }
      return true;
    });
    return { found, written, texts };
  }

  #found(node: PlainNode): FoundCommand {
    const words: FoundCommand['words'] = [];
    const obstacles: Message[] = [];
    const add = (word: PlainNode): void => {
      const decoded = decode(word, this.#shell);
      obstacles.push(...decoded.obstacles);
      words.push(decoded.known ? decoded.text : undefined);
    };
    for (const child of node.children) {
      if (child.type === 'file_redirect')
        for (const { node: word } of redirectOf(child, this.#shell).slice(1)) add(word);
      else if (isWord(child)) add(child);
      else if (!child.isNamed) words.push(child.text);
      else obstacles.push(obstacleOf(child));
    }
    return { source: node.text, words, obstacles, start: node.startIndex };
  }
}

function obstacleOf(node: PlainNode): Message {
  const text = piece(node.text);
  switch (node.type) {
    case 'comment':
      return message('command.comment');
    case '&':
      return message('command.background');
    case 'variable_assignment':
    case 'variable_assignments':
      return message('command.assignment', { text });
    case 'file_redirect':
    case 'redirected_statement':
      return message('command.redirect', { text });
    case 'heredoc_redirect':
    case 'herestring_redirect':
      return message('command.hereDocument', { text });
    case 'ERROR':
      return message('command.syntax');
    case 'command_substitution':
    case 'process_substitution':
      return message('command.substitution', { text });
    case 'simple_expansion':
    case 'expansion':
    case 'arithmetic_expansion':
      return message('command.variable', { text });
    case 'ansi_c_string':
    case 'translated_string':
      return message('command.quote', { text });
    case 'brace_expression':
      return message('command.braces', { text });
    case 'extglob_pattern':
    case 'regex':
      return message('command.pattern', { text });
    default:
      return message('command.compound', { text });
  }
}

const WORDS: ReadonlySet<string> = new Set([
  'command_name',
  'word',
  'string',
  'raw_string',
  'number',
  'concatenation',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'ansi_c_string',
  'translated_string',
  'brace_expression',
  'extglob_pattern',
  'regex',
]);

function isWord(node: PlainNode): boolean {
  return WORDS.has(node.type);
}

function decode(node: PlainNode, shell: Shell): DecodedWord {
  let whole = node;
  // A name is a word in a wrapper of its own.
  if (whole.type === 'command_name') whole = whole.children[0] ?? whole;
  const pieces = whole.type === 'concatenation' ? whole.children : [whole];
  const word: DecodedWord = { text: '', known: true, pattern: false, obstacles: [] };
  let end = whole.startIndex;
  for (const part of pieces) {
    if (part.startIndex !== end) word.obstacles.push(message('command.syntax'));
    end = part.endIndex;
    decodePiece(part, word, part.startIndex === whole.startIndex, shell);
  }
  if (end !== whole.endIndex) word.obstacles.push(message('command.syntax'));
  if (word.pattern) word.obstacles.push(...patternObstacles(whole.text));
  return word;
}

function decodePiece(node: PlainNode, word: DecodedWord, atStart: boolean, shell: Shell): void {
  const source = node.text;
  switch (node.type) {
    case 'word':
    case 'number': {
      if (node.children.length > 0) break;
      word.obstacles.push(...unquotedObstacles(source, atStart, shell));
      word.text += source.replace(/\\([^])/g, (_, character: string) =>
        character === '\n' ? '' : character,
      );
      if (/[*?]/.test(source.replace(/\\[^]/g, ''))) word.pattern = true;
      return;
    }
    case 'raw_string':
      if (!/^'[^']*'$/.test(source)) break;
      word.text += source.slice(1, -1);
      return;
    case 'string': {
      const inner = /^"([^]*)"$/.exec(source)?.[1];
      if (inner === undefined || node.children.some(({ type }) => type !== '"' && type !== 'string_content'))
        break;
      word.obstacles.push(...quotedObstacles(inner));
      word.text += inner.replace(/\\([$`"\\\n])/g, (_, character: string) =>
        character === '\n' ? '' : character,
      );
      return;
    }
  }
  word.known = false;
  word.text += source;
  word.obstacles.push(firstObstacle(node));
}

/** The substitution inside a string says more than the string. */
function firstObstacle(node: PlainNode): Message {
  const inner =
    node.type === 'string'
      ? node.children.find(({ type }) => type !== '"' && type !== 'string_content')
      : node;
  return obstacleOf(inner ?? node);
}

/** Inside double quotes a dollar is itself only where nothing can follow that it would name. */
function quotedObstacles(inner: string): Message[] {
  const found: Message[] = [];
  const plain = inner.replace(/\\[$`"\\]/g, '__');
  if (plain.includes('\\\n')) found.push(message('command.continuation'));
  if (/\$(?![ |)/.]|$)|["`]/.test(plain)) found.push(message('command.variable', { text: piece(inner) }));
  return found;
}

interface FoundRedirect {
  redirect: Redirect;
  obstacles: Message[];
  node: PlainNode;
}

/** The redirection, and after it the words that the grammar took along. Empty when it names no file. */
function redirectOf(node: PlainNode, shell: Shell): FoundRedirect[] {
  const parts = node.children;
  const number = parts.find(({ type }) => type === 'file_descriptor')?.text;
  const operator = parts.find(({ isNamed }) => !isNamed)?.text;
  const words = parts.filter(isWord);
  // Any other child is one that we do not know.
  if (operator === undefined || words.length + (number === undefined ? 1 : 2) !== parts.length) return [];
  return words.map((word) => {
    const { text, obstacles, pattern } = decode(word, shell);
    return {
      redirect: {
        descriptor: number === undefined ? undefined : /^\d$/.test(number) ? Number(number) : Number.NaN,
        operator,
        target: text,
      },
      obstacles: pattern ? [message('command.pattern', { text: piece(word.text) })] : obstacles,
      node: word,
    };
  });
}

/** Calls back on every node in the order of the text; below it only when that returns true. */
function each(root: PlainNode, callback: (node: PlainNode) => boolean): void {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop())
    if (callback(node)) waiting.push(...node.children.toReversed());
}
