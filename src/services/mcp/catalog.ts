import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Client,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from '@modelcontextprotocol/client';
import { message, type Message } from '../../shared/strings.ts';

/** What a server offers, as it says itself. */
export interface Catalog {
  tools: Tool[];
  resources: Resource[];
  resourceTemplates: ResourceTemplateType[];
  prompts: Prompt[];
}

export type CatalogList = keyof Catalog;

/** Pages of a list that are read: a cursor that never ends must. */
const PAGES = 64;
/** Entries of one list that are kept. */
const ENTRIES = 2000;

const METHOD_NOT_FOUND = -32601;

const METHODS = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const;

export interface ListOptions {
  signal: AbortSignal;
  /** Milliseconds a page. */
  timeout: number;
}

/** All pages of one list. A list that cannot be read is empty, with a problem. Rejects only when the signal fires. */
export async function readList<L extends CatalogList>(
  client: Client,
  list: L,
  options: ListOptions,
): Promise<{ entries: Catalog[L]; problem?: Message }> {
  const capabilities = client.getServerCapabilities();
  const capability: 'tools' | 'resources' | 'prompts' = list === 'resourceTemplates' ? 'resources' : list;
  if (!capabilities?.[capability]) return { entries: [] as unknown as Catalog[L] };
  try {
    const entries = await wholeList(client, list, options);
    return { entries: entries.slice(0, ENTRIES) as Catalog[L] };
  } catch (error) {
    options.signal.throwIfAborted();
    // A server that declares a capability need not have each of its lists.
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND)
      return { entries: [] as unknown as Catalog[L] };
    if (error instanceof SdkError && error.code === SdkErrorCode.ListPaginationExceeded) {
      const entries = await firstPages(client, list, options);
      return {
        entries: entries.slice(0, ENTRIES) as Catalog[L],
        problem: message('mcp.problem.endless', { list: METHODS[list] }),
      };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return {
      entries: [] as unknown as Catalog[L],
      problem: message('mcp.problem.list', { list: METHODS[list], reason: reason.slice(0, 300) }),
    };
  }
}

async function wholeList(
  client: Client,
  list: CatalogList,
  { signal, timeout }: ListOptions,
): Promise<unknown[]> {
  const options = { signal, timeout, cacheMode: 'refresh' } as const;
  switch (list) {
    case 'tools':
      return (await client.listTools(undefined, options)).tools;
    case 'resources':
      return (await client.listResources(undefined, options)).resources;
    case 'resourceTemplates':
      return (await client.listResourceTemplates(undefined, options)).resourceTemplates;
    case 'prompts':
      return (await client.listPrompts(undefined, options)).prompts;
  }
}

/** The walk by hand, for lists that do not end. */
async function firstPages(client: Client, list: CatalogList, options: ListOptions): Promise<unknown[]> {
  const entries: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && entries.length < ENTRIES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result: Record<string, unknown> = await client.request({ method: METHODS[list], params }, options);
    const items = result[list];
    if (Array.isArray(items)) entries.push(...(items as unknown[]));
    cursor = typeof result.nextCursor === 'string' ? result.nextCursor : undefined;
    if (cursor === undefined) break;
  }
  return entries;
}
