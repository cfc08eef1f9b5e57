import type { Tool } from '@modelcontextprotocol/client';
import type { McpConsent, McpServer, McpState, McpTool } from '../../shared/mcp.ts';
import { message, type Message } from '../../shared/strings.ts';
import type { Consents } from './Consents.ts';
import type { Kept } from './McpHub.ts';
import type { McpServerConfig, McpTarget } from './McpServerConfig.ts';
import { drawableIcon } from './drawableIcon.ts';
import { safeNames } from './safeNames.ts';
import { withoutControls } from './ServerLog.ts';
import { toolHash } from './toolHash.ts';

/** Characters of a server's words about itself or a tool that are passed on. */
const LONGEST_WORDS = 4000;
/** Tools of a server that have an icon: each is carried to a screen with every change. */
const MOST_ICONS = 50;

/** A server as people, the model and the tools see it. */
export function serverRow(kept: Kept, consents: Consents, trusted: boolean): McpServer {
  const { id, config, connection } = kept;
  const { target, source, name } = config;
  const seen = consents.tools(source.path, name);
  const catalog = connection?.catalog;
  const changedTools = (catalog?.tools ?? []).filter((tool) => hasChanged(tool, seen));
  const changed = changedTools.map((tool) => tool.name);
  // A project's server whose tools are no longer what was agreed to is as good as another server.
  const withdrawn = source.kind === 'project' && changed.length > 0;
  const consent = consentOf(kept, changedTools, trusted);
  const client = connection?.client;
  const implementation = client?.getServerVersion();
  const instructions = client?.getInstructions();
  const protocolVersion = client?.getNegotiatedProtocolVersion();
  const promptIds = safeNames((catalog?.prompts ?? []).map(({ name: prompt }) => prompt));
  const ids = safeNames((catalog?.tools ?? []).map((tool) => tool.name));
  return {
    name,
    id,
    source,
    transport:
      target.type === 'stdio' ? 'stdio' : (connection?.wire ?? (target.wire === 'sse' ? 'sse' : 'http')),
    state: stateOf(config, kept, trusted, withdrawn),
    ...(consent ? { consent } : {}),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(implementation
      ? {
          implementation: {
            name: implementation.name,
            version: implementation.version,
            ...(implementation.title === undefined ? {} : { title: implementation.title }),
            ...iconOf(implementation.icons),
          },
        }
      : {}),
    ...(instructions === undefined || instructions === '' ? {} : { instructions: words(instructions) }),
    tools: (catalog?.tools ?? [])
      // Tasks are not spoken: a tool that must be called as one cannot be called.
      .filter((tool) => tool.execution?.taskSupport !== 'required')
      .map((tool, index) => {
        const isOther = changed.includes(tool.name);
        return {
          ...toolRow(tool, ids.get(tool.name) ?? tool.name, config, isOther),
          // What a tool has become is not shown before a person has seen its words.
          ...(isOther || index >= MOST_ICONS ? {} : iconOf(tool.icons)),
        };
      }),
    resources: (catalog?.resources ?? []).map(({ uri, name: title, size, ...rest }) => ({
      uri,
      name: title,
      ...described(rest),
      ...(size === undefined ? {} : { size }),
    })),
    resourceTemplates: (catalog?.resourceTemplates ?? []).map(({ uriTemplate, name: title, ...rest }) => ({
      uriTemplate,
      name: title,
      ...described(rest),
    })),
    prompts: (catalog?.prompts ?? []).map((prompt) => ({
      name: prompt.name,
      id: promptIds.get(prompt.name) ?? prompt.name,
      ...described(prompt),
      arguments: (prompt.arguments ?? []).map((argument) => ({
        name: argument.name,
        ...(argument.description === undefined ? {} : { description: words(argument.description) }),
        required: argument.required === true,
      })),
    })),
    problems: problemsOf(connection?.problems ?? [], changed),
  };
}

