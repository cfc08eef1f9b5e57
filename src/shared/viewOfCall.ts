import type { ToolName, ToolView } from './tools.ts';
import { isToolName } from './tools.ts';

/** Kind and the parameters that may hold the object of the verb, first found first. */
const shapes: Record<ToolName, { kind: ToolView['kind']; subject: readonly string[] }> = {
  read_file: { kind: 'read', subject: ['path', 'paths', 'args'] },
  list_files: { kind: 'search', subject: ['path'] },
  search_files: { kind: 'search', subject: ['regex', 'path'] },
  list_code_definition_names: { kind: 'read', subject: ['path'] },
  codebase_search: { kind: 'search', subject: ['query', 'path'] },
  fetch_instructions: { kind: 'read', subject: ['task'] },
  write_to_file: { kind: 'edit', subject: ['path'] },
  apply_diff: { kind: 'edit', subject: ['path', 'args'] },
  search_replace: { kind: 'edit', subject: ['file_path'] },
  edit_file: { kind: 'edit', subject: ['file_path', 'target_file'] },
  search_and_replace: { kind: 'edit', subject: ['path'] },
  insert_content: { kind: 'edit', subject: ['path'] },
  apply_patch: { kind: 'edit', subject: ['patch'] },
  delete_file: { kind: 'delete', subject: ['path'] },
  new_rule: { kind: 'edit', subject: ['path', 'name'] },
  fast_edit_file: { kind: 'edit', subject: ['target_file'] },
  generate_image: { kind: 'other', subject: ['path', 'prompt'] },
  execute_command: { kind: 'execute', subject: ['command'] },
  browser_action: { kind: 'fetch', subject: ['url', 'action'] },
  web_fetch: { kind: 'fetch', subject: ['url'] },
  use_mcp_tool: { kind: 'other', subject: ['tool_name', 'server_name'] },
  access_mcp_resource: { kind: 'fetch', subject: ['uri', 'server_name'] },
  ask_followup_question: { kind: 'other', subject: ['question'] },
  attempt_completion: { kind: 'other', subject: [] },
  switch_mode: { kind: 'switch_mode', subject: ['mode_slug'] },
  new_task: { kind: 'think', subject: ['message'] },
  update_todo_list: { kind: 'think', subject: [] },
  memory: { kind: 'other', subject: ['content', 'query', 'id', 'action'] },
  report_bug: { kind: 'other', subject: ['title'] },
  run_slash_command: { kind: 'other', subject: ['command'] },
  condense: { kind: 'think', subject: [] },
};

/** What can be shown of a call by its parameters alone, before the tool itself has said it. */
export function viewOfCall(tool: string, params: Readonly<Record<string, string>>): ToolView {
  const shape = isToolName(tool) ? shapes[tool] : { kind: 'other' as const, subject: ['path'] };
  for (const name of shape.subject) {
    const value = params[name]?.trim();
    if (!value) continue;
    const paths = pathsIn(name, value);
    const subject = paths === undefined ? value : paths.join(', ');
    const first = ['path', 'file_path', 'target_file'].includes(name) ? value : paths?.[0];
    return { kind: shape.kind, subject, locations: first === undefined ? [] : [{ path: first }] };
  }
  return { kind: shape.kind, subject: '', locations: [] };
}

/** The files that a patch names so far, in its own grammar or as a unified diff, each once. */
export function pathsOfPatch(patch: string): string[] {
  const headers = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)([^\t\r\n]+)[^\n]*\n/gm;
  return [...new Set([...patch.matchAll(headers)].map((match) => (match[1] ?? '').trim()))];
}

/** Paths of nested arguments: `<path>…</path>` tags, or a JSON list. */
function pathsIn(name: string, value: string): string[] | undefined {
  if (name === 'patch') return pathsOfPatch(value);
  if (name !== 'args' && name !== 'paths') return undefined;
  const tagged = [...value.matchAll(/<path>([^<]*)<\/path>/g)].map((match) => (match[1] ?? '').trim());
  if (tagged.length > 0) return tagged;
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '');
}
