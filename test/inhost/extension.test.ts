import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe('the extension in its host', () => {
  const extension = () => {
    const found = vscode.extensions.getExtension('lathe.lathe');
    assert.ok(found, 'VS Code does not know the extension');
    return found;
  };

  it('activates', async () => {
    await extension().activate();
    assert.equal(extension().isActive, true);
  });

  it('registers every command that it contributes', async () => {
    const { contributes } = extension().packageJSON as Manifest;
    const contributed = contributes.commands.map(({ command }) => command);
    assert.ok(contributed.length > 0);
    await extension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  });
});
