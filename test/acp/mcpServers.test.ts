import type { McpServer } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, stub, stubEntry } from '../services/mcp/hubBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, done } from './support/AcpBench.ts';

const use = (server: string, tool: string, args: object = {}) => ({
  text: xmlCall('use_mcp_tool', { server_name: server, tool_name: tool, arguments: JSON.stringify(args) }),
});

describe('ACP: MCP servers', () => {
  let bench: AcpBench;
  let listening: Server | undefined;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
    listening?.closeAllConnections();
    listening?.close();
    listening = undefined;
  });
  const stdio = (more: Partial<McpServer> = {}): McpServer => ({
    name: 'files',
    command: process.execPath,
    args: [stub, '{}'],
    env: [{ name: 'GIVEN', value: 'yes' }],
    ...more,
  });

  it('session/new: its answer comes before anything of the session, and waits for no server', async () => {
    const client = await bench.start([]);
    const silent: McpServer = {
      name: 'silent',
      command: process.execPath,
      args: [stub, '{"silent":true}'],
      env: [],
    };
    const { sessionId } = await client.agent.request('session/new', {
      cwd: bench.cwd,
      mcpServers: [stdio(), silent],
    });
    const offered = (): string[] =>
      client
        .ofKind('available_commands_update', sessionId)
        .at(-1)
        ?.availableCommands.map(({ name }) => name)
        .filter((name) => name.startsWith('files:')) ?? [];
    await client.until(() => offered().length === 2, 'the prompts of the server');
    assert.equal(offered()[0], 'files:greet');
    assert.deepEqual(
      client.seen.slice(0, 2).map((one) => (one.type === 'update' ? one.update.sessionUpdate : one.method)),
      ['initialize', 'session/new'],
    );
  });

  it('a server of the client is called after a yes, with what it was given; its prompts are commands', async () => {
    const client = await bench.start([use('files', 'environment'), use('files', 'pid'), done(), done()]);
    const { sessionId } = await client.agent.request('session/new', {
      cwd: bench.cwd,
      mcpServers: [stdio()],
    });
    assert.equal(await client.prompt(sessionId, 'Ask the server'), 'end_turn');
    assert.equal(client.permissions.length, 2);
    const [first = '', second = ''] = client.calls(sessionId);
    const texts = [first, second].map((call) => JSON.stringify(client.call(call).content));
    assert.match(texts[0] ?? '', /GIVEN/);
    assert.doesNotMatch(texts[0] ?? '', /LATHE_API_KEY/);
    assert.equal(await client.prompt(sessionId, '/files:greet World'), 'end_turn');
    assert.match(JSON.stringify(bench.model.requests.at(-1)?.body), /Greet World\./);
    // It ends with its session.
    const pid = Number(/not instructions\)\D*(\d+)/.exec(texts[1] ?? '')?.[1]);
    assert.equal(isAlive(pid), true);
    await client.agent.request('session/close', { sessionId });
    await client.until(() => !isAlive(pid), 'the end of the server');
  });

  it('over HTTP and SSE too, with the client’s headers', async () => {
    const seen: string[] = [];
    listening = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${String(request.headers['x-key'])}`);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => void listening?.listen(0, '127.0.0.1', resolve));
    const { port } = listening.address() as AddressInfo;
    const client = await bench.start([]);
    const headers = [{ name: 'x-key', value: 'k' }];
    const at = (path: string): string => `http://127.0.0.1:${port}/${path}`;
    await client.agent.request('session/new', {
      cwd: bench.cwd,
      mcpServers: [
        { type: 'http', name: 'one', url: at('http'), headers },
        { type: 'sse', name: 'two', url: at('sse'), headers },
      ],
    });
    await client.until(
      () => ['POST /http k', 'GET /sse k'].every((one) => seen.includes(one)),
      'a request of each',
    );
  });

  it('the person’s own servers are there as well; the folder’s only after a yes somewhere', async () => {
    mkdirSync(bench.home, { recursive: true });
    mkdirSync(join(bench.cwd, '.lathe'));
    writeFileSync(join(bench.home, 'mcp.json'), JSON.stringify({ mcpServers: { mine: stubEntry() } }));
    writeFileSync(
      join(bench.cwd, '.lathe', 'mcp.json'),
      JSON.stringify({ mcpServers: { theirs: stubEntry() } }),
    );
    const client = await bench.start([use('mine', 'echo', { text: 'heard' }), use('theirs', 'pid'), done()]);
    const sessionId = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(sessionId, 'Ask the servers'), 'end_turn');
    const results = client.calls(sessionId).map((call) => JSON.stringify(client.call(call)));
    assert.match(results[0] ?? '', /heard/);
    assert.match(JSON.stringify(bench.model.requests.at(-1)?.body), /waits for the person to agree/);
    assert.equal(client.permissions.length, 1);
    const audit = readFileSync(join(bench.home, 'mcp-audit.jsonl'), 'utf8').trim().split('\n');
    assert.equal(audit.length, 1);
  });
});
