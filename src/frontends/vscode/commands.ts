import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { VIEW_ID, type Sidebar } from './Sidebar.ts';

/** Every command of the palette, the view's title bar and the keys. */
export function registerCommands(
  sidebar: Sidebar,
  agent: () => Promise<Agent>,
  locale: () => Locale,
  showLog: () => void,
): vscode.Disposable[] {
  const focus = async (): Promise<void> => {
    await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
  };
  const forward = (
    name: string,
    command: Parameters<Sidebar['command']>[0],
    opens: boolean,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(name, async () => {
      if (opens) await focus();
      sidebar.command(command);
    });
  return [
    forward('lathe.newTask', 'newTask', true),
    forward('lathe.history', 'history', true),
    forward('lathe.openSettings', 'settings', true),
    forward('lathe.approve', 'approve', false),
    forward('lathe.reject', 'reject', false),
    vscode.commands.registerCommand('lathe.focus', async () => {
      await focus();
      sidebar.command('focusComposer');
    }),
    vscode.commands.registerCommand('lathe.stop', async () => {
      const taskId = sidebar.openTask;
      if (taskId !== undefined) await (await agent()).dispatcher.call('task/cancel', { taskId });
    }),
    vscode.commands.registerCommand('lathe.switchMode', async () => {
      const { dispatcher } = await agent();
      const modes = await dispatcher.call('mode/list', {});
      const items = modes.map(({ slug, name, description = '' }) => ({ label: name, description, slug }));
      const picked = await vscode.window.showQuickPick(items, {
        placeHolder: translate(locale(), message('vscode.pickMode')),
      });
      const taskId = sidebar.openTask;
      if (picked)
        await dispatcher.call('mode/set', { mode: picked.slug, ...(taskId === undefined ? {} : { taskId }) });
    }),
    vscode.commands.registerCommand('lathe.showLog', showLog),
  ];
}
