import * as z from 'zod';

/** The groups a mode can grant. `modes` tools are always available. */
export const toolGroupNames = ['read', 'edit', 'browser', 'command', 'mcp', 'modes'] as const;
export type ToolGroup = (typeof toolGroupNames)[number];

/** Every tool that can be called. A new tool is its file, its entry in core/tools/index and its line here. */
export const toolNames = [
  'read_file',
  'list_files',
  'search_files',
  'list_code_definition_names',
  'codebase_search',
  'fetch_instructions',
  'write_to_file',
  'apply_diff',
  'search_replace',
  'edit_file',
  'search_and_replace',
  'insert_content',
  'apply_patch',
  'delete_file',
  'new_rule',
  'fast_edit_file',
  'generate_image',
  'execute_command',
  'browser_action',
  'web_fetch',
  'use_mcp_tool',
  'access_mcp_resource',
  'ask_followup_question',
  'attempt_completion',
  'switch_mode',
  'new_task',
  'update_todo_list',
  'memory',
  'report_bug',
  'run_slash_command',
  'condense',
] as const;
export type ToolName = (typeof toolNames)[number];

/** Every parameter name that may stand as a tag inside a tool's tag. */
export const toolParamNames = [
  'args',
  'path',
  'paths',
  'start_line',
  'end_line',
  'show_line_numbers',
  'recursive',
  'regex',
  'file_pattern',
  'query',
  'task',
  'content',
  'line_count',
  'mode',
  'diff',
  'command',
  'cwd',
  'timeout',
  'action',
  'url',
  'coordinate',
  'size',
  'text',
  'id',
  'question',
  'follow_up',
  'result',
  'mode_slug',
  'message',
  'reason',
  'todos',
  'server_name',
  'tool_name',
  'arguments',
  'uri',
  'file_path',
  'old_string',
  'new_string',
  'expected_replacements',
  'target_file',
  'instructions',
  'code_edit',
  'search',
  'replace',
  'use_regex',
  'ignore_case',
  'operations',
  'line',
  'patch',
  'name',
  'prompt',
  'image',
  'title',
  'description',
  'message',
] as const;
export type ToolParamName = (typeof toolParamNames)[number];

interface ToolGroupConfig {
  readonly tools: readonly ToolName[];
  /** Known and run when called, but offered only when a model's profile asks for them. */
  readonly customTools?: readonly ToolName[];
  readonly alwaysAvailable?: boolean;
}

export const TOOL_GROUPS: Record<ToolGroup, ToolGroupConfig> = {
  read: {
    tools: [
      'read_file',
      'search_files',
      'list_files',
      'list_code_definition_names',
      'codebase_search',
      'fetch_instructions',
    ],
  },
  edit: {
    tools: ['apply_diff', 'write_to_file', 'delete_file', 'generate_image'],
    customTools: [
      'search_replace',
      'edit_file',
      'search_and_replace',
      'insert_content',
      'apply_patch',
      'new_rule',
      'fast_edit_file',
    ],
  },
  browser: { tools: ['browser_action', 'web_fetch'] },
  command: { tools: ['execute_command'] },
  mcp: { tools: ['use_mcp_tool', 'access_mcp_resource'] },
  modes: { tools: ['switch_mode', 'new_task'], alwaysAvailable: true },
};

export const ALWAYS_AVAILABLE_TOOLS: readonly ToolName[] = [
  'ask_followup_question',
  'attempt_completion',
  'switch_mode',
  'new_task',
  'update_todo_list',
  'memory',
  'report_bug',
  'run_slash_command',
  'condense',
];

/** What a tool does, as it completes the sentence "Lathe wants to …". */
export const TOOL_DISPLAY_NAMES: Record<ToolName, string> = {
  read_file: 'read files',
  list_files: 'list files',
  search_files: 'search files',
  list_code_definition_names: 'list definitions',
  codebase_search: 'search the codebase',
  fetch_instructions: 'fetch instructions',
  write_to_file: 'write files',
  apply_diff: 'apply changes',
  search_replace: 'edit files',
  edit_file: 'edit files',
  search_and_replace: 'replace in files',
  insert_content: 'insert into files',
  apply_patch: 'apply patches',
  delete_file: 'delete files',
  new_rule: 'write rules',
  fast_edit_file: 'edit files',
  generate_image: 'make pictures',
  execute_command: 'run commands',
  browser_action: 'use the browser',
  web_fetch: 'read web pages',
  use_mcp_tool: 'use MCP tools',
  access_mcp_resource: 'read MCP resources',
  ask_followup_question: 'ask questions',
  attempt_completion: 'complete tasks',
  switch_mode: 'switch modes',
  new_task: 'start subtasks',
  update_todo_list: 'update the todo list',
  memory: 'use notes',
  report_bug: 'write a bug report',
  run_slash_command: 'run slash commands',
  condense: 'condense the conversation',
};

/** Names by which models know some of our tools: a call by one is a call of the tool. They are not offered. */
export const TOOL_ALIASES: Partial<Record<ToolName, readonly string[]>> = {
  write_to_file: ['write_file'],
  execute_command: ['exec'],
  list_files: ['list_dir'],
};

export function isToolName(name: string): name is ToolName {
  return (toolNames as readonly string[]).includes(name);
}

/**
 * One call of a tool in an assistant message.
 * `name` is the tool; a native call can name one that does not exist, and validateToolUse refuses it.
 * `calledAs` is what the model wrote instead, when it was one of the tool's other names: so it is told back to the model.
 * `params` are strings as they came (XML text; for native calls, strings as they are and anything else as JSON text).
 * `nativeArgs` is the parsed JSON object of a native call, absent while partial or when it is not valid JSON.
 */
