import { extname } from 'node:path';
import grammars from './grammars.json' with { type: 'json' };

/** A language that can be parsed: there is a grammar for it. */
export type Language = keyof typeof grammars;

const EXTENSIONS: Readonly<Record<Language, readonly string[]>> = {
  typescript: ['.ts', '.mts', '.cts'],
  tsx: ['.tsx'],
  javascript: ['.js', '.mjs', '.cjs', '.jsx'],
  python: ['.py', '.pyi', '.pyw'],
  java: ['.java'],
  go: ['.go'],
  rust: ['.rs'],
  c: ['.c'],
  // A header may be of either language: the grammar of C++ reads nearly all of C.
  cpp: ['.cpp', '.cc', '.cxx', '.c++', '.h', '.hpp', '.hh', '.hxx', '.ipp', '.inl'],
  csharp: ['.cs', '.csx'],
  ruby: ['.rb', '.rake', '.gemspec'],
  php: ['.php', '.phtml'],
  kotlin: ['.kt', '.kts'],
  swift: ['.swift'],
  bash: ['.sh', '.bash', '.zsh', '.ksh'],
  css: ['.css'],
  markdown: ['.md', '.markdown', '.mdx'],
};

const byExtension = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, extensions]) =>
    extensions.map((extension) => [extension, language as Language] as const),
  ),
);

/** Of every file that can be parsed: globs, with commas between. */
export const SOURCE_FILES = [...byExtension.keys()].map((extension) => `*${extension}`).join(',');

/** The language of a file by its name; undefined when there is no grammar for it. */
export function languageOf(path: string): Language | undefined {
  return byExtension.get(extname(path).toLowerCase());
}

/** The file of its grammar, as a path that begins with its package. */
export function grammarOf(language: Language): string {
  return grammars[language];
}
