import { runInNewContext } from 'node:vm';
import type { GroupEntry, ModeConfig } from '../../shared/modes.ts';
import type { EditorSettings } from '../../shared/settings.ts';
import {
  ALWAYS_AVAILABLE_TOOLS,
  TOOL_GROUPS,
  toolNames,
  type ToolGroup,
  type ToolName,
} from '../../shared/tools.ts';

export function groupName(entry: GroupEntry): ToolGroup {
  return typeof entry === 'string' ? entry : entry[0];
}

/** Whether this mode may call the tool at all, offered or not. */
export function isToolAllowedForMode(name: ToolName, mode: ModeConfig): boolean {
  if (ALWAYS_AVAILABLE_TOOLS.includes(name)) return true;
  return mode.groups.some((entry) => {
    const { tools, customTools = [] } = TOOL_GROUPS[groupName(entry)];
    return tools.includes(name) || customTools.includes(name);
  });
}

/** The eight that a small model gets: enough to find, change, run, ask and end. */
const COMPACT_TOOLS: ReadonlySet<ToolName> = new Set<ToolName>([
  'read_file',
  'list_files',
  'search_files',
  'write_to_file',
  'apply_diff',
  'execute_command',
  'ask_followup_question',
  'attempt_completion',
]);
/** What a mode without groups of its own does with the work. */
const HANDS_OVER: ReadonlySet<ToolName> = new Set<ToolName>(['switch_mode', 'new_task']);
/** Milliseconds and characters that a mode's expression gets: it may come from a file that nobody read. */
const EXPRESSION_TIME = 250;
export const LONGEST_EXPRESSION = 1000;

const REPLACED_BY_FAST_APPLY: readonly ToolName[] = ['apply_diff', 'write_to_file', 'search_and_replace'];

/** What a mode's tools depend on besides the mode; nothing that changes from turn to turn. */
export interface ToolConditions {
  /** The model's profile asks for the short prompt. */
  compact: boolean;
  settings: Pick<EditorSettings, 'todoList'> &
    Partial<Pick<EditorSettings, 'fastApplyProfile' | 'slashCommandTool'>>;
  /** Whether the tool can work here (a terminal, a browser, an index). */
  isAvailable: (name: ToolName) => boolean;
}

/**
 * The tools that are offered: the one list behind the prompt, the native functions and what an error names.
 * Always a part of what isToolAllowedForMode allows, in the order of toolNames.
 */
export function toolsForMode(
  mode: ModeConfig,
  { compact, settings, isAvailable }: ToolConditions,
): ToolName[] {
  const granted = new Set<ToolName>([
    ...mode.groups.flatMap((entry) => TOOL_GROUPS[groupName(entry)].tools),
    ...ALWAYS_AVAILABLE_TOOLS,
  ]);
  if (!settings.todoList) granted.delete('update_todo_list');
  if (settings.slashCommandTool !== true) granted.delete('run_slash_command');
  // A model that merges sketches takes the place of what it does better.
  const fast =
    !compact && (settings.fastApplyProfile ?? '') !== '' && isToolAllowedForMode('fast_edit_file', mode);
  if (fast && isAvailable('fast_edit_file')) {
    for (const name of REPLACED_BY_FAST_APPLY) granted.delete(name);
    granted.add('fast_edit_file');
  }
  // A mode without groups of its own can do nothing but hand over.
  const fits = (name: ToolName): boolean =>
    !compact || COMPACT_TOOLS.has(name) || (HANDS_OVER.has(name) && mode.groups.length === 0);
  return toolNames.filter((name) => granted.has(name) && fits(name) && isAvailable(name));
}

/**
 * Whether a call of the tool is run: it is `offered`, or the mode's groups grant it to models that know it without being told
 * (customTools). What is neither is refused, always-available tools that are switched off included.
 */
export function isToolCallable(name: ToolName, mode: ModeConfig, offered: readonly ToolName[]): boolean {
  if (offered.includes(name)) return true;
  if (offered.includes('fast_edit_file') && REPLACED_BY_FAST_APPLY.includes(name))
    return isToolAllowedForMode(name, mode);
  return mode.groups.some((entry) => TOOL_GROUPS[groupName(entry)].customTools?.includes(name) === true);
}

/** The fileRegex of the mode's edit group with its description; undefined when every file may be edited. */
export function editRestriction(mode: ModeConfig): { fileRegex: string; description: string } | undefined {
  for (const entry of mode.groups) {
    if (typeof entry === 'string' || entry[0] !== 'edit' || entry[1].fileRegex === undefined) continue;
    return {
      fileRegex: entry[1].fileRegex,
      description: entry[1].description ?? `files matching ${entry[1].fileRegex}`,
    };
  }
  return undefined;
}

/** Whether the mode may change the file. An expression that cannot be read, or takes too long, allows nothing. */
export function mayEdit(mode: ModeConfig, relativePath: string): boolean {
  const restriction = editRestriction(mode);
  if (!restriction) return true;
  if (restriction.fileRegex.length > LONGEST_EXPRESSION) return false;
  try {
    const expression = new RegExp(restriction.fileRegex);
    // Only a script of its own can be stopped in the middle of matching.
    const matches: unknown = runInNewContext(
      'expression.test(path)',
      { expression, path: relativePath },
      { timeout: EXPRESSION_TIME },
    );
    return matches === true;
  } catch (error) {
    // Thrown from the script's own realm: no instance of our Error.
    const isTooSlow =
      typeof error === 'object' &&
      error !== null &&
      'code' in error &&
      error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (error instanceof SyntaxError || isTooSlow) return false;
    throw error;
  }
}
