import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { McpHub } from '../../src/services/mcp/McpHub.ts';
import type { McpOutcome } from '../../src/shared/mcp.ts';
import { serverOf, textOf, withBench } from '../services/mcp/hubBench.ts';

/** Set by `npm test`; the packages are in the cache. */
const folder = process.env.LATHE_TEST_MCP_SERVERS ?? '';
/** What the inspector runs on: it needs a newer one than this may be. */
const node = process.env.LATHE_TEST_NODE ?? process.execPath;
const everything = join(folder, '@modelcontextprotocol', 'server-everything', 'dist', 'index.js');
const inspector = join(folder, '.bin', 'mcp-inspector');

describe('each tool, resource and prompt of the published server `everything`', function () {
  this.timeout(120_000);
  const bench = withBench();
  const signal = (): AbortSignal => AbortSignal.timeout(60_000);
  let hub: McpHub;
  let asked: string[];

  async function open(more: object = {}): Promise<void> {
    const b = bench();
    asked = [];
    b.user({ everything: { command: node, args: [everything, 'stdio'], ...more } });
    hub = await b.hub({
      elicit: (request) => {
        asked.push(`${request.kind} ${request.kind === 'url' ? request.url : request.message}`);
        return Promise.resolve(
          request.kind === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'A Person' } },
        );
      },
      sample: (server, params) => {
        asked.push(`sampling by ${server}: ${JSON.stringify(params.messages)}`);
        return Promise.resolve({
          ...{ role: 'assistant', model: 'scripted', stopReason: 'endTurn' },
          content: { type: 'text', text: 'a sampled answer' },
        });
      },
    });
  }
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<McpOutcome> =>
    await hub.call('everything', tool, args, { signal: signal() });
  const said = async (tool: string, args: Record<string, unknown> = {}): Promise<string> =>
    textOf(await call(tool, args));

  it('every tool answers; those that ask the person, the model or for folders are asked for', async () => {
    await open({ roots: true, sampling: true });
    const [started] = (await said('trigger-long-running-operation', { duration: 1, steps: 2 })).split('.');
    const outcomes: Record<string, string> = {
      echo: await said('echo', { message: 'hello' }),
      'get-annotated-message': await said('get-annotated-message', {
        messageType: 'error',
        includeImage: true,
      }),
      'get-env': String(/"PATH"/.test(await said('get-env'))),
      'get-resource-links': await said('get-resource-links', { count: 2 }),
      'get-resource-reference': (
        await said('get-resource-reference', { resourceType: 'Blob', resourceId: 1 })
      )
        .split('\n')
        .slice(0, 2)
        .join('\n'),
      'get-structured-content': await said('get-structured-content', { location: 'Chicago' }),
      'get-sum': await said('get-sum', { a: 2, b: 3 }),
      'get-tiny-image': (await said('get-tiny-image')).replace(/[^()a-z]/g, ''),
      'gzip-file-as-resource': await said('gzip-file-as-resource', {
        ...{ name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
      }),
      'toggle-simulated-logging': (await said('toggle-simulated-logging')).slice(0, 25),
      'toggle-subscriber-updates': (await said('toggle-subscriber-updates')).slice(0, 26),
      'trigger-long-running-operation': started ?? '',
      'get-roots-list': String(/file:\/\//.test(await said('get-roots-list'))),
      'trigger-elicitation-request': String(/Name: A Person/.test(await said('trigger-elicitation-request'))),
      'trigger-url-elicitation': String(
        /accept/i.test(await said('trigger-url-elicitation', { url: 'https://example.com/form' })),
      ),
      'trigger-sampling-request': String(
        /a sampled answer/.test(await said('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 })),
      ),
    };
    assert.deepEqual(outcomes, {
      echo: 'Echo: hello',
      'get-annotated-message': 'Error: Operation failed\n(image)',
      'get-env': 'true',
      'get-resource-links':
        'Here are 2 resource links to resources available in this server:\n(link)\n(link)',
      'get-resource-reference': 'Returning resource reference for Resource 1:\n(resource)',
      'get-structured-content': '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}',
      'get-sum': 'The sum of 2 and 3 is 5.',
      'get-tiny-image': outcomes['get-tiny-image'],
      'gzip-file-as-resource': '(link)',
      'toggle-simulated-logging': 'Started simulated, random',
      'toggle-subscriber-updates': 'Started simulated resource',
      'trigger-long-running-operation': 'Long running operation completed',
      'get-roots-list': 'true',
      'trigger-elicitation-request': 'true',
      'trigger-url-elicitation': 'true',
      'trigger-sampling-request': 'true',
    });
    assert.match(outcomes['get-tiny-image'] ?? '', /\(image\)/);
    assert.deepEqual(
      Object.keys(outcomes).sort(),
      serverOf(hub, 'everything')
        .tools.map(({ name }) => name)
        .sort(),
    );
    assert.deepEqual(
      asked.map((one) => one.replace(/:.*/, '')),
      ['form Please provide inputs for the following fields', 'url https', 'sampling by everything'],
    );
    // What must be called as a task is not offered, and its refusal is a result like any other.
    assert.match(await said('simulate-research-query', { topic: 'x' }), /has no tool|task/);
    assert.match(await said('echo', {}), /validation error/i);
    // The file that it made is a resource of the session.
    const gz = await hub.read('everything', 'demo://resource/session/a.gz', { signal: signal() });
    assert.ok(gz.type === 'result' && gz.content[0]?.type === 'resource' && gz.content[0].blob !== undefined);
  });

  it('what is not allowed is not offered: neither sampling nor folders', async () => {
    await open();
    const names = serverOf(hub, 'everything').tools.map(({ name }) => name);
    assert.deepEqual(
      ['get-roots-list', 'trigger-sampling-request', 'trigger-elicitation-request'].map((name) =>
        names.includes(name),
      ),
      [false, false, true],
    );
  });

  it('every resource and template is read, every prompt had, with its arguments completed', async () => {
    await open();
    const { resources, resourceTemplates, prompts } = serverOf(hub, 'everything');
    assert.deepEqual([resources.length, resourceTemplates.length, prompts.length], [7, 2, 4]);
    const addresses = [
      ...resources.map(({ uri }) => uri),
      ...resourceTemplates.map(({ uriTemplate }) => uriTemplate.replace('{resourceId}', '2')),
    ];
    for (const uri of addresses) {
      const read = await hub.read('everything', uri, { signal: signal() });
      assert.ok(read.type === 'result' && read.content[0]?.type === 'resource', uri);
      assert.ok((read.content[0].text ?? read.content[0].blob ?? '') !== '', uri);
    }
    const args = {
      ...{ city: 'Paris', state: 'Texas', department: 'Engineering', name: 'Alice' },
      ...{ resourceType: 'Text', resourceId: '1' },
    };
    const words: Record<string, string> = {};
    for (const prompt of prompts) {
      const given = Object.fromEntries(
        Object.entries(args).filter(([name]) => prompt.arguments.some((argument) => argument.name === name)),
      );
      const had = await hub.prompt('everything', prompt.id, given, { signal: signal() });
      assert.ok(had.type === 'prompt', prompt.name);
      const [first] = had.messages;
      words[prompt.name] = first?.content[0]?.type === 'text' ? first.content[0].text : '';
    }
    assert.deepEqual(words, {
      'simple-prompt': 'This is a simple prompt without arguments.',
      'args-prompt': "What's weather in Paris, Texas?",
      'completable-prompt': 'Please promote Alice to the head of the Engineering team.',
      'resource-prompt':
        'This prompt includes the Text resource with id: 1. Please analyze the following resource:',
    });
    const complete = async (name: string, given: Record<string, string>): Promise<string[]> =>
      await hub.complete(
        'everything',
        { prompt: 'completable-prompt', given },
        { name, value: '' },
        { signal: signal() },
      );
    assert.ok((await complete('department', {})).includes('Engineering'));
    assert.deepEqual(await complete('name', { department: 'Engineering' }), ['Alice', 'Bob', 'Charlie']);
  });

  it('is to the hub what it is to the MCP project’s inspector', async () => {
    await open({ timeout: 50 });
    const { tools, resources, resourceTemplates, prompts } = serverOf(hub, 'everything');
    const list = z.looseObject({ name: z.string() });
    const lists = await inspected([
      'tools/list',
      'resources/list',
      'resources/templates/list',
      'prompts/list',
    ]);
    const names = (index: number, key: string): string[] =>
      z
        .record(z.string(), z.array(list))
        .parse(lists[index])
        [key]?.map(({ name }) => name) ?? [];
    // These it offers only to a client that declares what they want: the person, the model, folders, tasks.
    const always = (name: string): boolean =>
      !/^(trigger-.*-(request|elicitation)|get-roots-list|simulate-research-query)$/.test(name);
    const offered = tools.filter(({ name }) => always(name));
    assert.deepEqual(
      offered.map(({ name }) => name),
      names(0, 'tools').filter(always),
    );
    const shapes = z.object({
      tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.unknown() })),
    });
    for (const { name, inputSchema } of shapes.parse(lists[0]).tools)
      if (offered.some((tool) => tool.name === name))
        assert.deepEqual(offered.find((tool) => tool.name === name)?.inputSchema, inputSchema, name);
    assert.deepEqual(
      resources.map(({ name }) => name),
      names(1, 'resources'),
    );
    assert.deepEqual(
      resourceTemplates.map(({ name }) => name),
      names(2, 'resourceTemplates'),
    );
    assert.deepEqual(
      prompts.map(({ name }) => name),
      names(3, 'prompts'),
    );

    const calls: [string, Record<string, string | number>][] = [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-resource-links', { count: 2 }],
      ['get-tiny-image', {}],
    ];
    for (const [tool, args] of calls) {
      const written = Object.entries(args).map(([name, value]) => `${name}=${value}`);
      const toolArgs = written.length === 0 ? [] : ['--tool-arg', ...written];
      const [result] = await inspected([['tools/call', '--tool-name', tool, ...toolArgs]]);
      const { content, structuredContent } = z
        .looseObject({
          content: z.array(z.looseObject({ type: z.string() })),
          structuredContent: z.unknown().optional(),
        })
        .parse(result);
      const outcome = await call(tool, args);
      assert.ok(outcome.type === 'result', tool);
      assert.deepEqual(
        outcome.content.map((part) =>
          part.type === 'text' ? part.text : part.type === 'image' ? part.data : part.type,
        ),
        content.map((part) =>
          part.type === 'text' ? part.text : part.type === 'image' ? part.data : 'link',
        ),
        tool,
      );
      assert.deepEqual(outcome.structured, structuredContent, tool);
    }
    const uri = resources[0]?.uri ?? '';
    const [read] = await inspected([['resources/read', '--uri', uri]]);
    const ours = await hub.read('everything', uri, { signal: signal() });
    assert.deepEqual(
      ours.type === 'result' ? ours.content.map((part) => (part.type === 'resource' ? part.text : '')) : [],
      z
        .object({ contents: z.array(z.looseObject({ text: z.string() })) })
        .parse(read)
        .contents.map(({ text }) => text),
    );
  });

  /** What the inspector prints for each of these methods, several at a time. */
  async function inspected(methods: readonly (string | string[])[]): Promise<unknown[]> {
    const run = promisify(execFile);
    return await Promise.all(
      methods.map(async (method) => {
        const [name = '', ...rest] = typeof method === 'string' ? [method] : method;
        const args = [inspector, '--cli', node, everything, 'stdio', '--method', name, ...rest];
        const { stdout } = await run(node, args, { timeout: 60_000, maxBuffer: 10_000_000 });
        return JSON.parse(stdout.slice(stdout.indexOf('{'))) as unknown;
      }),
    );
  }
});
