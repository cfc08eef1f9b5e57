import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import type { McpSource } from '../../shared/mcp.ts';
import { message, type Message } from '../../shared/strings.ts';
import { parseJsonc } from './jsonc.ts';
import type { McpServerConfig, McpTarget } from './McpServerConfig.ts';

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const names = z.array(z.string());

/** One entry as people write it, under the names that other hosts use too. What is not known is kept out of our way. */
const entrySchema = z.looseObject({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(text).default([]),
  env: z.record(z.string(), text).default({}),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: z.record(z.string(), text).default({}),
  disabled: z.boolean().default(false),
  timeout: z.number().min(1).max(3600).default(60),
  alwaysAllow: names.optional(),
  autoApprove: names.optional(),
  disabledTools: names.default([]),
  protocol: z.enum(['auto', 'legacy', '2026-07-28']).optional(),
  roots: z.boolean().default(false),
  sampling: z.boolean().default(false),
  oauth: z
    .looseObject({
      clientId: z.string().optional(),
      clientSecret: z.string().optional(),
      clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
      issuer: z.url().optional(),
      scopes: names.optional(),
      grant: z.enum(['authorization_code', 'client_credentials']).default('authorization_code'),
    })
    .prefault({}),
});
type Entry = z.infer<typeof entrySchema>;

export interface ParseOptions {
  source: McpSource;
  /** The open folder; commands run there. */
  workspace: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface ParsedConfig {
  servers: McpServerConfig[];
  problems: Message[];
}

/** Servers in a file's text. A file that is no JSON gives a problem and no servers; a bad entry gives a problem and the others. */
export function parseConfig(content: string, options: ParseOptions): ParsedConfig {
  let value: unknown;
  try {
    value = parseJsonc(content);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { servers: [], problems: [message('mcp.config.notJson', { reason: error.message })] };
  }
  const shape = z
    .looseObject({
      mcpServers: z.record(z.string(), z.unknown()).optional(),
      servers: z.record(z.string(), z.unknown()).optional(),
    })
    .safeParse(value);
  if (!shape.success) return { servers: [], problems: [message('mcp.config.noServers')] };
  return parseEntries(shape.data.mcpServers ?? shape.data.servers ?? {}, options);
}

export function parseEntries(
  entries: Readonly<Record<string, unknown>>,
  options: ParseOptions,
): ParsedConfig {
  const servers: McpServerConfig[] = [];
  const problems: Message[] = [];
  for (const [name, raw] of Object.entries(entries)) {
    const parsed = entrySchema.safeParse(raw);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const reason = issue ? `${issue.path.join('.')}: ${issue.message}` : parsed.error.message;
      problems.push(message('mcp.config.badEntry', { server: name, reason }));
      continue;
    }
    const server = serverOf(name, parsed.data, options);
    if ('problem' in server && server.problem && !('target' in server)) problems.push(server.problem);
    else servers.push(server as McpServerConfig);
  }
  return { servers, problems };
}

