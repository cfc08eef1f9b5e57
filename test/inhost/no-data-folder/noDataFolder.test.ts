import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { translate } from '../../../src/shared/strings.ts';
import { folder, internals, Lathe, until } from '../support/Lathe.ts';
import { xmlCall } from '../../support/ScriptedModel.ts';

describe('a data folder that cannot be written', () => {
  const home = process.env['LATHE_HOME'] ?? '';

  it('is said in words with the way out, each time something needs it', async () => {
    const { loaded } = await internals();
    for (let times = 0; times < 2; times++) {
      const problem = await loaded().then(
        () => assert.fail('it was used'),
        (error: unknown) => error,
      );
      assert.ok(problem instanceof Error && 'words' in problem && 'code' in problem);
      assert.equal(problem.code, 'unavailable');
      const words = translate('en', problem.words as Parameters<typeof translate>[1]);
      assert.match(words, /Lathe’s data folder .+ cannot be used: .*(ENOTDIR|EEXIST)/);
      assert.ok(words.includes(home) && /LATHE_HOME/.test(words), words);
    }
  });

  it('leaves the extension alive: the view is there, and commands end', async () => {
    const { sidebar } = await internals();
    await vscode.commands.executeCommand('lathe.focus');
    await until(() => sidebar.visible, 'the view');
    for (const command of [
      'lathe.newTask',
      'lathe.history',
      'lathe.stop',
      'lathe.switchMode',
      'lathe.showLog',
    ])
      await vscode.commands.executeCommand(command);
    assert.equal(vscode.extensions.getExtension('lathe.lathe')?.isActive, true);
  });

  it('is used as soon as it is mended, without a reload', async () => {
    rmSync(dirname(home));
    const lathe = await Lathe.start();
    const task = await lathe.task('Finish', [{ text: xmlCall('attempt_completion', { result: 'done' }) }]);
    assert.equal(await lathe.ended(task), 'completed');
    assert.equal(folder(), dirname(dirname(home)));
    await lathe.stop();
  });
});
