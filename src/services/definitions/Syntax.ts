import { readFile } from 'node:fs/promises';
import { Language as Grammar, Parser, Query, type Node } from 'web-tree-sitter';
import { grammarFile, runtimeFile } from './grammarFiles.ts';
import type { Language } from './languages.ts';
import { definitionQueries, wrappers } from './queries.ts';

/** A definition in a file. Lines are 1-based; `start` is its first line with decorators, `line` the one with its name. */
export interface Definition {
  kind: string;
  name: string;
  start: number;
  end: number;
  line: number;
}

/** The definitions of one file in the order of their lines, and the first line that the grammar could not understand. */
export interface Outline {
  definitions: Definition[];
  firstError: number | undefined;
}

/** Parsing took longer than it may. */
export class ParseTimeout extends Error {
  override readonly name = 'ParseTimeout';
}

/** Characters of a name: a selector or a heading can be of any length. */
const LONGEST_NAME = 200;
/** Nodes between the root and a definition. What lies deeper is inside of functions, and looking for it costs as much as all the rest. */
const DEEPEST = 8;
/** How many errors' places are looked at to find the first. */
const ERROR_DEPTH = 200;

let runtime: Promise<void> | undefined;
const loaded = new Map<Language, Promise<{ parser: Parser; query: Query }>>();

/** Parses in this thread, and blocks it: 0.4 s a megabyte. Each grammar is loaded once, when it is first asked for. */
export async function outlineOf(language: Language, text: string, milliseconds: number): Promise<Outline> {
  const { parser, query } = await load(language);
  const deadline = performance.now() + milliseconds;
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (!tree) {
    parser.reset();
    throw new ParseTimeout(`parsing took longer than ${milliseconds} ms`);
  }
  try {
    return { definitions: definitionsIn(tree.rootNode, query, language), firstError: errorIn(tree.rootNode) };
  } finally {
    tree.delete();
  }
}

function load(language: Language): Promise<{ parser: Parser; query: Query }> {
  let found = loaded.get(language);
  if (!found) {
    found = read(language);
    loaded.set(language, found);
    // A file that could not be read may be there the next time.
    found.catch(() => loaded.delete(language));
  }
  return found;
}

async function read(language: Language): Promise<{ parser: Parser; query: Query }> {
  runtime ??= readFile(runtimeFile()).then((wasmBinary) => Parser.init({ wasmBinary }));
  await runtime;
  const grammar = await Grammar.load(await readFile(grammarFile(language)));
  const parser = new Parser();
  parser.setLanguage(grammar);
  return { parser, query: new Query(grammar, definitionQueries[language]) };
}

function definitionsIn(root: Node, query: Query, language: Language): Definition[] {
  const found = new Map<number, Definition>();
  const levels: number[] = [];
  for (const { captures } of query.matches(root, { maxStartDepth: DEEPEST })) {
    let node: Node | undefined;
    let kind = '';
    let name: Node | undefined;
    for (const capture of captures) {
      if (capture.name === 'name') name = capture.node;
      else if (capture.name === 'declarator') name = declaredName(capture.node);
      else if (capture.name !== 'callee') ({ name: kind, node } = capture);
    }
    // Two patterns can match one definition: the first of them is the more exact one.
    if (!node || found.has(node.id)) continue;
    found.set(node.id, definition(node, kind, name));
    if (language === 'markdown') levels.push(levelOf(node));
  }
  const all = [...found.values()];
  if (language === 'markdown') return withSections(all, levels, linesOf(root));
  return all.sort((a, b) => a.start - b.start || b.end - a.end);
}

function definition(node: Node, kind: string, name: Node | undefined): Definition {
  let whole = node;
  while (whole.parent && wrappers.has(whole.parent.type)) whole = whole.parent;
  const end = whole.endPosition;
  const start = whole.startPosition.row + 1;
  return {
    kind,
    name: nameIn(name?.text ?? node.text),
    start,
    // A node that takes its line break with it ends on the line before.
    end: end.column === 0 && end.row >= start ? end.row : end.row + 1,
    line: (name ?? node).startPosition.row + 1,
  };
}

/** The first line of a name; of what has none, such as a companion object or a media query, all before its body. */
function nameIn(text: string): string {
  return (/^[^\n{]*/.exec(text)?.[0] ?? '').slice(0, LONGEST_NAME).trim();
}

/** A heading holds all up to the next one of its level or above; the grammar has such sections for one kind of heading only. */
function withSections(headings: Definition[], levels: readonly number[], lastLine: number): Definition[] {
  return headings.map((heading, index) => {
    const level = levels[index] ?? 1;
    const next = levels.findIndex((other, at) => at > index && other <= level);
    return { ...heading, end: (headings[next]?.start ?? lastLine + 1) - 1 };
  });
}

function levelOf(heading: Node): number {
  const marker = heading.namedChildren.find((child) => /^(atx|setext)_h\d_/.test(child.type));
  return Number(/_h(\d)_/.exec(marker?.type ?? '')?.[1] ?? 1);
}

/** What a C declarator declares: the innermost of pointers, references and functions. */
function declaredName(declarator: Node): Node {
  let node = declarator;
  for (;;) {
    const inner =
      node.childForFieldName('declarator') ??
      (/^(reference|parenthesized)_declarator$/.test(node.type) ? node.firstNamedChild : null);
    if (!inner) return node;
    node = inner;
  }
}

function linesOf({ endPosition: { row, column } }: Node): number {
  return column === 0 ? row : row + 1;
}

/** The first line of the first error, found without walking over what has none. */
function errorIn(root: Node): number | undefined {
  let node = root;
  for (let depth = 0; depth < ERROR_DEPTH && node.hasError && !node.isError && !node.isMissing; depth++) {
    const inner = node.children.find((child) => child.hasError || child.isMissing);
    if (!inner) break;
    node = inner;
  }
  return root.hasError ? node.startPosition.row + 1 : undefined;
}
