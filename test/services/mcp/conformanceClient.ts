// What the MCP conformance referee drives: the hub itself, with a configuration of one server whose address is the last argument.
// It connects, signs in when asked, calls every tool and ends. The referee sets MCP_CONFORMANCE_PROTOCOL_VERSION (the revision to speak)
// and MCP_CONFORMANCE_CONTEXT (JSON: the credentials that a configuration would hold, and the calls to make).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { McpHub } from '../../../src/services/mcp/McpHub.ts';
import type { McpOutcome, McpTool } from '../../../src/shared/mcp.ts';

/** Sign-ins in a row before it is given up: a server that always asks for another must not be obeyed for ever. */
const SIGN_INS = 3;

const contextSchema = z.looseObject({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  toolCalls: z
    .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }))
    .optional(),
});

const url = process.argv.at(-1) ?? '';
const context = contextSchema.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'));
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';
const home = mkdtempSync(join(tmpdir(), 'lathe-conformance-'));
const signal = AbortSignal.timeout(25_000);

const hub = new McpHub({
  home,
  workspace: () => undefined,
  trusted: () => true,
  environment: {},
  version: '0.0.0',
  logger: { warn: note, error: note },
  // The person's browser: it follows the authorization server's redirect back to the loopback page.
  openAddress: async (address) => {
    await (await fetch(address)).text();
  },
  elicit: () => Promise.resolve({ action: 'accept', content: {} }),
});

try {
  await hub.give({
    referee: {
      type: 'http',
      url,
      timeout: 20,
      protocol: isModern ? '2026-07-28' : 'auto',
      oauth: {
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
        ...(context.client_id === undefined ? {} : { clientId: context.client_id }),
        ...(context.client_secret === undefined ? {} : { clientSecret: context.client_secret }),
      },
    },
  });
  await hub.start();
  await reachable();
  await signInWhenAsked();
  const server = hub.servers()[0];
  if (server?.state.type !== 'ready') throw new Error(`not connected: ${JSON.stringify(server?.state)}`);
  const calls =
    context.toolCalls ?? server.tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) }));
  for (const call of calls) {
    let outcome = await hub.call('referee', call.name, call.arguments, { signal });
    for (let tries = 0; tries < SIGN_INS && (await signInWhenAsked()); tries++)
      outcome = await hub.call('referee', call.name, call.arguments, { signal });
    note(`${call.name}: ${words(outcome)}`);
  }
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  for (const { from, text } of hub.logs('referee')) note(`${from}: ${text}`);
  process.exitCode = 1;
} finally {
  await hub.dispose();
  rmSync(home, { recursive: true, force: true });
}

/** The hub tries again by itself when a try fails (the referee closes idle connections under a request now and then). */
async function reachable(): Promise<void> {
  const isUnderWay = (): boolean =>
    ['connecting', 'waiting'].includes(hub.servers()[0]?.state.type ?? 'connecting');
  while (isUnderWay() && !signal.aborted)
    await new Promise<void>((resolve) => {
      const stop = hub.onChanged(() => {
        stop();
        resolve();
      });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
}

async function signInWhenAsked(): Promise<boolean> {
  if (hub.servers()[0]?.state.type !== 'needs_sign_in') return false;
  await hub.signIn('referee', signal);
  return true;
}

/** Values of the right types for what a tool requires. */
function argumentsFor({ inputSchema }: McpTool): Record<string, unknown> {
  const { properties, required } = z
    .looseObject({
      properties: z.record(z.string(), z.looseObject({ type: z.unknown() })).default({}),
      required: z.array(z.string()).default([]),
    })
    .parse(inputSchema);
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, valueOf(properties[name]?.type)]));
}

function valueOf(type: unknown): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'text';
  }
}

function words(outcome: McpOutcome): string {
  return outcome.type === 'failure'
    ? `${outcome.class}: ${outcome.message}`
    : JSON.stringify(outcome.content);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
