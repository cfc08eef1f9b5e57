import * as vscode from 'vscode';
import type { FileHost } from '../../core/host/Host.ts';
import { taskIdSchema } from '../../shared/protocol.ts';
import { message, translate } from '../../shared/strings.ts';
import { contextCommands, type ContextCommandOptions } from './contextCommands.ts';
import { ProblemActions } from './ProblemActions.ts';
import { registerCommand } from './registerCommand.ts';
import { VIEW_ID, type SidebarCommand } from './Sidebar.ts';

export interface CommandOptions extends ContextCommandOptions {
  /** How files are read; with it the agent is loaded. */
  files: () => Promise<FileHost>;
  showLog: () => void;
}

/** Every command of the palette, the menus, the quick fixes and the keys. */
export function registerCommands(options: CommandOptions): vscode.Disposable[] {
  const { sidebar, agent, showLog } = options;
  const command = (name: string, run: (argument: unknown) => Promise<void>): vscode.Disposable =>
    registerCommand(options, name, run);
  const focus = async (): Promise<void> => {
    await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
  };
  const open = (name: string, what: SidebarCommand): vscode.Disposable =>
    command(name, async () => {
      await focus();
      sidebar.command(what, true);
    });
  // Nothing is answered that is not on the screen: a hidden view is shown first.
  const answer = (name: string, what: SidebarCommand): vscode.Disposable =>
    command(name, async () => {
      if (sidebar.visible) sidebar.command(what, false);
      else await focus();
    });
  return [
    open('lathe.newTask', 'newTask'),
    open('lathe.history', 'history'),
    open('lathe.openSettings', 'settings'),
    open('lathe.mcpServers', 'mcp'),
    open('lathe.about', 'about'),
    answer('lathe.approve', 'approve'),
    answer('lathe.reject', 'reject'),
    command('lathe.focus', async (argument) => {
      await focus();
      const taskId = taskIdSchema.safeParse(argument);
      if (taskId.success && taskId.data !== sidebar.openTask) sidebar.open(taskId.data);
      else sidebar.command('focusComposer', true);
    }),
    command('lathe.stop', async () => {
      const taskId = sidebar.openTask;
      if (taskId !== undefined) await (await agent()).dispatcher.call('task/cancel', { taskId });
    }),
    command('lathe.switchMode', async () => {
      await switchMode(options);
    }),
    command('lathe.showLog', () => {
      showLog();
      return Promise.resolve();
    }),
    command('lathe.commitMessage', async (argument) => {
      const { writeCommitMessage } = await import('./commitMessage.ts');
      await writeCommitMessage(options, argument);
    }),
    command('lathe.walkthrough', async () => {
      await vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        'lathe.lathe#lathe.start',
        false,
      );
    }),
    ...contextCommands(options),
    ProblemActions.register(options.locale),
  ];
}

async function switchMode({ sidebar, agent, locale }: CommandOptions): Promise<void> {
  const { dispatcher } = await agent();
  const modes = await dispatcher.call('mode/list', {});
  const items = modes.map(({ slug, name, description = '' }) => ({ label: name, description, slug }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: translate(locale(), message('vscode.pickMode')),
    matchOnDescription: true,
  });
  if (!picked) return;
  const taskId = sidebar.openTask;
  await dispatcher.call('mode/set', { mode: picked.slug, ...(taskId === undefined ? {} : { taskId }) });
}
