import { sep } from 'node:path';
import * as vscode from 'vscode';
import type { EditorHandlers } from '../page/PageConnection.ts';
import { pathIn } from './workspacePath.ts';

type Mentionable = Awaited<ReturnType<EditorHandlers['editor/mentionable']>>;
type FoundSymbol = Awaited<ReturnType<EditorHandlers['editor/findSymbols']>>['symbols'][number];

const MOST_SYMBOLS = 30;
const MOST_COMMITS = 50;

/** What is used of a repository of VS Code's own git extension, version 1 of its API. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly unknown[];
    readonly untrackedChanges?: readonly unknown[];
  };
  log(options: {
    maxEntries: number;
  }): Promise<readonly { readonly hash: string; readonly message: string }[]>;
}

/** What the languages of the editor call definitions of these letters, in this folder. */
export async function findSymbols(root: string, query: string): Promise<FoundSymbol[]> {
  const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const symbols = (found ?? []).flatMap(({ name, containerName, kind, location }): FoundSymbol[] => {
    const path = pathIn(root, location.uri);
    // Of what others brought nothing is meant.
    if (path === undefined || /(^|\/)node_modules\//.test(path)) return [];
    // Some languages write parameters behind the name.
    const plain = name.replace(/\(.*$/s, '');
    const container = containerName.replace(/\(.*$/s, '');
    return [{ name: plain, container, path, line: location.range.start.line + 1, kind: kindOf(kind) }];
  });
  return symbols.toSorted((a, b) => scoreOf(b, query) - scoreOf(a, query)).slice(0, MOST_SYMBOLS);
}

function scoreOf({ name }: FoundSymbol, query: string): number {
  const [plain, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (plain === wanted) return 3;
  if (plain.startsWith(wanted)) return 2;
  return plain.includes(wanted) ? 1 : 0;
}

function kindOf(kind: vscode.SymbolKind): FoundSymbol['kind'] {
  switch (kind) {
    case vscode.SymbolKind.Class:
    case vscode.SymbolKind.Struct:
      return 'class';
    case vscode.SymbolKind.Interface:
      return 'interface';
    case vscode.SymbolKind.Enum:
      return 'enum';
    case vscode.SymbolKind.Method:
    case vscode.SymbolKind.Constructor:
      return 'method';
    case vscode.SymbolKind.Function:
      return 'function';
    case vscode.SymbolKind.Variable:
    case vscode.SymbolKind.Constant:
    case vscode.SymbolKind.Field:
    case vscode.SymbolKind.Property:
      return 'variable';
    default:
      return 'other';
  }
}

/** What there is to mention besides files. */
export async function mentionable(root: string | undefined): Promise<Mentionable> {
  const problems = root === undefined ? { count: 0, files: 0 } : countProblems(root);
  const terminal = vscode.window.activeTerminal?.name;
  const git = root === undefined ? undefined : await gitOf(root);
  return {
    problems,
    ...(terminal === undefined ? {} : { terminal }),
    ...(git === undefined ? {} : { git }),
  };
}

function countProblems(root: string): NonNullable<Mentionable['problems']> {
  const counts = vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
    const wrong = diagnostics.filter(({ severity }) => severity === error || severity === warning).length;
    return wrong > 0 && pathIn(root, uri) !== undefined ? [wrong] : [];
  });
  return { count: counts.reduce((sum, count) => sum + count, 0), files: counts.length };
}

async function gitOf(root: string): Promise<Mentionable['git']> {
  const extension = vscode.extensions.getExtension<{
    getAPI(version: 1): { readonly repositories: readonly Repository[] };
  }>('vscode.git');
  // It starts with the window where there is a repository; nothing is started for a list.
  if (!extension?.isActive) return undefined;
  const repository = extension.exports
    .getAPI(1)
    .repositories.filter(({ rootUri: { fsPath } }) => root === fsPath || root.startsWith(fsPath + sep))
    .toSorted((a, b) => b.rootUri.fsPath.length - a.rootUri.fsPath.length)[0];
  if (!repository) return undefined;
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
  const changed = indexChanges.length + workingTreeChanges.length + untrackedChanges.length;
  return { changed, commits: await commitsOf(repository) };
}

async function commitsOf(repository: Repository): Promise<{ hash: string; subject: string }[]> {
  try {
    const commits = await repository.log({ maxEntries: MOST_COMMITS });
    return commits.map(({ hash, message }) => ({ hash, subject: message.split('\n', 1)[0] ?? '' }));
  } catch (error) {
    // Before its first commit a repository has no log.
    if (error instanceof Error) return [];
    throw error;
  }
}
