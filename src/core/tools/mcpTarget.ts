import type { McpHost } from '../host/McpHost.ts';
import type { McpServer, McpTool } from '../../shared/mcp.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

/** Names in one error message. */
const MOST_NAMES = 60;

/** The server that a call names. @throws ToolError that names those that there are, or says what this one waits for */
export function serverNamed(
  name: string,
  { host }: Pick<TaskContext, 'host'>,
): { mcp: McpHost; server: McpServer } {
  const { mcp } = host;
  const servers = mcp?.servers() ?? [];
  if (!mcp || servers.length === 0) throw new ToolError('There are no MCP servers here. Go on without them.');
  const server = servers.find(({ id }) => id === name) ?? servers.find((one) => one.name === name);
  if (!server)
    throw new ToolError(
      `There is no MCP server '${name.slice(0, 80)}'. The servers are: ${namesOf(servers.map(({ id }) => id))}.`,
    );
  const obstacle = obstacleOf(server);
  if (obstacle !== undefined)
    throw new ToolError(`The MCP server '${server.id}' ${obstacle} Go on without it, or tell the person.`);
  return { mcp, server };
}

/** The tool that a call names. @throws ToolError that names those that there are */
export function toolNamed(name: string, server: McpServer): McpTool {
  const tool = server.tools.find(({ id }) => id === name) ?? server.tools.find((one) => one.name === name);
  if (!tool && server.state.type !== 'ready')
    throw new ToolError(
      `The MCP server '${server.id}' is not connected, so its tools are not known. Try again a little later, or go on without it.`,
    );
  if (!tool)
    throw new ToolError(
      server.tools.length === 0
        ? `The MCP server '${server.id}' has no tools.`
        : `The MCP server '${server.id}' has no tool '${name.slice(0, 80)}'. Its tools are: ${namesOf(server.tools.map(({ id }) => id))}.`,
    );
  if (!tool.enabled)
    throw new ToolError(
      `The person switched off the tool '${tool.id}' of the MCP server '${server.id}'. Do without it, or ask them.`,
    );
  return tool;
}

/** Why a server cannot be called. One that is connecting or waits to be tried again can: the call waits for it. */
function obstacleOf({ state }: McpServer): string | undefined {
  switch (state.type) {
    case 'ready':
    case 'connecting':
    case 'waiting':
    case 'failed':
      return undefined;
    case 'disabled':
      return 'is switched off.';
    case 'untrusted':
      return 'is not started, because the person does not trust this workspace yet.';
    case 'needs_consent':
      return 'waits for the person to agree to it.';
    case 'needs_sign_in':
      return 'wants the person to sign in first.';
  }
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length <= MOST_NAMES ? shown : `${shown} and ${names.length - MOST_NAMES} more`;
}
