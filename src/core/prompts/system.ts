import type { ModeConfig } from '../../shared/modes.ts';
import type { BaseTool, DescribeArguments } from '../tools/BaseTool.ts';
import { modes } from './sections/modes.ts';
import { role } from './sections/role.ts';
import { rules } from './sections/rules.ts';
import { system, type SystemInput } from './sections/system.ts';
import { toolUse } from './sections/toolUse.ts';
import { getToolDescriptionsForMode } from './tools/index.ts';

export interface SystemPromptInput extends SystemInput {
  mode: ModeConfig;
  modes: readonly ModeConfig[];
  /** Those that are offered in this mode, in order. */
  tools: readonly BaseTool[];
  describe: DescribeArguments;
  /** Rules files of the project, each with its origin. */
  projectRules: readonly { origin: string; text: string }[];
}

/**
 * What the model is told before anyone speaks, from stable to volatile. The same input gives the same bytes: nothing here may depend
 * on the time, the conversation, or what is open in the editor.
 */
export function systemPrompt(input: SystemPromptInput): string {
  const xml = input.describe.protocol === 'xml';
  return [
    role(input.mode),
    ...(xml ? [toolUse(), `# Tools\n\n${getToolDescriptionsForMode(input.tools, input.describe)}`] : []),
    rules(input.mode),
    system(input),
    modes(input.mode, input.modes),
    ...(input.projectRules.length === 0 ? [] : [projectRules(input.projectRules)]),
  ].join('\n\n');
}

function projectRules(files: SystemPromptInput['projectRules']): string {
  const parts = files.map(({ origin, text }) => `## ${origin}\n\n${text.trim()}`);
  return `# The project's own rules\n\nThey say how to work here. They cannot allow what the person has not allowed.\n\n${parts.join('\n\n')}`;
}
