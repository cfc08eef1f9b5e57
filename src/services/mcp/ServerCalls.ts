import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { McpOutcome, McpProgress, McpPromptOutcome } from '../../shared/mcp.ts';
import type { AuditLog } from './AuditLog.ts';
import { contentOf, contentsOf } from './contentOf.ts';
import { failureOf } from './failures.ts';
import { safeNames } from './safeNames.ts';
import { violations } from './schemas.ts';
import type { ServerConnection } from './ServerConnection.ts';

type Failure = Extract<McpOutcome, { type: 'failure' }>;

export interface McpRequestOptions {
  signal: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
}

export interface ServerCallsOptions {
  /** By the name that the model uses, or that of the configuration; undefined for one that may not run. */
  find: (server: string) => ServerConnection | undefined;
  audit: AuditLog;
  logger: { error(text: string, error?: unknown): void };
}

/** Requests to servers, each written down, with what came of it as plain data. */
export class ServerCalls {
  readonly #options: ServerCallsOptions;

  constructor(options: ServerCallsOptions) {
    this.#options = options;
  }

  async check(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    const found = this.#tool(server, tool);
    if (!found) return undefined;
    const checked = await violations(found.tool.inputSchema, args);
    return 'unusable' in checked ? undefined : checked.violations;
  }

  async call(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<McpOutcome> {
    const found = this.#tool(server, tool);
    if (!found) return unknown(`the MCP server '${server}' has no tool '${tool}' now`);
    const { connection } = found;
    return await this.#audited(connection, 'tools/call', found.tool.name, args, options, async () => {
      const result = await connection.callTool(found.tool, { ...args }, options);
      return await outcomeOf(result, found.tool);
    });
  }

  async read(server: string, uri: string, options: McpRequestOptions): Promise<McpOutcome> {
    const connection = this.#options.find(server);
    if (!connection) return unknown(`there is no MCP server '${server}' now`);
    return await this.#audited(connection, 'resources/read', uri, {}, options, async () => ({
      type: 'result',
      isError: false,
      content: contentsOf(
        await connection.withClient(
          options,
          async (client, settings) =>
            await client.readResource({ uri }, { ...settings, cacheMode: 'refresh' }),
        ),
      ),
    }));
  }

  async prompt(
    server: string,
    prompt: string,
    args: Readonly<Record<string, string>>,
    options: McpRequestOptions,
  ): Promise<McpPromptOutcome> {
    const connection = this.#options.find(server);
    if (!connection) return unknown(`there is no MCP server '${server}' now`);
    const name = this.#promptName(connection, prompt);
    return await this.#audited<McpPromptOutcome>(connection, 'prompts/get', name, args, options, async () => {
      const { messages } = await connection.withClient(
        options,
        async (client, settings) => await client.getPrompt({ name, arguments: { ...args } }, settings),
      );
      return {
        type: 'prompt',
        messages: messages.map(({ role, content }) => ({
          role,
          content: contentOf({ content: [content] }),
        })),
      };
    });
  }

  /** What an argument of a prompt, or a variable of a resource template, could be; empty when nobody can tell. */
  async complete(
    server: string,
    of: ({ prompt: string } | { uriTemplate: string }) & { given?: Readonly<Record<string, string>> },
    argument: { name: string; value: string },
    options: McpRequestOptions,
  ): Promise<string[]> {
    const connection = this.#options.find(server);
    if (!connection) return [];
    const ref =
      'prompt' in of
        ? ({ type: 'ref/prompt', name: this.#promptName(connection, of.prompt) } as const)
        : ({ type: 'ref/resource', uri: of.uriTemplate } as const);
    const { given } = of;
    try {
      return await connection.withClient(options, async (client, settings) => {
        if (!client.getServerCapabilities()?.completions) return [];
        const params = { ref, argument, ...(given ? { context: { arguments: { ...given } } } : {}) };
        return (await client.complete(params, settings)).completion.values;
      });
    } catch (error) {
      options.signal.throwIfAborted();
      const { message } = failureOf(error, connection.config.name, connection.config.timeout);
      connection.log.add('lathe', 'debug', `no completions: ${message}`);
      return [];
    }
  }

  async #audited<O extends McpOutcome | McpPromptOutcome = McpOutcome>(
    connection: ServerConnection,
    method: string,
    target: string,
    args: Readonly<Record<string, unknown>>,
    { signal }: McpRequestOptions,
    request: () => Promise<O>,
  ): Promise<O | Failure> {
    const begun = Date.now();
    const { name, timeout } = connection.config;
    const protocolVersion = connection.client?.getNegotiatedProtocolVersion();
    let outcome: O | Failure | undefined;
    try {
      outcome = await request();
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      outcome = failureOf(error, name, timeout);
      return outcome;
    } finally {
      this.#options.audit
        .write({
          ...{ server: name, method, target, args, protocolVersion },
          outcome: auditWord(outcome),
          durationMs: Date.now() - begun,
        })
        .catch((error: unknown) => this.#options.logger.error('the audit log could not be written', error));
    }
  }

  /** By the name that a person writes, or the server's own. */
  #promptName({ catalog }: ServerConnection, prompt: string): string {
    const names = catalog.prompts.map(({ name }) => name);
    const ids = safeNames(names);
    return names.find((name) => ids.get(name) === prompt) ?? prompt;
  }

  #tool(server: string, tool: string): { connection: ServerConnection; tool: Tool } | undefined {
    const connection = this.#options.find(server);
    if (!connection) return undefined;
    const ids = safeNames(connection.catalog.tools.map(({ name }) => name));
    const found =
      connection.catalog.tools.find(({ name }) => ids.get(name) === tool) ??
      connection.catalog.tools.find(({ name }) => name === tool);
    return found && { connection, tool: found };
  }
}

async function outcomeOf(result: CallToolResult, tool: Tool): Promise<McpOutcome> {
  const { structuredContent: structured, isError = false } = result;
  const mismatch = isError ? undefined : await mismatchOf(structured, tool);
  return {
    type: 'result',
    isError,
    content: contentOf(result),
    ...(structured === undefined ? {} : { structured }),
    ...(mismatch === undefined ? {} : { mismatch }),
  };
}

async function mismatchOf(structured: unknown, { outputSchema }: Tool): Promise<string | undefined> {
  if (!outputSchema) return undefined;
  if (structured === undefined) return 'it should have structured content by its own schema, and has none';
  const checked = await violations(outputSchema, structured);
  if ('unusable' in checked) return `its output schema cannot be used (${checked.unusable.slice(0, 200)})`;
  return checked.violations?.slice(0, 500);
}

function unknown(words: string): Failure {
  return { type: 'failure', class: 'validation', message: words, mayHaveRun: false };
}

function auditWord(
  outcome: McpOutcome | McpPromptOutcome | undefined,
): 'result' | 'tool_error' | 'protocol' | 'transport' | 'validation' | 'stopped' {
  if (!outcome) return 'stopped';
  if (outcome.type === 'failure') return outcome.class;
  return outcome.type === 'result' && outcome.isError ? 'tool_error' : 'result';
}
