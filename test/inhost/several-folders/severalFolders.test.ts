import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { workspaceFolders, workspaceRoot } from '../../../src/hosts/vscode/workspaceRoot.ts';
import { xmlCall } from '../../support/ScriptedModel.ts';
import { Lathe, until } from '../support/Lathe.ts';

const done = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('a window with several folders', () => {
  const [first = '', second = ''] = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  let lathe: Lathe;

  const show = async (folder: string): Promise<void> => {
    const document = await vscode.workspace.openTextDocument(join(folder, 'readme.md'));
    await vscode.window.showTextDocument(document);
  };
  const write = (path: string) => ({ text: xmlCall('write_to_file', { path, content: 'written' }) });

  before(async () => {
    lathe = await Lathe.start();
  });
  after(async () => {
    await lathe.stop();
    for (const folder of [first, second]) rmSync(join(folder, 'new.txt'), { force: true });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('works in the folder of the active editor, and in the last one where the editor shows no file', async () => {
    assert.deepEqual(workspaceFolders(), [first, second]);
    assert.equal(workspaceRoot(), first);
    await show(second);
    assert.equal(workspaceRoot(), second);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'untitled' }));
    assert.equal(workspaceRoot(), second);
    await show(first);
    assert.equal(workspaceRoot(), first);
  });

  it('keeps a task in its folder while the person looks at the other', async () => {
    await show(second);
    const task = await lathe.task('Write', [write('new.txt'), done, done]);
    await lathe.asked(task);
    await show(first);
    await lathe.answer(task, { outcome: 'allow' });
    assert.equal(await lathe.ended(task), 'completed');
    assert.deepEqual(
      [first, second].map((folder) => existsSync(join(folder, 'new.txt'))),
      [false, true],
    );
    await lathe.parts.agent.dispatcher.call('task/send', { taskId: task, text: 'Go on' });
    await until(() => lathe.entries(task, 'task_finished').length === 2, 'the end of the next turn');
    assert.deepEqual(
      lathe.entries(task, 'task_finished').map(({ reason }) => reason),
      ['completed', 'completed'],
    );
  });

  it('counts the other folder as outside of the task’s, which asks with a warning', async () => {
    await show(first);
    const task = await lathe.task('Write', [write(join(second, 'new2.txt')), done]);
    const request = await lathe.asked(task);
    assert.ok(request.reason === 'tool');
    assert.equal(request.dangerous, true);
    assert.deepEqual(
      request.actions.map((action) => ('insideWorkspace' in action ? action.insideWorkspace : undefined)),
      [false],
    );
    await lathe.answer(task, { outcome: 'reject' });
    assert.equal(existsSync(join(second, 'new2.txt')), false);
  });
});
