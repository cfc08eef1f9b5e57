import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const call = (name: string, params: Record<string, string>): Turn => ({ text: xmlCall(name, params) });
const done = call('attempt_completion', { result: 'done' });

describe('a task over its life', () => {
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  const agents: TestAgent[] = [];

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-task-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.stop();
    await model.stop();
    for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    const agent = await TestAgent.start({
      cwd,
      home,
      ...options,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
    });
    agents.push(agent);
    return agent;
  }

  it('goes on in another process where an approval was waiting: it is asked again, and nothing runs twice', async () => {
    model = await ScriptedModel.start([call('write_to_file', { path: 'a.txt', content: 'a' }), done]);
    const first = await start({ answer: () => undefined });
    const { taskId } = await first.agent.dispatcher.call('task/create', { text: 'Write' });
    await first.until(() => first.entries('approval_requested').length === 1, 'the request');
    // As a crash leaves it: the journal's bytes of this moment, in another home.
    const copy = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    mkdirSync(join(copy, 'tasks', taskId), { recursive: true });
    writeFileSync(
      join(copy, 'tasks', taskId, 'journal.jsonl'),
      readFileSync(join(home, 'tasks', taskId, 'journal.jsonl')),
    );

    const second = await start({ home: copy, answer: () => ({ outcome: 'allow' }) });
    const [listed] = await second.agent.dispatcher.call('task/list', {});
    assert.deepEqual([listed?.id, listed?.state], [taskId, 'interrupted']);
    await second.agent.dispatcher.call('task/subscribe', { taskId });
    await second.ended(1);
    assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8'), 'a\n');
    assert.deepEqual(
      second.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['write_to_file', 'done'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.deepEqual(
      second.entries('approval_resolved').map(({ decision }) => decision.outcome),
      ['cancelled', 'allow'],
    );
    await second.stop();
    rmSync(copy, { recursive: true, force: true });
  });

  it('shows a call whose process ended in the middle as unknown, and does not run it again', async () => {
    model = await ScriptedModel.start([
      call('execute_command', { command: `echo ran >> ${join('.', 'ran.txt')}; sleep 300` }),
      done,
    ]);
    const first = await start({ automatic: { all: true } });
    const { taskId } = await first.agent.dispatcher.call('task/create', { text: 'Run' });
    await first.until(() => first.entries('tool_started').length === 1, 'the command');
    const copy = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    mkdirSync(join(copy, 'tasks', taskId), { recursive: true });
    writeFileSync(
      join(copy, 'tasks', taskId, 'journal.jsonl'),
      readFileSync(join(home, 'tasks', taskId, 'journal.jsonl')),
    );
    await first.until(() => readdirSync(cwd).includes('ran.txt'), 'ran.txt');

    const second = await start({ home: copy, automatic: { all: true } });
    await second.agent.dispatcher.call('task/resume', { taskId });
    await second.ended(1);
    assert.deepEqual(
      second.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['execute_command', 'unknown'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.match(second.results()[0]!.text, /nobody knows whether it took effect/);
    assert.equal(readFileSync(join(cwd, 'ran.txt'), 'utf8'), 'ran\n');
    await second.stop();
    rmSync(copy, { recursive: true, force: true });
  });

  it('in two windows: one writes, the other says where it runs', async () => {
    model = await ScriptedModel.start([{ text: 'word '.repeat(300), delay: 5 }, done]);
    const first = await start();
    const { taskId } = await first.agent.dispatcher.call('task/create', { text: 'Talk' });
    await first.until(() => first.entries('request_started').length === 1, 'the request');
    // The lease names this very process; the other window is another one.
    const lease = join(home, 'tasks', taskId, 'lease.json');
    const holder = JSON.parse(readFileSync(lease, 'utf8')) as Record<string, unknown>;
    assert.deepEqual([holder.pid, holder.host], [process.pid, hostname()]);
    const second = await start();
    await second.agent.dispatcher.call('task/send', { taskId, text: 'Me too' });
    await second.ended(1);
    const failed = second.events.find(
      (event) => event.kind === 'delta' && event.delta.type === 'turn_failed',
    );
    assert.ok(failed?.kind === 'delta' && failed.delta.type === 'turn_failed');
    assert.deepEqual([failed.delta.error.key, failed.delta.unsent], ['error.taskOpenElsewhere', ['Me too']]);
    await first.agent.dispatcher.call('task/cancel', { taskId });
    assert.equal(first.entries('task_finished').length, 1);
  });

  it('with a damaged journal opens what is whole, says so, and keeps the damaged bytes', async () => {
    model = await ScriptedModel.start([done, done]);
    const first = await start();
    const taskId = await first.run('First');
    appendFileSync(
      join(home, 'tasks', taskId, 'journal.jsonl'),
      '{"crc":"00000000","entry":{"seq":99}}\nhalf a li',
    );
    const second = await start();
    await second.agent.dispatcher.call('task/send', { taskId, text: 'Second' });
    await second.ended(1);
    assert.deepEqual(
      second.entries('notice').map(({ message }) => [message.key, message.args?.count]),
      [['notice.damaged', 2]],
    );
    assert.equal(second.entries('task_finished').at(-1)!.reason, 'completed');
    const aside = readdirSync(join(home, 'tasks', taskId)).find((name) =>
      name.startsWith('journal.damaged-'),
    );
    assert.ok(
      aside !== undefined && readFileSync(join(home, 'tasks', taskId, aside), 'utf8').endsWith('half a li'),
    );
  });

  it('the list is rebuilt from the folders, whatever becomes of its cache', async () => {
    model = await ScriptedModel.start([done]);
    const first = await start();
    const taskId = await first.run('What is here?');
    const expected = await first.agent.dispatcher.call('task/list', {});
    writeFileSync(join(home, 'tasks', taskId, 'summary.json'), '{"half');
    mkdirSync(join(home, 'tasks', 'empty-folder'));
    const second = await start();
    assert.deepEqual(await second.agent.dispatcher.call('task/list', {}), expected);
    assert.deepEqual(
      expected.map(({ title, state }) => [title, state]),
      [['What is here?', 'completed']],
    );
  });

  it('a message that comes while it works joins at the next request', async () => {
    const release = (): void => undefined;
    model = await ScriptedModel.start([
      call('list_files', { path: '.' }),
      (request) => {
        assert.match(request.text, /also count them/);
        return { text: xmlCall('attempt_completion', { result: 'counted' }) };
      },
    ]);
    const agent = await start({
      automatic: { read: false },
      answer: (request) => (request.reason === 'tool' ? undefined : { outcome: 'allow' }),
    });
    const { taskId } = await agent.agent.dispatcher.call('task/create', { text: 'List' });
    await agent.until(() => agent.entries('approval_requested').length === 1, 'the request');
    await agent.agent.dispatcher.call('task/send', { taskId, text: 'also count them' });
    const [asked] = agent.entries('approval_requested');
    await agent.agent.dispatcher.call('approval/respond', {
      taskId,
      approvalId: asked!.request.id,
      decision: { outcome: 'allow' },
    });
    await agent.ended(1);
    assert.deepEqual(
      agent
        .entries('user_message')
        .filter(({ automatic }) => automatic !== true)
        .map(({ text }) => text),
      ['List', 'also count them'],
    );
    release();
  });

  it('an answer with another id, or a second one, grants nothing', async () => {
    model = await ScriptedModel.start([call('write_to_file', { path: 'a.txt', content: 'a' }), done]);
    const agent = await start({ answer: () => undefined });
    const { taskId } = await agent.agent.dispatcher.call('task/create', { text: 'Write' });
    await agent.until(() => agent.entries('approval_requested').length === 1, 'the request');
    const { id } = agent.entries('approval_requested')[0]!.request;
    const respond = async (approvalId: string, outcome: 'allow' | 'reject'): Promise<boolean> =>
      (await agent.agent.dispatcher.call('approval/respond', { taskId, approvalId, decision: { outcome } }))
        .accepted;
    assert.equal(await respond('forged', 'allow'), false);
    assert.equal(await respond(id, 'reject'), true);
    assert.equal(await respond(id, 'allow'), false);
    await agent.ended(1);
    assert.deepEqual(
      agent.results().map(({ outcome }) => outcome),
      ['rejected', 'done'],
    );
    assert.equal(readdirSync(cwd).includes('a.txt'), false);
  });

  it('“always” keeps a rule for the person, outside the workspace, that holds for the next task', async () => {
    model = await ScriptedModel.start([
      call('write_to_file', { path: 'a.txt', content: '1' }),
      done,
      call('write_to_file', { path: 'a.txt', content: '2' }),
      call('write_to_file', { path: '.vscode/settings.json', content: '{}' }),
      done,
    ]);
    const asked: string[] = [];
    const agent = await start({
      answer: (request) => {
        if (request.reason !== 'tool') return { outcome: 'allow' };
        const { options, dangerous } = request;
        asked.push(options.map(({ id }) => id).join(' '));
        return dangerous
          ? { outcome: 'reject', optionId: 'reject_once' }
          : { outcome: 'allow', optionId: 'allow_always_file' };
      },
    });
    await agent.run('One');
    await agent.agent.dispatcher.call('task/create', { text: 'Two' });
    await agent.ended(2);
    assert.deepEqual(asked, [
      'allow_once allow_always_file allow_always_kind reject_once reject_always_file',
      'allow_once reject_once reject_always_file',
    ]);
    const policy = await agent.agent.dispatcher.call('approval/policy', {});
    assert.deepEqual(policy.allow, [{ type: 'file', access: 'edit', path: join(cwd, 'a.txt') }]);
    assert.equal(readdirSync(cwd).includes('settings.json'), false);
  });

  it('an unwritable data folder: a clear error, and no half task', async function () {
    model = await ScriptedModel.start([]);
    mkdirSync(join(home, 'tasks'));
    const agent = await start();
    // Root may write anywhere; a file in the way stops root too.
    rmSync(join(home, 'tasks'), { recursive: true });
    writeFileSync(join(home, 'tasks'), 'in the way');
    await assert.rejects(agent.agent.dispatcher.call('task/create', { text: 'Write' }));
    assert.equal(model.requests.length, 0);
    chmodSync(home, 0o700);
  });
});
