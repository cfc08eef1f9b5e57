import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type {
  EditorFacts,
  EditorHost,
  Host,
  ReportHost,
  SecretStore,
  SystemFacts,
} from '../../core/host/Host.ts';
import { Browsers } from '../../services/browser/Browsers.ts';
import { CodeIndex } from '../../services/codeIndex/CodeIndex.ts';
import type { ProxyPlaces } from '../../services/proxy/ProxyPlaces.ts';
import type { Sandbox } from '../../services/sandbox/Sandbox.ts';
import type { McpHub } from '../../services/mcp/McpHub.ts';
import type { Locale } from '../../shared/strings.ts';
import { findRipgrep, isExecutable, newSandbox, withoutSecrets } from '../node/NodeHost.ts';
import { NodeTerminalHost } from '../node/NodeTerminalHost.ts';
import { proxyPlaces } from '../node/useProxy.ts';
import { createHub } from './createHub.ts';
import { DiffReviews } from './DiffReviews.ts';
import { RunningCommands } from './RunningCommands.ts';
import { editorProblems } from './editorProblems.ts';
import { terminalText } from './terminalText.ts';
import { unsavedDocuments } from './unsavedDocuments.ts';
import { VsCodeFileHost } from './VsCodeFileHost.ts';
import { VsCodeProblems } from './VsCodeProblems.ts';
import { VsCodeTerminalHost } from './VsCodeTerminalHost.ts';

/** The editor as a machine: its files, terminals, diffs and secrets. */
export class VsCodeHost implements Host {
  readonly files = new VsCodeFileHost();
  readonly terminal: VsCodeTerminalHost;
  readonly editor: EditorHost;
  readonly secrets: SecretStore;
  readonly reviews: DiffReviews;
  readonly system: SystemFacts;
  readonly reports: ReportHost;
  readonly problems = new VsCodeProblems();
  readonly #processes: NodeTerminalHost;
  readonly #running = new RunningCommands();

  private constructor(
    context: vscode.ExtensionContext,
    readonly ripgrep: string | undefined,
    readonly codeIndex: CodeIndex | undefined,
    readonly browser: Browsers,
    readonly sandbox: Sandbox,
    readonly mcp: McpHub,
    private readonly locale: () => Locale,
    report: (error: unknown) => void,
  ) {
    // The same shell as in the editor's terminal, so that the model writes for one and the same.
    this.#processes = new NodeTerminalHost(withoutSecrets(process.env), vscode.env.shell);
    this.terminal = new VsCodeTerminalHost(this.#processes, report);
    this.reviews = new DiffReviews(locale, report);
    this.editor = {
      openDiff: async (options) => await this.reviews.open(options),
      facts: async () => ({
        ...editorFacts(),
        unsaved: await this.#unsaved(),
        terminals: this.#running.list((terminal) => this.terminal.has(terminal)),
      }),
      problems: () => Promise.resolve(editorProblems()),
      terminalText,
      preview: async (options) => await this.reviews.preview(options),
    };
    this.secrets = {
      get: async (name) => await context.secrets.get(name),
      set: async (name, value) => await context.secrets.store(name, value),
      delete: async (name) => await context.secrets.delete(name),
    };
    this.reports = reportsOf(context.extension);
    this.system = {
      platform: process.platform,
      shell: basename(vscode.env.shell || this.#processes.shell),
      home: homedir(),
    };
  }

  /**
   * `report` hears what goes wrong where nobody waits for it; `home` is the data folder, where code indexes and consents to servers
   * are kept.
   */
  static async create(
    context: vscode.ExtensionContext,
    locale: () => Locale,
    home: string,
    report: (error: unknown) => void,
  ): Promise<VsCodeHost> {
    const [ripgrep, browser] = await Promise.all([
      ripgrepOfEditor(),
      Browsers.find(withoutSecrets(process.env)),
    ]);
    const codeIndex = CodeIndex.create(join(home, 'index'), {
      key: process.env.LATHE_EMBEDDER_KEY,
      proxies: () => proxyPlaces(process.env, locale()),
    });
    return new VsCodeHost(
      context,
      ripgrep,
      codeIndex,
      browser,
      newSandbox(process.env, home),
      createHub(context, locale, home, report),
      locale,
      report,
    );
  }

  /** For what is not sent with the editor's own `fetch`, which goes by the editor's settings too. */
  get proxies(): ProxyPlaces | undefined {
    return proxyPlaces(process.env, this.locale());
  }

  /** Where documents with unsaved changes really are; what leads nowhere is no file that was read. */
  async #unsaved(): Promise<string[]> {
    const dirty = unsavedDocuments().filter(({ uri }) => uri.scheme === 'file');
    const paths = await Promise.allSettled(dirty.map(({ uri }) => this.files.realPath(uri.fsPath)));
    return paths.flatMap((path) => (path.status === 'fulfilled' ? [path.value] : []));
  }

  async dispose(): Promise<void> {
    this.reviews.dispose();
    this.#running.dispose();
    this.problems.dispose();
    this.terminal.dispose();
    this.sandbox.dispose();
    await Promise.all([
      this.#processes.dispose(),
      this.codeIndex?.dispose(),
      this.browser.dispose(),
      this.mcp.dispose(),
    ]);
  }
}

/** VS Code brings ripgrep; where it lies has changed over the versions. */
async function ripgrepOfEditor(): Promise<string | undefined> {
  const file = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const places = ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    join(modules, '@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`, file),
    join(modules, '@vscode', 'ripgrep', 'bin', file),
  ]);
  for (const place of places) {
    const path = join(vscode.env.appRoot, place);
    if (await isExecutable(path)) return path;
  }
  return await findRipgrep(process.env);
}

/** The project's own form is opened in the person's browser, where its manifest names one. */
function reportsOf({ packageJSON }: vscode.Extension<unknown>): ReportHost {
  const { version, bugs } = packageJSON as { version: string; bugs?: { url?: string } };
  if (bugs?.url === undefined) return { version };
  return {
    version,
    form: {
      address: bugs.url,
      open: async (url) => await vscode.env.openExternal(vscode.Uri.parse(url, true)),
    },
  };
}

function editorFacts(): Pick<EditorFacts, 'visibleFiles' | 'openTabs'> {
  const shown = (uri: vscode.Uri): string[] =>
    uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri)
      ? [vscode.workspace.asRelativePath(uri, false)]
      : [];
  const visibleFiles = vscode.window.visibleTextEditors.flatMap(({ document }) => shown(document.uri));
  const openTabs = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? shown(input.uri) : []));
  return { visibleFiles: [...new Set(visibleFiles)], openTabs: [...new Set(openTabs)] };
}
