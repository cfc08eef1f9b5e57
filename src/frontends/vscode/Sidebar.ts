import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import type { Logger } from '../../core/Logger.ts';
import { keptDraftsSchema, type EditorNotifications, type KeptDrafts } from '../../shared/editor.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { aboutRequests } from './aboutRequests.ts';
import { editorRequests, type EditorRequestOptions } from './editorRequests.ts';
import { watchView } from './InView.ts';
import { webviewHtml } from './webviewHtml.ts';
import { workspaceRequests } from './workspaceRequests.ts';
import { PageConnection, type EditorHandlers } from '../page/PageConnection.ts';

export const VIEW_ID = 'lathe.sidebar';
const OPEN_TASK = 'lathe.openTask';
const DRAFTS = 'lathe.drafts';
/** Characters of all drafts that are kept at most: the editor reads its whole state at each start. */
const LONGEST_DRAFTS = 500_000;

export interface SidebarOptions extends Omit<EditorRequestOptions, 'openTask'> {
  context: vscode.ExtensionContext;
  agent: () => Promise<Agent>;
  locale: () => Locale;
  logger: Logger;
  /** Absolute paths of the workspace's roots. */
  folders: () => readonly string[];
  /** The folder of tasks and settings, absolute. */
  home: () => Promise<string>;
  /** Hears which task is open in the view. */
  opened: (taskId: string | undefined) => void;
}

export type SidebarCommand = EditorNotifications['editor/command']['_output']['command'];

/** The view in the side bar: its page, its line to the agent, and what the editor does for it. */
export class Sidebar implements vscode.WebviewViewProvider {
  readonly #options: SidebarOptions;
  readonly #connection: PageConnection;
  #view: vscode.WebviewView | undefined;
  #opened: string | undefined;
  #waiting = 0;

  constructor(options: SidebarOptions) {
    this.#options = options;
    this.#opened = options.context.workspaceState.get<string>(OPEN_TASK);
    this.#connection = new PageConnection({
      agent: options.agent,
      folders: options.folders,
      logger: options.logger,
      editor: this.#handlers,
      post: (said) => void this.#view?.webview.postMessage(said),
    });
  }

  /** The task that is open in the view. */
  get openTask(): string | undefined {
    return this.#opened;
  }

  get visible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { context, locale } = this.#options;
    const folder = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
    this.#connection.forgetPage();
    this.#view = view;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [folder],
      enableCommandUris: false,
      enableForms: false,
    };
    view.webview.onDidReceiveMessage((raw: unknown) => void this.#connection.receive(raw));
    // A hidden page is taken down: its drafts are in its state, and the next one says that it is ready.
    view.onDidChangeVisibility(() => {
      if (view.visible) return;
      this.#connection.forgetPage();
      focused(false);
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#connection.forgetPage();
      focused(false);
      this.#view = undefined;
    });
    view.webview.html = webviewHtml(view.webview, folder, locale());
    this.#showBadge();
  }

  /** A palette command or a key, for the page to act on; one that opens something also reaches a page that is still loading. */
  command(command: SidebarCommand, opens: boolean): void {
    if (opens) this.#connection.notifyWhenReady('editor/command', { command });
    else this.#connection.notify('editor/command', { command });
  }

  /** Opens a task in the page. */
  open(taskId: string): void {
    this.#connection.notifyWhenReady('editor/openTask', { taskId });
  }

  /** Puts words into the page's composer, behind what stands there. */
  compose(text: string, newTask: boolean): void {
    this.#connection.notifyWhenReady('editor/compose', { text, newTask });
  }

  /** Offers the view to the editor, and tells its page what changes around it. */
  register(): vscode.Disposable[] {
    return [
      vscode.window.registerWebviewViewProvider(VIEW_ID, this),
      ...watchView(this.#options.cwd, (seen) => this.#connection.notify('editor/inView', seen)),
      vscode.workspace.onDidGrantWorkspaceTrust(() =>
        this.#connection.notify('editor/trusted', { trusted: vscode.workspace.isTrusted }),
      ),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('lathe.language'))
          this.#connection.notify('editor/locale', { locale: this.#options.locale() });
      }),
    ];
  }

  /** How many requests wait for the person, on the view's icon. */
  badge(waiting: number): void {
    this.#waiting = waiting;
    this.#showBadge();
  }

  dispose(): void {
    this.#connection.dispose();
  }

  #showBadge(): void {
    if (!this.#view) return;
    const tooltip = translate(this.#options.locale(), message('vscode.waiting'));
    this.#view.badge = this.#waiting === 0 ? undefined : { value: this.#waiting, tooltip };
  }

  get #handlers(): EditorHandlers {
    const { context, cwd, locale, opened } = this.#options;
    return {
      ...editorRequests({ ...this.#options, openTask: () => this.#opened }),
      ...workspaceRequests(cwd),
      ...aboutRequests(this.#options),
      'editor/ready': async () => {
        const { version } = context.extension.packageJSON as { version: string };
        const workspace = cwd();
        const taskId = await this.#existing(this.#opened);
        const kept = keptDraftsSchema.safeParse(context.workspaceState.get(DRAFTS)).data;
        return {
          locale: locale(),
          trusted: vscode.workspace.isTrusted,
          version,
          ...(workspace === undefined ? {} : { workspace }),
          ...(taskId === undefined ? {} : { taskId }),
          ...(kept === undefined ? {} : { kept }),
        };
      },
      'editor/opened': async ({ taskId }) => {
        this.#opened = taskId;
        opened(taskId);
        await context.workspaceState.update(OPEN_TASK, taskId);
        return {};
      },
      'editor/focused': ({ focused: has }) => {
        focused(has);
        return Promise.resolve({});
      },
      'editor/keepDrafts': async (kept) => {
        await context.workspaceState.update(DRAFTS, shortened(kept));
        return {};
      },
    };
  }

  /** The remembered task, if it is still there. */
  async #existing(taskId: string | undefined): Promise<string | undefined> {
    if (taskId === undefined) return undefined;
    const agent = await this.#options.agent();
    const tasks = await agent.dispatcher.call('task/list', {});
    return tasks.some(({ id }) => id === taskId) ? taskId : undefined;
  }
}

/** For the keys that count in the view alone. */
function focused(has: boolean): void {
  void vscode.commands.executeCommand('setContext', 'lathe.focused', has);
}

/** Without the oldest drafts, as far as they are too much; the one that is being written is the last. Texts come before what is beside them. */
function shortened(kept: KeptDrafts): KeptDrafts {
  let left = LONGEST_DRAFTS;
  const newest = <T>(record: Record<string, T>, sizeOf: (value: T) => number): Record<string, T> =>
    Object.fromEntries(
      Object.entries(record)
        .toReversed()
        .filter(([, value]) => (left -= sizeOf(value)) >= 0)
        .toReversed(),
    );
  const drafts = newest(kept.drafts, (text) => text.length);
  if (!kept.beside) return { ...kept, drafts };
  return { ...kept, drafts, beside: newest(kept.beside, (beside) => JSON.stringify(beside).length) };
}
