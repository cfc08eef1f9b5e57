import type { McpSource } from '../../shared/mcp.ts';
import { message } from '../../shared/strings.ts';
import { McpEntryError } from './McpEntryError.ts';
import type { McpServerConfig } from './McpServerConfig.ts';
import { parseEntries } from './parseConfig.ts';
import { parseJsonc } from './jsonc.ts';
import { ServerFile } from './ServerFile.ts';

export interface ServerEntriesOptions {
  /** The person's own file; absolute. New servers go there. */
  userFile: string;
  find: (server: string) => McpServerConfig | undefined;
  /** The folder that is open, or the one that stands for it; absolute. */
  workspace: () => string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** What a person changes of the configuration from a screen: each change goes into the file that has the server. */
export class ServerEntries {
  readonly #options: ServerEntriesOptions;

  constructor(options: ServerEntriesOptions) {
    this.#options = options;
  }

  /** How a server is written, as JSON in lines. @throws McpEntryError */
  async text(server: string): Promise<{ source: McpSource; text: string }> {
    const { source, name } = this.#configured(server);
    const entry = await this.#change(source.path, async (file) => await file.entry(name));
    return { source, text: JSON.stringify(entry ?? {}, undefined, 2) };
  }

  /**
   * Writes an entry: a new server into the person's own file, a known one where it is. What could not be used is not written.
   * `server` is the name it had before. `confirm` is asked where something else would run than before.
   * @throws McpEntryError
   */
  async save(
    name: string,
    text: string,
    server: string | undefined,
    confirm: (config: McpServerConfig) => Promise<void>,
  ): Promise<void> {
    const { userFile, workspace, environment, find } = this.#options;
    const trimmed = name.trim();
    const before = server === undefined ? undefined : this.#configured(server);
    if (trimmed !== before?.name && find(trimmed) !== undefined)
      throw new McpEntryError(message('mcp.entry.taken', { server: trimmed }));
    const source: McpSource = before?.source ?? { kind: 'user', path: userFile };
    const entry = readEntry(trimmed, text);
    const { servers, problems } = parseEntries(
      { [trimmed]: entry },
      { source, workspace: workspace(), environment },
    );
    const [problem] = problems;
    if (problem) throw new McpEntryError(problem);
    for (const config of servers) if (mayDoMore(config, before)) await confirm(config);
    await this.#change(source.path, async (file) => await file.put(trimmed, entry, before?.name));
  }

  /** @throws McpEntryError */
  async remove(server: string): Promise<void> {
    const { source, name } = this.#configured(server);
    await this.#change(source.path, async (file) => await file.put(name, undefined));
  }

  /** @throws McpEntryError */
  async setDisabled(server: string, disabled: boolean): Promise<void> {
    const { source, name } = this.#configured(server);
    await this.#change(
      source.path,
      async (file) => await file.set(name, { disabled: disabled ? true : undefined }),
    );
  }

  /** Whether the model may call a tool, and, in the person's own file alone, whether it asks. @throws McpEntryError */
  async setTool(
    server: string,
    tool: string,
    change: { enabled?: boolean | undefined; automatic?: boolean | undefined },
  ): Promise<void> {
    const { source, name, automaticTools, disabledTools } = this.#configured(server);
    if (change.automatic !== undefined && source.kind !== 'user')
      throw new McpEntryError(message('mcp.entry.notYours', { server: name }));
    await this.#change(source.path, async (file) => {
      await file.set(name, {
        ...(change.enabled === undefined
          ? {}
          : { disabledTools: list(disabledTools, tool, !change.enabled) }),
        ...(change.automatic === undefined
          ? {}
          : { alwaysAllow: list(automaticTools, tool, change.automatic), autoApprove: undefined }),
      });
    });
  }

  #configured(server: string): McpServerConfig {
    const config = this.#options.find(server);
    if (!config || config.source.kind === 'client')
      throw new McpEntryError(message('mcp.entry.unknown', { server }));
    return config;
  }

  async #change<T>(path: string, change: (file: ServerFile) => Promise<T>): Promise<T> {
    try {
      return await change(new ServerFile(path));
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new McpEntryError(message('mcp.entry.notJson', { path, reason: error.message }));
      if (error instanceof Error && 'code' in error)
        throw new McpEntryError(message('mcp.entry.notWritten', { path, reason: String(error.code) }));
      throw error;
    }
  }
}

/** Whether a person who agreed to what was there has not agreed to this. */
function mayDoMore(config: McpServerConfig, before: McpServerConfig | undefined): boolean {
  if (config.disabled) return false;
  return (
    before?.hash !== config.hash ||
    before.disabled ||
    config.automaticTools.some((tool) => !before.automaticTools.includes(tool))
  );
}

/** @throws McpEntryError */
function readEntry(name: string, text: string): unknown {
  if (name === '') throw new McpEntryError(message('mcp.entry.noName'));
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new McpEntryError(message('mcp.entry.badText', { reason: error.message }));
  }
}

/** `names` with or without one; undefined in place of an empty list. */
function list(names: readonly string[], name: string, wanted: boolean): string[] | undefined {
  const others = names.filter((other) => other !== name && !(other === '*' && !wanted));
  const all = wanted ? [...others, name] : others;
  return all.length === 0 ? undefined : all;
}
