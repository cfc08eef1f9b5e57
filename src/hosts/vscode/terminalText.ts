import * as vscode from 'vscode';

/**
 * What the terminal in front shows, with what has scrolled away. The editor gives it through the clipboard alone, whose text is put
 * back; what the person has selected in it is not selected any more.
 */
export async function terminalText(): Promise<{ name: string; text: string } | undefined> {
  const terminal = vscode.window.activeTerminal;
  if (!terminal) return undefined;
  const kept = await vscode.env.clipboard.readText();
  try {
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
    return { name: terminal.name, text: await vscode.env.clipboard.readText() };
  } finally {
    await vscode.env.clipboard.writeText(kept);
  }
}
