import * as vscode from 'vscode';
import { version } from '../../../package.json';
import { McpHub } from '../../services/mcp/McpHub.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { withoutSecrets } from '../node/NodeHost.ts';
import { askForServer } from './askForServer.ts';
import { confirmServer } from './confirmServer.ts';
import { workspaceRoot } from './workspaceRoot.ts';

/** The MCP servers of this window: they follow its folders and its trust, and ask the person in its dialogs. */
export function createHub(
  context: vscode.ExtensionContext,
  locale: () => Locale,
  home: string,
  report: (error: unknown) => void,
): McpHub {
  const hub = new McpHub({
    home,
    version,
    workspace: workspaceRoot,
    trusted: () => vscode.workspace.isTrusted,
    environment: withoutSecrets(process.env),
    logger: { warn: report, error: (_text, error) => report(error) },
    secrets: {
      get: async (name) => await context.secrets.get(name),
      set: async (name, value) => await context.secrets.store(name, value),
      delete: async (name) => await context.secrets.delete(name),
    },
    openAddress: async (address, server) => {
      const open = translate(locale(), message('vscode.mcp.openPage'));
      const question = translate(locale(), message('vscode.mcp.signIn', { server, host: address.host }));
      const chosen = await vscode.window.showInformationMessage(question, { modal: true }, open);
      if (chosen !== open) throw new Error(translate(locale(), message('vscode.mcp.notOpened')));
      await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
    },
    confirm: async (what) => await confirmServer(what, locale()),
    elicit: async (request, signal) => await askForServer(request, signal, locale()),
  });
  const reload = (): void => void hub.reload().catch(report);
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(reload),
    vscode.workspace.onDidChangeWorkspaceFolders(reload),
  );
  hub.start().catch(report);
  return hub;
}
