import * as vscode from 'vscode';
import type { Agent } from './core/Agent.ts';
import type { Logger } from './core/Logger.ts';
import { registerCommands } from './frontends/vscode/commands.ts';
import { editorSettings } from './frontends/vscode/editorSettings.ts';
import { locale } from './frontends/vscode/locale.ts';
import { outputLogger } from './frontends/vscode/outputLogger.ts';
import { Sidebar } from './frontends/vscode/Sidebar.ts';
import { Waiting } from './frontends/vscode/Waiting.ts';
import { closeStaleReviews } from './hosts/vscode/staleReviews.ts';
import { workspaceFolders, workspaceRoot } from './hosts/vscode/workspaceRoot.ts';
import type { VsCodeHost } from './hosts/vscode/VsCodeHost.ts';

let parts: ReturnType<typeof load> | undefined;

/** What tests inside of the editor may touch. Nobody else is given it. */
export interface Internals {
  context: vscode.ExtensionContext;
  sidebar: Sidebar;
  loaded: () => ReturnType<typeof load>;
  isLoaded: () => boolean;
}

/** Only registers what the editor needs to know; the agent itself is loaded when the view or a command first asks for it. */
export function activate(context: vscode.ExtensionContext): Internals | undefined {
  const log = vscode.window.createOutputChannel('Lathe', { log: true });
  const logger = outputLogger(log);
  const waiting = new Waiting(locale, (count) => sidebar.badge(count));
  const loaded = async (): ReturnType<typeof load> => {
    parts ??= load(context, logger, waiting);
    try {
      return await parts;
    } catch (error) {
      // What was wrong may be mended: the next request tries again.
      parts = undefined;
      throw error;
    }
  };
  const agent = async (): Promise<Agent> => (await loaded()).agent;
  const sidebar = new Sidebar({
    context,
    agent,
    locale,
    logger,
    ...{ cwd: workspaceRoot, folders: workspaceFolders },
    home: async () => (await loaded()).home,
    opened: (taskId) => waiting.opened(taskId),
    showTerminal: async (callId) => (await loaded()).host.terminal.show(callId),
    showDiff: async (path, before, after) => await (await loaded()).host.reviews.show(path, before, after),
    revealReview: async (path) => await (await loaded()).host.reviews.reveal(path),
  });
  waiting.opened(sidebar.openTask);
  closeStaleReviews().catch((error: unknown) => logger.error('old reviews could not be closed', error));
  context.subscriptions.push(
    log,
    waiting,
    sidebar,
    ...sidebar.register(),
    ...registerCommands({
      ...{ sidebar, agent, locale, logger, cwd: workspaceRoot },
      files: async () => (await loaded()).host.files,
      showLog: () => log.show(),
    }),
  );
  return context.extensionMode === vscode.ExtensionMode.Test
    ? { context, sidebar, loaded, isLoaded: () => parts !== undefined }
    : undefined;
}

/** Turns are stopped and written down before the process ends. */
export async function deactivate(): Promise<void> {
  const made = await parts;
  await made?.agent.dispose();
  await made?.host.dispose();
}

async function load(
  context: vscode.ExtensionContext,
  logger: Logger,
  waiting: Waiting,
): Promise<{ agent: Agent; host: VsCodeHost; home: string }> {
  const [core, data, hosts, models, registry, retry, services, { ProtocolError }] = await Promise.all([
    import('./core/Agent.ts'),
    import('./hosts/vscode/openDataFolder.ts'),
    import('./hosts/vscode/VsCodeHost.ts'),
    import('./hosts/vscode/VsCodeLanguageModels.ts'),
    import('./providers/registry.ts'),
    import('./providers/retry.ts'),
    import('./providers/findServices.ts'),
    import('./core/Dispatcher.ts'),
  ]);
  const home = await data.openDataFolder(process.env, locale());
  if ('problem' in home) throw new ProtocolError('unavailable', home.problem);
  const host = await hosts.VsCodeHost.create(context, locale, home.folder, (error) =>
    logger.error('the host failed', error),
  );
  const agent = new core.Agent({
    host,
    home: home.folder,
    logger,
    editorSettings,
    cwd: workspaceRoot,
    folders: workspaceFolders,
    trusted: () => vscode.workspace.isTrusted,
    attended: true,
    createProvider: async (profile, key) => {
      const { idleTimeoutSeconds, retryLimit: limit } = editorSettings();
      const idleTimeoutMs = idleTimeoutSeconds * 1000;
      if (profile.provider !== 'vscode-lm')
        return await registry.createProvider(profile, { key, idleTimeoutMs, retryLimit: limit });
      const access = context.languageModelAccessInformation;
      const provider = await models.languageModelProvider(profile.model, idleTimeoutMs, access);
      return new retry.RetryingProvider(provider, { limit });
    },
    findServices: async () =>
      (await Promise.all([models.findLanguageModels(), services.findServices()])).flat(),
  });
  agent.onNotification((name, params) => waiting.hear(name, params));
  return { agent, host, home: home.folder };
}
