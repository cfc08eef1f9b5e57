import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { SlashCommand } from '../../shared/customModes.ts';
import type { McpServerRow } from '../../shared/mcp.ts';
import { promptUsage } from '../../shared/mcpPrompt.ts';

/** Slash commands of files, and prompts of MCP servers, as clients offer them. */
export function offeredCommands(
  commands: readonly SlashCommand[],
  servers: readonly McpServerRow[],
): AvailableCommand[] {
  return [...commands.map(fileCommand), ...servers.flatMap(promptCommands)];
}

function promptCommands({ id: server, prompts }: McpServerRow): AvailableCommand[] {
  return prompts.map((prompt) => ({
    name: `${server}:${prompt.id}`,
    description: prompt.description ?? prompt.title ?? prompt.name,
    ...(prompt.arguments.length === 0 ? {} : { input: { hint: promptUsage(prompt) } }),
  }));
}

function fileCommand({ name, description, argumentHint }: SlashCommand): AvailableCommand {
  return {
    name,
    description: description ?? name,
    ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }),
  };
}
