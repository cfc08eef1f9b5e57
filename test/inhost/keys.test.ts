import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { internals } from './support/Lathe.ts';

interface Keybinding {
  readonly command: string;
  readonly key: string;
  readonly when?: string;
}

describe('keys', () => {
  it('that count everywhere take none of the editor’s own; the others count in the view alone', async () => {
    const { context } = await internals();
    const { contributes } = context.extension.packageJSON as { contributes: { keybindings: Keybinding[] } };
    const elsewhere = contributes.keybindings.filter(
      ({ when }) => when?.split(' && ').includes('lathe.focused') !== true,
    );
    assert.deepEqual(
      elsewhere.map(({ command }) => command),
      ['lathe.focus'],
    );
    // What the page says of its focus comes late; what the editor knows of its own does not.
    const here = 'lathe.focused && !editorFocus && !inputFocus && !terminalFocus';
    assert.deepEqual(
      contributes.keybindings.filter(({ when }) => when?.includes('lathe.focused') && !when.endsWith(here)),
      [],
    );
    const all = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(all)).getText();
    const taken = [...text.matchAll(/"key": "([^"]+)",\s*"command": "([^"]+)"/g)].map(
      ([, key = '', command = '']) => ({ key, command }),
    );
    assert.ok(taken.length > 500, `${taken.length} keys of the editor`);
    for (const { key } of elsewhere)
      assert.deepEqual(
        taken.filter((other) => other.key === key && !other.command.startsWith('lathe.')),
        [],
      );
  });
});
