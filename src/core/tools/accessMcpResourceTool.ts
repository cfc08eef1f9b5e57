import * as z from 'zod';
import type { McpServer } from '../../shared/mcp.ts';
import type { ToolView } from '../../shared/tools.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { mcpResult } from './mcpResult.ts';
import { serverNamed } from './mcpTarget.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ server_name: z.string().min(1), uri: z.string().min(1).max(8000) });

interface McpReadPlan {
  server: McpServer;
  uri: string;
}

export class AccessMcpResourceTool extends BaseTool<'access_mcp_resource', typeof schema, McpReadPlan> {
  readonly name = 'access_mcp_resource';
  readonly schema = schema;

  override isAvailable({ host }: Pick<TaskContext, 'host'>): boolean {
    return (host.mcp?.servers() ?? []).some(
      ({ state, resources, resourceTemplates }) =>
        state.type === 'ready' && resources.length + resourceTemplates.length > 0,
    );
  }

  describe(_args: DescribeArguments): ToolDescription {
    return {
      purpose: 'Read a resource of an MCP server. Not for files of the workspace or web pages.',
      parameters: {
        server_name: 'as listed under "MCP servers"',
        uri: 'of the resource, as listed or as a tool gave it; a template’s {variables} filled in',
      },
      example:
        '<access_mcp_resource>\n<server_name>weather</server_name>\n<uri>weather://paris/today</uri>\n</access_mcp_resource>',
    };
  }

  view({ uri = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'fetch', subject: uri, locations: [] };
  }

  prepare(
    { server_name, uri }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<McpReadPlan>> {
    const { server } = serverNamed(server_name, context);
    if (!/^[a-z][a-z0-9+.-]*:/i.test(uri))
      throw new ToolError(
        `'${uri.slice(0, 80)}' is not the address of a resource: it begins with a scheme, as in weather://paris.`,
      );
    return Promise.resolve({
      actions: [
        {
          type: 'mcp',
          server: server.name,
          source: server.source.path,
          operation: 'read',
          target: uri,
          automatic: false,
          changed: false,
        },
      ],
      plan: { server, uri },
      details: { type: 'mcp', server: server.name, target: uri, parts: [] },
    });
  }

  async execute(
    { server, uri }: McpReadPlan,
    context: TaskContext,
    progress: ToolProgress,
  ): Promise<ToolResponse> {
    const { mcp } = serverNamed(server.id, context);
    const outcome = await mcp.read(server.id, uri, {
      signal: context.signal,
      onProgress: ({ message }) => progress.output(message === undefined ? '' : `${message}\n`),
    });
    return await mcpResult(outcome, {
      from: `the resource ${uri} of the MCP server '${server.id}'`,
      server: server.id,
      details: { type: 'mcp', server: server.name, target: uri, parts: [] },
      context,
    });
  }
}