function stateOf(
  config: McpServerConfig,
  { connection }: Kept,
  trusted: boolean,
  withdrawn: boolean,
): McpState {
  if (config.disabled) return { type: 'disabled' };
  if (!trusted) return { type: 'untrusted' };
  if (config.problem) return { type: 'failed', problem: config.problem };
  if (!connection || withdrawn) return { type: 'needs_consent' };
  return connection.state;
}

function consentOf(
  { config, connection, waiting }: Kept,
  changed: readonly Tool[],
  trusted: boolean,
): McpConsent | undefined {
  if (!trusted) return undefined;
  const asks = waiting ?? config;
  const mayNotRun = connection === undefined && !asks.disabled && !asks.problem;
  if (waiting === undefined && !mayNotRun && changed.length === 0) return undefined;
  const { name: server, source, target, hash } = asks;
  return {
    server,
    source,
    // A yes to changed tools is a yes to these, and to nothing that they become meanwhile.
    hash: waiting === undefined ? [hash, ...changed.map(toolHash)].join(':') : hash,
    target: shownTarget(target),
    changedTools: waiting === undefined ? changed.map((tool) => tool.name) : [],
    ...(waiting === undefined && changed.length > 0
      ? {
          changedWords: changed.map(({ name: tool, description = '', inputSchema }) => ({
            ...{ tool, description: words(description) },
            inputs: Object.keys(inputSchema.properties ?? {}).slice(0, 50),
          })),
        }
      : {}),
  };
}

/** What runs or is reached, as a person must see it: names of variables and headers, and none of their values. */
export function shownTarget(target: McpTarget): McpConsent['target'] {
  if (target.type === 'http')
    return { type: 'address', url: target.url, headers: Object.keys(target.headers) };
  const { command, args, cwd, environment } = target;
  return { type: 'command', command, args: [...args], cwd, environment: Object.keys(environment) };
}

function toolRow(tool: Tool, id: string, config: McpServerConfig, changed: boolean): McpTool {
  const { annotations } = tool;
  const title = tool.title ?? annotations?.title;
  const hints = {
    ...(annotations?.readOnlyHint === undefined ? {} : { readOnly: annotations.readOnlyHint }),
    ...(annotations?.destructiveHint === undefined ? {} : { destructive: annotations.destructiveHint }),
    ...(annotations?.idempotentHint === undefined ? {} : { idempotent: annotations.idempotentHint }),
    ...(annotations?.openWorldHint === undefined ? {} : { openWorld: annotations.openWorldHint }),
  };
  return {
    name: tool.name,
    id,
    ...(title === undefined ? {} : { title: words(title) }),
    // What a tool has become is not passed on before a person has seen it.
    description: changed ? '' : words(tool.description ?? ''),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    ...(Object.keys(hints).length === 0 ? {} : { hints }),
    enabled: !config.disabledTools.includes(tool.name) && !(changed && config.source.kind === 'project'),
    automatic: !changed && config.automaticTools.some((name) => name === '*' || name === tool.name),
    changed,
  };
}

function hasChanged(tool: Tool, seen: Readonly<Record<string, string>> | undefined): boolean {
  const before = seen?.[tool.name];
  return before !== undefined && before !== toolHash(tool);
}

function problemsOf(problems: readonly Message[], changed: readonly string[]): Message[] {
  if (changed.length === 0) return [...problems];
  return [...problems, message('mcp.problem.toolsChanged', { names: changed.join(', ') })];
}

function iconOf(icons: Parameters<typeof drawableIcon>[0]): { icon?: string } {
  const icon = drawableIcon(icons);
  return icon === undefined ? {} : { icon };
}

function described(row: { title?: string; description?: string; mimeType?: string }): {
  title?: string;
  description?: string;
  mimeType?: string;
} {
  const { title, description, mimeType } = row;
  return {
    ...(title === undefined ? {} : { title: words(title) }),
    ...(description === undefined ? {} : { description: words(description) }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

function words(text: string): string {
  const clean = withoutControls(text);
  return clean.length <= LONGEST_WORDS ? clean : `${clean.slice(0, LONGEST_WORDS)}…`;
}
