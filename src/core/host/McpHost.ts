import type { McpOutcome, McpProgress, McpServer } from '../../shared/mcp.ts';

export interface McpRequestOptions {
  signal: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
}

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
}
