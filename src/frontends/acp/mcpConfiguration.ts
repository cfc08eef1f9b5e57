import type { McpServer } from '@agentclientprotocol/sdk';

/** MCP servers of a client, by name, in the form of a configuration file's entries. Of two with one name the last counts. */
export function configurationOf(servers: readonly McpServer[]): Record<string, unknown> {
  return Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]));
}

function entryOf(server: McpServer): Record<string, unknown> {
  if ('type' in server) {
    const { type, url, headers } = server;
    return { type, url, headers: record(headers) };
  }
  const { command, args, env } = server;
  return { type: 'stdio', command, args, env: record(env) };
}

function record(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
