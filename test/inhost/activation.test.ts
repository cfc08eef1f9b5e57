import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { internals, until } from './support/Lathe.ts';

// The first file of this window: nothing has asked for the agent yet.
describe('activation', () => {
  it('comes by itself with the window, and loads no agent until someone asks for it', async () => {
    const { isLoaded } = await internals();
    const problems = vscode.languages.createDiagnosticCollection('test');
    try {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      assert.ok(folder);
      const uri = vscode.Uri.joinPath(folder.uri, 'readme.md');
      const range = new vscode.Range(0, 0, 0, 3);
      problems.set(uri, [new vscode.Diagnostic(range, 'wrong')]);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      const offered = async (): Promise<string[]> =>
        (
          await vscode.commands.executeCommand<vscode.CodeAction[]>(
            'vscode.executeCodeActionProvider',
            uri,
            range,
          )
        ).map(({ title }) => title);
      await until(async () => (await offered()).includes('Fix with Lathe'), 'the quick fix');
    } finally {
      problems.dispose();
    }
    assert.equal(isLoaded(), false);
  });
});
