import * as vscode from 'vscode';
import type { Agent } from './core/Agent.ts';
import type { Logger } from './core/Logger.ts';
import { registerCommands } from './frontends/vscode/commands.ts';
import { editorSettings } from './frontends/vscode/editorSettings.ts';
import { outputLogger } from './frontends/vscode/outputLogger.ts';
import { Sidebar, VIEW_ID } from './frontends/vscode/Sidebar.ts';
import { Waiting } from './frontends/vscode/Waiting.ts';
import { workspaceRoot } from './hosts/vscode/workspaceRoot.ts';
import type { VsCodeHost } from './hosts/vscode/VsCodeHost.ts';
import { localeOf, message, translate, type Locale } from './shared/strings.ts';

interface Parts {
  agent: Agent;
  host: VsCodeHost;
}

let parts: Promise<Parts> | undefined;

/** Only registers what the editor needs to know; the agent itself is loaded when the view or a command first asks for it. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Lathe', { log: true });
  const logger = outputLogger(log);
  const locale = (): Locale => {
    const { language } = editorSettings();
    return language === 'auto' ? localeOf(vscode.env.language) : language;
  };
  const loaded = (): Promise<Parts> =>
    (parts ??= load(context, logger, locale).then((made) => {
      made.agent.onNotification((name, params) => {
        if (name === 'task/events' && 'events' in params) waiting.hear(params.events);
      });
      return made;
    }));
  const agent = async (): Promise<Agent> => (await loaded()).agent;
  const sidebar = new Sidebar({
    context,
    agent,
    locale,
    logger,
    cwd: workspaceRoot,
    showTerminal: async (callId) => (await loaded()).host.terminal.show(callId),
    showDiff: async (path, before, after) => await (await loaded()).host.reviews.show(path, before, after),
  });
  const waiting = new Waiting(locale, (requests) => sidebar.badge(requests));
  context.subscriptions.push(
    log,
    waiting,
    vscode.window.registerWebviewViewProvider(VIEW_ID, sidebar),
    vscode.workspace.onDidGrantWorkspaceTrust(() => sidebar.trusted()),
    ...registerCommands(sidebar, agent, locale, () => log.show()),
  );
}

/** Turns are stopped and written down before the process ends. */
export async function deactivate(): Promise<void> {
  const made = await parts;
  await made?.agent.dispose();
  await made?.host.dispose();
}

async function load(context: vscode.ExtensionContext, logger: Logger, locale: () => Locale): Promise<Parts> {
  const [
    { Agent },
    { VsCodeHost },
    { languageModelProvider, findLanguageModels },
    registry,
    { RetryingProvider },
    { findServices },
  ] = await Promise.all([
    import('./core/Agent.ts'),
    import('./hosts/vscode/VsCodeHost.ts'),
    import('./hosts/vscode/VsCodeLanguageModels.ts'),
    import('./providers/registry.ts'),
    import('./providers/retry.ts'),
    import('./providers/findServices.ts'),
  ]);
  const home = await dataFolder(locale());
  const host = await VsCodeHost.create(context, locale, (error) =>
    logger.error('a command could not be ended', error),
  );
  const agent = new Agent({
    host,
    home,
    logger,
    editorSettings,
    cwd: workspaceRoot,
    trusted: () => vscode.workspace.isTrusted,
    attended: true,
    createProvider: async (profile, key) => {
      const { idleTimeoutSeconds, retryLimit } = editorSettings();
      const idleTimeoutMs = idleTimeoutSeconds * 1000;
      if (profile.provider !== 'vscode-lm')
        return await registry.createProvider(profile, { key, idleTimeoutMs, retryLimit });
      const access = context.languageModelAccessInformation;
      const provider = await languageModelProvider(profile.model, idleTimeoutMs, access);
      return new RetryingProvider(provider, { limit: retryLimit });
    },
    findServices: async () => (await Promise.all([findLanguageModels(), findServices()])).flat(),
  });
  return { agent, host };
}

/** @throws after telling the person what is wrong with the folder and how to mend it */
async function dataFolder(locale: Locale): Promise<string> {
  const { defaultDataFolder, openDataFolder } = await import('./hosts/node/dataFolder.ts');
  try {
    const { folder, temporary } = await openDataFolder(process.env);
    if (temporary)
      void vscode.window.showWarningMessage(translate(locale, message('vscode.temporaryData', { folder })));
    return folder;
  } catch (error) {
    parts = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const words = message('vscode.noDataFolder', { folder: defaultDataFolder(process.env) ?? '', reason });
    void vscode.window.showErrorMessage(translate(locale, words));
    const { ProtocolError } = await import('./core/Dispatcher.ts');
    throw new ProtocolError('unavailable', words, { cause: error });
  }
}
