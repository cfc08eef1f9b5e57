import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grammarOf, type Language } from './languages.ts';

/** Absolute path of the grammar. @throws when it is neither beside the bundle nor in node_modules: the build is broken */
export function grammarFile(language: Language): string {
  return find(grammarOf(language));
}

/** Absolute path of tree-sitter itself. */
export function runtimeFile(): string {
  return find('web-tree-sitter/web-tree-sitter.wasm');
}

/** The copy in dist/grammars, beside dist/threads; from source, the package's own file. */
function find(module: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const copy = join(here, '..', 'grammars', basename(module));
  return existsSync(copy) ? copy : createRequire(import.meta.url).resolve(module);
}
