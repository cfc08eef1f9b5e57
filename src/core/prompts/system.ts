import type { ModeConfig } from '../../shared/modes.ts';
import type { BaseTool, DescribeArguments } from '../tools/BaseTool.ts';
import { mcpServers } from './sections/mcpServers.ts';
import { modes } from './sections/modes.ts';
import { role } from './sections/role.ts';
import { ruleFiles, type RuleFiles } from './sections/ruleFiles.ts';
import { compactRules, rules } from './sections/rules.ts';
import { system, type SystemInput } from './sections/system.ts';
import { toolUse } from './sections/toolUse.ts';
import { workedExample } from './sections/workedExample.ts';
import { getToolDescriptionsForMode } from './tools/index.ts';

export interface SystemPromptInput extends SystemInput, RuleFiles {
  mode: ModeConfig;
  modes: readonly ModeConfig[];
  /** Those that are offered in this mode, in order. */
  tools: readonly BaseTool[];
  describe: DescribeArguments;
  /** The short form, for small local models: one worked example in place of one a tool. */
  compact: boolean;
}

/**
 * What the model is told before anyone speaks, from stable to volatile. The same input gives the same bytes: nothing here may depend
 * on the time, the conversation, or what is open in the editor.
 */
export function systemPrompt(input: SystemPromptInput): string {
  const { mode, tools, describe, compact } = input;
  const xml = describe.protocol === 'xml';
  return [
    role(mode),
    ...(xml
      ? [toolUse(), `# Tools\n\n${getToolDescriptionsForMode(tools, describe, { examples: !compact })}`]
      : []),
    ...(compact ? workedExample(mode, tools, describe.protocol) : []),
    compact ? compactRules(mode) : rules(mode),
    system(input),
    ...mcpServers(tools, describe),
    // A compact prompt offers no way to another mode.
    ...(compact ? [] : [modes(mode, input.modes)]),
    ...ruleFiles(input, compact),
  ].join('\n\n');
}
