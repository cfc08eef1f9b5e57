import { builtInModes, type ModeConfig } from '../../shared/modes.ts';
import { isToolName, type ToolName } from '../../shared/tools.ts';
import { isToolAllowedForMode } from '../modes/toolsForMode.ts';
import { ToolError } from './ToolError.ts';

/** Refuses what is no tool, and what this mode does not allow. @throws ToolError with what to do instead */
export function validateToolUse(
  name: string,
  { mode, allowed }: { mode: ModeConfig; allowed: readonly ToolName[] },
): asserts name is ToolName {
  if (!isToolName(name)) {
    throw new ToolError(
      `There is no tool '${name.slice(0, 80)}'. The tools here are: ${allowed.join(', ')}.`,
    );
  }
  if (isToolAllowedForMode(name, mode)) return;
  const others = builtInModes.filter((other) => isToolAllowedForMode(name, other)).map(({ slug }) => slug);
  throw new ToolError(
    `${name} is not allowed in ${mode.name} mode. The tools here are: ${allowed.join(', ')}. ` +
      `If the task needs it, call switch_mode with one of: ${others.join(', ')}.`,
  );
}
