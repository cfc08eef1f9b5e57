import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { AgentBench, calling } from '../support/AgentBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';

const services = [
  ['OpenAI-style', 'openai-compatible'],
  ['Anthropic-style', 'anthropic'],
] as const;

const DIFF = '<<<<<<< SEARCH\n  return a - b;\n=======\n  return a + b;\n>>>>>>> REPLACE';
const yes = (): { outcome: 'allow' } => ({ outcome: 'allow' });

describe('a turn, over real HTTP', () => {
  const bench = new AgentBench({ 'sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n' });

  for (const [service, provider] of services) {
    for (const protocol of ['xml', 'native'] as const) {
      it(`reads, edits, runs a command and completes (${service}, ${protocol})`, async () => {
        const asked: ApprovalRequest[] = [];
        const tests = await bench.start(
          [
            calling(protocol, 'I look first.', 'read_file', { path: 'sum.js' }),
            calling(protocol, 'A minus where a plus belongs.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
            calling(protocol, 'Now I check.', 'execute_command', {
              command: `node -e "import('./sum.js').then(({ sum }) => console.log(sum(2, 3)))"`,
            }),
            calling(protocol, '', 'attempt_completion', { result: 'sum adds now.' }),
          ],
          { profile: { provider, protocol }, answer: (request) => (asked.push(request), yes()) },
        );
        await tests.run('Mend sum');

        assert.equal(
          readFileSync(join(bench.cwd, 'sum.js'), 'utf8'),
          'export function sum(a, b) {\n  return a + b;\n}\n',
        );
        assert.deepEqual(
          tests.results().map(({ tool, outcome }) => [tool, outcome]),
          [
            ['read_file', 'done'],
            ['apply_diff', 'done'],
            ['execute_command', 'done'],
            ['attempt_completion', 'done'],
          ],
        );
        assert.match(tests.results()[2]!.text, /Exit code: 0\nOutput:\n5/);
        assert.deepEqual(
          asked.map((request) =>
            request.reason === 'tool' ? request.actions.map(({ type }) => type) : request.reason,
          ),
          [['edit'], ['command']],
        );
        const [finished] = tests.entries('task_finished');
        assert.deepEqual([finished!.reason, finished!.result], ['completed', 'sum adds now.']);
        assert.equal(tests.entries('request_finished')[0]!.usage?.inputTokens, 100);
        assert.deepEqual(tests.errors, []);
      });
    }
  }

  it('gives the model the words of a rejection, and skips the calls behind it', async () => {
    const tests = await bench.start(
      [
        {
          calls: [
            { name: 'apply_diff', arguments: { path: 'sum.js', diff: DIFF } },
            { name: 'read_file', arguments: { path: 'sum.js' } },
          ],
        },
        (request) => {
          assert.match(request.text, /rejected this call and said:\\n<feedback>\\nuse subtraction/);
          return { calls: [{ name: 'attempt_completion', arguments: { result: 'left as it is' } }] };
        },
      ],
      {
        profile: { provider: 'openai-compatible', protocol: 'native' },
        answer: () => ({ outcome: 'reject', feedback: 'use subtraction' }),
      },
    );
    await tests.run('Mend sum');
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['apply_diff', 'rejected'],
        ['read_file', 'skipped'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.match(readFileSync(join(bench.cwd, 'sum.js'), 'utf8'), /a - b/);
  });

  it('refuses what asks when nobody is there, and does not hang', async () => {
    const tests = await bench.start([
      calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF }),
      calling('xml', '', 'attempt_completion', { result: 'could not edit' }),
    ]);
    await tests.run('Mend sum');
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['apply_diff', 'rejected'],
        ['attempt_completion', 'done'],
      ],
    );
  });

  it('refuses an edit that the mode forbids, naming the modes that allow it', async () => {
    const tests = await bench.start(
      [
        calling('xml', '', 'write_to_file', { path: 'sum.js', content: 'x' }),
        calling('xml', '', 'write_to_file', { path: 'sum.js', content: 'x' }),
        { text: 'It subtracts.' },
      ],
      {
        answer: yes,
        automatic: { all: true },
      },
    );
    await tests.run('What does it do?', 'ask');
    const [first] = tests.results();
    assert.equal(first!.outcome, 'failed');
    assert.match(
      first!.text,
      /write_to_file is not allowed in Ask mode.*switch_mode with one of: code, architect, debug/s,
    );
    assert.equal(tests.entries('task_finished')[0]!.reason, 'answered');
  });

  it('holds architect mode to markdown, whatever the tool', async () => {
    const tests = await bench.start(
      [
        calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF }),
        calling('xml', '', 'write_to_file', { path: 'plan.md', content: '# Plan' }),
        calling('xml', '', 'attempt_completion', { result: 'planned' }),
      ],
      {
        answer: yes,
        automatic: { all: true },
      },
    );
    await tests.run('Plan it', 'architect');
    assert.deepEqual(
      tests.results().map(({ outcome }) => outcome),
      ['failed', 'done', 'done'],
    );
    assert.match(tests.results()[0]!.text, /may only edit: Markdown files only/);
    assert.equal(readFileSync(join(bench.cwd, 'plan.md'), 'utf8'), '# Plan\n');
  });

  it('refuses an edit of a file that changed on disk since it was read', async () => {
    const tests = await bench.start(
      [
        calling('xml', '', 'read_file', { path: 'sum.js' }),
        () => {
          writeFileSync(
            join(bench.cwd, 'sum.js'),
            'export function sum(a, b) {\n  return a - b; // mine\n}\n',
          );
          return calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF });
        },
        calling('xml', '', 'attempt_completion', { result: 'stopped' }),
      ],
      { automatic: { all: true } },
    );
    await tests.run('Mend sum');
    assert.match(tests.results()[1]!.text, /changed on disk since it was read/);
    assert.match(readFileSync(join(bench.cwd, 'sum.js'), 'utf8'), /mine/);
  });

  for (const protocol of ['xml', 'native'] as const) {
    it(`never runs a call that the stream cut (${protocol})`, async () => {
      const reply = calling(protocol, 'I remove it.', 'execute_command', {
        command: `echo ran > ${join(bench.cwd, 'ran.txt')}; echo ${'x'.repeat(200)}`,
      });
      const tests = await bench.start(
        [{ ...reply, cutAfter: 14 }, calling(protocol, '', 'attempt_completion', { result: 'fine' })],
        { profile: { provider: 'openai-compatible', protocol }, automatic: { all: true } },
      );
      await tests.run('Do it');
      assert.deepEqual(
        tests.results().map(({ tool, outcome }) => [tool, outcome]),
        [
          ['execute_command', 'cut_off'],
          ['attempt_completion', 'done'],
        ],
      );
      assert.throws(() => readFileSync(join(bench.cwd, 'ran.txt')));
      assert.equal(tests.entries('request_finished')[0]!.stopReason, 'cut');
    });
  }

  it('waits as Retry-After says and goes on, showing that it waits', async () => {
    const tests = await bench.start(
      [
        { status: 429, headers: { 'retry-after': '0' } },
        { status: 500 },
        calling('xml', '', 'attempt_completion', { result: 'done' }),
      ],
      { retryLimit: 3 },
    );
    await tests.run('Do it');
    const waits = tests.events.flatMap((event) =>
      event.kind === 'delta' && event.delta.type === 'request_status' && event.delta.error
        ? [event.delta.error.status]
        : [],
    );
    assert.deepEqual(waits, [429, 500]);
    assert.equal(tests.entries('task_finished')[0]!.reason, 'completed');
  });

  it('says what is wrong with a key and does not try again', async () => {
    const tests = await bench.start([{ status: 401, error: 'no such key' }], { retryLimit: 3 });
    await tests.run('Do it');
    assert.deepEqual(
      tests.entries('task_finished').map(({ reason, error }) => [reason, error?.key]),
      [['failed', 'provider.badKey']],
    );
    assert.equal(bench.model.requests.length, 1);
  });

  it('ends a stalled stream, keeps what came, and asks the person', async () => {
    let asked = 0;
    const tests = await bench.start(
      [{ stallAfter: 0 }, calling('xml', '', 'attempt_completion', { result: 'done' })],
      {
        idleTimeoutMs: 300,
        answer: (request) => (request.reason === 'request_failed' ? (asked++, yes()) : undefined),
      },
    );
    await tests.run('Do it');
    assert.equal(asked, 1);
    assert.equal(tests.entries('request_finished')[0]!.error?.message.key, 'provider.stalled');
    assert.equal(tests.entries('task_finished')[0]!.reason, 'completed');
  });

  it('stops in the middle of a stream, and every call has its result', async () => {
    const tests = await bench.start(
      [{ text: `${'word '.repeat(400)}${xmlCall('execute_command', { command: 'echo no' })}`, delay: 5 }],
      { automatic: { all: true } },
    );
    const { taskId } = await tests.agent.dispatcher.call('task/create', { text: 'Talk' });
    await tests.until(
      () => tests.events.some((event) => event.kind === 'delta' && event.delta.type === 'block'),
      'streamed text',
    );
    await tests.agent.dispatcher.call('task/cancel', { taskId });
    assert.equal(tests.entries('task_finished')[0]!.reason, 'cancelled');
    assert.equal(tests.entries('request_finished')[0]!.stopReason, 'aborted');
  });

  it('stops in the middle of a command, and the command with all it started is gone', async () => {
    const pidFile = join(bench.cwd, 'pid');
    const tests = await bench.start(
      [
        calling('xml', '', 'execute_command', {
          command: `(sleep 300 & echo $! > ${pidFile}; echo started; wait)`,
        }),
      ],
      { automatic: { all: true } },
    );
    const { taskId } = await tests.agent.dispatcher.call('task/create', { text: 'Wait' });
    await tests.until(
      () => tests.events.some((event) => event.kind === 'delta' && event.delta.type === 'tool_output'),
      'output',
    );
    await tests.agent.dispatcher.call('task/cancel', { taskId });
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [['execute_command', 'stopped']],
    );
    assert.doesNotMatch(tests.results()[0]!.text, /Exit code: 0/);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await tests.until(() => !isRunning(pid), `the end of process ${pid}`);
  });

  it('stops one command alone, and the turn goes on', async () => {
    const tests = await bench.start(
      [
        calling('xml', '', 'execute_command', { command: 'echo started; sleep 300' }),
        calling('xml', '', 'attempt_completion', { result: 'went on' }),
      ],
      { automatic: { all: true } },
    );
    const { taskId } = await tests.agent.dispatcher.call('task/create', { text: 'Wait' });
    await tests.until(
      () => tests.events.some((event) => event.kind === 'delta' && event.delta.type === 'tool_output'),
      'output',
    );
    const [started] = tests.entries('tool_started');
    await tests.agent.dispatcher.call('command/stop', { taskId, callId: started!.callId });
    await tests.ended(1);
    assert.match(tests.results()[0]!.text, /The person stopped it before it ended/);
    assert.equal(tests.entries('task_finished')[0]!.reason, 'completed');
  });

  it('reminds once when no tool was used, then takes the text as the answer', async () => {
    const tests = await bench.start([{ text: 'Hello.' }, { text: 'Hello again.' }]);
    await tests.run('Hi');
    assert.match(bench.model.requests[1]!.text, /Your message had no tool call/);
    assert.deepEqual(
      [tests.entries('task_finished')[0]!.reason, tests.entries('task_finished')[0]!.result],
      ['answered', 'Hello again.'],
    );
  });

  it('keeps the beginning of the request byte-identical from turn to turn', async () => {
    const tests = await bench.start([
      calling('xml', 'a', 'read_file', { path: 'sum.js' }),
      calling('xml', 'b', 'list_files', { path: '.' }),
      calling('xml', '', 'attempt_completion', { result: 'done' }),
    ]);
    await tests.run('Look');
    const rendered = bench.model.requests.map(({ body }) => JSON.stringify(body.messages));
    for (const [index, later] of rendered.slice(1).entries())
      assert.ok(
        later.startsWith(rendered[index]!.slice(0, -1)),
        `request ${index + 2} changes what stood before`,
      );
  });

  it('stops the same call at the fourth time, and circles of calls', async () => {
    const same = calling('xml', '', 'list_files', { path: '.' });
    const other = calling('xml', '', 'read_file', { path: 'sum.js' });
    const tests = await bench.start([
      same,
      same,
      same,
      same,
      other,
      same,
      other,
      same,
      other,
      same,
      calling('xml', '', 'attempt_completion', { result: 'done' }),
    ]);
    await tests.run('Look');
    const stopped = tests.results().flatMap(({ text }, index) => (text.includes('Stopped:') ? [index] : []));
    assert.ok(stopped.includes(3) && stopped.some((index) => index > 3), `stopped at ${stopped.join(', ')}`);
  });
});

/** Whether it still does anything: one that has ended but was not collected yet does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOENT');
    return false;
  }
}
