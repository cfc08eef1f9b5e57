import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldAll, emptyView } from '../../src/shared/view.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const write = (path: string, content: string): Turn => ({
  text: xmlCall('write_to_file', { path, content }),
});
const command = (line: string): Turn => ({ text: xmlCall('execute_command', { command: line }) });
const done: Turn = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('checkpoints of a task', function () {
  this.timeout(60_000);
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let agent: TestAgent;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-checkpoints-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    writeFileSync(join(cwd, 'a.txt'), 'before\n');
    model = await ScriptedModel.start([]);
    agent = await start();
  });
  afterEach(async () => {
    await agent.stop();
    await model.stop();
    for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    return await TestAgent.start({
      cwd,
      home,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
      automatic: { all: true },
      answer: () => undefined,
      ...options,
    });
  }

  const text = (path: string): string => readFileSync(join(cwd, path), 'utf8');
  const entriesOf = async (taskId: string): Promise<JournalEntry[]> =>
    (await agent.agent.dispatcher.call('task/subscribe', { taskId })).entries;
  const list = async (taskId: string) =>
    (await agent.agent.dispatcher.call('checkpoint/list', { taskId })).checkpoints;

  /** A task that edited one file, made another by a command, and read one. */
  async function edited(): Promise<{ taskId: string; ids: string[] }> {
    model.turns.push(write('a.txt', 'after\n'), command('echo made > b.txt'), done);
    const taskId = await agent.run('Change things');
    return { taskId, ids: agent.entries('checkpoint_saved').map(({ checkpointId }) => checkpointId) };
  }

  it('are saved before each step that may change files, and before its start is written', async () => {
    const { taskId } = await edited();
    const order = (await entriesOf(taskId)).flatMap((entry) =>
      entry.type === 'checkpoint_saved' || entry.type === 'tool_started' || entry.type === 'tool_finished'
        ? [`${entry.type} ${entry.callId ?? ''}`]
        : [],
    );
    const calls = agent.entries('tool_started').map(({ callId }) => callId);
    assert.deepEqual(order, [
      ...['checkpoint_saved', 'tool_started', 'tool_finished'].map((type) => `${type} ${calls[0]}`),
      ...['checkpoint_saved', 'tool_started', 'tool_finished'].map((type) => `${type} ${calls[1]}`),
      ...['tool_started', 'tool_finished'].map((type) => `${type} ${calls[2]}`),
    ]);
    assert.deepEqual(
      (await list(taskId)).map(({ reason, tool, subject, changed }) => ({ reason, tool, subject, changed })),
      [
        { reason: 'step', tool: 'write_to_file', subject: 'a.txt', changed: 1 },
        { reason: 'step', tool: 'execute_command', subject: 'echo made > b.txt', changed: 1 },
      ],
    );
  });

  it('give the files back, tell the model, and can be undone', async () => {
    const { taskId, ids } = await edited();
    const [first = ''] = ids;
    const { dispatcher } = agent.agent;
    const { files, count } = await dispatcher.call('checkpoint/diff', { taskId, checkpointId: first });
    assert.deepEqual(
      [files.map(({ path, change }) => [path, change]), count],
      [
        [
          ['a.txt', 'changed'],
          ['b.txt', 'deleted'],
        ],
        2,
      ],
    );
    const restored = await dispatcher.call('checkpoint/restore', {
      taskId,
      checkpointId: first,
      what: 'files',
    });
    assert.deepEqual(restored, { taskId });
    assert.deepEqual([text('a.txt'), existsSync(join(cwd, 'b.txt'))], ['before\n', false]);
    const [fact] = agent.entries('checkpoint_restored');
    assert.deepEqual([fact?.checkpointId, fact?.written, fact?.removed, fact?.problems], [first, 1, 1, []]);
    model.turns.push(done);
    await dispatcher.call('task/send', { taskId, text: 'Go on' });
    await agent.ended(2);
    assert.match(
      JSON.stringify(model.requests.at(-1)),
      /restored files of the workspace to an earlier state/,
    );
    await dispatcher.call('checkpoint/restore', { taskId, checkpointId: fact?.undoId ?? '', what: 'files' });
    assert.deepEqual([text('a.txt'), text('b.txt')], ['after\n', 'made\n']);
    assert.deepEqual(
      (await list(taskId)).map(({ reason }) => reason),
      ['step', 'step', 'restore', 'restore'],
    );
    const view = foldAll(
      emptyView(),
      (await entriesOf(taskId)).map((entry) => ({ kind: 'entry', entry })),
    );
    assert.deepEqual(
      view.items.flatMap((item) => (item.type === 'restored' ? [item.done !== undefined] : [])),
      [true, true],
    );
    assert.deepEqual(
      view.items.flatMap((item) => (item.type === 'tool' ? [item.checkpointId] : [])),
      [...ids, undefined, undefined],
    );
  });

  it('give the task back as one of its own, which goes on from there; the old one stays as it was', async () => {
    const { taskId, ids } = await edited();
    const before = await entriesOf(taskId);
    const { dispatcher } = agent.agent;
    const params = { taskId, checkpointId: ids[1] ?? '', what: 'task' } as const;
    const { taskId: branch } = await dispatcher.call('checkpoint/restore', params);
    assert.notEqual(branch, taskId);
    assert.deepEqual(await entriesOf(taskId), before);
    assert.equal(text('b.txt'), 'made\n', 'files stay');
    const results = (await entriesOf(branch)).flatMap((entry) =>
      entry.type === 'tool_finished' ? [[entry.tool, entry.outcome]] : [],
    );
    assert.deepEqual(results, [
      ['write_to_file', 'done'],
      ['execute_command', 'skipped'],
    ]);
    model.turns.push(done);
    await dispatcher.call('task/send', { taskId: branch, text: 'Another way' });
    await agent.ended(2);
    const asked = JSON.stringify(model.requests.at(-1));
    assert.match(asked, /went back to before this call/);
    assert.match(asked, /Another way/);
    // The branch has the checkpoints of its history.
    assert.deepEqual(
      (await list(branch)).map(({ id }) => id),
      ids.slice(0, 1),
    );
  });

  it('give both back, and the old task can be gone back to', async () => {
    const { taskId, ids } = await edited();
    const { dispatcher } = agent.agent;
    const params = { taskId, checkpointId: ids[0] ?? '', what: 'both' } as const;
    const { taskId: branch } = await dispatcher.call('checkpoint/restore', params);
    assert.deepEqual([text('a.txt'), existsSync(join(cwd, 'b.txt'))], ['before\n', false]);
    const undo = (await list(branch)).at(-1);
    assert.equal(undo?.reason, 'restore');
    await dispatcher.call('checkpoint/restore', { taskId: branch, checkpointId: undo.id, what: 'files' });
    assert.deepEqual([text('a.txt'), text('b.txt')], ['after\n', 'made\n']);
  });

  it('name what the person changed since, and leave it where that is wished', async () => {
    const { taskId, ids } = await edited();
    writeFileSync(join(cwd, 'a.txt'), 'mine\n');
    const { dispatcher } = agent.agent;
    const { files } = await dispatcher.call('checkpoint/diff', { taskId, checkpointId: ids[0] ?? '' });
    assert.deepEqual(
      files.map(({ path, outside }) => [path, outside]),
      [
        ['a.txt', true],
        ['b.txt', false],
      ],
    );
    const params = { taskId, checkpointId: ids[0] ?? '', what: 'files', leave: ['a.txt'] } as const;
    await dispatcher.call('checkpoint/restore', { ...params, leave: [...params.leave] });
    assert.deepEqual([text('a.txt'), existsSync(join(cwd, 'b.txt'))], ['mine\n', false]);
  });

  it('are of their task alone', async () => {
    const { ids } = await edited();
    model.turns.push(done);
    const { taskId: other } = await agent.agent.dispatcher.call('task/create', { text: 'Another' });
    await agent.ended(2);
    for (const method of ['checkpoint/diff', 'checkpoint/restore'] as const)
      await assert.rejects(
        agent.agent.dispatcher.call(method, { taskId: other, checkpointId: ids[0] ?? '', what: 'files' }),
        { name: 'ProtocolError', code: 'not_found' },
      );
  });

  it('are not restored under a task that runs in the workspace, in this window or another', async () => {
    const { taskId, ids } = await edited();
    const other = await start({ automatic: { all: false } });
    try {
      model.turns.push(write('c.txt', 'c'), done);
      await other.agent.dispatcher.call('task/create', { text: 'Runs' });
      await other.until(() => other.entries('approval_requested').length === 1, 'the request');
      for (const window of [agent, other])
        await assert.rejects(
          window.agent.dispatcher.call('checkpoint/restore', {
            taskId,
            checkpointId: ids[0] ?? '',
            what: 'files',
          }),
          { name: 'ProtocolError', code: 'busy', words: { key: 'checkpoint.running' } },
        );
      assert.equal(text('a.txt'), 'after\n');
    } finally {
      await other.stop();
    }
  });

  it('are not saved when the person does not want them', async () => {
    await agent.stop();
    agent = await start({ settings: { checkpoints: false } });
    const { taskId } = await edited();
    assert.deepEqual([agent.entries('checkpoint_saved'), await list(taskId)], [[], []]);
    assert.equal(existsSync(join(home, 'checkpoints')), false);
  });

  it('that cannot be saved hold nothing up; why is told once', async () => {
    for (let file = 0; file < 4; file++) {
      writeFileSync(join(cwd, `large-${file}.bin`), '');
      truncateSync(join(cwd, `large-${file}.bin`), 15 * 1024 * 1024);
    }
    await agent.stop();
    agent = await start({ settings: { checkpointMegabytes: 50 } });
    await edited();
    assert.equal(text('a.txt'), 'after\n');
    assert.deepEqual(
      agent.entries('notice').map(({ message: { key } }) => key),
      ['checkpoint.tooLarge'],
    );
  });

  it('go on where the data folder cannot be written: the step is run, and the person is told', async function () {
    if (process.getuid?.() === 0) {
      // For root no folder is read-only; a file where the folder would be made is as good.
      writeFileSync(join(home, 'checkpoints'), '');
    } else {
      const { mkdirSync } = await import('node:fs');
      mkdirSync(join(home, 'checkpoints'));
      chmodSync(join(home, 'checkpoints'), 0o500);
    }
    await edited();
    assert.equal(text('a.txt'), 'after\n');
    assert.deepEqual(
      agent.entries('notice').map(({ message: { key } }) => key),
      ['checkpoint.none'],
    );
  });
});
