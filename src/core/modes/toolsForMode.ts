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

/** What a mode's tools depend on besides the mode; nothing that changes from turn to turn. */
export interface ToolConditions {
  settings: Pick<EditorSettings, 'todoList'>;
  /** Whether the tool can work here (a terminal, a browser, an index). */
  isAvailable: (name: ToolName) => boolean;
}

/**
 * The tools that are offered: the one list behind the prompt, the native functions and what an error names.
 * Always a part of what isToolAllowedForMode allows, in the order of toolNames.
 */
export function toolsForMode(mode: ModeConfig, { settings, isAvailable }: ToolConditions): ToolName[] {
  const granted = new Set<ToolName>([
    ...mode.groups.flatMap((entry) => TOOL_GROUPS[groupName(entry)].tools),
    ...ALWAYS_AVAILABLE_TOOLS,
  ]);
  if (!settings.todoList) granted.delete('update_todo_list');
  return toolNames.filter((name) => granted.has(name) && isAvailable(name));
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

/** Whether the mode may change the file. An expression that cannot be read allows nothing. */
export function mayEdit(mode: ModeConfig, relativePath: string): boolean {
  const restriction = editRestriction(mode);
  if (!restriction) return true;
  try {
    return new RegExp(restriction.fileRegex).test(relativePath);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
