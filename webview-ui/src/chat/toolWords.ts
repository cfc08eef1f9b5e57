import type { StringKey } from '../../../src/shared/strings.ts';
import { isToolName, type ToolDetails, type ToolName } from '../../../src/shared/tools.ts';
import type { ToolItem, ToolState } from '../../../src/shared/viewItems.ts';
import type { Words } from '../useSession.ts';

type Tense = 'base' | 'active' | 'done';

const icons: Record<ToolName, string> = {
  read_file: 'file',
  list_files: 'list-tree',
  search_files: 'search',
  list_code_definition_names: 'symbol-class',
  codebase_search: 'search-sparkle',
  fetch_instructions: 'book',
  write_to_file: 'new-file',
  apply_diff: 'edit',
  search_replace: 'edit',
  edit_file: 'edit',
  search_and_replace: 'replace-all',
  insert_content: 'insert',
  apply_patch: 'edit',
  delete_file: 'trash',
  new_rule: 'law',
  fast_edit_file: 'edit',
  generate_image: 'file-media',
  execute_command: 'terminal',
  browser_action: 'globe',
  web_fetch: 'cloud-download',
  use_mcp_tool: 'plug',
  access_mcp_resource: 'plug',
  ask_followup_question: 'question',
  attempt_completion: 'pass',
  switch_mode: 'arrow-swap',
  new_task: 'type-hierarchy-sub',
  update_todo_list: 'checklist',
  memory: 'note',
  report_bug: 'bug',
  run_slash_command: 'play',
  condense: 'fold',
};

export function toolIcon(tool: string): string {
  return isToolName(tool) ? icons[tool] : 'tools';
}

function tenseOf(state: ToolState): Tense {
  switch (state) {
    case 'streaming':
    case 'running':
      return 'active';
    case 'done':
    case 'background':
      return 'done';
    case 'queued':
    case 'waiting':
    case 'failed':
    case 'rejected':
    case 'skipped':
    case 'cut_off':
    case 'stopped':
    case 'unknown':
      return 'base';
  }
}

/** "Reading", "Read": the tense says whether it is over. */
export function verb(words: Words, { tool, state, details }: ToolItem): string {
  const tense = state === 'background' ? 'active' : tenseOf(state);
  if (!isToolName(tool)) return words(`webview.tool.other.${tense}`, { tool });
  if (tool === 'write_to_file' && tense === 'done' && details?.type === 'diff' && details.created)
    return words('webview.tool.created');
  return words(`webview.tool.${tool}.${tense}`);
}

const stateIcons: Record<ToolState, string> = {
  streaming: 'loading',
  queued: 'circle-outline',
  waiting: 'bell-dot',
  running: 'loading',
  background: 'server-process',
  done: 'check',
  failed: 'error',
  rejected: 'circle-slash',
  skipped: 'debug-step-over',
  cut_off: 'debug-disconnect',
  stopped: 'debug-stop',
  unknown: 'question',
};

export interface ShownState {
  icon: string;
  spin: boolean;
  word: string;
  /** All is well: the icon says it, the word is for those who cannot see it. */
  quiet: boolean;
}

/** A command that ended badly ran, but all is not well. */
export function shownState(words: Words, { state, details }: ToolItem): ShownState {
  const ending = state === 'done' && details?.type === 'command' ? badEnding(words, details) : undefined;
  if (ending !== undefined) return { icon: 'warning', spin: false, word: ending, quiet: false };
  const spin = state === 'streaming' || state === 'running';
  // The verb says of these what the word would.
  const quiet = state === 'done' || state === 'running';
  return { icon: stateIcons[state], spin, word: stateWord(words, state), quiet };
}

function badEnding(words: Words, command: Extract<ToolDetails, { type: 'command' }>): string | undefined {
  if (command.timedOut === true) return words('webview.state.timedOut');
  if (command.stopped === true) return words('webview.state.stopped');
  if (command.signal !== undefined) return command.signal;
  const code = command.exitCode ?? 0;
  return code === 0 ? undefined : words('webview.state.exit', { code });
}

export function stateWord(words: Words, state: ToolState): string {
  return words(`webview.state.${state}` satisfies StringKey);
}
