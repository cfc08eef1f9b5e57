import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { EditorHost, Host, SecretStore, SystemFacts } from '../../core/host/Host.ts';
import { Browsers } from '../../services/browser/Browsers.ts';
import { CodeIndex } from '../../services/codeIndex/CodeIndex.ts';
import type { McpHub } from '../../services/mcp/McpHub.ts';
import type { Locale } from '../../shared/strings.ts';
import { findRipgrep, isExecutable, withoutSecrets } from '../node/NodeHost.ts';
import { NodeTerminalHost } from '../node/NodeTerminalHost.ts';
import { createHub } from './createHub.ts';
import { DiffReviews } from './DiffReviews.ts';
import { VsCodeFileHost } from './VsCodeFileHost.ts';
import { VsCodeTerminalHost } from './VsCodeTerminalHost.ts';

/** The editor as a machine: its files, terminals, diffs and secrets. */
export class VsCodeHost implements Host {
  readonly files = new VsCodeFileHost();
  readonly terminal: VsCodeTerminalHost;
  readonly editor: EditorHost;
  readonly secrets: SecretStore;
  readonly reviews: DiffReviews;
  readonly system: SystemFacts;
  readonly #processes: NodeTerminalHost;

  private constructor(
    context: vscode.ExtensionContext,
    readonly ripgrep: string | undefined,
    readonly codeIndex: CodeIndex | undefined,
    readonly browser: Browsers,
    readonly mcp: McpHub,
    locale: () => Locale,
    report: (error: unknown) => void,
  ) {
    this.#processes = new NodeTerminalHost(withoutSecrets(process.env));
    this.terminal = new VsCodeTerminalHost(this.#processes, report);
    this.reviews = new DiffReviews(locale);
    this.editor = {
      openDiff: async (options) => await this.reviews.open(options),
      facts: () => Promise.resolve(editorFacts()),
    };
    this.secrets = {
      get: async (name) => await context.secrets.get(name),
      set: async (name, value) => await context.secrets.store(name, value),
      delete: async (name) => await context.secrets.delete(name),
    };
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
    const codeIndex = CodeIndex.create(join(home, 'index'), process.env.LATHE_EMBEDDER_KEY);
    const mcp = createHub(context, locale, home, report);
    return new VsCodeHost(context, ripgrep, codeIndex, browser, mcp, locale, report);
  }

  async dispose(): Promise<void> {
    this.reviews.dispose();
    this.terminal.dispose();
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

function editorFacts(): { visibleFiles: string[]; openTabs: string[] } {
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
