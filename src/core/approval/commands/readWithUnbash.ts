import type {
  Command,
  CommandNode,
  PipelineNode,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';
import { message, type Message } from '../../../shared/strings.ts';
import type { Grammars } from './grammars.ts';
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
  type Shell,
} from './Reading.ts';

/** What unbash sees. Never throws on any text. */
export function readWithUnbash(text: string, unbash: Grammars['unbash'], shell: Shell): Reading {
  const script = unbash.parse(text);
  const row = new Row(text, shell);
  if (script.shebang !== undefined) row.obstacles.push(message('command.comment'));
  for (const statement of script.commands) row.addStatement(statement);
  const found: FoundCommand[] = [];
  const written: string[] = [];
  const texts: string[] = [];
  const waiting: SyntaxNode[] = [script];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    switch (node.type) {
      case 'Script':
        // Each text inside the text has errors of its own.
        if ((node.errors?.length ?? 0) > 0) row.obstacles.push(message('command.syntax'));
        break;
      case 'Command':
        found.push(...foundCommands(node, text, shell));
        break;
      case 'Redirect':
        if (node.target && writes(node.operator)) written.push(decode(node.target, shell).text);
        break;
      case 'HereString':
        if (node.target) texts.push(decode(node.target, shell).text);
        break;
      case 'HereDoc':
        texts.push(node.body.text);
        break;
      default:
        break;
    }
    const inner: SyntaxNode[] = [];
    unbash.forEachChild(node, (child) => void inner.push(child));
    waiting.push(...inner.toReversed());
  }
  const last = row.commands.at(-1);
  if (last) last.joint = undefined;
  return {
    literal: row.obstacles.length === 0 && last ? row.commands : undefined,
    obstacles: row.obstacles,
    found,
    written,
    texts,
  };
}

/** The commands in a row, as long as the text is nothing else. */
class Row {
  readonly commands: LiteralCommand[] = [];
  readonly obstacles: Message[] = [];
  readonly #text: string;
  readonly #shell: Shell;

  constructor(text: string, shell: Shell) {
    this.#text = text;
    this.#shell = shell;
  }

  addStatement({ command, background }: Statement): void {
    if (background) this.obstacles.push(message('command.background'));
    if (command.type === 'AndOr')
      command.commands.forEach((one, at) => this.#addPipeline(one, command.operators[at] ?? ';'));
    else this.#addPipeline(command, ';');
  }

  #addPipeline(node: PipelineNode, joint: Joint): void {
    if (node.type !== 'Pipeline') {
      this.#addCommand(node, joint);
      return;
    }
    const prefix = node.prefixes[0];
    if (prefix) this.#refuse(prefix);
    node.commands.forEach((command, at) => {
      const operator = node.operators[at];
      if (operator === '|&') this.obstacles.push(message('command.compound', { text: '|&' }));
      this.#addCommand(command, operator === undefined ? joint : '|');
    });
  }

