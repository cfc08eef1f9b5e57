import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { Host, ReportHost, SystemFacts } from '../../core/host/Host.ts';
import { Browsers } from '../../services/browser/Browsers.ts';
import { Sandbox } from '../../services/sandbox/Sandbox.ts';
import { CodeIndex } from '../../services/codeIndex/CodeIndex.ts';
import type { McpHub } from '../../services/mcp/McpHub.ts';
import type { ProxyPlaces } from '../../services/proxy/ProxyPlaces.ts';
import { NodeFileHost } from './NodeFileHost.ts';
import { NodeTerminalHost } from './NodeTerminalHost.ts';
import { proxyPlaces } from './useProxy.ts';

/** This machine without an editor: its disk and a shell of our own. Keys come from the environment. */
export class NodeHost implements Host {
  readonly files = new NodeFileHost();
  readonly terminal: NodeTerminalHost;
  readonly system: SystemFacts;
  readonly reports: ReportHost;

  private constructor(
    private readonly environment: NodeJS.ProcessEnv,
    readonly ripgrep: string | undefined,
    readonly codeIndex: CodeIndex | undefined,
    readonly browser: Browsers,
    readonly sandbox: Sandbox | undefined,
    readonly mcp: McpHub | undefined,
    version: string,
  ) {
    this.reports = { version };
    this.terminal = new NodeTerminalHost(withoutSecrets(environment));
    this.system = { platform: process.platform, shell: basename(this.terminal.shell), home: homedir() };
  }

  /**
   * `home`: the data folder, where code indexes and the sandbox's notes are kept; without it there are none. `mcp` is disposed of with
   * the host. `version`: Lathe's own, for reports.
   */
  static async create(
    environment: NodeJS.ProcessEnv,
    home?: string,
    mcp?: McpHub,
    version = 'of an unknown version',
  ): Promise<NodeHost> {
    const key = environment.LATHE_EMBEDDER_KEY;
    const proxies = (): ProxyPlaces | undefined => proxyPlaces(environment, 'en');
    const codeIndex =
      home === undefined ? undefined : CodeIndex.create(join(home, 'index'), { key, proxies });
    const [ripgrep, browser] = await Promise.all([
      findRipgrep(environment),
      Browsers.find(withoutSecrets(environment)),
    ]);
    const sandbox = home === undefined ? undefined : newSandbox(environment, home);
    return new NodeHost(environment, ripgrep, codeIndex, browser, sandbox, mcp, version);
  }

  /** Each command that sends something has said before, in the person's language, what is wrong there. */
  get proxies(): ProxyPlaces | undefined {
    return proxyPlaces(this.environment, 'en');
  }

  /** The same machine with commands and servers of its own, for one of several sessions: disposing of it ends those alone. */
  forSession(mcp?: McpHub): Host & { dispose: () => Promise<void> } {
    const { files, ripgrep, codeIndex, browser, sandbox, system, reports, proxies } = this;
    const terminal = new NodeTerminalHost(withoutSecrets(this.environment));
    return {
      files,
      ripgrep,
      codeIndex,
      browser,
      system,
      reports,
      proxies,
      ...(sandbox ? { sandbox } : {}),
      terminal,
      ...(mcp ? { mcp } : {}),
      dispose: async () => {
        await Promise.all([terminal.dispose(), mcp?.dispose()]);
      },
    };
  }

  async dispose(): Promise<void> {
    this.sandbox?.dispose();
    await Promise.all([
      this.terminal.dispose(),
      this.codeIndex?.dispose(),
      this.browser.dispose(),
      this.mcp?.dispose(),
    ]);
  }
}

/** The sandbox of this machine; `home` is the data folder. */
export function newSandbox(environment: NodeJS.ProcessEnv, home: string): Sandbox {
  return new Sandbox({
    environment,
    platform: process.platform,
    home: homedir(),
    folder: join(home, 'sandbox'),
  });
}

/** What commands may see of our environment: not our own keys. */
export function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LATHE_')));
}

/** The ripgrep that came with us, else the one on PATH. */
export async function findRipgrep(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const file = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const candidates: string[] = [];
  try {
    const require = createRequire(import.meta.url);
    candidates.push(require.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${file}`));
  } catch (error) {
    // Not installed beside us (a packaged extension): the ones below are tried.
    if (!(error instanceof Error)) throw error;
  }
  candidates.push(
    ...(environment.PATH ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((folder) => join(folder, file)),
  );
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
