// The sizes of what is shipped, and what loading it costs over Node alone. Needs dist/ (npm run bench builds it).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { figure, median, printTable } from './support/measure.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const DIST = join(ROOT, 'dist');
const RUNS = 7;

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
  >;
}

/** The files that an entry needs before it can start: itself and what it imports at once, not what it loads later. */
function eager(metafile: string, entry: string): string[] {
  const { outputs } = JSON.parse(readFileSync(join(DIST, metafile), 'utf8')) as Metafile;
  const found = new Set([entry]);
  for (const path of found)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs) found.add(imported);
  return [...found];
}

const kilobytes = (bytes: number) => `${figure(bytes / 1000)} KB`;

console.log('Bundles');
const bundles = [
  ['extension', 'dist/extension.js', ['extension.js', 'extension']],
  ['main', 'dist/main.js', ['main.js', 'main']],
  ['webview', 'dist/webview/index.js', ['webview']],
] as const;
printTable(
  ['bundle', 'at start', 'gzipped', 'with lazy parts'],
  bundles.map(([name, entry, parts]) => {
    const contents = eager(`meta-${name}.json`, entry).map((path) => readFileSync(join(ROOT, path)));
    const all = parts.map((part) => join(DIST, part)).filter((path) => existsSync(path));
    const files = all.flatMap((path) =>
      statSync(path).isDirectory()
        ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file))
        : [path],
    );
    return [
      name,
      kilobytes(contents.reduce((sum, content) => sum + content.length, 0)),
      kilobytes(contents.reduce((sum, content) => sum + gzipSync(content).length, 0)),
      kilobytes(files.reduce((sum, path) => sum + statSync(path).size, 0)),
    ];
  }),
);
console.log('goals: extension 1.5 MB or less, webview 1 MB or less and 300 KB gzipped');

console.log('\nLoaded as files, each when it is first needed; gzipped, as in the package');
printTable(
  ['folder', 'files', 'size', 'gzipped'],
  ['threads', 'grammars'].map((folder) => {
    const paths = readdirSync(join(DIST, folder)).map((file) => join(DIST, folder, file));
    const contents = paths.filter((path) => !path.endsWith('.map')).map((path) => readFileSync(path));
    return [
      folder,
      String(contents.length),
      kilobytes(contents.reduce((sum, content) => sum + content.length, 0)),
      kilobytes(contents.reduce((sum, content) => sum + gzipSync(content).length, 0)),
    ];
  }),
);

/** A `vscode` whose every export takes anything: enough to load the extension, which must not call it before it starts. */
function loader(): string {
  const named = new Set<string>();
  for (const path of eager('meta-extension.json', 'dist/extension.js')) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, names = ''] of text.matchAll(/import\s*{([^}]*)}\s*from\s*"vscode"/g))
      for (const name of names.split(',')) named.add((name.trim().split(/\s+as\s+/)[0] ?? '').trim());
    // What is used of the whole module: `import*as S from"vscode"`, then `S.Uri`.
    for (const [, whole = ''] of text.matchAll(/import\s*\*\s*as\s+([\w$]+)\s+from\s*"vscode"/g))
      for (const [, name = ''] of text.matchAll(
        new RegExp(`(?<![\\w$.])${whole.replaceAll('$', '\\$')}\\.(\\w+)`, 'g'),
      ))
        named.add(name);
  }
  const any = `const any = new Proxy(class {}, { get: (target, name) => name === 'prototype' ? target.prototype : any, apply: () => any });`;
  const source = [
    any,
    'export default any;',
    ...[...named].filter(Boolean).map((name) => `export const ${name} = any;`),
  ];
  return `
    import { registerHooks } from 'node:module';
    const url = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(source.join('\n'))});
    registerHooks({ resolve: (name, context, next) => name === 'vscode' ? { url, shortCircuit: true } : next(name, context) });`;
}

/** Milliseconds and megabytes over Node alone, each in a process of its own. */
function load(script: string): { time: number; memory: number } {
  const measured = `${script.replace('LOAD', 'const start = performance.now();')}
    const time = performance.now() - start;
    // What loading left behind for good.
    globalThis.gc(); globalThis.gc();
    console.log(JSON.stringify({ time, memory: process.memoryUsage().rss / 1e6 }));`;
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', measured]);
  return JSON.parse(output.toString()) as { time: number; memory: number };
}

const scripts = {
  'Node alone': 'LOAD',
  'dist/extension.js': `${loader()} LOAD await import(${JSON.stringify(pathToFileURL(join(DIST, 'extension.js')).href)});`,
};
console.log('\nLoading, medians of', RUNS, 'processes');
const loads = Object.entries(scripts).map(([name, script]) => {
  const runs = Array.from({ length: RUNS }, () => load(script));
  return {
    name,
    time: median(runs.map(({ time }) => time)),
    memory: median(runs.map(({ memory }) => memory)),
  };
});
const alone = loads[0]?.memory ?? 0;
const aloneTime = loads[0]?.time ?? 0;
printTable(
  ['what', 'ms', 'MB over Node'],
  loads.map(({ name, time, memory }) => [name, figure(time - aloneTime), figure(memory - alone)]),
);
console.log('goals: 60 ms or less, 25 MB or less');
