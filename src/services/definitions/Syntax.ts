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
/** Of these languages: from a file's beginning, and from what may hold more of them far below and is looked into by itself. */
const NEAR: Partial<Record<Language, { file: number; inside: number }>> = {
  typescript: { file: 4, inside: 5 },
  tsx: { file: 4, inside: 5 },
  javascript: { file: 4, inside: 5 },
};
/** A parse asks very often whether to go on; the clock is looked at each time that it asked so many times. */
const QUESTIONS = 64;
/** Calls that hold tests and more of themselves. */
const SUITE = /^(describe|context|suite)$/;
/** How many errors' places are looked at to find the first. */
const ERROR_DEPTH = 200;

let runtime: Promise<void> | undefined;
const loaded = new Map<Language, Promise<{ parser: Parser; query: Query }>>();

/** Parses in this thread, and blocks it: 0.4 s a megabyte. Each grammar is loaded once, when it is first asked for. */
export async function outlineOf(language: Language, text: string, milliseconds: number): Promise<Outline> {
  const { parser, query } = await load(language);
  const deadline = performance.now() + milliseconds;
  let questions = 0;
  const tree = parser.parse(text, null, {
    progressCallback: () => ++questions % QUESTIONS === 0 && performance.now() > deadline,
  });
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
  const found = new Map<number, { node: Node; kind: string; name: Node | undefined }>();
  const near = NEAR[language];
  const places = [root];
  for (let place = places.pop(); place; place = places.pop()) {
    const maxStartDepth = (place === root ? near?.file : near?.inside) ?? DEEPEST;
    for (const { captures } of query.matches(place, { maxStartDepth })) {
      let node: Node | undefined;
      let kind = '';
      let name: Node | undefined;
      let holds = false;
      for (const capture of captures) {
        if (capture.name === 'name') name = capture.node;
        else if (capture.name === 'declarator') name = declaredName(capture.node);
        else if (capture.name === 'callee') holds = SUITE.test(capture.node.text);
        else ({ name: kind, node } = capture);
      }
      // Two patterns can match one definition: the first of them is the more exact one.
      if (!node || found.has(node.id)) continue;
      found.set(node.id, { node, kind, name });
      if (near && (holds || kind === 'module')) places.push(node);
    }
  }
  const wrapping = wrappers[language];
  const all = Array.from(found.values(), ({ node, kind, name }) =>
    definition(node, kind, name, wrapping === undefined ? node : wholeOf(node, wrapping)),
  );
  if (language === 'markdown')
    return withSections(
      all,
      [...found.values()].map(({ node }) => levelOf(node)),
      linesOf(root),
    );
  return all.sort((a, b) => a.start - b.start || b.end - a.end);
}

function definition(node: Node, kind: string, name: Node | undefined, whole: Node): Definition {
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

function wholeOf(node: Node, wrapping: ReadonlySet<string>): Node {
  let whole = node;
  for (let { parent } = whole; parent && wrapping.has(parent.type); { parent } = whole) whole = parent;
  return whole;
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
  if (!root.hasError) return undefined;
  const cursor = root.walk();
  try {
    let node = root;
    for (let depth = 0; depth < ERROR_DEPTH && !node.isError && !node.isMissing; depth++) {
      if (!cursor.gotoFirstChild()) break;
      let inner = cursor.currentNode;
      while (!isBroken(inner) && cursor.gotoNextSibling()) inner = cursor.currentNode;
      if (!isBroken(inner)) break;
      node = inner;
    }
    return node.startPosition.row + 1;
  } finally {
    cursor.delete();
  }
}

function isBroken(node: Node): boolean {
  return node.hasError || node.isMissing;
}
