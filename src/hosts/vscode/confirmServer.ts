import * as vscode from 'vscode';
import type { McpConfirmation } from '../../services/mcp/ServerManager.ts';
import { shownCommand } from '../../shared/commandLine.ts';
import { message, translate, type Locale, type StringKey } from '../../shared/strings.ts';

/** Asks in the editor's own dialog, which no page can answer, whether a server may start. Leaving it is a no. */
export async function confirmServer(what: McpConfirmation, locale: Locale): Promise<boolean> {
  const words = (key: StringKey, args?: Parameters<typeof message>[1]): string =>
    translate(locale, message(key, args));
  const { server, target, changedTools } = what;
  const question =
    changedTools.length > 0
      ? 'vscode.mcp.mayChange'
      : target.type === 'command'
        ? 'vscode.mcp.mayRun'
        : 'vscode.mcp.mayReach';
  const allow = words('vscode.mcp.allow');
  const detail = factsOf(what)
    .map(([key, value]) => `${words(key)}: ${value === '' ? words('webview.mcp.noneGiven') : value}`)
    .join('\n');
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(words(question, { server }), options, allow)) === allow;
}

function factsOf({ target, source, changedTools }: McpConfirmation): [StringKey, string][] {
  const tools: [StringKey, string][] =
    changedTools.length > 0 ? [['webview.mcp.tools', changedTools.join(', ')]] : [];
  if (target.type === 'address')
    return [
      ...tools,
      ['webview.mcp.address', shownCommand(target.url, [])],
      ['webview.mcp.headers', target.headers.join(', ')],
      ['webview.mcp.file', source.path],
    ];
  return [
    ...tools,
    ['webview.mcp.command', shownCommand(target.command, target.args)],
    ['webview.mcp.folder', target.cwd],
    ['webview.mcp.variables', target.environment.join(', ')],
    ['webview.mcp.file', source.path],
  ];
}
