import type {
  McpConfigProblem,
  McpConsent,
  McpLogLine,
  McpOutcome,
  McpProgress,
  McpPromptOutcome,
  McpServer,
  McpSource,
} from '../../shared/mcp.ts';

export interface McpRequestOptions {
  signal: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
}

/** What has a place to be filled in, and what is filled in already. */
export type McpCompletable = ({ prompt: string } | { uriTemplate: string }) & {
  given: Readonly<Record<string, string>>;
};

/** The MCP servers of this workspace. Servers and tools are named by their `id`s. Nothing here decides what is allowed. */
export interface McpHost {
  /** Every server that is configured, in the order of the configuration. */
  servers(): readonly McpServer[];
  /** What is wrong with the arguments by the tool's own schema; undefined when nothing is, or when nobody can tell. */
  check(server: string, tool: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** Rejects only when the signal fires. */
  call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<McpOutcome>;
  /** Rejects only when the signal fires. */
  read(server: string, uri: string, options: McpRequestOptions): Promise<McpOutcome>;
  /** What a prompt stands for. Rejects only when the signal fires. */
  prompt(
    server: string,
    prompt: string,
    args: Readonly<Record<string, string>>,
    options: McpRequestOptions,
  ): Promise<McpPromptOutcome>;
  /** What an argument of a prompt, or a variable of a resource template, could be; empty when nobody can tell. Rejects only when the signal fires. */
  complete(
    server: string,
    of: McpCompletable,
    argument: { name: string; value: string },
    options: McpRequestOptions,
  ): Promise<string[]>;
  /** What a person does with the servers; absent where nobody could. */
  readonly manager?: McpManager;
}

/** Servers as a person looks after them. What is refused rejects with an McpEntryError. */
export interface McpManager {
  /** What of the configuration could not be used. */
  problems(): readonly McpConfigProblem[];
  /** The person's own file; absolute. It may not exist yet. */
  readonly userFile: string;
  logs(server: string): McpLogLine[];
  /** The answer to a `consent` of a server; false when it is about something else by now, or the person says no when asked again. */
  consent(consent: Pick<McpConsent, 'server' | 'hash'>): Promise<boolean>;
  revoke(server: string): Promise<void>;
  restart(server: string): Promise<void>;
  signIn(server: string, signal: AbortSignal): Promise<void>;
  signOut(server: string): Promise<void>;
  entry(server: string): Promise<{ source: McpSource; text: string }>;
  save(name: string, text: string, server?: string): Promise<void>;
  remove(server: string): Promise<void>;
  setDisabled(server: string, disabled: boolean): Promise<void>;
  setTool(
    server: string,
    tool: string,
    change: { enabled?: boolean | undefined; automatic?: boolean | undefined },
  ): Promise<void>;
  /** When anything that `servers()` says has changed. Returns how to stop listening. */
  onChanged(listener: () => void): () => void;
}
