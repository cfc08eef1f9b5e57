import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { SlashCommand } from '../../shared/customModes.ts';

/** Slash commands as clients offer them. */
export function offeredCommands(commands: readonly SlashCommand[]): AvailableCommand[] {
  return commands.map(({ name, description, argumentHint }) => ({
    name,
    description: description ?? name,
    ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }),
  }));
}
