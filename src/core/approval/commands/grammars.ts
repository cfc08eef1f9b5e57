import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Parser } from 'web-tree-sitter';
import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Shell } from './Reading.ts';

/** What reads commands: two grammars of bash that know nothing of each other, and one of PowerShell. */
export interface Grammars {
  bash: Parser;
  powershell: Parser;
  unbash: {
    parse: (source: string) => ParsedScript;
    forEachChild: (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;
  };
}

let loading: Promise<Grammars> | undefined;

/** Loads them when first asked, once. @throws when their files are missing: the build is broken */
export function loadGrammars(): Promise<Grammars> {
  loading ??= load().catch((error: unknown) => {
    // A file that could not be read may be there the next time.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Grammars> {
  const [{ Language, Parser }, unbash] = await Promise.all([import('web-tree-sitter'), import('unbash')]);
  await Parser.init({ wasmBinary: await readFile(find('web-tree-sitter/web-tree-sitter.wasm')) });
  const parserOf = async (module: string): Promise<Parser> => {
    const parser = new Parser();
    parser.setLanguage(await Language.load(await readFile(find(module))));
    return parser;
  };
  return {
    bash: await parserOf('@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm'),
    powershell: await parserOf('@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm'),
    unbash,
  };
}

/** The copy in dist/grammars, beside the bundle or its chunks; from source, the package's own file. */
function find(module: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const copies = [here, join(here, '..')].map((folder) => join(folder, 'grammars', basename(module)));
  return copies.find((path) => existsSync(path)) ?? createRequire(import.meta.url).resolve(module);
}

/** The shell that a program's name or path stands for. */
export function shellOf(name: string): Shell {
  switch (
    basename(name.replaceAll('\\', '/'))
      .toLowerCase()
      .replace(/\.exe$/, '')
  ) {
    case 'bash':
      return 'bash';
    case 'zsh':
      return 'zsh';
    case 'pwsh':
    case 'powershell':
      return 'pwsh';
    case 'cmd':
      return 'cmd';
    default:
      return 'other';
  }
}
