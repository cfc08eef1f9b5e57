import type { LanguageFn } from 'highlight.js';

/** Stretches of code with the classes that colour them. */
export type Highlighted = readonly { scope: string; text: string }[];

const LIMIT = 40_000;

/** Loaded when the first block in them is shown. */
const languages: Record<string, () => Promise<{ default: LanguageFn }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  json: () => import('highlight.js/lib/languages/json'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  python: () => import('highlight.js/lib/languages/python'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const aliases: Record<string, string> = {
  c: 'cpp',
  cc: 'cpp',
  h: 'cpp',
  hpp: 'cpp',
  html: 'xml',
  js: 'typescript',
  javascript: 'typescript',
  jsonc: 'json',
  jsx: 'typescript',
  md: 'markdown',
  mjs: 'typescript',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  scss: 'css',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  yml: 'yaml',
  zsh: 'bash',
};

/** The code in coloured stretches; nothing when its language is not known, or it is too long to be worth it. */
export async function highlight(code: string, language: string): Promise<Highlighted | undefined> {
  const name = aliases[language] ?? language;
  const load = languages[name];
  if (load === undefined || code.length > LIMIT) return undefined;
  const [{ default: core }, { default: grammar }] = await Promise.all([
    import('highlight.js/lib/core'),
    load(),
  ]);
  if (!core.getLanguage(name)) core.registerLanguage(name, grammar);
  return stretches(core.highlight(code, { language: name, ignoreIllegals: true }).value);
}

/** What highlight.js writes (spans with a class, and five entities) as data: it never becomes HTML. */
function stretches(html: string): Highlighted {
  const parts: { scope: string; text: string }[] = [];
  const scopes: string[] = [];
  for (const [, opened, closed, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (opened !== undefined) scopes.push(opened);
    else if (closed !== undefined) scopes.pop();
    else if (text !== undefined) parts.push({ scope: scopes.at(-1) ?? '', text: unescape(text) });
  }
  return parts;
}

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&amp;': '&',
};

function unescape(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity);
}
