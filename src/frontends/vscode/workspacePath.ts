import { isAbsolute, relative, sep } from 'node:path';
import type * as vscode from 'vscode';

/** Relative to the folder, with `/`; undefined outside of it. */
export function pathIn(root: string, uri: vscode.Uri): string | undefined {
  if (uri.scheme !== 'file') return undefined;
  const path = relative(root, uri.fsPath);
  if (path === '' || isAbsolute(path) || path === '..' || path.startsWith(`..${sep}`)) return undefined;
  return path.split(sep).join('/');
}
