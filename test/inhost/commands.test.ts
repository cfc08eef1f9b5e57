import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { folder, Lathe, until } from './support/Lathe.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };
const write = (path: string): Reply => ({
  text: xmlCall('write_to_file', { path, content: 'written' }),
});

describe('commands of the palette, with the sidebar as it is in the window', () => {
  let lathe: Lathe;

  before(async () => {
    lathe = await Lathe.start();
    await vscode.commands.executeCommand('lathe.focus');
  });
  after(async () => {
    await lathe.stop();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** A task that the page shows. */
  async function shown(text: string, turns: Reply[]): Promise<string> {
    const task = await lathe.task(text, turns);
    await vscode.commands.executeCommand('lathe.focus', task);
    await until(() => lathe.extension.sidebar.openTask === task, 'the task in the page');
    return task;
  }

  /** A key counts only when the person has had time to read: pressed until it is heard. Gives the outcome. */
  async function pressUntilAnswered(command: string, task: string): Promise<string | undefined> {
    const answers = () => lathe.entries(task, 'approval_resolved');
    const before = answers().length;
    await until(async () => {
      await vscode.commands.executeCommand(command);
      await sleep(100);
      return answers().length > before;
    }, `the answer of ${command}`);
    const decision = answers()[before]?.decision;
    assert.equal(decision?.by, 'person');
    return decision.outcome;
  }

  it('approve', async () => {
    const task = await shown('Write', [write('approved.txt'), done]);
    await lathe.asked(task);
    assert.equal(await pressUntilAnswered('lathe.approve', task), 'allow');
    assert.equal(await lathe.ended(task), 'completed');
    assert.equal(existsSync(join(folder(), 'approved.txt')), true);
  });

  it('reject', async () => {
    const task = await shown('Write', [write('rejected.txt'), done]);
    await lathe.asked(task);
    assert.equal(await pressUntilAnswered('lathe.reject', task), 'reject');
    assert.equal(await lathe.ended(task), 'completed');
    assert.equal(existsSync(join(folder(), 'rejected.txt')), false);
  });

  it('approve answers nothing that is dangerous, and nothing that is out of sight', async () => {
    const outside = join(tmpdir(), 'lathe-outside.txt');
    const task = await shown('Write', [write(outside), write('hidden.txt'), done]);
    await lathe.asked(task);
    await sleep(500);
    for (let times = 0; times < 5; times++) {
      await vscode.commands.executeCommand('lathe.approve');
      await sleep(50);
    }
    assert.deepEqual(lathe.entries(task, 'approval_resolved'), []);
    await lathe.answer(task, { outcome: 'reject' });
    await lathe.asked(task);
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
    await until(() => !lathe.extension.sidebar.visible, 'the view to be hidden');
    await vscode.commands.executeCommand('lathe.approve');
    await until(() => lathe.extension.sidebar.visible, 'the view');
    assert.equal(lathe.entries(task, 'approval_resolved').length, 1);
    assert.equal(await pressUntilAnswered('lathe.approve', task), 'allow');
    assert.equal(await lathe.ended(task), 'completed');
    assert.deepEqual([existsSync(outside), existsSync(join(folder(), 'hidden.txt'))], [false, true]);
  });

  it('stop', async () => {
    const task = await shown('Talk', [{ text: 'and so on '.repeat(2000), delay: 20 }]);
    await until(() => lathe.entries(task, 'request_started').length > 0, 'the request');
    await vscode.commands.executeCommand('lathe.stop');
    assert.equal(await lathe.ended(task), 'cancelled');
    await vscode.commands.executeCommand('lathe.stop');
    assert.equal(lathe.entries(task, 'task_finished').length, 1);
  });

  it('new task leaves the one that is open as it is', async () => {
    const task = await shown('Finish', [done]);
    await lathe.ended(task);
    await vscode.commands.executeCommand('lathe.newTask');
    await until(() => lathe.extension.sidebar.openTask === undefined, 'the empty page');
    const tasks = await lathe.parts.agent.dispatcher.call('task/list', {});
    assert.equal(tasks.find(({ id }) => id === task)?.state, 'completed');
  });

  it('new task and history reach a page that is only now loading', async () => {
    const task = await shown('Finish', [done]);
    await lathe.ended(task);
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
    await until(() => !lathe.extension.sidebar.visible, 'the view to be hidden');
    await vscode.commands.executeCommand('lathe.newTask');
    await until(() => lathe.extension.sidebar.openTask === undefined, 'the empty page');
    await vscode.commands.executeCommand('lathe.history');
    assert.equal(lathe.extension.sidebar.visible, true);
  });

  it('switch mode, for the open task and what comes next', async () => {
    const task = await shown('Finish', [done]);
    await lathe.ended(task);
    const switched = vscode.commands.executeCommand('lathe.switchMode');
    // The editor does not tell extensions when a list is shown.
    await sleep(1000);
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectPrevious');
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    await switched;
    const modes = await lathe.parts.agent.dispatcher.call('mode/list', {});
    assert.deepEqual(
      lathe.entries(task, 'mode_changed').map(({ mode, by }) => ({ mode, by })),
      [{ mode: modes.at(-1)?.slug, by: 'person' }],
    );
    await lathe.parts.agent.dispatcher.call('mode/set', { mode: 'code' });
  });
});