export const toolUseSchema = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  calledAs: z.string().optional(),
  origin: z.enum(['xml', 'native']),
  params: z.record(z.string(), z.string()),
  nativeArgs: z.record(z.string(), z.unknown()).optional(),
  partial: z.boolean(),
  /** The stream ended inside this call: it is refused, never run. */
  truncated: z.boolean().optional(),
  /** Why this call cannot be run as written (ambiguous close, bad JSON, too large): words for the model. */
  malformed: z.string().optional(),
  /** What the provider wants back with this call (for example a thought signature). Opaque. */
  providerMetadata: z.record(z.string(), z.unknown()).optional(),
});
export type ToolUse<TName extends string = string> = Omit<z.infer<typeof toolUseSchema>, 'name'> & {
  name: TName;
};

export const textBlockSchema = z.object({ type: z.literal('text'), text: z.string(), partial: z.boolean() });
export type TextBlock = z.infer<typeof textBlockSchema>;

export const assistantMessageContentSchema = z.discriminatedUnion('type', [textBlockSchema, toolUseSchema]);
export type AssistantMessageContent = z.infer<typeof assistantMessageContentSchema>;

/**
 * What the parser hands out while a message streams; `block` is the index in the message's block list.
 * The text is never repeated: a block is the concatenation of its deltas. XML and native calls give the same deltas;
 * a native parameter that is not a string arrives as its JSON text.
 */
export const blockDeltaSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), block: z.number(), text: z.string() }),
  z.object({
    type: z.literal('tool_started'),
    block: z.number(),
    id: z.string(),
    name: z.string(),
    origin: z.enum(['xml', 'native']),
  }),
  z.object({ type: z.literal('param'), block: z.number(), name: z.string(), text: z.string() }),
  z.object({ type: z.literal('tool_ended'), block: z.number(), truncated: z.boolean().optional() }),
]);
export type BlockDelta = z.infer<typeof blockDeltaSchema>;

/** Content of a tool's result for the model. Pictures are base64 without a data: prefix. */
export const resultContentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
]);
export type ResultContent = z.infer<typeof resultContentSchema>;

/** A place in a file that a call touches; `path` is relative to the workspace with `/`, or absolute outside it; `line` is 1-based. */
export const toolLocationSchema = z.object({ path: z.string(), line: z.number().optional() });
export type ToolLocation = z.infer<typeof toolLocationSchema>;

/** What a person sees of a call: ACP's kinds, the object of the verb, and where it happens. */
export const toolViewSchema = z.object({
  kind: z.enum([
    'read',
    'edit',
    'delete',
    'move',
    'search',
    'execute',
    'think',
    'fetch',
    'switch_mode',
    'other',
  ]),
  /** The object: a path, a pattern, a command. Empty while it has not arrived. */
  subject: z.string(),
  locations: z.array(toolLocationSchema),
});
export type ToolView = z.infer<typeof toolViewSchema>;

/** What the card shows beyond the text for the model. */
export const toolDetailsSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    /** Unified diff of what landed (or, in an approval, of what is proposed), capped; `cut` says that it was. */
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    created: z.boolean(),
    cut: z.boolean(),
    /** The person changed the proposal before it landed. */
    changedByPerson: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('command'),
    command: z.string(),
    cwd: z.string(),
    /** Absent while it runs in the background or when a signal ended it. */
    exitCode: z.number().optional(),
    signal: z.string().optional(),
    background: z.boolean().optional(),
    timedOut: z.boolean().optional(),
    stopped: z.boolean().optional(),
    /** It ran in the sandbox: in no terminal. */
    sandboxed: z.boolean().optional(),
    /** Protected files that it made, moved out of the workspace: relative paths, and the folder that holds them. */
    setAside: z.object({ paths: z.array(z.string()), folder: z.string() }).optional(),
    /** The last lines of output, for the card. */
    output: z.string(),
  }),
  z.object({
    type: z.literal('matches'),
    shown: z.number(),
    total: z.number(),
    files: z.number(),
  }),
  z.object({
    type: z.literal('mcp'),
    server: z.string(),
    /** The tool's title or name, or the resource's address. */
    target: z.string(),
    /** JSON of the arguments, for the approval and the card; capped. */
    arguments: z.string().optional(),
    /** What came back besides text; `path` is where the whole of it is kept, absolute. */
    parts: z.array(
      z.object({
        kind: z.enum(['image', 'audio', 'link', 'resource', 'text']),
        label: z.string(),
        mediaType: z.string().optional(),
        path: z.string().optional(),
        /** Base64 of a picture that the model was not given: the person sees it all the same. */
        data: z.string().optional(),
      }),
    ),
  }),
  z.object({
    type: z.literal('subtask'),
    mode: z.string(),
    /** What it is to do, whole. */
    message: z.string(),
    /** Absent until it was begun. */
    taskId: z.string().optional(),
  }),
  /** A picture that was made, base64 without a data: prefix. */
  z.object({ type: z.literal('picture'), path: z.string(), mediaType: z.string(), data: z.string() }),
  z.object({ type: z.literal('listing'), shown: z.number(), total: z.number().optional() }),
  z.object({
    type: z.literal('files'),
    files: z.array(
      z.object({ path: z.string(), lines: z.string().optional(), error: z.string().optional() }),
    ),
  }),
]);
export type ToolDetails = z.infer<typeof toolDetailsSchema>;

export const todoItemSchema = z.object({
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type TodoItem = z.infer<typeof todoItemSchema>;
