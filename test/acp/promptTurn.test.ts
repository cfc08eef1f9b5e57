import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, BUG, done, EDIT, MENDED, refusal, run } from './support/AcpBench.ts';

describe('ACP: prompt turn', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
  });

  it('P1: nothing is answered before the connection is initialized', async () => {
    const client = await bench.connect();
    const early = client.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
    assert.equal((await refusal(early)).code, -32600);
  });

  it('P2: text, links, images and embedded resources reach the model', async () => {
    const client = await bench.start([done()]);
    const sessionId = await client.newSession(bench.cwd);
    const answer = await client.agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'Compare' },
        { type: 'resource_link', name: 'sum.js', uri: pathToFileURL(bench.file).href },
        { type: 'text', text: 'with' },
        {
          type: 'resource',
          resource: { uri: pathToFileURL(join(bench.cwd, 'other.js')).href, text: 'embedded text' },
        },
        { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
      ],
    });
    assert.equal(answer.stopReason, 'end_turn');
    const text = bench.model.requests[0]?.text ?? '';
    assert.match(
      text,
      /Compare \[sum\.js\]\(sum\.js\) with \[other\.js\]\(other\.js\)\\n\\n<attached path=\\"other\.js\\">\\nembedded text/,
    );
    assert.match(text, /data:image\/png;base64,aGVsbG8=/);
  });

  it('P2: sound, which is not offered, and an empty prompt are refused', async () => {
    const client = await bench.start([]);
    const sessionId = await client.newSession(bench.cwd);
    const sound = [{ type: 'audio' as const, mimeType: 'audio/wav', data: 'AAAA' }];
    const refusals = [
      await refusal(client.agent.request('session/prompt', { sessionId, prompt: sound })),
      await refusal(client.agent.request('session/prompt', { sessionId, prompt: [] })),
    ];
    assert.deepEqual(
      refusals.map(({ code }) => code),
      [-32602, -32602],
    );
  });

  it('P3: thoughts, text, a plan and calls come as they are made', async () => {
    const client = await bench.start([
      {
        reasoning: 'I think of a plan.',
        text: `First a plan.\n\n${xmlCall('update_todo_list', { todos: '[x] look\n[-] mend\n[ ] check' })}`,
      },
      done('All of it.'),
    ]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'plan');
    const thoughts = client.ofKind('agent_thought_chunk');
    assert.equal(
      thoughts.map(({ content }) => (content.type === 'text' ? content.text : '')).join(''),
      'I think of a plan.',
    );
    assert.ok(thoughts.length > 1);
    assert.deepEqual(client.ofKind('plan'), [
      {
        sessionUpdate: 'plan',
        entries: [
          { content: 'look', status: 'completed', priority: 'medium' },
          { content: 'mend', status: 'in_progress', priority: 'medium' },
          { content: 'check', status: 'pending', priority: 'medium' },
        ],
      },
    ]);
    assert.equal(client.text(), 'First a plan.All of it.');
  });

  it('P4: text comes in chunks that name their message', async () => {
    const client = await bench.start([{ text: 'One answer in many pieces, as the model writes it.' }]);
    const session = await client.newSession(bench.cwd);
    await client.agent.request('session/set_mode', { sessionId: session, modeId: 'ask' });
    assert.equal(await client.prompt(session, 'say'), 'end_turn');
    const chunks = client.ofKind('agent_message_chunk');
    assert.equal(client.text(), 'One answer in many pieces, as the model writes it.');
    assert.ok(chunks.length > 3);
    assert.equal(new Set(chunks.map(({ messageId }) => messageId)).size, 1);
    assert.equal(typeof chunks[0]?.messageId, 'string');
  });

  it('P5: the prompt is answered when nothing is left to do', async () => {
    const client = await bench.start([EDIT, done()]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    for (const id of client.calls()) assert.equal(client.call(id).status, 'completed');
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
  });

  it('P5: text alone is the answer, in a mode that works on files too: the model is asked once', async () => {
    const client = await bench.start([{ text: 'It adds two numbers.' }]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'What does sum do?'), 'end_turn');
    assert.equal(bench.model.requests.length, 1);
  });

  it('P6: a turn that a limit of the answer’s length stops says so', async () => {
    const cut = { text: 'And so on and', finish: 'length' as const };
    const client = await bench.start([cut, cut, cut]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'go on'), 'max_tokens');
  });

  it('P7: after the yes a call is in progress', async () => {
    const client = await bench.start([EDIT, done()]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'mend it');
    const [id = ''] = client.calls();
    assert.deepEqual(client.statuses(id), ['pending', 'in_progress', 'completed']);
  });

  it('P8: progress of a command is told while it runs', async () => {
    const client = await bench.start([run('echo early; sleep 5'), done()]);
    const session = await client.newSession(bench.cwd);
    const answer = client.prompt(session, 'run');
    await client.until(
      () => JSON.stringify(client.ofKind('tool_call_update')).includes('early'),
      'the first line of output',
    );
    await client.cancel(session);
    assert.equal(await answer, 'cancelled');
  });

  it('P9: every call ends completed or failed, with what it gave', async () => {
    const client = await bench.start([
      { text: xmlCall('read_file', { path: 'missing.js' }) },
      { text: xmlCall('read_file', { path: 'sum.js' }) },
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'read');
    const calls = client.calls().map((id) => client.call(id));
    assert.deepEqual(
      calls.map(({ status }) => status),
      ['failed', 'completed'],
    );
    assert.match(JSON.stringify(calls[0]?.content), /missing\.js/);
  });

  it('P10: results go back to the model until it is done', async () => {
    const client = await bench.start([{ text: xmlCall('read_file', { path: 'sum.js' }) }, done()]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'read');
    assert.equal(bench.model.requests.length, 2);
    assert.match(bench.model.requests[1]?.text ?? '', /a - b/);
  });

  it('P11: a refusal, and too many requests, are said by their reasons', async function () {
    // Two hundred requests.
    this.timeout(180_000);
    let count = 0;
    const loop = Array.from({ length: 200 }, () => () => ({
      text: xmlCall('update_todo_list', { todos: `[ ] step ${++count}` }),
    }));
    const client = await bench.start([{ text: 'I will not.', finish: 'content_filter' }, ...loop]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'do'), 'refusal');
    assert.equal(await client.prompt(session, 'loop'), 'max_turn_requests');
    assert.equal(bench.model.requests.length, 201);
  });

  it('P12: a turn can be cancelled while the model writes', async () => {
    const client = await bench.start([
      { text: 'A very long answer that takes its time.', stallAfter: 4 },
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    const answer = client.prompt(session, 'write');
    await client.until(() => client.text() !== '', 'the first words');
    await client.cancel(session);
    assert.equal(await answer, 'cancelled');
    await client.until(() => bench.model.answering === 0, 'the end of the request');
  });

  it('P13: a permission that waits when the turn is cancelled is withdrawn', async () => {
    let asked = false;
    const client = await bench.start([EDIT], {
      permission: async () => {
        asked = true;
        return await new Promise(() => undefined);
      },
    });
    const session = await client.newSession(bench.cwd);
    const answer = client.prompt(session, 'mend it');
    await client.until(() => asked, 'the permission');
    await client.cancel(session);
    assert.equal(await answer, 'cancelled');
    assert.ok(client.asked().includes('$/cancel_request'));
    const [id = ''] = client.calls();
    assert.equal(client.call(id).status, 'failed');
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
  });

  for (const terminal of [false, true])
    it(`P14: a command that runs ${terminal ? 'in the client’s terminal' : 'in our shell'} is stopped with the turn`, async () => {
      const client = await bench.start([run('echo begun; sleep 60; echo never')], {
        capabilities: { terminal },
      });
      const session = await client.newSession(bench.cwd);
      const answer = client.prompt(session, 'run');
      await client.until(
        () =>
          terminal
            ? client.terminals.get('terminal-1')?.output.includes('begun') === true
            : JSON.stringify(client.ofKind('tool_call_update')).includes('begun'),
        'the first line of output',
      );
      await client.cancel(session);
      assert.equal(await answer, 'cancelled');
      const [id = ''] = client.calls();
      assert.equal(client.call(id).status, 'failed');
      if (terminal) {
        const { killed, released } = client.terminals.get('terminal-1') ?? {};
        assert.deepEqual({ killed, released }, { killed: true, released: true });
      }
    });

  it('P15: the answer comes after the last update, and nothing after the answer', async () => {
    const client = await bench.start([run('echo begun; sleep 60')]);
    const session = await client.newSession(bench.cwd);
    const answer = client.prompt(session, 'run');
    await client.until(
      () => JSON.stringify(client.ofKind('tool_call_update')).includes('begun'),
      'the first line of output',
    );
    await client.cancel(session);
    assert.equal(await answer, 'cancelled');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const last = client.seen.at(-1);
    assert.equal(last?.type === 'answer' ? last.method : '', 'session/prompt');
  });

  it('P16: a cancelled turn is an answer and no error, also when the request itself is cancelled', async () => {
    const client = await bench.start([{ silent: true }, done('Still here.')]);
    const session = await client.newSession(bench.cwd);
    const stop = new AbortController();
    const answer = client.prompt(session, 'write', stop.signal);
    await client.until(() => bench.model.answering === 1, 'the request');
    stop.abort();
    assert.equal(await answer, 'cancelled');
    assert.equal(await client.prompt(session, 'and now?'), 'end_turn');
  });

  it('P17: unfinished calls are closed before the answer', async () => {
    const client = await bench.start([run('sleep 60')], { capabilities: { terminal: true } });
    const session = await client.newSession(bench.cwd);
    const answer = client.prompt(session, 'run');
    await client.until(() => client.terminals.size === 1, 'the terminal');
    await client.cancel(session);
    await answer;
    const closed = client.seen.findIndex(
      (one) =>
        one.type === 'update' &&
        one.update.sessionUpdate === 'tool_call_update' &&
        one.update.status === 'failed',
    );
    const answered = client.seen.findIndex((one) => one.type === 'answer' && one.method === 'session/prompt');
    assert.ok(closed !== -1 && closed < answered);
  });

  it('P18: a cancel where nothing runs, or for no session, does nothing', async () => {
    const client = await bench.start([done()]);
    const session = await client.newSession(bench.cwd);
    await client.cancel(session);
    await client.cancel('no-such-session');
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
  });

  it('P19: the next prompt goes on with what was said', async () => {
    const client = await bench.start([done('The first answer.'), done('The second.')]);
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'the first question');
    await client.prompt(session, 'the second question');
    const { text = '' } = bench.model.requests[1] ?? {};
    assert.match(text, /the first question.*The first answer\..*the second question/);
  });

  it('errors: a model that fails is an error of the prompt with its words, and the session goes on', async () => {
    const client = await bench.start([
      { status: 400, error: 'the model says no' },
      { status: 401, error: 'bad key' },
      done(),
    ]);
    const session = await client.newSession(bench.cwd);
    const failed = await refusal(client.prompt(session, 'go'));
    assert.equal(failed.code, -32603);
    assert.match(failed.message, /the model says no/);
    assert.equal((await refusal(client.prompt(session, 'go'))).code, -32000);
    assert.equal(await client.prompt(session, 'go'), 'end_turn');
  });

  it('usage: tokens of the context, and what was spent', async () => {
    const client = await bench.start([{ ...done(), usage: { input: 1200, output: 34, cost: 0.01 } }], {
      environment: { LATHE_MODEL: 'claude-scripted' },
    });
    const session = await client.newSession(bench.cwd);
    await client.prompt(session, 'go');
    assert.deepEqual(
      client.ofKind('usage_update').map(({ used, size }) => ({ used, size })),
      [{ used: 1234, size: 200_000 }],
    );
  });
});
