import * as vscode from 'vscode';

let last: string | undefined;

/** The workspace's folders that are on a disk. */
export function workspaceFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** The root of the active editor in a workspace with several; of the one before where the editor shows no file; else the first. */
export function workspaceRoot(): string | undefined {
  const folders = workspaceFolders();
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active?.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(active) : undefined;
  if (folder) last = folder.uri.fsPath;
  return last !== undefined && folders.includes(last) ? last : folders[0];
}
