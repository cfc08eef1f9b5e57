import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseModes } from '../../src/core/modes/parseModes.ts';
import { FileError } from '../../src/core/host/Host.ts';
import { toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { nativeTools } from '../../src/core/prompts/tools/index.ts';
import { tools } from '../../src/core/tools/index.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import type { McpServer } from '../../src/shared/mcp.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';
import { HubBench, textOf } from '../services/mcp/hubBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

/** The fenced parts of a text, by their language. */
function fenced(text: string, language: string): string {
  return new RegExp('```' + language + '\n([^]*?)```').exec(text)?.[1] ?? '';
}

describe('fetch_instructions', () => {
  const create = withContext();

  it('takes the same call in XML and natively, and refuses one without its parameter', async () => {
    for (const args of [{ task: 'create_mode' }, { task: 'mcp:a/b <c>' }]) {
      assert.deepEqual(decoded(parseNative('fetch_instructions', args)), args);
      assert.deepEqual(decoded(parseXml(xmlCall('fetch_instructions', args))), args);
    }
    const context = await create();
    for (const args of [{}, { task: ' ' }, { task: 5 }, { task: null }])
      assert.match(
        (await context.native('fetch_instructions', args)).error ?? '',
        /'task'/,
        JSON.stringify(args),
      );
  });

  it('create_mode: the file that it shows holds a mode that works', async () => {
    const context = await create();
    const { text = '', prepared } = await context.xml('fetch_instructions', { task: 'create_mode' });
    assert.deepEqual(prepared?.actions, []);
    const { modes, problems } = parseModes(fenced(text, 'yaml'));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      modes.map(({ mode: { slug, groups } }) => ({ slug, groups })),
      [
        {
          slug: 'docs-writer',
          groups: [
            'read',
            ['edit', { fileRegex: '\\.(md|mdx)$', description: 'Markdown files only' }],
            'command',
          ],
        },
      ],
    );
  });

  it('create_mcp_server: the files that it shows are a server that works', async function () {
    this.timeout(40_000);
    const context = await create();
    const { text = '' } = await context.native('fetch_instructions', { task: 'create_mcp_server' });
    const bench = new HubBench();
    try {
      const program = join(bench.workspace, 'tools/weather-server.mjs');
      mkdirSync(dirname(program));
      writeFileSync(program, fenced(text, 'js'));
      const config = fenced(text, 'json').replace('"node"', JSON.stringify(process.execPath));
      // The person's own file: the project's would ask for a yes first.
      bench.write('home/mcp.json', config);
      const hub = await bench.hub();
      const [server] = hub.servers();
      assert.deepEqual([server?.state, server?.tools.map(({ id }) => id)], [{ type: 'ready' }, ['forecast']]);
      const signal = AbortSignal.timeout(20_000);
      const answer = await hub.call('weather', 'forecast', { city: 'Paris' }, { signal });
      assert.equal(textOf(answer), 'The next 3 days in Paris: sunny.');
      const [, line = ''] = /echo '([^']*)'/.exec(text) ?? [];
      const tried = spawnSync(process.execPath, [program], { input: `${line}\n`, encoding: 'utf8' });
      assert.match(tried.stdout, /^\{"jsonrpc":"2\.0","id":1,"result":\{"tools":\[\{"name":"forecast"/);
    } finally {
      await bench.close();
    }
  });

  it('a file of rules by its name: the project’s is read as any file is, the person’s own is theirs', async () => {
    const context = await create({
      files: { 'AGENTS.md': 'x' },
      instructions: {
        rules: {
          'AGENTS.md': { text: 'Long rules.', path: 'AGENTS.md' },
          'rules/mine.md': { text: 'Mine.' },
        },
      },
    });
    const project = await context.native('fetch_instructions', { task: 'AGENTS.md' });
    assert.equal(project.text, 'Long rules.');
    assert.deepEqual(project.prepared?.actions, [
      { type: 'read', path: join(context.root, 'AGENTS.md'), insideWorkspace: true, protected: false },
    ]);
    const mine = await context.native('fetch_instructions', { task: 'rules/mine.md' });
    assert.deepEqual([mine.text, mine.prepared?.actions], ['Mine.', []]);
    const denied = await context.native(
      'fetch_instructions',
      { task: 'AGENTS.md' },
      { answer: { allowed: false } },
    );
    assert.equal(denied.denied, true);
    for (const task of ['nothing', '../../etc/passwd', '/etc/passwd', 'create_modes', '__proto__'])
      assert.match(
        (await context.native('fetch_instructions', { task })).error ?? '',
        /^There are no instructions '.*'\. Send create_mode, create_mcp_server, mcp:<server>\/<tool>, or a file of rules/,
        task,
      );
  });

  it('mcp:<server>/<tool>: the schema that the prompt left out', async () => {
    const server: McpServer = {
      ...{
        name: 'weather',
        id: 'weather',
        source: { kind: 'user', path: '/home/mcp.json' },
        transport: 'stdio',
      },
      ...{ state: { type: 'ready' }, resources: [], resourceTemplates: [], prompts: [], problems: [] },
      tools: [
        {
          ...{ name: 'forecast', id: 'forecast', description: 'The weather.', enabled: true },
          ...{ automatic: false, changed: false },
          inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
    };
    const mcp = {
      servers: () => [server],
      check: () => Promise.resolve(undefined),
      call: () => Promise.reject(new Error('not called')),
      read: () => Promise.reject(new Error('not read')),
      prompt: () => Promise.reject(new Error('not asked for')),
      complete: () => Promise.reject(new Error('not asked')),
    };
    const context = await create({ host: { mcp } });
    const { text } = await context.native('fetch_instructions', { task: 'mcp:weather/forecast' });
    assert.equal(
      text,
      "The tool 'forecast' of the MCP server 'weather' says of itself: The weather.\n\n" +
        'The schema of its arguments: {"type":"object","properties":{"city":{"type":"string"}}}\n\nCall it with use_mcp_tool.',
    );
    const words: [string, RegExp][] = [
      ['mcp:weather/rain', /has no tool 'rain'\. Its tools are: forecast/],
      ['mcp:other/rain', /There is no MCP server 'other'\. The servers are: weather/],
      ['mcp:weather', /names no tool\. Send mcp:<server>\/<tool>/],
    ];
    for (const [task, expected] of words)
      assert.match((await context.native('fetch_instructions', { task })).error ?? '', expected);
    const without = await create();
    assert.match(
      (await without.native('fetch_instructions', { task: 'mcp:a/b' })).error ?? '',
      /no MCP servers here/,
    );
  });

  it('words for a file of rules that cannot be read', async () => {
    const broken = (reason: 'too_large' | 'failed') =>
      ({
        get 'a.md'(): never {
          throw new FileError(reason, '/a.md');
        },
      }) as Record<string, { text: string }>;
    const large = await create({ instructions: { rules: broken('too_large') } });
    assert.match(
      (await large.native('fetch_instructions', { task: 'a.md' })).error ?? '',
      /Call read_file with a range/,
    );
    const failed = await create({ instructions: { rules: broken('failed') } });
    assert.match(
      (await failed.native('fetch_instructions', { task: 'a.md' })).error ?? '',
      /cannot be read: failed/,
    );
  });
});

describe('run_slash_command', () => {
  const create = withContext();
  const commands = {
    review: { text: 'Review $1, then $ARGUMENTS.', path: '.lathe/commands/review.md', mode: 'ask' },
    mine: { text: 'Mine.' },
  };

  it('takes the same call in XML and natively', () => {
    const calls: Record<string, string>[] = [
      { command: 'review' },
      { command: '/review.md', args: 'a &lt; b </args>\n' },
    ];
    for (const args of calls) {
      assert.deepEqual(decoded(parseNative('run_slash_command', args)), args);
      assert.deepEqual(decoded(parseXml(xmlCall('run_slash_command', args))), args);
    }
  });

  it('gives the words of the command, and leaves the mode as it is', async () => {
    const context = await create({ files: { '.lathe/commands/review.md': 'x' }, instructions: { commands } });
    const { text, prepared } = await context.native('run_slash_command', {
      command: '/review',
      args: 'src and $&',
    });
    assert.equal(
      text,
      'The command /review stands for this:\n\nReview src, then src and $&.\n\n' +
        'The command is meant for ask mode. Call switch_mode first if it needs what Code mode does not allow.',
    );
    assert.deepEqual(
      prepared?.actions.map((action) => action.type),
      ['read'],
    );
    assert.deepEqual(context.switched, []);
    const mine = await context.xml('run_slash_command', { command: 'mine', args: 'now' });
    assert.deepEqual(
      [mine.text, mine.prepared?.actions],
      ['The command /mine stands for this:\n\nMine.\n\nThe person added: now', []],
    );
    const denied = await context.native(
      'run_slash_command',
      { command: 'review' },
      { answer: { allowed: false } },
    );
    assert.equal(denied.denied, true);
  });

  it('refuses what there is none of, and a call without a name', async () => {
    const context = await create({ instructions: { commands } });
    for (const command of ['other', '../review', 'toString'])
      assert.match(
        (await context.native('run_slash_command', { command })).error ?? '',
        /^There is no command '\//,
        command,
      );
    assert.match(
      (await context.native('run_slash_command', {})).error ?? '',
      /Missing required parameter 'command'/,
    );
  });

  it('is offered when its setting is on, and names the commands that there are', () => {
    const mode = builtInModes.find(({ slug }) => slug === 'orchestrator') as ModeConfig;
    const offered = (slashCommandTool: boolean): boolean =>
      toolsForMode(mode, {
        compact: false,
        settings: { todoList: true, slashCommandTool },
        isAvailable: () => true,
      }).includes('run_slash_command');
    assert.deepEqual([offered(false), offered(true)], [false, true]);
    const described = (names: { name: string; description?: string }[]): string =>
      JSON.stringify(
        nativeTools([tools.run_slash_command], {
          protocol: 'native',
          settings: editorSettingsSchema.parse({}),
          singleFileRead: false,
          modes: [],
          commands: names,
        }),
      );
    assert.ok(
      described([{ name: 'review', description: 'Look' }, { name: 'go' }]).includes(
        'one of: review (Look); go',
      ),
    );
    assert.ok(described([]).includes('its name, without the slash'));
  });
});
