import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HubBench } from '../services/mcp/hubBench.ts';
import { serverOf, textOf, withBench } from '../services/mcp/hubBench.ts';
import type { McpHub } from '../../src/services/mcp/McpHub.ts';

/** Set by `npm test`; the packages are in the cache. */
const folder = process.env.LATHE_TEST_MCP_SERVERS ?? '';
const script = (name: string): string =>
  join(folder, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');

async function call(
  hub: McpHub,
  server: string,
  tool: string,
  args: Record<string, unknown>,
): Promise<string> {
  return textOf(await hub.call(server, tool, args, { signal: AbortSignal.timeout(30_000) }));
}

describe('published MCP servers', () => {
  const bench = withBench();
  const started: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of started.splice(0)) await ended(child);
  });

  async function everythingOverHttp(port: number, wire: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [script('everything'), wire], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`it ended with ${code ?? 'a signal'}`)));
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          if (/listening|running|port/i.test(chunk.toString())) resolve();
        });
    });
    return child;
  }

  async function checkEverything(hub: McpHub): Promise<void> {
    const server = serverOf(hub, 'everything');
    assert.deepEqual(server.state, { type: 'ready' });
    assert.match(server.instructions ?? '', /instructions/i);
    assert.ok(server.resources.length >= 7 && server.resourceTemplates.length === 2);
    assert.equal(await call(hub, 'everything', 'echo', { message: 'hello' }), 'Echo: hello');
    assert.match(await call(hub, 'everything', 'get-sum', { a: 2, b: 3 }), /\b5\b/);
    assert.match(await call(hub, 'everything', 'get-tiny-image', {}), /\(image\)/);
    const weather = await hub.call(
      'everything',
      'get-structured-content',
      { location: 'New York' },
      { signal: AbortSignal.timeout(10_000) },
    );
    assert.ok(
      weather.type === 'result' && weather.structured !== undefined && weather.mismatch === undefined,
    );
    const steps: number[] = [];
    await hub.call(
      'everything',
      'trigger-long-running-operation',
      { duration: 1, steps: 3 },
      { signal: AbortSignal.timeout(10_000), onProgress: ({ progress }) => steps.push(progress) },
    );
    assert.ok(steps.length >= 2);
    const [resource] = server.resources;
    const read = await hub.read('everything', resource?.uri ?? '', { signal: AbortSignal.timeout(10_000) });
    assert.ok(read.type === 'result' && read.content[0]?.type === 'resource');
    const prompt = await hub.prompt(
      'everything',
      'simple-prompt',
      {},
      { signal: AbortSignal.timeout(10_000) },
    );
    assert.ok(prompt.type === 'prompt' && prompt.messages[0]?.role === 'user');
    const departments = await hub.complete(
      'everything',
      { prompt: 'completable-prompt' },
      { name: 'department', value: 'E' },
      { signal: AbortSignal.timeout(10_000) },
    );
    assert.ok(departments.includes('Engineering'));
  }

  it('everything, filesystem, memory and sequential-thinking over stdio', async () => {
    const b = bench();
    b.write('workspace/note.txt', 'a note');
    const entry = (name: string, ...args: string[]): object => ({
      command: process.execPath,
      args: [script(name), ...args],
    });
    b.user({
      everything: entry('everything', 'stdio'),
      files: entry('filesystem', b.workspace),
      memory: { ...entry('memory'), env: { MEMORY_FILE_PATH: join(b.base, 'memory.jsonl') } },
      thinking: entry('sequential-thinking'),
    });
    const hub = await b.hub();
    await checkEverything(hub);
    assert.equal(await call(hub, 'files', 'read_file', { path: join(b.workspace, 'note.txt') }), 'a note');
    assert.match(await call(hub, 'files', 'read_file', { path: '/etc/passwd' }), /outside allowed|denied/i);
    const entities = [{ name: 'Lathe', entityType: 'tool', observations: ['turns'] }];
    await call(hub, 'memory', 'create_entities', { entities });
    assert.match(await call(hub, 'memory', 'read_graph', {}), /Lathe/);
    assert.match(
      await call(hub, 'thinking', 'sequentialthinking', {
        thought: 'one',
        thoughtNumber: 1,
        totalThoughts: 1,
        nextThoughtNeeded: false,
      }),
      /thoughtNumber/,
    );
  });

  it('everything over streamable HTTP, and after its restart', async () => {
    const b: HubBench = bench();
    const port = await freePort();
    const first = await everythingOverHttp(port, 'streamableHttp');
    b.user({ everything: { url: `http://127.0.0.1:${port}/mcp` } });
    const hub = await b.hub();
    assert.equal(serverOf(hub, 'everything').transport, 'http');
    await checkEverything(hub);
    await ended(first);
    await everythingOverHttp(port, 'streamableHttp');
    assert.equal(await call(hub, 'everything', 'echo', { message: 'again' }), 'Echo: again');
  });

  it('everything over SSE, without being told so', async () => {
    const b = bench();
    const port = await freePort();
    await everythingOverHttp(port, 'sse');
    b.user({ everything: { url: `http://127.0.0.1:${port}/sse` } });
    const hub = await b.hub();
    assert.equal(serverOf(hub, 'everything').transport, 'sse');
    assert.equal(await call(hub, 'everything', 'echo', { message: 'hello' }), 'Echo: hello');
  });
});

/** These servers take no port 0: one that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await Promise.race([exited, delay(3000).then(() => child.kill('SIGKILL'))]);
}
