import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import type { Logger } from '../../core/Logger.ts';
import type { ApprovalRequest } from '../../shared/approvals.ts';
import type { EditorNotifications } from '../../shared/editor.ts';
import { message, type Locale } from '../../shared/strings.ts';
import { webviewHtml } from './webviewHtml.ts';
import { WebviewConnection, type EditorHandlers } from './WebviewConnection.ts';

export const VIEW_ID = 'lathe.sidebar';
const OPEN_TASK = 'lathe.openTask';

export interface SidebarOptions {
  context: vscode.ExtensionContext;
  agent: () => Promise<Agent>;
  showTerminal: (callId: string) => Promise<void>;
  showDiff: (path: string, before: string, after: string) => Promise<void>;
  cwd: () => string | undefined;
  locale: () => Locale;
  logger: Logger;
}

/** The view in the side bar: its page, its line to the agent, and what the editor does for it. */
export class Sidebar implements vscode.WebviewViewProvider {
  readonly #options: SidebarOptions;
  #view: vscode.WebviewView | undefined;
  #connection: WebviewConnection | undefined;
  #opened: string | undefined;

  constructor(options: SidebarOptions) {
    this.#options = options;
    this.#opened = options.context.workspaceState.get<string>(OPEN_TASK);
  }

  /** The task that is open in the view. */
  get openTask(): string | undefined {
    return this.#opened;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { context, agent, logger, locale } = this.#options;
    const folder = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
    this.#connection?.dispose();
    const connection = new WebviewConnection({
      agent,
      editor: this.#handlers,
      logger,
      post: (said) => void view.webview.postMessage(said),
    });
    this.#view = view;
    this.#connection = connection;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [folder],
      enableCommandUris: false,
      enableForms: false,
    };
    view.webview.onDidReceiveMessage((raw: unknown) => void connection.receive(raw));
    view.onDidDispose(() => {
      connection.dispose();
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = webviewHtml(view.webview, folder, locale());
  }

  /** A palette command or a key, for the page to act on. */
  command(command: EditorNotifications['editor/command']['_output']['command']): void {
    this.#connection?.notify('editor/command', { command });
  }

  trusted(): void {
    this.#connection?.notify('editor/trusted', { trusted: vscode.workspace.isTrusted });
  }

  /** How many requests wait for the person, on the view's icon. */
  badge(waiting: readonly ApprovalRequest[]): void {
    if (!this.#view) return;
    this.#view.badge = waiting.length === 0 ? undefined : { value: waiting.length, tooltip: '' };
  }

  readonly #handlers: EditorHandlers = {
    'editor/ready': async () => {
      const { context, cwd, locale } = this.#options;
      const { version } = context.extension.packageJSON as { version: string };
      const workspace = cwd();
      const taskId = await this.#existing(this.#opened);
      return {
        locale: locale(),
        trusted: vscode.workspace.isTrusted,
        version,
        ...(workspace === undefined ? {} : { workspace }),
        ...(taskId === undefined ? {} : { taskId }),
      };
    },
    'editor/opened': async ({ taskId }) => {
      this.#opened = taskId;
      await this.#options.context.workspaceState.update(OPEN_TASK, taskId);
      return {};
    },
    'editor/openFile': async ({ path, line }) => {
      const uri = this.#fileUri(path);
      const position = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
      try {
        await vscode.window.showTextDocument(uri, {
          preview: true,
          ...(line === undefined ? {} : { selection: new vscode.Range(position, position) }),
        });
      } catch (error) {
        throw new ProtocolError('not_found', message('vscode.cannotOpen', { path }), { cause: error });
      }
      return {};
    },
    'editor/openDiff': async ({ taskId, callId }) => {
      await this.#openDiff(taskId, callId);
      return {};
    },
    'editor/showTerminal': async ({ callId }) => {
      await this.#options.showTerminal(callId);
      return {};
    },
    'editor/openExternal': async ({ url }) => {
      const uri = vscode.Uri.parse(url, true);
      if (uri.scheme !== 'https' && uri.scheme !== 'http')
        throw new ProtocolError('invalid_params', message('vscode.onlyWeb'));
      await vscode.env.openExternal(uri);
      return {};
    },
    'editor/openSettings': async ({ query }) => {
      await vscode.commands.executeCommand('workbench.action.openSettings', query ?? '@ext:lathe.lathe');
      return {};
    },
  };

  /** The remembered task, if it is still there. */
  async #existing(taskId: string | undefined): Promise<string | undefined> {
    if (taskId === undefined) return undefined;
    const agent = await this.#options.agent();
    const tasks = await agent.dispatcher.call('task/list', {});
    return tasks.some(({ id }) => id === taskId) ? taskId : undefined;
  }

  /** Shows the change of a finished call: the file's own diff where it can be rebuilt, else the file. */
  async #openDiff(taskId: string, callId: string): Promise<void> {
    const agent = await this.#options.agent();
    const { entries } = await agent.dispatcher.call('task/subscribe', { taskId });
    const finished = entries.find((entry) => entry.type === 'tool_finished' && entry.callId === callId);
    const details = finished?.type === 'tool_finished' ? finished.details : undefined;
    if (details?.type !== 'diff') throw new ProtocolError('not_found', message('vscode.noDiff'));
    const { applyPatch, reversePatch, parsePatch } = await import('diff');
    const path = this.#fileUri(details.path).fsPath;
    const [patch] = parsePatch(`--- a\n+++ b\n${details.patch}\n`);
    let after: string;
    try {
      after = readFileSync(path, 'utf8');
    } catch (error) {
      throw new ProtocolError('not_found', message('vscode.cannotOpen', { path: details.path }), {
        cause: error,
      });
    }
    const before = patch === undefined || details.cut ? false : applyPatch(after, reversePatch(patch));
    if (before === false) {
      await this.#handlers['editor/openFile']({ path: details.path });
      return;
    }
    await this.#options.showDiff(path, before, after);
  }

  #fileUri(path: string): vscode.Uri {
    const root = this.#options.cwd();
    if (isAbsolute(path)) return vscode.Uri.file(path);
    if (root === undefined) throw new ProtocolError('unavailable', message('error.noWorkspace'));
    return vscode.Uri.file(join(root, path));
  }
}
