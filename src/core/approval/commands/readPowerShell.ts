import type { Node, Parser } from 'web-tree-sitter';
import { message, type Message } from '../../../shared/strings.ts';
import { piece, type FoundCommand, type Reading } from './Reading.ts';

/** The commands in a text for PowerShell, for the explanation and for what is denied: nothing of it is ever literal. */
export function readPowerShell(text: string, parser: Parser): Reading {
  const reading: Reading = { literal: undefined, obstacles: [], found: [], written: [], texts: [] };
  const tree = parser.parse(text);
  if (!tree) return { ...reading, obstacles: [message('command.syntax')] };
  try {
    if (tree.rootNode.hasError) reading.obstacles.push(message('command.syntax'));
    const waiting = [tree.rootNode];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      if (node.type === 'command') reading.found.push(foundCommand(node));
      waiting.push(...node.children.toReversed());
    }
    return reading;
  } finally {
    tree.delete();
  }
}

/** Pieces of a command that are no words of it. */
const BETWEEN: ReadonlySet<string> = new Set([
  'command_argument_sep',
  'command_invokation_operator',
  'redirection',
]);

function foundCommand(node: Node): FoundCommand {
  const words: FoundCommand['words'] = [];
  const obstacles: Message[] = [];
  const waiting = node.children.toReversed();
  for (let child = waiting.pop(); child; child = waiting.pop()) {
    if (BETWEEN.has(child.type)) continue;
    if (child.type === 'command_elements') {
      waiting.push(...child.children.toReversed());
      continue;
    }
    const word = decode(child.text);
    if (word === undefined) obstacles.push(message('command.variable', { text: piece(child.text) }));
    words.push(word);
  }
  return { source: node.text, words, obstacles, start: node.startIndex };
}

/** Quotes and backticks taken away; undefined when it holds anything that is worked out when it runs. */
function decode(source: string): string | undefined {
  const single = /^['\u2018\u2019](.*)['\u2018\u2019]$/s.exec(source)?.[1];
  if (single !== undefined) return single;
  const text = /^["\u201c\u201d](.*)["\u201c\u201d]$/s.exec(source)?.[1] ?? source;
  if (/[$@(){}[\]]/.test(text)) return undefined;
  return text.replace(/`(.)/gs, '$1');
}
