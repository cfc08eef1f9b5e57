import * as z from 'zod';
import type { Action } from '../../shared/approvals.ts';
import type { ToolView } from '../../shared/tools.ts';
import { FileError } from '../host/Host.ts';
import { createMcpServer } from '../prompts/instructions/createMcpServer.ts';
import { createMode } from '../prompts/instructions/createMode.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { serverNamed, toolNamed } from './mcpTarget.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ task: z.string().trim().min(1) });

const guides: ReadonlyMap<string, () => string> = new Map([
  ['create_mode', createMode],
  ['create_mcp_server', createMcpServer],
]);

export class FetchInstructionsTool extends BaseTool<'fetch_instructions', typeof schema, string> {
  readonly name = 'fetch_instructions';
  readonly schema = schema;

  describe(): ToolDescription {
    return {
      purpose: 'Get instructions that do not stand here.',
      parameters: {
        task: 'create_mode, create_mcp_server, mcp:<server>/<tool> for a tool’s schema, or a file of rules by its name',
      },
      example: '<fetch_instructions>\n<task>create_mode</task>\n</fetch_instructions>',
    };
  }

  view({ task = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'read', subject: task, locations: [] };
  }

  async prepare({ task }: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<string>> {
    const guide = guides.get(task);
    if (guide) return { actions: [], plan: guide() };
    if (task.startsWith('mcp:')) return { actions: [], plan: schemaOf(task.slice('mcp:'.length), context) };
    const rule = await ruleNamed(task, context);
    if (!rule)
      throw new ToolError(
        `There are no instructions '${task.slice(0, 200)}'. Send create_mode, create_mcp_server, mcp:<server>/<tool>, or a file of rules as it is named to you. For any other file call read_file.`,
      );
    return { actions: await readActions(rule.path, context), plan: rule.text };
  }

  execute(plan: string): Promise<ToolResponse> {
    return Promise.resolve({ content: plan });
  }
}

/** What approval judges of a text of the workspace; of the person's own, nothing. */
export async function readActions(path: string | undefined, context: TaskContext): Promise<Action[]> {
  if (path === undefined) return [];
  const resolved = await context.resolve(path, 'read');
  return [
    {
      type: 'read',
      path: resolved.real,
      insideWorkspace: resolved.insideWorkspace,
      protected: resolved.protected,
    },
  ];
}

async function ruleNamed(
  name: string,
  context: TaskContext,
): ReturnType<TaskContext['instructions']['rule']> {
  try {
    return await context.instructions.rule(name);
  } catch (error) {
    if (error instanceof FileError)
      throw new ToolError(
        error.reason === 'too_large'
          ? `'${name}' is too long to be given whole. Call read_file with a range of its lines.`
          : `'${name}' cannot be read: ${error.message}. Go on without it, and tell the person.`,
        { cause: error },
      );
    throw error;
  }
}

function schemaOf(target: string, context: TaskContext): string {
  const slash = target.indexOf('/');
  if (slash <= 0)
    throw new ToolError(
      `'mcp:${target.slice(0, 200)}' names no tool. Send mcp:<server>/<tool>, both as listed.`,
    );
  const { server } = serverNamed(target.slice(0, slash), context);
  const tool = toolNamed(target.slice(slash + 1), server);
  return [
    `The tool '${tool.id}' of the MCP server '${server.id}' says of itself: ${tool.description.trim()}`,
    `The schema of its arguments: ${JSON.stringify(tool.inputSchema)}`,
    'Call it with use_mcp_tool.',
  ].join('\n\n');
}
