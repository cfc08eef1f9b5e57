import type { ModeConfig } from '../../../shared/modes.ts';

/** Who you are and this mode's role. */
export function role(mode: ModeConfig): string {
  return mode.customInstructions === undefined
    ? mode.roleDefinition
    : `${mode.roleDefinition}\n\n${mode.customInstructions}`;
}
