import { join } from 'node:path';
import * as vscode from 'vscode';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { message } from '../../shared/strings.ts';
import { inView } from './InView.ts';
import { findSymbols, mentionable } from './mentionable.ts';
import type { EditorHandlers } from '../page/PageConnection.ts';
import { PathFinder } from '../page/PathFinder.ts';
import { pathIn } from './workspacePath.ts';

export type WorkspaceRequests = Pick<
  EditorHandlers,
  'editor/findPaths' | 'editor/findSymbols' | 'editor/mentionable' | 'editor/surroundings' | 'editor/saveText'
>;

/** Files that are looked at for paths to offer. */
const LOOKED_AT = 50_000;

/** What the composer asks about the workspace: paths to mention, what is in view, and a place for a text. */
export function workspaceRequests(cwd: () => string | undefined): WorkspaceRequests {
  const paths = new PathFinder(findFiles);
  return {
    'editor/findPaths': async ({ query }) => {
      const root = cwd();
      return { paths: root === undefined ? [] : await paths.find(root, query, () => openFiles(root)) };
    },
    'editor/findSymbols': async ({ query }) => {
      const root = cwd();
      return { symbols: root === undefined || query.trim() === '' ? [] : await findSymbols(root, query) };
    },
    'editor/mentionable': async () => await mentionable(cwd()),
    'editor/surroundings': () => {
      const root = cwd();
      if (root === undefined) return Promise.resolve({});
      const problems = worstFile(root);
      return Promise.resolve({
        ...inView(root),
        ...(problems === undefined ? {} : { problems }),
      });
    },
    'editor/saveText': async ({ name, text }) => {
      const root = cwd();
      const safe = name.replace(/[\\/:*?"<>|]/g, ' ').trim();
      const target = await vscode.window.showSaveDialog(
        root === undefined ? {} : { defaultUri: vscode.Uri.file(join(root, safe)) },
      );
      if (!target) return { saved: false };
      try {
        await vscode.workspace.fs.writeFile(target, Buffer.from(text));
      } catch (error) {
        throw new ProtocolError('unavailable', message('vscode.cannotSave', { path: target.fsPath }), {
          cause: error,
        });
      }
      return { saved: true };
    },
  };
}

/** As quick open sees them: without what the editor's settings hide from files and from search. */
async function findFiles(root: string): Promise<string[]> {
  const hidden = ['files', 'search'].flatMap((section) => {
    const exclude = vscode.workspace.getConfiguration(section).get<Record<string, unknown>>('exclude') ?? {};
    return Object.entries(exclude).flatMap(([glob, on]) => (on === true ? [glob] : []));
  });
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(root, '**/*'),
    `{${['**/node_modules/**', '**/.git/**', ...hidden].join(',')}}`,
    LOOKED_AT,
  );
  return found.flatMap((uri) => pathIn(root, uri) ?? []);
}

/** Files of open tabs, the one in front first. */
function openFiles(root: string): string[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const uris = inputs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const front = vscode.window.activeTextEditor?.document.uri;
  const paths = [...(front ? [front] : []), ...uris].flatMap((uri) => pathIn(root, uri) ?? []);
  return [...new Set(paths)];
}

function worstFile(root: string): { path: string; count: number } | undefined {
  let worst: { path: string; count: number } | undefined;
  for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
    const count = diagnostics.filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error).length;
    const path = pathIn(root, uri);
    if (path !== undefined && count > (worst?.count ?? 0)) worst = { path, count };
  }
  return worst;
}
