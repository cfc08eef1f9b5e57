import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskLease } from '../../src/core/task/TaskLease.ts';
import type { NotificationParams } from '../../src/shared/protocol.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';

const write: Turn = { text: xmlCall('write_to_file', { path: 'a.txt', content: 'a' }) };
const done: Turn = { text: xmlCall('attempt_completion', { result: 'done' }) };
const here = { pid: process.pid, host: hostname() };
const busy = { name: 'ProtocolError', code: 'busy', words: { key: 'error.taskOpenElsewhere', args: here } };

describe('one task in two windows', function () {
  this.timeout(20_000);
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let first: TestAgent;
  let second: TestAgent;
  let elsewhere: NotificationParams<'task/elsewhere'>[];

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-windows-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    model = await ScriptedModel.start([]);
    const profile = { provider: 'openai-compatible', baseUrl: model.url } as const;
    first = await TestAgent.start({ cwd, home, profile, answer: () => undefined });
    second = await TestAgent.start({ cwd, home, profile, answer: () => undefined });
    elsewhere = [];
    second.agent.onNotification((name, params) => {
      if (name === 'task/elsewhere' && 'taskId' in params)
        elsewhere.push(params as NotificationParams<'task/elsewhere'>);
    });
  });
  afterEach(async () => {
    await first.stop();
    await second.stop();
    await model.stop();
    for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true });
  });

  /** A task of the first window that waits for an approval. */
  async function waiting(): Promise<string> {
    model.turns.push(write, done);
    const { taskId } = await first.agent.dispatcher.call('task/create', { text: 'Write' });
    await first.until(() => first.entries('approval_requested').length === 1, 'the request');
    return taskId;
  }

  async function approve(agent: TestAgent, taskId: string): Promise<{ accepted: boolean }> {
    const approvalId = first.entries('approval_requested').at(-1)!.request.id;
    return await agent.agent.dispatcher.call('approval/respond', {
      taskId,
      approvalId,
      decision: { outcome: 'allow', by: 'person' },
    });
  }

  it('the second reads all there is, hears where it runs, and what comes after', async () => {
    const taskId = await waiting();
    const { entries, running, ...more } = await second.agent.dispatcher.call('task/subscribe', { taskId });
    assert.deepEqual(more, { queued: [], elsewhere: here });
    assert.equal(running, false);
    assert.deepEqual(entries, (await first.agent.dispatcher.call('task/subscribe', { taskId })).entries);
    assert.deepEqual(await approve(first, taskId), { accepted: true });
    await second.ended(1);
    await second.until(() => elsewhere.at(-1)?.writer === undefined, 'that the first let go');
    assert.deepEqual(elsewhere, [{ taskId, writer: here }, { taskId }]);
    const all = (agent: TestAgent) => agent.agent.dispatcher.call('task/subscribe', { taskId });
    const [there, seen] = [await all(first), await all(second)];
    assert.deepEqual(seen, there);
    assert.equal(seen.entries.at(-1)?.type, 'task_finished');
    assert.equal('elsewhere' in seen, false);
  });

  it('the second changes nothing and answers nothing, and says where to', async () => {
    const taskId = await waiting();
    const { dispatcher } = second.agent;
    await dispatcher.call('task/subscribe', { taskId });
    await assert.rejects(approve(second, taskId), busy);
    await assert.rejects(dispatcher.call('task/cancel', { taskId }), busy);
    await assert.rejects(dispatcher.call('task/delete', { taskId }), busy);
    await assert.rejects(dispatcher.call('mode/set', { taskId, mode: 'ask' }), busy);
    await assert.rejects(dispatcher.call('profile/select', { taskId, name: 'test' }), busy);
    await dispatcher.call('task/send', { taskId, text: 'Me too' });
    await second.until(() => second.events.some(({ kind }) => kind === 'delta'), 'that it is not sent');
    assert.deepEqual(
      second.events.flatMap((event) => (event.kind === 'delta' ? [event.delta] : [])),
      [
        {
          type: 'turn_failed',
          error: { key: 'error.taskOpenElsewhere', args: here },
          unsent: ['Me too'],
        },
      ],
    );
    assert.equal(existsSync(join(cwd, 'a.txt')), false);
    assert.deepEqual(await approve(first, taskId), { accepted: true });
    await first.ended(1);
    assert.equal(first.entries('task_finished')[0]?.reason, 'completed');
  });

  it('goes on in the second when the first has ended, with all that was said', async () => {
    const taskId = await waiting();
    for (const { agent } of [first, second]) await agent.dispatcher.call('task/subscribe', { taskId });
    await approve(first, taskId);
    await first.ended(1);
    await second.until(() => elsewhere.at(-1)?.writer === undefined, 'that the first let go');
    model.turns.push(done);
    await second.agent.dispatcher.call('task/send', { taskId, text: 'Go on' });
    await second.until(() => second.entries('task_finished').length === 2, 'the end of its turn');
    await first.until(() => first.entries('task_finished').length === 2, 'the same in the first window');
    assert.deepEqual(
      first.entries('user_message').flatMap(({ text, automatic }) => (automatic === true ? [] : [text])),
      ['Write', 'Go on'],
    );
  });

  it('is seen to be free when the other process was killed, which tells nobody', async () => {
    model.turns.push(done);
    const taskId = await first.run('Finish');
    const folder = join(home, 'tasks', taskId);
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const lease = await TaskLease.acquire(folder);
      const holder = { token: 'other', host: hostname(), pid: other.pid, startedAt: '' };
      writeFileSync(join(lease.folder, 'lease.json'), JSON.stringify(holder));
      const { elsewhere: writer } = await second.agent.dispatcher.call('task/subscribe', { taskId });
      assert.deepEqual(writer, { pid: other.pid, host: hostname() });
      other.kill('SIGKILL');
      await once(other, 'exit');
      await second.until(() => elsewhere.length > 1, 'that it is free');
      assert.deepEqual(elsewhere, [{ taskId, writer }, { taskId }]);
    } finally {
      other.kill('SIGKILL');
    }
  });
});
