import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolError } from '../../src/core/Dispatcher.ts';
import type { McpHub, McpHubOptions } from '../../src/services/mcp/McpHub.ts';
import type { McpConfirmation } from '../../src/services/mcp/ServerManager.ts';
import type { McpServerRow } from '../../src/shared/mcp.ts';
import { stub, stubEntry, until, withBench, type HubBench } from '../services/mcp/hubBench.ts';
import { TestAgent } from '../support/TestAgent.ts';

describe('mcp/*: servers as front ends look after them', function () {
  this.timeout(40_000);
  const bench = withBench();
  let b: HubBench;
  let hub: McpHub;
  let agent: TestAgent;
  let answer: boolean;
  let asked: McpConfirmation[];

  beforeEach(() => {
    b = bench();
    [answer, asked] = [true, []];
  });
  afterEach(async () => {
    await agent.stop();
  });

  async function start(options: Partial<McpHubOptions> = {}): Promise<void> {
    const confirm = (what: McpConfirmation): Promise<boolean> => {
      asked.push(what);
      return Promise.resolve(answer);
    };
    hub = await b.hub({ confirm, ...options });
    agent = await TestAgent.start({
      ...{ cwd: b.workspace, home: b.home, mcp: hub },
      profile: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1' },
    });
  }
  const call: TestAgent['agent']['dispatcher']['call'] = (method, params) =>
    agent.agent.dispatcher.call(method, params);
  const rows = async (): Promise<string[]> =>
    (await call('mcp/list', {})).servers.map(
      ({ name, source, state }) => `${name} ${source.kind} ${state.type}`,
    );
  const row = async (name = 'stub'): Promise<McpServerRow> => {
    const found = (await call('mcp/list', {})).servers.find((one) => one.name === name);
    assert.ok(found);
    return found;
  };
  const ready = async (name = 'stub'): Promise<void> =>
    await until(hub, () => hub.servers().find((one) => one.name === name)?.state.type === 'ready');
  const refusal = async (request: Promise<unknown>): Promise<string> => {
    try {
      await request;
    } catch (error) {
      if (error instanceof ProtocolError) return `${error.code} ${error.words.key}`;
      throw error;
    }
    return 'not refused';
  };
  const entryText = JSON.stringify(stubEntry());

  it('a server that is added is asked about outside of the page, written into the person’s own file, and runs', async () => {
    b.write('home/mcp.json', '{\n  // mine\n  "mcpServers": {},\n  "other": 1\n}\n');
    await start();
    assert.deepEqual(await call('mcp/list', {}), {
      servers: [],
      problems: [],
      userFile: join(b.home, 'mcp.json'),
    });
    assert.deepEqual(await call('mcp/save', { name: ' stub ', text: entryText }), {});
    assert.deepEqual(asked, [
      {
        server: 'stub',
        source: { kind: 'user', path: join(b.home, 'mcp.json') },
        target: {
          type: 'command',
          command: process.execPath,
          args: [stub, '{}'],
          cwd: b.workspace,
          environment: [],
        },
        changedTools: [],
      },
    ]);
    await ready();
    const { tools, prompts, resources, ...server } = await row();
    assert.equal(tools.length, 17);
    assert.equal('inputSchema' in (tools[0] ?? {}), false);
    assert.deepEqual([prompts.length, resources.length], [2, 1]);
    assert.deepEqual(server, {
      name: 'stub',
      id: 'stub',
      source: { kind: 'user', path: join(b.home, 'mcp.json') },
      transport: 'stdio',
      state: { type: 'ready' },
      protocolVersion: '2025-11-25',
      implementation: { name: 'stub', version: '1.0.0' },
      instructions: 'Ask for the echo first.',
      resourceTemplates: [],
      problems: [],
    });
    const text = readFileSync(join(b.home, 'mcp.json'), 'utf8');
    assert.match(text, /\/\/ mine/);
    assert.match(text, /"other": 1/);
    if (process.platform !== 'win32') assert.equal(statSync(join(b.home, 'mcp.json')).mode & 0o777, 0o600);
  });

  it('without a yes outside of the page nothing is written and nothing starts, whoever sent the request', async () => {
    const mark = join(b.base, 'started');
    const evil = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`],
    };
    b.write('workspace/.lathe/mcp.json', { mcpServers: { project: evil } });
    b.user({ mine: stubEntry({}, { disabled: true }) });
    await start();
    const before = readFileSync(join(b.home, 'mcp.json'), 'utf8');
    answer = false;
    const { consent } = await row('project');
    assert.ok(consent);
    assert.deepEqual(await call('mcp/consent', { server: 'project', hash: consent.hash }), { given: false });
    const saves = [
      call('mcp/save', { name: 'new', text: JSON.stringify(evil) }),
      call('mcp/save', { name: 'mine', text: JSON.stringify(evil), server: 'mine' }),
      call('mcp/save', {
        name: 'project',
        text: JSON.stringify({ ...evil, env: { A: '1' } }),
        server: 'project',
      }),
    ];
    for (const save of saves) assert.equal(await refusal(save), 'invalid_params mcp.entry.notConfirmed');
    assert.deepEqual(
      asked.map(({ server, source }) => `${server} ${source.kind}`),
      ['project project', 'new user', 'mine user', 'project project'],
    );
    // A hash that is not the one of now is not even asked about.
    answer = true;
    assert.deepEqual(await call('mcp/consent', { server: 'project', hash: 'forged' }), { given: false });
    assert.equal(asked.length, 4);
    assert.deepEqual(await rows(), ['project project needs_consent', 'mine user disabled']);
    assert.equal(readFileSync(join(b.home, 'mcp.json'), 'utf8'), before);
    assert.equal(existsSync(mark), false);
  });

  it('where nobody can be asked outside of a page, no page starts anything', async () => {
    hub = await b.hub();
    agent = await TestAgent.start({
      ...{ cwd: b.workspace, home: b.home, mcp: hub },
      profile: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1' },
    });
    assert.equal(
      await refusal(call('mcp/save', { name: 'stub', text: entryText })),
      'invalid_params mcp.entry.notConfirmed',
    );
    assert.equal(existsSync(join(b.home, 'mcp.json')), false);
  });

  it('what cannot be used is refused in words, and nothing is written', async () => {
    b.user({ stub: stubEntry() });
    await start();
    const save = async (name: string, text: string, server?: string): Promise<string> =>
      await refusal(call('mcp/save', { name, text, ...(server === undefined ? {} : { server }) }));
    const before = readFileSync(join(b.home, 'mcp.json'), 'utf8');
    assert.deepEqual(
      [
        await save(' ', entryText),
        await save('stub', entryText),
        await save('x', '{ "command": '),
        await save('x', '{}'),
        await save('x', '{ "command": 3 }'),
        await save('x', '{ "url": "file:///etc/passwd" }'),
        await save('x', entryText, 'gone'),
        await refusal(call('mcp/remove', { server: 'gone' })),
        await refusal(call('mcp/entry', { server: 'gone' })),
      ],
      [
        'invalid_params mcp.entry.noName',
        'invalid_params mcp.entry.taken',
        'invalid_params mcp.entry.badText',
        'invalid_params mcp.config.noTarget',
        'invalid_params mcp.config.badEntry',
        'invalid_params mcp.config.badEntry',
        'invalid_params mcp.entry.unknown',
        'invalid_params mcp.entry.unknown',
        'invalid_params mcp.entry.unknown',
      ],
    );
    assert.equal(readFileSync(join(b.home, 'mcp.json'), 'utf8'), before);
    // A file that is broken by hand is not written over.
    b.write('home/mcp.json', '{ "mcpServers": { "stub": ');
    await until(hub, () => hub.problems.length === 1);
    assert.equal(await save('y', entryText), 'invalid_params mcp.entry.notJson');
    assert.equal(readFileSync(join(b.home, 'mcp.json'), 'utf8'), '{ "mcpServers": { "stub": ');
    assert.deepEqual(
      (await call('mcp/list', {})).problems.map(({ path, problem }) => `${path} ${problem.key}`),
      [`${join(b.home, 'mcp.json')} mcp.config.notJson`],
    );
  });

  it('an entry is shown as it is written, changed where it stands, renamed, and removed', async () => {
    const path = b.write(
      'workspace/.vscode/mcp.json',
      `{\r\n  "servers": {\r\n    // ours\r\n    "stub": ${entryText.replace('"args"', '"disabled": true, "args"')}\r\n  }\r\n}\r\n`,
    );
    await start();
    const { source, text } = await call('mcp/entry', { server: 'stub' });
    assert.deepEqual(source, { kind: 'project', path });
    assert.deepEqual(JSON.parse(text), { ...stubEntry(), disabled: true });
    const changed = { ...(JSON.parse(text) as object), timeout: 5, unknown: 'kept' };
    await call('mcp/save', { name: 'other', text: JSON.stringify(changed), server: 'stub' });
    // It is switched off still: there was nothing to ask.
    assert.deepEqual(asked, []);
    assert.deepEqual(await rows(), ['other project disabled']);
    const written = readFileSync(path, 'utf8');
    assert.match(written, /\/\/ ours/);
    assert.match(written, /"unknown": "kept"/);
    assert.doesNotMatch(written, /[^\r]\n./);
    assert.equal(existsSync(join(b.home, 'mcp.json')), false);
    await call('mcp/remove', { server: 'other' });
    assert.deepEqual(await rows(), []);
  });

  it('switches of servers and tools; calls without asking are the person’s own file’s alone', async () => {
    b.user({ stub: stubEntry() });
    b.write('workspace/.lathe/mcp.json', { mcpServers: { project: stubEntry() } });
    await start();
    const { consent } = await row('project');
    assert.deepEqual(await call('mcp/consent', { server: 'project', hash: consent?.hash ?? '' }), {
      given: true,
    });
    await ready('project');
    const pid = await pidOf('stub');
    const tool = async (server: string): Promise<(boolean | undefined)[]> => {
      const echo = (await row(server)).tools.find(({ name }) => name === 'echo');
      return [echo?.enabled, echo?.automatic];
    };
    await call('mcp/setTool', { server: 'stub', tool: 'echo', automatic: true });
    assert.deepEqual(await tool('stub'), [true, true]);
    await call('mcp/setTool', { server: 'stub', tool: 'echo', enabled: false });
    await call('mcp/setTool', { server: 'stub', tool: 'echo', automatic: false });
    assert.deepEqual(await tool('stub'), [false, false]);
    assert.deepEqual(JSON.parse(readFileSync(join(b.home, 'mcp.json'), 'utf8')), {
      mcpServers: { stub: { ...stubEntry(), disabledTools: ['echo'] } },
    });
    assert.equal(
      await refusal(call('mcp/setTool', { server: 'project', tool: 'echo', automatic: true })),
      'invalid_params mcp.entry.notYours',
    );
    await call('mcp/setTool', { server: 'project', tool: 'echo', enabled: false });
    assert.deepEqual(await tool('project'), [false, false]);
    // None of it restarted anything.
    assert.equal(await pidOf('stub'), pid);
    await call('mcp/setDisabled', { server: 'stub', disabled: true });
    assert.deepEqual(await rows(), ['project project ready', 'stub user disabled']);
    await call('mcp/setDisabled', { server: 'stub', disabled: false });
    await ready();
    assert.notEqual(await pidOf('stub'), pid);
  });

  it('restart, log, and a yes that is taken back; each change is told', async () => {
    b.write('workspace/.lathe/mcp.json', { mcpServers: { stub: stubEntry({ noise: true }) } });
    await start();
    let changes = 0;
    agent.agent.onNotification((name) => {
      if (name === 'mcp/changed') changes++;
    });
    const { consent } = await row();
    await call('mcp/consent', { server: 'stub', hash: consent?.hash ?? '' });
    await ready();
    const pid = await pidOf('stub');
    assert.deepEqual(await call('mcp/restart', { server: 'stub' }), {});
    assert.notEqual(await pidOf('stub'), pid);
    const log = await call('mcp/logs', { server: 'stub' });
    assert.ok(log.some(({ from, text }) => from === 'stdout' && text === 'ready!'));
    assert.ok(log.some(({ from, text }) => from === 'stderr' && text === 'the stub began'));
    await call('mcp/revoke', { server: 'stub' });
    assert.deepEqual(await rows(), ['stub project needs_consent']);
    await agent.until(() => changes > 0, 'a change that is told');
    assert.equal(await refusal(call('mcp/signIn', { server: 'stub' })), 'unavailable mcp.signInFailed');
  });

  async function pidOf(server: string): Promise<string> {
    const outcome = await hub.call(server, 'pid', {}, { signal: AbortSignal.timeout(15_000) });
    assert.ok(outcome.type === 'result' && outcome.content[0]?.type === 'text');
    return outcome.content[0].text;
  }
});

describe('mcp/*: where there are no servers', () => {
  it('the list is empty, and the rest says that it is not available', async () => {
    const agent = await TestAgent.start({
      cwd: process.cwd(),
      profile: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1' },
    });
    const { dispatcher } = agent.agent;
    assert.deepEqual(await dispatcher.call('mcp/list', {}), { servers: [], problems: [], userFile: '' });
    await assert.rejects(dispatcher.call('mcp/logs', { server: 'x' }), { code: 'unavailable' });
    await assert.rejects(dispatcher.call('mcp/restart', { server: 'x' }), { code: 'unavailable' });
    await agent.stop();
  });
});
