import assert from 'node:assert/strict';
import { join } from 'node:path';
import { TaskLease } from '../../src/core/task/TaskLease.ts';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { SubtaskBench, type Script } from '../support/SubtaskBench.ts';
import type { TestAgent } from '../support/TestAgent.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });
const done = (result: string): Reply => call('attempt_completion', { result });
const subtask = (script: string, more: Record<string, string> = {}): Reply =>
  call('new_task', { mode: 'ask', message: `Look into it (script:${script})`, ...more });
const yes = (): { outcome: 'allow' } => ({ outcome: 'allow' });

describe('a subtask', function () {
  this.timeout(30_000);
  let bench: SubtaskBench;
  afterEach(async () => await bench.stop());

  /** Starts the script `parent` and waits for its end. */
  async function run(agent: TestAgent): Promise<string> {
    const { taskId } = await agent.agent.dispatcher.call('task/create', { text: 'script:parent' });
    await over(agent, taskId);
    return taskId;
  }

  /** Waits until no turn of the task is open and none runs. */
  async function over(agent: TestAgent, taskId: string, turns = 1): Promise<void> {
    for (const end = Date.now() + 20_000; ;) {
      const finished = await bench.entries(taskId, 'task_finished');
      const { running } = await agent.agent.dispatcher.call('task/subscribe', { taskId });
      if (finished.length >= turns && !running) return;
      if (Date.now() > end)
        throw new Error(`never over: ${JSON.stringify(await bench.journal(taskId), null, 1)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** The only task below this one. */
  async function childOf(agent: TestAgent, parent: string): Promise<string> {
    const [child, ...others] = (await bench.tasks(agent)).filter((task) => task.parent === parent);
    assert.ok(child);
    assert.deepEqual(others, []);
    return child.id;
  }

  for (const protocol of ['xml', 'native'] as const)
    it(`does a part of the work in its mode with its todo list, and gives its result back (${protocol})`, async () => {
      const script: Record<string, Reply[]> = {};
      bench = await SubtaskBench.start(script, protocol);
      Object.assign(script, {
        parent: [
          bench.call('new_task', {
            mode: 'ask',
            message: 'Count the files (script:child)',
            todos: '[x] Come here\n[ ] Count',
          }),
          bench.call('attempt_completion', { result: 'all is counted' }),
        ],
        child: [
          bench.call('list_files', { path: '.' }),
          bench.call('attempt_completion', { result: 'there are none' }),
        ],
      } satisfies Script);
      const agent = await bench.agent();
      const parent = await run(agent);
      const child = await childOf(agent, parent);
      assert.deepEqual(await bench.results(parent), [['done', 'there are none']]);
      const [started] = await bench.entries(child, 'task_started');
      const [begun] = await bench.entries(parent, 'subtask_started');
      assert.deepEqual(
        [started?.mode, started?.parent, begun?.taskId],
        ['ask', { taskId: parent, callId: begun?.callId, depth: 1 }, child],
      );
      assert.deepEqual(
        (await bench.entries(child, 'todos_updated')).map(({ todos }) => todos),
        [
          [
            { text: 'Come here', status: 'completed' },
            { text: 'Count', status: 'pending' },
          ],
        ],
      );
      const reasons = await Promise.all(
        [parent, child].map(async (id) =>
          (await bench.entries(id, 'task_finished')).map(({ reason }) => reason),
        ),
      );
      assert.deepEqual(reasons, [['completed'], ['completed']]);
      assert.match(bench.model.requests[3]?.text ?? '', /there are none/);
      assert.doesNotMatch(
        bench.model.requests[1]?.text ?? '',
        /script:parent/,
        'it sees nothing of the parent',
      );
      assert.deepEqual(
        (await bench.tasks(agent)).map(({ title, mode, state }) => [title, mode, state]),
        [
          ['script:parent', 'code', 'completed'],
          ['Count the files (script:child)', 'ask', 'completed'],
        ],
      );
      assert.deepEqual(agent.errors, []);
    });

  it('skips the calls behind it, and only those', async () => {
    bench = await SubtaskBench.start(
      {
        parent: [
          {
            calls: [
              { name: 'list_files', arguments: { path: '.' } },
              { name: 'new_task', arguments: { mode: 'ask', message: 'script:child' } },
              { name: 'list_files', arguments: { path: '..' } },
              { name: 'new_task', arguments: { mode: 'ask', message: 'script:child' } },
            ],
          },
          { calls: [{ name: 'attempt_completion', arguments: { result: 'ok' } }] },
        ],
        child: [{ calls: [{ name: 'attempt_completion', arguments: { result: 'one' } }] }],
      },
      'native',
    );
    const agent = await bench.agent();
    const parent = await run(agent);
    assert.deepEqual(
      (await bench.entries(parent, 'tool_finished')).map(({ tool, outcome }) => [tool, outcome]),
      [
        ['list_files', 'done'],
        ['new_task', 'done'],
        ['list_files', 'skipped'],
        ['new_task', 'skipped'],
        ['attempt_completion', 'done'],
      ],
    );
    await childOf(agent, parent);
  });

  it('is refused with what to do next: a mode that there is none, a line that is no step, no message, too deep', async () => {
    const deeper = (next: string): Reply[] => [subtask(next), done(`${next} came back`)];
    bench = await SubtaskBench.start({
      parent: [
        subtask('one', { mode: 'poet' }),
        subtask('one', { todos: 'no step' }),
        call('new_task', { mode: 'ask', message: ' ' }),
        subtask('one'),
        done('ok'),
      ],
      one: deeper('two'),
      two: deeper('three'),
      three: deeper('four'),
      four: deeper('five'),
    });
    const agent = await bench.agent({ settings: { mistakeLimit: 9 } });
    const parent = await run(agent);
    assert.deepEqual(await bench.results(parent), [
      [
        'failed',
        "The tool call failed. There is no mode 'poet'. The modes are: code, architect, ask, debug, orchestrator, review.",
      ],
      [
        'failed',
        "The tool call failed. This line is no step: 'no step'. Write each step as [ ] text, [-] text or [x] text.",
      ],
      [
        'failed',
        "The tool call failed. new_task could not be run. Parameter 'message': Too small: expected string to have >=1 characters. Send the call again with every required parameter.",
      ],
      ['done', 'two came back'],
    ]);
    const deepest = (await bench.tasks(agent)).at(-1)?.id ?? '';
    assert.deepEqual(await bench.results(deepest), [
      [
        'failed',
        'The tool call failed. This is a subtask of a subtask, 4 deep, and may begin none of its own. Do this part here.',
      ],
    ]);
  });

  it('asks before it is begun: rejected, it is none; approved with words, they come with its result', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), subtask('child'), done('ok')],
      child: [done('mine')],
    });
    const asked: ApprovalRequest[] = [];
    const agent = await bench.agent({
      automatic: { switchMode: false },
      answer: (request) => {
        asked.push(request);
        return asked.length === 1 ? { outcome: 'reject' } : { outcome: 'allow', feedback: 'but be quick' };
      },
    });
    const parent = await run(agent);
    const [rejected, approved] = await bench.results(parent);
    assert.equal(rejected?.[0], 'rejected');
    assert.match(approved?.[1] ?? '', /but be quick[^]*mine/);
    await childOf(agent, parent);
    const [request] = asked;
    assert.ok(request?.reason === 'tool');
    assert.deepEqual(
      [request.tool, request.actions, request.details, request.dangerous],
      [
        'new_task',
        [{ type: 'switch_mode', mode: 'ask' }],
        { type: 'subtask', mode: 'ask', message: 'Look into it (script:child)' },
        false,
      ],
    );
  });

  it('that fails, is refused, or uses up its requests says so to its parent, which goes on', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('fails'), subtask('refused'), subtask('endless'), done('ok')],
      fails: [{ status: 400, error: 'no such model' }],
      refused: [{ text: 'I would rather not', finish: 'content_filter' }],
      endless: Array.from({ length: 9 }, (_, number) =>
        call('list_files', { path: '.', recursive: number % 2 ? 'true' : 'false' }),
      ),
    });
    const agent = await bench.agent({ settings: { requestLimit: 6 } });
    const parent = await run(agent);
    const results = await bench.results(parent);
    assert.deepEqual(
      results.map(([outcome]) => outcome),
      ['failed', 'failed', 'failed'],
    );
    assert.match(results[0]?.[1] ?? '', /did not come to its end: .*no such model/);
    assert.match(results[1]?.[1] ?? '', /the model refused to go on/);
    assert.match(results[2]?.[1] ?? '', /used up the requests/);
  });

  it('that a person stops gives its parent that as its result; the parent goes on', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), done('without it')],
      child: [{ silent: true }],
    });
    const agent = await bench.agent({ answer: yes });
    const { taskId: parent } = await agent.agent.dispatcher.call('task/create', { text: 'script:parent' });
    await agent.until(() => bench.model.requests.length === 2, 'the subtask’s request');
    await agent.agent.dispatcher.call('task/cancel', { taskId: await childOf(agent, parent) });
    await over(agent, parent);
    assert.deepEqual(
      [
        await bench.results(parent),
        (await bench.entries(parent, 'task_finished')).map(({ reason, result }) => [reason, result]),
      ],
      [
        [
          [
            'stopped',
            'The person stopped this subtask before its end. What it had done stays done. Go on without it, or ask them what they want instead.',
          ],
        ],
        [['completed', 'without it']],
      ],
    );
  });

  it('stops with its parent, all the way down', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child')],
      child: [subtask('grandchild')],
      grandchild: [{ silent: true }],
    });
    const agent = await bench.agent({ answer: yes });
    const { taskId: parent } = await agent.agent.dispatcher.call('task/create', { text: 'script:parent' });
    await agent.until(() => bench.model.requests.length === 3, 'the request of the deepest');
    await agent.agent.dispatcher.call('task/cancel', { taskId: parent });
    const tasks = await bench.tasks(agent);
    assert.deepEqual(
      tasks.map(({ state }) => state),
      ['cancelled', 'cancelled', 'cancelled'],
    );
    assert.deepEqual(
      [await bench.results(tasks[0]?.id ?? ''), await bench.results(tasks[1]?.id ?? '')].map((results) =>
        results.map(([outcome]) => outcome),
      ),
      [['stopped'], ['stopped']],
    );
    assert.deepEqual(agent.errors, []);
  });

  /** A subtask whose question waits; resolves with the parent and it. */
  async function asking(agent: TestAgent): Promise<[parent: string, child: string]> {
    const { taskId: parent } = await agent.agent.dispatcher.call('task/create', { text: 'script:parent' });
    await agent.until(() => agent.entries('approval_requested').length === 1, 'the subtask’s question');
    return [parent, await childOf(agent, parent)];
  }
  const questioned: Script = {
    parent: [subtask('child'), done('the parent is done')],
    child: [
      call('ask_followup_question', { question: 'Which?', follow_up: '<suggest>A</suggest>' }),
      done('A it is'),
    ],
  };
  const answered = [['done', 'A it is']];
  const ends = async (...ids: string[]): Promise<string[][]> =>
    await Promise.all(
      ids.map(async (id) => (await bench.entries(id, 'task_finished')).map(({ reason }) => reason)),
    );

  for (const opened of ['parent', 'child'] as const)
    it(`whose process ended in good order is asked again when its ${opened} is opened, and returns`, async () => {
      bench = await SubtaskBench.start(questioned);
      const first = await bench.agent({ answer: () => undefined });
      const [parent, child] = await asking(first);
      await first.stop();
      assert.deepEqual(await ends(parent, child), [[], []], 'nobody stopped them');
      const second = await bench.agent({ answer: () => ({ outcome: 'allow', feedback: 'A' }) });
      await second.agent.dispatcher.call('task/subscribe', { taskId: opened === 'parent' ? parent : child });
      await over(second, parent);
      assert.deepEqual(
        [await bench.results(parent), await ends(parent, child)],
        [answered, [['completed'], ['completed']]],
      );
      assert.equal(bench.model.requests.length, 4, 'it cost no request');
    });

  it('is read along in another window, which goes on with it when the first is gone', async () => {
    bench = await SubtaskBench.start(questioned);
    const first = await bench.agent({ answer: () => undefined });
    const [parent, child] = await asking(first);
    const second = await bench.agent({ answer: yes });
    for (const taskId of [parent, child]) {
      const { elsewhere, running } = await second.agent.dispatcher.call('task/subscribe', { taskId });
      assert.deepEqual([elsewhere?.pid, running], [process.pid, false]);
    }
    await first.stop();
    await second.agent.dispatcher.call('task/resume', { taskId: child });
    await over(second, parent);
    assert.deepEqual(
      [await bench.results(parent, 'new_task'), await ends(parent, child)],
      [answered, [['completed'], ['completed']]],
    );
  });

  it('that one window goes on with returns to a parent that another one holds', async () => {
    bench = await SubtaskBench.start(questioned);
    const first = await bench.agent({ answer: () => undefined });
    const [parent, child] = await asking(first);
    await first.stop();
    // The lease of the child alone, as a window takes it that has opened nothing else.
    const lease = await TaskLease.acquire(join(bench.home, 'tasks', child));
    const second = await bench.agent({ answer: () => ({ outcome: 'allow', feedback: 'A' }) });
    await second.agent.dispatcher.call('task/resume', { taskId: parent });
    await second.until(() => second.entries('tool_started').length === 1, 'that the parent waits for it');
    await lease.release();
    await over(second, parent);
    assert.deepEqual(
      [await bench.results(parent), await ends(parent, child)],
      [answered, [['completed'], ['completed']]],
    );
  });

  it('goes on being a conversation of its own when it has returned, and returns once', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), done('ok')],
      child: [done('one'), done('two')],
    });
    const agent = await bench.agent();
    const parent = await run(agent);
    const child = await childOf(agent, parent);
    await agent.agent.dispatcher.call('task/send', { taskId: child, text: 'And more?' });
    await over(agent, child, 2);
    assert.deepEqual(
      [await bench.results(parent), await ends(parent, child)],
      [[['done', 'one']], [['completed'], ['completed', 'completed']]],
    );
  });

  it('is deleted, brought back and exported with its parent; a branch of its parent has none', async () => {
    bench = await SubtaskBench.start({
      parent: [subtask('child'), done('ok'), done('branched'), done('branched')],
      child: [subtask('grandchild'), done('mine')],
      grandchild: [done('deep')],
    });
    const agent = await bench.agent();
    const { dispatcher } = agent.agent;
    const parent = await run(agent);
    const titles = async (): Promise<string[]> => (await bench.tasks(agent)).map(({ title }) => title);
    const all = ['script:parent', 'Look into it (script:child)', 'Look into it (script:grandchild)'];
    const { text } = await dispatcher.call('task/export', { taskId: parent, format: 'markdown' });
    assert.deepEqual(text.match(/^# .*/gm), [
      '# script:parent',
      '# Subtask: Look into it (script:child)',
      '# Subtask: Look into it (script:grandchild)',
    ]);
    await dispatcher.call('task/send', { taskId: parent, text: 'again' });
    await over(agent, parent, 2);
    const seq =
      (await bench.entries(parent, 'user_message')).find((entry) => entry.text === 'again')?.seq ?? 0;
    const { taskId: branch } = await dispatcher.call('task/branch', {
      taskId: parent,
      seq,
      text: 'otherwise',
    });
    await over(agent, branch, 2);
    await dispatcher.call('task/delete', { taskId: branch });
    assert.deepEqual(await titles(), all, 'the branch’s deletion leaves the original’s subtasks');
    await dispatcher.call('task/delete', { taskId: parent });
    assert.deepEqual(await titles(), []);
    await dispatcher.call('task/restore', { taskId: parent });
    assert.deepEqual(await titles(), all);
  });

  it('that is deleted before its end is told to its parent as gone; a running one is not deleted', async () => {
    bench = await SubtaskBench.start(questioned);
    const first = await bench.agent({ answer: () => undefined });
    const [parent, child] = await asking(first);
    for (const taskId of [parent, child])
      await assert.rejects(first.agent.dispatcher.call('task/delete', { taskId }), { code: 'busy' });
    await first.stop();
    const second = await bench.agent({ answer: yes });
    await second.agent.dispatcher.call('task/delete', { taskId: child });
    await second.agent.dispatcher.call('task/resume', { taskId: parent });
    await over(second, parent);
    assert.deepEqual(await bench.results(parent), [
      ['failed', 'The subtask was deleted before its end, so there is no result.'],
    ]);
  });
});
