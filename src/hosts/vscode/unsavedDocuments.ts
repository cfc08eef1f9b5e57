import * as vscode from 'vscode';

/**
 * What has unsaved changes. A document's own `isDirty` is not enough: it becomes false with every save that ends, also with one that
 * was under way while its person typed on. Tabs know better, and hear of what was just typed a moment later.
 */
export function unsavedDocuments(): vscode.TextDocument[] {
  const dirty = new Set(
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .flatMap((tab) => (tab.isDirty ? (shownIn(tab)?.toString() ?? []) : [])),
  );
  return vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty || dirty.has(uri.toString()));
}

/** The document that a person can write in there. */
export function shownIn({ input }: vscode.Tab): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputText) return input.uri;
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}
