// MCP servers: how long a hub takes until so many are ready and what each takes of this process's memory; what a call costs over a bare
// client of the SDK; and what the servers' tools cost in a prompt, in tokens of the o200k tokenizer.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { mcpServers } from '../../src/core/prompts/sections/mcpServers.ts';
import { tools } from '../../src/core/tools/index.ts';
import type { McpServer } from '../../src/shared/mcp.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { HubBench, stub, stubEntry } from '../services/mcp/hubBench.ts';
import { figure, median, printTable } from './support/measure.ts';

const CALLS = 300;
const signal = AbortSignal.timeout(10 * 60_000);

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Bytes that are in use, after what nobody needs has been let go where Node was told to (--expose-gc). */
function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

/** A hub with so many servers of the same kind: until the first and until all are ready, and the memory that they take here. */
async function start(count: number): Promise<{ all: number; perServer: number; ready: number }> {
  const bench = new HubBench();
  bench.user(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, stubEntry({ pages: 1 })])),
  );
  const before = memory();
  const hub = bench.unstarted();
  const all = await timedAsync(async () => {
    await hub.start();
    await hub.settled(signal);
  });
  const perServer = (memory() - before) / count / 1024;
  const ready = hub.servers().filter(({ state }) => state.type === 'ready').length;
  await bench.close();
  return { all, perServer, ready };
}

await start(1); // the first one loads the modules
console.log('A hub with servers over stdio, until all are ready');
const counts = [1, 10, 50];
const started: { all: number; perServer: number; ready: number }[] = [];
for (const count of counts) started.push(await start(count));
printTable(
  ['', ...counts.map((count) => `${count} ${count === 1 ? 'server' : 'servers'}`)],
  [
    ['ready', ...started.map(({ ready }) => String(ready))],
    ['until all are ready, ms', ...started.map(({ all }) => figure(all))],
    ['of this process, KB a server', ...started.map(({ perServer }) => figure(perServer))],
  ],
);

console.log(`\nA call over stdio, median of ${CALLS}, ms`);
const bench = new HubBench();
bench.user({ stub: stubEntry() });
const hub = await bench.hub();
const client = new Client({ name: 'bench', version: '0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [stub, '{}'] }));
const times: Record<'hub' | 'bare', number[]> = { hub: [], bare: [] };
for (let call = -50; call < CALLS; call++) {
  const args = { text: 'hello' };
  const bare = await timedAsync(() => client.callTool({ name: 'echo', arguments: args }));
  const ours = await timedAsync(() => hub.call('stub', 'echo', args, { signal }));
  if (call < 0) continue; // the first ones warm up
  times.bare.push(bare);
  times.hub.push(ours);
}
await client.close();
await bench.close();
const [ours, bare] = [median(times.hub), median(times.bare)];
printTable(
  ['', 'ms', 'ratio', 'goal'],
  [
    ['bare client of the SDK', figure(bare), '1', ''],
    ['hub, with its audit and checks', figure(ours), figure(ours / bare), '≤ 2'],
  ],
);

/** So many tools as servers have them, ten a server. */
function serversWith(count: number): McpServer[] {
  const perServer = 10;
  return Array.from({ length: count / perServer }, (_, server) => ({
    ...{ name: `service-${server}`, id: `service-${server}`, transport: 'stdio', state: { type: 'ready' } },
    source: { kind: 'user', path: '/home/person/mcp.json' },
    ...{ resources: [], resourceTemplates: [], prompts: [], problems: [] },
    tools: Array.from({ length: perServer }, (_tool, tool) => ({
      ...{
        name: `find_item_${tool}`,
        id: `find_item_${tool}`,
        enabled: true,
        automatic: false,
        changed: false,
      },
      description: `Finds items of the kind ${tool} by their words, their people and their labels, newest first. Give the fewest words that tell them apart; ask for the next page with the cursor of the last.`,
      inputSchema: {
        type: 'object',
        properties: {
          words: { type: 'string', description: 'What to look for; several words are looked for together.' },
          labels: { type: 'array', items: { type: 'string' }, description: 'Labels that an item must have.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 100,
            description: 'How many at most; 20 by default.',
          },
          cursor: { type: 'string', description: 'Where the last answer ended.' },
        },
        required: ['words'],
      },
    })),
  }));
}

console.log(
  '\nTools of servers in the system prompt, tokens (o200k); schemas stand there while they are few',
);
const windows = [32_000, 200_000, 1_000_000];
const sizes = [0, 50, 500];
const settings = editorSettingsSchema.parse({});
const tokens = (window: number, count: number): number => {
  const mcp = { servers: serversWith(count), window };
  const describe = { protocol: 'xml' as const, settings, singleFileRead: false, modes: [], mcp };
  return countTokens(mcpServers([tools.use_mcp_tool, tools.access_mcp_resource], describe).join(''));
};
printTable(
  ['window', ...sizes.map((count) => `${count} tools`)],
  windows.map((window) => [String(window), ...sizes.map((count) => String(tokens(window, count)))]),
);
