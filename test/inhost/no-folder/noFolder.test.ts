import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { internals, Lathe, until } from '../support/Lathe.ts';

describe('a window without a folder', () => {
  it('has the sidebar, the commands and the settings', async () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
    const { loaded, sidebar } = await internals();
    await vscode.commands.executeCommand('lathe.focus');
    await until(() => sidebar.visible, 'the view');
    const { dispatcher } = (await loaded()).agent;
    assert.deepEqual(await dispatcher.call('task/list', {}), []);
    assert.ok((await dispatcher.call('mode/list', {})).length > 0);
  });

  it('starts no task, and says to open a folder', async () => {
    const lathe = await Lathe.start();
    await assert.rejects(lathe.task('Do something', []), {
      name: 'ProtocolError',
      code: 'unavailable',
      words: { key: 'error.noWorkspace' },
    });
    const { dispatcher } = lathe.parts.agent;
    assert.deepEqual(await dispatcher.call('task/list', {}), []);
    assert.equal(lathe.model.requests.length, 0);
    await lathe.stop();
  });

  it('lets stop, approve and reject do nothing in peace', async () => {
    for (const command of ['lathe.stop', 'lathe.approve', 'lathe.reject'])
      await vscode.commands.executeCommand(command);
  });
});
