import * as z from 'zod';
import type { McpServer, McpTool } from '../../shared/mcp.ts';
import type { ToolDetails, ToolView } from '../../shared/tools.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { mcpResult } from './mcpResult.ts';
import { serverNamed, toolNamed } from './mcpTarget.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  server_name: z.string().min(1),
  tool_name: z.string().min(1),
  arguments: z.looseObject({}).optional(),
});

interface McpCallPlan {
  server: McpServer;
  tool: McpTool;
  args: Record<string, unknown>;
  details: Extract<ToolDetails, { type: 'mcp' }>;
}

/** Characters of the arguments that an approval shows. */
const SHOWN_ARGUMENTS = 20_000;
/** Characters of a schema that goes with an error. */
const SHOWN_SCHEMA = 6000;

export class UseMcpToolTool extends BaseTool<'use_mcp_tool', typeof schema, McpCallPlan> {
  readonly name = 'use_mcp_tool';
  readonly schema = schema;
  override readonly verbatim = ['arguments'] as const;

  override isAvailable({ host }: Pick<TaskContext, 'host'>): boolean {
    return (host.mcp?.servers() ?? []).some(
      ({ state, tools }) =>
        (state.type === 'ready' && tools.length > 0) ||
        state.type === 'connecting' ||
        state.type === 'waiting',
    );
  }

  describe(_args: DescribeArguments): ToolDescription {
    return {
      purpose:
        'Call a tool of an MCP server; they are listed under "MCP servers". Arguments that do not fit are answered with the tool’s schema.',
      parameters: {
        server_name: 'as listed',
        tool_name: 'as listed',
        arguments: 'optional JSON object, by the tool’s schema',
      },
      example:
        '<use_mcp_tool>\n<server_name>weather</server_name>\n<tool_name>forecast</tool_name>\n<arguments>\n{"city": "Paris"}\n</arguments>\n</use_mcp_tool>',
    };
  }

  view({ server_name = '', tool_name = '' }: Readonly<Record<string, string>>): ToolView {
    return {
      kind: 'other',
      subject: [server_name, tool_name].filter((one) => one !== '').join(' / '),
      locations: [],
    };
  }

  async prepare(
    { server_name, tool_name, arguments: args = {} }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<McpCallPlan>> {
    const { mcp, server } = serverNamed(server_name, context);
    const tool = toolNamed(tool_name, server);
    const wrong = await mcp.check(server.id, tool.id, args);
    if (wrong !== undefined) {
      const schemaText = JSON.stringify(tool.inputSchema);
      throw new ToolError(
        `The arguments do not fit the schema of '${tool.id}' (${wrong.slice(0, 600)}). It was not called. Its schema is: ${schemaText.slice(0, SHOWN_SCHEMA)}${schemaText.length > SHOWN_SCHEMA ? '… (cut)' : ''}`,
      );
    }
    const details = {
      type: 'mcp' as const,
      server: server.name,
      target: tool.title ?? tool.name,
      arguments: JSON.stringify(args, undefined, 2).slice(0, SHOWN_ARGUMENTS),
      parts: [],
    };
    return {
      actions: [
        {
          type: 'mcp',
          server: server.name,
          source: server.source.path,
          operation: 'call',
          target: tool.name,
          automatic: tool.automatic,
          changed: tool.changed,
          // A hint lowers nothing: without content from outside the call would be automatic as well.
          ...(context.afterUntrusted && tool.hints?.readOnly !== true ? { afterUntrusted: true } : {}),
        },
      ],
      plan: { server, tool, args, details },
      details,
    };
  }

  async execute(
    { server, tool, args, details }: McpCallPlan,
    context: TaskContext,
    progress: ToolProgress,
  ): Promise<ToolResponse> {
    const { mcp } = serverNamed(server.id, context);
    const outcome = await mcp.call(server.id, tool.id, args, {
      signal: context.signal,
      onProgress: ({ progress: done, total, message }) =>
        progress.output(
          `${[total === undefined ? String(done) : `${done}/${total}`, message].join(' ').trim()}\n`,
        ),
    });
    return await mcpResult(outcome, {
      from: `the tool '${tool.id}' of the MCP server '${server.id}'`,
      server: server.id,
      details,
      context,
    });
  }
}