  #addCommand(node: CommandNode, joint: Joint): void {
    if (node.type !== 'Command') {
      this.#refuse(node);
      return;
    }
    const command: LiteralCommand = { words: [], redirects: [], joint };
    this.commands.push(command);
    if (node.name === undefined && node.prefix.length === 0) this.#refuse(node);
    for (const one of node.prefix) {
      if (one.type === 'Assignment')
        this.obstacles.push(message('command.assignment', { text: piece(one.text) }));
      else this.#addRedirect(command, one);
    }
    if (node.name) this.#addWord(command, node.name);
    else this.#refuse(node);
    for (const one of node.suffix) {
      if (one.type === 'Word') this.#addWord(command, one);
      // What looks like an assignment after a plain name is an argument; after a declaring builtin it is not.
      else if (one.type === 'Assignment')
        this.obstacles.push(message('command.assignment', { text: piece(one.text) }));
      else this.#addRedirect(command, one);
    }
  }

  #addWord(command: LiteralCommand, word: Word): void {
    const { text, pattern, obstacles } = decode(word, this.#shell);
    this.obstacles.push(...obstacles);
    command.words.push({ text, pattern });
  }

  #addRedirect(command: LiteralCommand, node: Redirection): void {
    if (node.type !== 'Redirect' || !node.target) {
      this.obstacles.push(message('command.hereDocument', { text: this.#source(node) }));
      return;
    }
    const { text, obstacles, pattern } = decode(node.target, this.#shell);
    if (pattern) this.obstacles.push(message('command.pattern', { text: piece(node.target.text) }));
    else this.obstacles.push(...obstacles);
    const { descriptor, operator } = node;
    command.redirects.push({
      descriptor:
        descriptor === undefined
          ? undefined
          : descriptor.type === 'FileDescriptor'
            ? descriptor.value
            : Number.NaN,
      operator,
      target: text,
    });
  }

  #refuse(node: SyntaxNode): void {
    this.obstacles.push(message('command.compound', { text: this.#source(node) }));
  }

  #source({ pos, end }: SyntaxNode): string {
    return piece(this.#text.slice(pos, end));
  }
}

function foundCommands(node: Command, text: string, shell: Shell): FoundCommand[] {
  const all = [...(node.name ? [node.name] : []), ...node.args];
  if (all.length === 0) return [];
  const obstacles: Message[] = [];
  const words = all.flatMap((word): (string | undefined)[] => {
    if (word.type === 'Assignment') return [word.text];
    const decoded = decode(word, shell);
    obstacles.push(...decoded.obstacles);
    return decoded.known ? [decoded.text] : (wordsInBraces(word) ?? [undefined]);
  });
  const source = text.slice(node.pos, node.end);
  return [{ source, words, obstacles, start: node.pos }];
}

/** `{git,push}` is two words. */
function wordsInBraces({ text }: Word): string[] | undefined {
  return /^\{([^{}$`'"\\]*,[^{}$`'"\\]*)\}$/.exec(text)?.[1]?.split(',');
}

function decode(node: Word, shell: Shell): DecodedWord {
  const word: DecodedWord = { text: '', known: true, pattern: false, obstacles: [] };
  const parts: readonly WordPart[] = node.parts ?? [
    { type: 'Literal', pos: node.pos, end: node.end, value: node.value, text: node.text },
  ];
  parts.forEach((part, at) => decodePart(part, word, at === 0, shell));
  if (parts.map(({ text }) => text).join('') !== node.text) word.obstacles.push(message('command.syntax'));
  if (word.pattern) word.obstacles.push(...patternObstacles(node.text));
  return word;
}

function decodePart(part: WordPart, word: DecodedWord, atStart: boolean, shell: Shell): void {
  const text = piece(part.text);
  switch (part.type) {
    case 'Literal':
      word.text += part.value;
      word.obstacles.push(...unquotedObstacles(part.text, atStart, shell));
      return;
    case 'SingleQuoted':
      word.text += part.value;
      return;
    case 'AnsiCQuoted':
      word.text += part.value;
      word.obstacles.push(message('command.quote', { text }));
      return;
    case 'Glob':
      word.text += part.value;
      if (part.kind === 'bracket') word.obstacles.push(message('command.pattern', { text }));
      else word.pattern = true;
      return;
    case 'DoubleQuoted':
      for (const inner of part.parts) {
        if (inner.type === 'Literal') {
          word.text += inner.value;
          if (inner.text.includes('\\\n')) word.obstacles.push(message('command.continuation'));
        } else decodeUnknown(inner, word);
      }
      return;
    default:
      decodeUnknown(part, word);
  }
}

function decodeUnknown(part: WordPart, word: DecodedWord): void {
  const text = piece(part.text);
  word.text += part.text;
  word.known = false;
  switch (part.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      word.obstacles.push(message('command.substitution', { text }));
      return;
    case 'BraceExpansion':
      word.obstacles.push(message('command.braces', { text }));
      return;
    case 'ExtendedGlob':
      word.obstacles.push(message('command.pattern', { text }));
      return;
    case 'LocaleString':
      word.obstacles.push(message('command.quote', { text }));
      return;
    default:
      word.obstacles.push(message('command.variable', { text }));
  }
}
