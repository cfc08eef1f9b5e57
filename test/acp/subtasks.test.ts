import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { xmlCall } from '../support/ScriptedModel.ts';
import { AcpBench, done, EDIT, MENDED } from './support/AcpBench.ts';

const subtask = (mode: string, message: string) => ({
  text: `I give it out.\n\n${xmlCall('new_task', { mode, message })}`,
});

describe('ACP: subtasks', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    await bench.stop();
  });

  it('a subtask is told, and asks, in its parent’s session; its result is the call’s', async () => {
    const client = await bench.start([
      subtask('code', 'Mend sum.js'),
      EDIT,
      done('It is mended.'),
      done('All is well.'),
    ]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'mend it'), 'end_turn');
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
    const [first, second] = client.permissions;
    const [call = '', edit = '', ...others] = client.calls();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [first?.toolCall.title, second?.toolCall.title, second?.toolCall.toolCallId],
      ['Subtask Mend sum.js', 'Edit sum.js', edit],
    );
    assert.deepEqual(
      [client.statuses(call), client.statuses(edit)],
      [
        ['pending', 'in_progress', 'completed'],
        ['pending', 'in_progress', 'completed'],
      ],
    );
    assert.match(JSON.stringify(client.call(call).content), /It is mended\./);
    assert.match(client.text(), /I give it out\.[^]*I mend it\.[^]*All is well\./);
    assert.doesNotMatch(client.text(), /It is mended/);

    // It is one session, and another program shows the same.
    const other = await bench.start([]);
    const { sessions } = await other.agent.request('session/list', {});
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      [session],
    );
    await other.agent.request('session/load', { sessionId: session, cwd: bench.cwd, mcpServers: [] });
    assert.deepEqual(other.calls(), [call, edit]);
    assert.equal(other.call(edit).status, 'completed');
    assert.match(other.text(), /I give it out\.[^]*I mend it\.[^]*All is well\./);
  });

  it('a subtask’s question ends the turn of a client that has no forms; the next prompt answers it', async () => {
    const client = await bench.start([
      subtask('ask', 'Find out which'),
      {
        text: xmlCall('ask_followup_question', {
          question: 'Which of them?',
          follow_up: '<suggest>A</suggest>',
        }),
      },
      (request) => {
        assert.match(request.text, /Find out which[^]*The second one/);
        return done('The second.');
      },
      (request) => {
        assert.match(request.text, /new_task for 'Find out which'\] Result:\\nThe second\./);
        return done('So it is the second.');
      },
    ]);
    const session = await client.newSession(bench.cwd);
    assert.equal(await client.prompt(session, 'which?'), 'end_turn');
    assert.match(client.text(), /Which of them\?/);
    assert.equal(bench.model.requests.length, 2);
    assert.equal(await client.prompt(session, 'The second one'), 'end_turn');
    assert.match(client.text(), /So it is the second\./);
    assert.equal(bench.model.requests.length, 4);
  });

  it('cancelling the prompt stops the subtask too', async () => {
    const client = await bench.start([subtask('ask', 'Look long'), { silent: true }]);
    const session = await client.newSession(bench.cwd);
    const ended = client.prompt(session, 'look');
    await client.until(() => bench.model.requests.length === 2, 'the subtask’s request');
    await client.cancel(session);
    assert.equal(await ended, 'cancelled');
    const [call = ''] = client.calls();
    assert.equal(client.call(call).status, 'failed');
  });
});
