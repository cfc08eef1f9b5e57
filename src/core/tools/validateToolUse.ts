import { builtInModes, type ModeConfig } from '../../shared/modes.ts';
import { isToolName, type ToolName } from '../../shared/tools.ts';
import { isToolAllowedForMode, isToolCallable } from '../modes/toolsForMode.ts';
import { ToolError } from './ToolError.ts';

/**
 * Refuses what is no tool, what this mode does not allow, and what is switched off here. `allowed`: what was offered.
 * @throws ToolError with what to do instead
 */
export function validateToolUse(
  name: string,
  { mode, allowed }: { mode: ModeConfig; allowed: readonly ToolName[] },
): asserts name is ToolName {
  if (!isToolName(name)) {
    throw new ToolError(
      `There is no tool '${name.slice(0, 80)}'. The tools here are: ${allowed.join(', ')}.`,
    );
  }
  if (isToolCallable(name, mode, allowed)) return;
  if (isToolAllowedForMode(name, mode)) {
    throw new ToolError(`${name} cannot be used here. The tools here are: ${allowed.join(', ')}.`);
  }
  const others = builtInModes.filter((other) => isToolAllowedForMode(name, other)).map(({ slug }) => slug);
  throw new ToolError(
    `${name} is not allowed in ${mode.name} mode. The tools here are: ${allowed.join(', ')}. If the task needs it, ` +
      (allowed.includes('switch_mode')
        ? `call switch_mode with one of: ${others.join(', ')}.`
        : `ask the person to choose one of the modes ${others.join(', ')}.`),
  );
}
