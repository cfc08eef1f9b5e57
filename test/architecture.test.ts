import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

const ROOT = dirname(import.meta.dirname);

/** What a room may import of the other rooms: a room, or a folder of one. Its own files are always allowed. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/shared': [],
  'src/services': ['src/shared'],
  'src/core': ['src/shared', 'src/services'],
  'src/providers': ['src/shared', 'src/core/provider'],
  'src/hosts': ['src/shared', 'src/services', 'src/core/host', 'src/core/provider'],
  'src/frontends': ['src/shared', 'src/core'],
  'webview-ui/src': ['src/shared'],
};
/** Composition roots import everything, and nobody imports them but main.ts its commands. */
const ENTRIES = ['src/extension.ts', 'src/main.ts'];
const MOST_LINES_OF_AN_ENTRY = 120;
const VSCODE_ROOMS = ['src/hosts/vscode', 'src/frontends/vscode'];
/** Rooms that also run in a browser. */
const WITHOUT_NODE = ['src/shared', 'webview-ui/src'];

const isIn = (path: string, folder: string) => path.startsWith(`${folder}/`);
const isEntry = (path: string) => ENTRIES.includes(path) || isIn(path, 'src/main');
const roomOf = (path: string) => Object.keys(MAY_IMPORT).find((room) => isIn(path, room));

/** Every module that the text names: imports, re-exports, import(), require() and types, as written. */
function importsOf(path: string, text: string): string[] {
  const found: string[] = [];
  const add = (node: ts.Node | undefined) => {
    if (node && ts.isStringLiteralLike(node)) found.push(node.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    else if (ts.isExternalModuleReference(node)) add(node.expression);
    else if (ts.isCallExpression(node)) {
      const { expression } = node;
      const isRequire = ts.isIdentifier(expression) && expression.text === 'require';
      if (isRequire || expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/** What is wrong with one import, or undefined. */
function problemOf(path: string, imported: string): string | undefined {
  const room = roomOf(path);
  if (imported === 'vscode')
    return path === 'src/extension.ts' || VSCODE_ROOMS.some((folder) => isIn(path, folder))
      ? undefined
      : 'vscode is for extension.ts, hosts/vscode and frontends/vscode';
  if (!imported.startsWith('.'))
    return isBuiltin(imported) && WITHOUT_NODE.some((folder) => isIn(path, folder))
      ? `${room ?? ''} also runs in a browser: no ${imported}`
      : undefined;
  const target = posix.join(posix.dirname(path), imported);
  // What the package says of itself is data.
  if (target === 'package.json') return undefined;
  if (isEntry(target) && !isEntry(path)) return 'nobody imports an entry';
  if (room === undefined) return undefined;
  if (isIn(target, room) || MAY_IMPORT[room]?.some((folder) => isIn(target, folder))) return undefined;
  return `${room} may not import ${target}`;
}

const files = ['src', 'webview-ui/src']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => /\.tsx?$/.test(path)),
  )
  .sort();
const importsByFile = new Map(
  files.map((path) => [path, importsOf(path, readFileSync(join(ROOT, path), 'utf8'))]),
);

describe('architecture', () => {
  it('keeps the dependency rule', () => {
    const problems: string[] = [];
    for (const [path, imports] of importsByFile)
      for (const imported of imports) {
        const problem = problemOf(path, imported);
        if (problem) problems.push(`${path}: ${problem}`);
      }
    assert.deepEqual(problems, []);
  });

  it('has every source file in a room or as an entry', () => {
    assert.deepEqual(
      files.filter((path) => roomOf(path) === undefined && !isEntry(path)),
      [],
    );
  });

  it('imports files that exist, by their full names', () => {
    const missing: string[] = [];
    for (const [path, imports] of importsByFile)
      for (const imported of imports.filter((name) => name.startsWith('.')))
        if (!existsSync(join(ROOT, posix.dirname(path), imported)) || posix.extname(imported) === '')
          missing.push(`${path}: ${imported}`);
    assert.deepEqual(missing, []);
  });

  it('reaches vscode from no file of the headless program', () => {
    const reached = new Set(['src/main/start.ts']);
    for (const path of reached)
      for (const imported of importsByFile.get(path) ?? []) {
        assert.notEqual(imported, 'vscode', path);
        if (imported.startsWith('.')) reached.add(posix.join(posix.dirname(path), imported));
      }
    assert.ok(reached.size > 1);
  });

  it('keeps the entries short', () => {
    const lines = files
      .filter(isEntry)
      .map((path) => [path, readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1]);
    assert.deepEqual(
      lines.filter(([, count]) => Number(count) > MOST_LINES_OF_AN_ENTRY),
      [],
    );
  });

  it('would notice an import against the rule', () => {
    const problems = (path: string, text: string) =>
      importsOf(path, text).map((imported) => problemOf(path, imported));
    assert.deepEqual(
      [
        problems('src/core/a.ts', `import { x } from '../frontends/cli/x.ts';`),
        problems('src/core/a.ts', `type Uri = import('vscode').Uri;`),
        problems('src/shared/a.ts', `export * from 'node:fs';`),
        problems('src/hosts/node/a.ts', `const tool = await import('../../core/tools/BaseTool.ts');`),
        problems('webview-ui/src/a.tsx', `import type { Task } from '../../src/core/task/Task.ts';`),
        problems('src/frontends/cli/a.ts', `const main = require('../../main.ts');`),
        problems(
          'src/hosts/vscode/a.ts',
          `import * as vscode from 'vscode'; import '../../core/host/Host.ts';`,
        ),
      ],
      [
        ['src/core may not import src/frontends/cli/x.ts'],
        ['vscode is for extension.ts, hosts/vscode and frontends/vscode'],
        ['src/shared also runs in a browser: no node:fs'],
        ['src/hosts may not import src/core/tools/BaseTool.ts'],
        ['webview-ui/src may not import src/core/task/Task.ts'],
        ['nobody imports an entry'],
        [undefined, undefined],
      ],
    );
  });
});
