import { TOOL_ALIASES, type ToolName } from '../../shared/tools.ts';
import type { ParserTool } from '../assistant-message/AssistantMessageParser.ts';
import { AccessMcpResourceTool } from './accessMcpResourceTool.ts';
import { ApplyDiffTool } from './applyDiffTool.ts';
import { ApplyPatchTool } from './applyPatchTool.ts';
import { AskFollowupQuestionTool } from './askFollowupQuestionTool.ts';
import { AttemptCompletionTool } from './attemptCompletionTool.ts';
import type { BaseTool } from './BaseTool.ts';
import { BrowserActionTool } from './browserActionTool.ts';
import { CodebaseSearchTool } from './codebaseSearchTool.ts';
import { CondenseTool } from './condenseTool.ts';
import { DeleteFileTool } from './deleteFileTool.ts';
import { EditFileTool } from './editFileTool.ts';
import { ExecuteCommandTool } from './executeCommandTool.ts';
import { FastEditFileTool } from './fastEditFileTool.ts';
import { GenerateImageTool } from './generateImageTool.ts';
import { FetchInstructionsTool } from './fetchInstructionsTool.ts';
import { InsertContentTool } from './insertContentTool.ts';
import { ListCodeDefinitionNamesTool } from './listCodeDefinitionNamesTool.ts';
import { ListFilesTool } from './listFilesTool.ts';
import { MemoryTool } from './memoryTool.ts';
import { NewRuleTool } from './newRuleTool.ts';
import { NewTaskTool } from './newTaskTool.ts';
import { ReadFileTool } from './readFileTool.ts';
import { ReportBugTool } from './reportBugTool.ts';
import { RunSlashCommandTool } from './runSlashCommandTool.ts';
import { SearchAndReplaceTool } from './searchAndReplaceTool.ts';
import { SearchFilesTool } from './searchFilesTool.ts';
import { SearchReplaceTool } from './searchReplaceTool.ts';
import { SwitchModeTool } from './switchModeTool.ts';
import { UpdateTodoListTool } from './updateTodoListTool.ts';
import { UseMcpToolTool } from './useMcpToolTool.ts';
import { WebFetchTool } from './webFetchTool.ts';
import { WriteToFileTool } from './writeToFileTool.ts';

/** Every tool, by its name. One that is named in shared/tools.ts and missing here does not compile. */
export const tools = {
  read_file: new ReadFileTool(),
  list_files: new ListFilesTool(),
  search_files: new SearchFilesTool(),
  list_code_definition_names: new ListCodeDefinitionNamesTool(),
  codebase_search: new CodebaseSearchTool(),
  fetch_instructions: new FetchInstructionsTool(),
  write_to_file: new WriteToFileTool(),
  apply_diff: new ApplyDiffTool(),
  search_replace: new SearchReplaceTool(),
  edit_file: new EditFileTool(),
  search_and_replace: new SearchAndReplaceTool(),
  insert_content: new InsertContentTool(),
  apply_patch: new ApplyPatchTool(),
  delete_file: new DeleteFileTool(),
  new_rule: new NewRuleTool(),
  fast_edit_file: new FastEditFileTool(),
  generate_image: new GenerateImageTool(),
  execute_command: new ExecuteCommandTool(),
  browser_action: new BrowserActionTool(),
  web_fetch: new WebFetchTool(),
  use_mcp_tool: new UseMcpToolTool(),
  access_mcp_resource: new AccessMcpResourceTool(),
  ask_followup_question: new AskFollowupQuestionTool(),
  attempt_completion: new AttemptCompletionTool(),
  switch_mode: new SwitchModeTool(),
  new_task: new NewTaskTool(),
  update_todo_list: new UpdateTodoListTool(),
  memory: new MemoryTool(),
  report_bug: new ReportBugTool(),
  run_slash_command: new RunSlashCommandTool(),
  condense: new CondenseTool(),
} satisfies Record<ToolName, BaseTool>;

export function toolByName(name: string): BaseTool | undefined {
  return Object.hasOwn(tools, name) ? tools[name as ToolName] : undefined;
}

/** What the parser must know: every tool, offered or not, so that a call of any is seen and answered. */
export function parserTools(): ParserTool[] {
  return Object.values(tools).map((tool: BaseTool) => ({
    name: tool.name,
    aliases: TOOL_ALIASES[tool.name] ?? [],
    params: Object.keys(tool.schema.shape),
    verbatim: tool.verbatim,
  }));
}
