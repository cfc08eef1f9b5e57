import * as vscode from 'vscode';
import { pathIn } from './workspacePath.ts';

export interface Seen {
  file?: string;
  lines?: { first: number; last: number };
}

/** Milliseconds for which a moving selection is let come to rest. */
const REST = 150;

/** The file in front, and what is selected in it. Nothing outside of the folder. */
export function inView(root: string): Seen {
  const editor = vscode.window.activeTextEditor;
  const file = editor && pathIn(root, editor.document.uri);
  if (!editor || file === undefined) return {};
  const { start, end, isEmpty } = editor.selection;
  if (isEmpty) return { file };
  // A selection of whole lines ends before the first character of the next one, which is not meant.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { file, lines: { first: start.line + 1, last } };
}

/** Tells when what the person has in view is something else. */
export function watchView(cwd: () => string | undefined, tell: (seen: Seen) => void): vscode.Disposable[] {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = '';
  const look = (): void => {
    const root = cwd();
    const seen = root === undefined ? {} : inView(root);
    if (JSON.stringify(seen) === told) return;
    told = JSON.stringify(seen);
    tell(seen);
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, REST);
  };
  return [
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.window.onDidChangeTextEditorSelection(later),
    new vscode.Disposable(() => clearTimeout(timer)),
  ];
}