function serverOf(
  name: string,
  entry: Entry,
  { source, workspace, environment }: ParseOptions,
): McpServerConfig | { problem: Message } {
  const missing = new Set<string>();
  const fill = (value: string): string => substitute(value, { workspace, environment, missing });
  const target = targetOf(entry, fill, workspace);
  if (!target) return { problem: message('mcp.config.noTarget', { server: name }) };
  if (target.type === 'http' && missing.size === 0) {
    const problem = addressProblem(target.url);
    if (problem !== undefined)
      return { problem: message('mcp.config.badEntry', { server: name, reason: problem }) };
  }
  const oauth = {
    ...(entry.oauth.clientId === undefined ? {} : { clientId: fill(entry.oauth.clientId) }),
    ...(entry.oauth.clientSecret === undefined ? {} : { clientSecret: fill(entry.oauth.clientSecret) }),
    ...(entry.oauth.clientMetadataUrl === undefined
      ? {}
      : { clientMetadataUrl: entry.oauth.clientMetadataUrl }),
    ...(entry.oauth.issuer === undefined ? {} : { issuer: entry.oauth.issuer }),
    ...(entry.oauth.scopes === undefined ? {} : { scopes: entry.oauth.scopes }),
    grant: entry.oauth.grant,
  };
  const protocol = entry.protocol ?? (target.type === 'stdio' ? 'legacy' : 'auto');
  const { roots, sampling, timeout, disabled, disabledTools } = entry;
  // What runs and where it leads counts as it is now; values given to it by name (environment, headers) only as they are written.
  const written = {
    path: source.path,
    name,
    target:
      target.type === 'http'
        ? { wire: target.wire, url: target.url }
        : { command: target.command, args: target.args, cwd: target.cwd },
    env: sorted(entry.env),
    headers: sorted(entry.headers),
    oauth: entry.oauth,
    protocol,
    roots,
    sampling,
  };
  return {
    name,
    source,
    disabled,
    target,
    timeout: timeout * 1000,
    automaticTools:
      source.kind === 'user' ? [...(entry.alwaysAllow ?? []), ...(entry.autoApprove ?? [])] : [],
    disabledTools,
    protocol,
    roots,
    sampling,
    oauth,
    hash: createHash('sha256').update(JSON.stringify(written)).digest('hex'),
    connectionKey: JSON.stringify({ target, protocol, roots, sampling, oauth, timeout }),
    ...(missing.size === 0
      ? {}
      : { problem: message('mcp.config.missingVariable', { names: [...missing].join(', ') }) }),
  };
}

function targetOf(entry: Entry, fill: (value: string) => string, workspace: string): McpTarget | undefined {
  const wire = wireOf(entry);
  if (wire === 'stdio') {
    if (entry.command === undefined) return undefined;
    const cwd = fill(entry.cwd ?? workspace);
    return {
      type: 'stdio',
      command: fill(entry.command),
      args: entry.args.map(fill),
      environment: mapped(entry.env, fill),
      cwd: isAbsolute(cwd) ? cwd : resolve(workspace, cwd),
    };
  }
  if (wire === undefined || entry.url === undefined) return undefined;
  return { type: 'http', url: fill(entry.url), headers: mapped(entry.headers, fill), wire };
}

function wireOf({ type, command, url }: Entry): 'stdio' | 'http' | 'sse' | 'either' | undefined {
  switch (type?.toLowerCase().replace(/[-_]/g, '')) {
    case undefined:
      return command !== undefined ? 'stdio' : url === undefined ? undefined : 'either';
    case 'stdio':
    case 'local':
      return 'stdio';
    case 'http':
    case 'streamablehttp':
      return 'http';
    case 'sse':
      return 'sse';
    case 'remote':
      return 'either';
    default:
      return undefined;
  }
}

function addressProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return `url: not an address: ${url}`;
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return `url: only http and https, not ${protocol}`;
  if (username !== '' || password !== '') return 'url: put credentials into headers, not into the address';
  return undefined;
}

/**
 * `${env:NAME}`, `${NAME}`, `${NAME:-instead}`, `${workspaceFolder}`, `${userHome}`: one pass over the parsed value, so that what is put
 * in is never read as a variable again.
 */
function substitute(
  value: string,
  {
    workspace,
    environment,
    missing,
  }: Pick<ParseOptions, 'workspace' | 'environment'> & { missing: Set<string> },
): string {
  return value.replace(/\$\{([^}]*)\}/g, (whole, inside: string) => {
    if (inside === 'workspaceFolder' || inside === 'workspaceRoot') return workspace;
    if (inside === 'userHome') return homedir();
    const match = /^(?:env:)?([A-Za-z_]\w*)(?::-([^]*))?$/.exec(inside);
    const name = match?.[1];
    if (name === undefined) {
      // Another host's kind of variable (`${input:token}`): it has no value here.
      missing.add(inside);
      return whole;
    }
    const found = environment[name] ?? match?.[2];
    if (found === undefined) missing.add(name);
    return found ?? whole;
  });
}

function mapped(
  record: Readonly<Record<string, string>>,
  map: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function sorted(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
