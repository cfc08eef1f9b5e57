import * as vscode from 'vscode';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { message } from '../../shared/strings.ts';

/**
 * What is selected in the terminal in front. The editor gives it to extensions through the clipboard alone, whose text is put back.
 * @throws ProtocolError when nothing is selected
 */
export async function terminalSelection(): Promise<string> {
  const kept = await vscode.env.clipboard.readText();
  try {
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const selected = await vscode.env.clipboard.readText();
    if (selected.trim() === '') throw new ProtocolError('not_found', message('vscode.noTerminalSelection'));
    return selected;
  } finally {
    await vscode.env.clipboard.writeText(kept);
  }
}
