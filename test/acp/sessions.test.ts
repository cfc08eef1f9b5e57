import type { McpServer } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, done, EDIT, MENDED, refusal, run } from './support/AcpBench.ts';
import { AcpClient } from './support/AcpClient.ts';

describe('ACP: sessions', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
  });

  it('initialize: version 1 is spoken, whatever is asked for; capabilities are those that hold', async () => {
    const client = await bench.connect();
    const answers = [];
    for (const protocolVersion of [1, 99])
      answers.push(await client.agent.request('initialize', { protocolVersion }));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const { protocolVersion, agentInfo, agentCapabilities } of answers)
      assert.deepEqual(
        { protocolVersion, agentInfo, agentCapabilities },
        {
          protocolVersion: 1,
          agentInfo: { name: 'lathe', title: 'Lathe', version },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: false, embeddedContext: true },
            mcpCapabilities: { http: true, sse: true },
            sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
          },
        },
      );
  });

  it('authenticate: a model that is set up is all it takes; without one the words say what to do', async () => {
    const [method] = (await (await bench.connect()).agent.request('initialize', { protocolVersion: 1 }))
      .authMethods as { id: string }[];
    const methodId = method?.id ?? '';
    const client = await bench.start([]);
    assert.deepEqual(await client.agent.request('authenticate', { methodId }), {});
    const unknown = client.agent.request('authenticate', { methodId: 'other' });
    assert.equal((await refusal(unknown)).code, -32602);
    const none = { LATHE_PROVIDER: '', LATHE_MODEL: '', LATHE_BASE_URL: '' };
    const without = await bench.start([], { environment: none });
    const refused = await refusal(without.agent.request('authenticate', { methodId }));
    assert.equal(refused.code, -32000);
    assert.match(refused.message, /LATHE_PROVIDER/);
    const session = await without.newSession(bench.cwd);
    assert.equal((await refusal(without.prompt(session, 'go'))).code, -32000);
  });

  it('session/new: the working directory is an absolute path of a folder', async () => {
    const client = await bench.start([]);
    const refused = [];
    for (const cwd of ['project', join(bench.cwd, 'missing'), bench.file])
      refused.push(await refusal(client.agent.request('session/new', { cwd, mcpServers: [] })));
    assert.deepEqual(refused, [
      { code: -32602, message: 'The working directory must be an absolute path; this is not: project' },
      {
        code: -32602,
        message: `The working directory does not exist, or is no folder: ${join(bench.cwd, 'missing')}`,
      },
      { code: -32602, message: `The working directory does not exist, or is no folder: ${bench.file}` },
    ]);
  });

  it('session/load and resume: the working directory is an absolute path there too', async () => {
    const { agent } = await bench.start([]);
    const place = { sessionId: '11111111-2222-3333-4444-555555555555', cwd: 'project', mcpServers: [] };
    const words = {
      code: -32602,
      message: 'The working directory must be an absolute path; this is not: project',
    };
    assert.deepEqual(await refusal(agent.request('session/load', place)), words);
    assert.deepEqual(await refusal(agent.request('session/resume', place)), words);
  });

  it('additionalDirectories: are not offered, and refused rather than passed over', async () => {
    const client = await bench.start([done()]);
    const { agent } = client;
    const more = { cwd: bench.cwd, mcpServers: [], additionalDirectories: [bench.folder] };
    const refused = await refusal(agent.request('session/new', more));
    assert.deepEqual(refused, {
      code: -32602,
      message: `A session works in one directory here: ${bench.folder} cannot be added. What lies there is asked for when it is needed.`,
    });
    const { sessionId } = await agent.request('session/new', { ...more, additionalDirectories: [] });
    await client.prompt(sessionId, 'go');
    const again = { sessionId, ...more };
    assert.deepEqual(await refusal(agent.request('session/load', again)), refused);
    assert.deepEqual(await refusal(agent.request('session/resume', again)), refused);
  });

  it('session/new: its answer comes before anything of the session; a tool server that ends at once does not hold it up', async () => {
    const client = await bench.start([done()]);
    const mcpServers: McpServer[] = [{ name: 'files', command: '/bin/true', args: [], env: [] }];
    const { sessionId } = await client.agent.request('session/new', { cwd: bench.cwd, mcpServers });
    assert.equal(await client.prompt(sessionId, 'go'), 'end_turn');
    assert.deepEqual(
      client.seen.slice(0, 2).map((one) => (one.type === 'update' ? one.update.sessionUpdate : one.method)),
      ['initialize', 'session/new'],
    );
  });

  it('errors: a session that there is not', async () => {
    const client = await bench.start([]);
    const { agent } = client;
    const sessionId = '11111111-2222-3333-4444-555555555555';
    const place = { cwd: bench.cwd, mcpServers: [] };
    const refused = [
      await refusal(agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] })),
      await refusal(agent.request('session/load', { sessionId, ...place })),
      await refusal(agent.request('session/resume', { sessionId, ...place })),
      await refusal(agent.request('session/resume', { sessionId: '../../etc', ...place })),
      await refusal(agent.request('session/set_mode', { sessionId, modeId: 'code' })),
      await refusal(
        agent.request('session/set_config_option', { sessionId, configId: 'mode', value: 'code' }),
      ),
    ];
    assert.deepEqual(
      refused.map(({ code }) => code),
      [-32002, -32002, -32002, -32002, -32002, -32002],
    );
    assert.equal(refused[0]?.message, `There is no session ${sessionId}.`);
    // The SDK's client takes this refusal for what it wanted: the wire has it all the same.
    await agent.request('session/close', { sessionId });
    assert.deepEqual(client.seen.at(-1), {
      type: 'answer',
      method: 'session/close',
      result: undefined,
      error: { code: -32002, message: `There is no session ${sessionId}.`, data: { sessionId } },
    });
  });

  it('modes and config options: agree, hold for the next prompt, and refuse what they do not offer', async () => {
    const client = await bench.start([{ text: 'An answer in words.' }, done()]);
    const { agent } = client;
    const { sessionId, modes, configOptions } = await agent.request('session/new', {
      cwd: bench.cwd,
      mcpServers: [],
    });
    assert.equal(modes?.currentModeId, 'code');
    assert.deepEqual(
      configOptions?.map(({ id, category, type, currentValue }) => ({ id, category, type, currentValue })),
      [
        { id: 'mode', category: 'mode', type: 'select', currentValue: 'code' },
        { id: 'model', category: 'model', type: 'select', currentValue: 'environment' },
      ],
    );
    await agent.request('session/set_mode', { sessionId, modeId: 'ask' });
    assert.deepEqual(
      client.ofKind('current_mode_update').map(({ currentModeId }) => currentModeId),
      ['ask'],
    );
    assert.equal(client.ofKind('config_option_update')[0]?.configOptions[0]?.currentValue, 'ask');
    assert.equal(await client.prompt(sessionId, 'explain'), 'end_turn');
    assert.equal(bench.model.requests.length, 1);
    const set = await agent.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      value: 'architect',
    });
    assert.deepEqual(
      set.configOptions.map(({ id, currentValue }) => [id, currentValue]),
      [
        ['mode', 'architect'],
        ['model', 'environment'],
      ],
    );
    assert.equal(client.ofKind('current_mode_update').at(-1)?.currentModeId, 'architect');
    const refused = [
      await refusal(agent.request('session/set_mode', { sessionId, modeId: 'bogus' })),
      await refusal(
        agent.request('session/set_config_option', { sessionId, configId: 'mode', value: 'bogus' }),
      ),
      await refusal(
        agent.request('session/set_config_option', { sessionId, configId: 'effort', value: 'x' }),
      ),
      await refusal(
        agent.request('session/set_config_option', {
          sessionId,
          configId: 'mode',
          type: 'boolean',
          value: true,
        }),
      ),
    ];
    assert.deepEqual(
      refused.map(({ code }) => code),
      [-32602, -32602, -32602, -32602],
    );
    assert.match(refused[1]?.message ?? '', /does not take bogus\. It takes: code, architect, ask/);
  });

  it('modes: a change that the model makes is told', async () => {
    const client = await bench.start([
      { text: xmlCall('switch_mode', { mode_slug: 'ask', reason: 'to explain' }) },
      { text: 'So it is.' },
    ]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'explain'), 'end_turn');
    assert.deepEqual(
      client.ofKind('current_mode_update').map(({ currentModeId }) => currentModeId),
      ['ask'],
    );
  });

  it('session/load: the whole history comes before the answer, and the session goes on', async () => {
    const first = await bench.start([
      { reasoning: 'Hm.', ...EDIT },
      run('echo from before'),
      done('Mended.'),
    ]);
    const sessionId = await first.newSession(bench.cwd);
    assert.equal(await first.prompt(sessionId, 'mend it'), 'end_turn');
    await first.stop();

    const second = await bench.start([done('Still here.')]);
    const loaded = await second.agent.request('session/load', { sessionId, cwd: bench.cwd, mcpServers: [] });
    assert.equal(loaded.modes?.currentModeId, 'code');
    assert.equal(second.seen.at(-1)?.type, 'answer');
    assert.deepEqual(
      second.updates().map(({ sessionUpdate }) => sessionUpdate),
      [
        'user_message_chunk',
        'session_info_update',
        'agent_thought_chunk',
        'agent_message_chunk',
        'tool_call',
        'tool_call_update',
        'tool_call_update',
        'tool_call',
        'tool_call_update',
        'tool_call_update',
        'agent_message_chunk',
      ],
    );
    assert.equal(second.text(), 'I mend it.Mended.');
    const [edit = '', command = ''] = second.calls();
    assert.deepEqual(second.call(edit).content, [
      { type: 'diff', path: bench.file, oldText: BUG, newText: MENDED },
    ]);
    assert.match(JSON.stringify(second.call(command).content), /from before/);
    assert.deepEqual([second.call(edit).status, second.call(command).status], ['completed', 'completed']);
    assert.equal(await second.prompt(sessionId, 'and now?'), 'end_turn');
    assert.match(bench.model.requests.at(-1)?.text ?? '', /mend it.*and now\?/);
  });

  it('session/resume: nothing is told again, and the session goes on', async () => {
    const first = await bench.start([done('The first.')]);
    const sessionId = await first.newSession(bench.cwd);
    await first.prompt(sessionId, 'begin');
    await first.stop();
    const second = await bench.start([done('The second.')]);
    await second.agent.request('session/resume', { sessionId, cwd: bench.cwd });
    assert.deepEqual(second.updates(), []);
    assert.equal(await second.prompt(sessionId, 'go on'), 'end_turn');
    assert.equal(second.text(), 'The second.');
    assert.match(bench.model.requests.at(-1)?.text ?? '', /begin.*The first.*go on/);
  });

  it('session/load: a session of another folder is refused with its name', async () => {
    const client = await bench.start([done()]);
    const sessionId = await client.newSession(bench.cwd);
    await client.prompt(sessionId, 'begin');
    await client.agent.request('session/close', { sessionId });
    const elsewhere = client.agent.request('session/load', { sessionId, cwd: bench.folder, mcpServers: [] });
    assert.deepEqual(await refusal(elsewhere), {
      code: -32602,
      message: `This session belongs to another working directory: ${bench.cwd}`,
    });
  });

  it('recovery: a program that was killed while it asked goes on with the call in the next one', async () => {
    const waits = { permission: async () => await new Promise<never>(() => undefined) };
    const first = await bench.start([EDIT], waits);
    const sessionId = await first.newSession(bench.cwd);
    const lost = first.prompt(sessionId, 'mend it').then(
      () => 'answered',
      () => 'lost',
    );
    await first.until(() => first.permissions.length === 1, 'the permission');
    first.process.kill('SIGKILL');
    await once(first.process, 'close');
    assert.equal(await lost, 'lost');

    const second = await bench.start([done('Mended after all.')]);
    await second.agent.request('session/load', { sessionId, cwd: bench.cwd, mcpServers: [] });
    // Nothing is asked outside of a turn.
    assert.deepEqual(second.asked(), []);
    const [id = ''] = second.calls();
    assert.equal(second.call(id).status, 'failed');
    assert.equal(await second.prompt(sessionId, 'go on'), 'end_turn');
    assert.equal(second.permissions.length, 1);
    assert.equal(second.call(id).status, 'completed');
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
  });

  it('session/list: pages, newest first, by folder; a strange cursor is refused', async () => {
    const client = await bench.start([]);
    const { agent } = client;
    assert.deepEqual(await agent.request('session/list', {}), { sessions: [] });
    const other = join(bench.folder, 'other');
    mkdirSync(other);
    const ids: string[] = [];
    for (const [index, cwd] of [bench.cwd, other, bench.cwd].entries()) {
      await bench.script([done()]);
      const sessionId = await client.newSession(cwd);
      await client.prompt(sessionId, `task ${index}`);
      ids.unshift(sessionId);
    }
    const { sessions } = await agent.request('session/list', {});
    assert.deepEqual(
      sessions.map(({ sessionId, cwd, title }) => ({ sessionId, cwd, title })),
      [
        { sessionId: ids[0], cwd: bench.cwd, title: 'task 2' },
        { sessionId: ids[1], cwd: other, title: 'task 1' },
        { sessionId: ids[2], cwd: bench.cwd, title: 'task 0' },
      ],
    );
    assert.equal((await agent.request('session/list', { cwd: other })).sessions.length, 1);
    assert.equal((await refusal(agent.request('session/list', { cursor: 'strange' }))).code, -32602);
    assert.equal((await refusal(agent.request('session/list', { cwd: 'relative' }))).code, -32602);
  });

  it('session/close: stops the turn, frees the session, and leaves the task', async () => {
    const client = await bench.start([run('sleep 60')]);
    const sessionId = await client.newSession(bench.cwd);
    const answer = client.prompt(sessionId, 'run');
    await client.until(() => client.statuses(client.calls()[0] ?? '').includes('in_progress'), 'the command');
    await client.agent.request('session/close', { sessionId });
    assert.equal(await answer, 'cancelled');
    assert.equal((await refusal(client.prompt(sessionId, 'go'))).code, -32002);
    assert.equal((await client.agent.request('session/list', {})).sessions.length, 1);
  });

  it('session/delete: is gone from the list; one that there is not is no error', async () => {
    const client = await bench.start([done()]);
    const sessionId = await client.newSession(bench.cwd);
    await client.prompt(sessionId, 'go');
    await client.agent.request('session/delete', { sessionId });
    await client.agent.request('session/delete', { sessionId });
    assert.deepEqual(await client.agent.request('session/list', {}), { sessions: [] });
  });

  it('elicitation: a question is a form where the client has forms', async () => {
    const question = {
      text: xmlCall('ask_followup_question', {
        question: 'Which database?',
        follow_up: '<suggest>SQLite</suggest><suggest>PostgreSQL</suggest>',
      }),
    };
    const forms: unknown[] = [];
    const client = await bench.start([question, done()], {
      capabilities: { elicitation: { form: {} } },
      elicitation: (request) => {
        forms.push(request.message, 'requestedSchema' in request && request.requestedSchema);
        return { action: 'accept', content: { choice: '2' } };
      },
    });
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
    assert.deepEqual(forms, [
      'Which database?',
      {
        type: 'object',
        properties: {
          choice: {
            type: 'string',
            title: 'Answer',
            oneOf: [
              { const: '1', title: 'SQLite' },
              { const: '2', title: 'PostgreSQL' },
            ],
          },
          answer: { type: 'string', title: 'Your own answer' },
        },
      },
    ]);
    assert.match(bench.model.requests[1]?.text ?? '', /<answer>\\nPostgreSQL/);
  });

  it('extensions: an unknown method is answered so, an unknown notification is passed over', async () => {
    const client = await bench.start([]);
    assert.equal((await refusal(client.agent.request('_lathe/unknown', {}))).code, -32601);
    await client.agent.notify('_lathe/unknown', {});
    assert.ok(await client.newSession(bench.cwd));
  });

  it('process: ends with its input, also in the middle of a command, and leaves nothing running', async () => {
    const client = await bench.start([run('echo $$ > pid; exec sleep 60')]);
    const session = await client.newSession(bench.cwd);
    client.prompt(session, 'run').catch(() => undefined);
    const pid = join(bench.cwd, 'pid');
    await client.until(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '', 'the command');
    assert.equal(await client.stop(), 0);
    assert.throws(() => process.kill(Number(readFileSync(pid, 'utf8')), 0), { code: 'ESRCH' });
  });

  it('process: starts without a home, and ends at once when nothing runs', async () => {
    await bench.script([]);
    const { client } = await AcpClient.start({ environment: { PATH: process.env.PATH } });
    assert.ok(await client.newSession(bench.cwd));
    assert.deepEqual(client.check.problems, []);
    assert.equal(await client.stop(), 0);
  });
});
