import assert from 'node:assert/strict';
import type { JournalEntry } from '../../src/shared/events.ts';
import { AgentBench, calling } from '../support/AgentBench.ts';
import { type ReceivedRequest, type Reply, type Turn } from '../support/ScriptedModel.ts';
import type { TestAgent } from '../support/TestAgent.ts';
import { type TestAgentOptions } from '../support/TestAgent.ts';

const WISH = /everything above is about to be replaced by a summary/;
const SUMMARY = `Task: look at the files. State: a.txt and b.txt are read. Next: complete. ${'Known: nothing more. '.repeat(10)}`;
const TOO_LONG: Reply = { status: 400, error: 'This model’s maximum context length is exceeded' };

/** Counts about as the agent estimates, so that its limits are those of the test. */
function counted(reply: Reply): Turn {
  return (request) => ({
    ...reply,
    usage: {
      input: Math.round(request.raw.length * 0.28),
      output: Math.round(JSON.stringify(reply).length * 0.28),
    },
  });
}

/** What the model is told of the conversation: the messages alone, as text. */
function said({ body }: ReceivedRequest): string {
  return JSON.stringify(body.messages);
}

describe('condensing, over real HTTP', () => {
  const bench = new AgentBench(
    Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, `${name} `.repeat(30).concat('\n').repeat(200)]),
    ),
  );

  function kinds(tests: TestAgent): string[] {
    const counts: JournalEntry['type'][] = ['context_condensed', 'results_trimmed', 'task_finished'];
    return tests.events.flatMap((event) =>
      event.kind === 'entry' && counts.includes(event.entry.type) ? [event.entry.type] : [],
    );
  }

  for (const provider of ['openai-compatible', 'anthropic'] as const)
    for (const protocol of ['xml', 'native'] as const) {
      it(`shortens old results first, and says so (${provider}, ${protocol})`, async () => {
        const tests = await bench.start(
          [
            counted(calling(protocol, 'One.', 'read_file', { path: 'a.txt' })),
            counted(calling(protocol, 'Two.', 'read_file', { path: 'b.txt' })),
            counted(calling(protocol, 'Three.', 'read_file', { path: 'c.txt' })),
            counted(calling(protocol, 'I think about it. '.repeat(700), 'list_files', { path: '.' })),
            counted(calling(protocol, '', 'attempt_completion', { result: 'Read.' })),
          ],
          { profile: { provider, protocol, contextWindow: 20_000 }, settings: { readContextShare: 1 } },
        );
        await tests.run('Read all three.');
        assert.equal(tests.entries('task_finished')[0]?.reason, 'completed');
        assert.deepEqual(kinds(tests), ['results_trimmed', 'task_finished']);
        const [trimmed] = tests.entries('results_trimmed');
        assert.ok(trimmed && trimmed.tokensAfter < trimmed.tokensBefore);
        const last = said(bench.model.requests.at(-1)!);
        assert.match(last, /a\.txt.*characters of this old result are left out to save room/s);
        // The newest stays as it was.
        assert.match(last, /d\.txt/);
        assert.match(last, /I think about it/);
      });

      it(`condenses before the window is full, and goes on from the summary (${provider}, ${protocol})`, async () => {
        const thought = 'I think about it at length. '.repeat(800);
        const tests = await bench.start(
          [
            counted(calling(protocol, thought, 'list_files', { path: '.' })),
            counted(calling(protocol, thought, 'read_file', { path: 'a.txt' })),
            (request) => {
              assert.match(request.text, WISH);
              return { text: SUMMARY, usage: { input: 9000, output: 100 } };
            },
            counted(calling(protocol, '', 'attempt_completion', { result: 'Done.' })),
          ],
          { profile: { provider, protocol, contextWindow: 20_000 }, settings: { readContextShare: 1 } },
        );
        await tests.run('Look at everything, in order.');
        assert.deepEqual(kinds(tests), ['context_condensed', 'task_finished']);
        assert.equal(tests.entries('task_finished')[0]?.reason, 'completed');
        const [condensed] = tests.entries('context_condensed');
        assert.ok(condensed);
        assert.deepEqual([condensed.by, condensed.summary], ['limit', SUMMARY.trim()]);
        assert.ok((condensed.tokensAfter ?? 0) < (condensed.tokensBefore ?? 0) / 2);
        const last = said(bench.model.requests.at(-1)!);
        assert.doesNotMatch(last, /I think about it at length/);
        assert.match(last, /<said>\\nLook at everything, in order\.\\n<\/said>.*<summary>\\nTask: look/s);
        // The transcript is whole.
        assert.equal(tests.entries('assistant_message').length, 3);
        assert.deepEqual(tests.errors, []);
      });

      it(`one condensing and one retry when the provider says that it is too long (${provider}, ${protocol})`, async () => {
        const tests = await bench.start(
          [
            counted(calling(protocol, 'Reading.', 'read_file', { path: 'a.txt' })),
            counted(calling(protocol, 'Reading on.', 'read_file', { path: 'b.txt' })),
            TOO_LONG,
            { text: SUMMARY },
            counted(calling(protocol, '', 'attempt_completion', { result: 'Done.' })),
          ],
          { profile: { provider, protocol } },
        );
        await tests.run('Look.');
        assert.deepEqual(kinds(tests), ['context_condensed', 'task_finished']);
        assert.equal(tests.entries('context_condensed')[0]?.by, 'overflow');
        assert.equal(tests.entries('task_finished')[0]?.reason, 'completed');
        assert.equal(bench.model.requests.length, 5);
        assert.match(said(bench.model.requests[3]!), /left out to save room/);
      });
    }

  it('does not go round in circles when it stays too long', async () => {
    const tests = await bench.start([
      counted(calling('xml', 'Reading.', 'read_file', { path: 'a.txt' })),
      TOO_LONG,
      { text: SUMMARY },
      TOO_LONG,
    ]);
    await tests.run('Look.');
    assert.deepEqual(
      tests.entries('task_finished').map(({ reason, error }) => [reason, error?.key]),
      [['failed', 'provider.tooLong']],
    );
    assert.equal(bench.model.requests.length, 4);
  });

  it('asks with less when the summary’s own request is too long, and shortens results when there is no summary', async () => {
    const tests = await bench.start([
      counted(calling('xml', 'Reading.', 'read_file', { path: 'a.txt' })),
      counted(calling('xml', 'Reading.', 'read_file', { path: 'b.txt' })),
      counted(calling('xml', 'Reading.', 'read_file', { path: 'c.txt' })),
      TOO_LONG,
      TOO_LONG,
      TOO_LONG,
      calling('xml', '', 'attempt_completion', { result: 'Done.' }),
    ]);
    await tests.run('Look.');
    assert.deepEqual(kinds(tests), ['results_trimmed', 'task_finished']);
    assert.equal(tests.entries('task_finished')[0]?.reason, 'completed');
    const wishes = bench.model.requests.filter(({ text }) => WISH.test(text)).map(({ raw }) => raw.length);
    assert.equal(wishes.length, 2);
    assert.ok(wishes[1]! < wishes[0]!);
  });

  it('sends nothing that cannot fit, and says what to do', async () => {
    const tests = await bench.start([], { profile: { provider: 'openai-compatible', contextWindow: 8000 } });
    await tests.run(`Look at this: ${'lorem ipsum '.repeat(8000)}`);
    const [finished] = tests.entries('task_finished');
    assert.deepEqual([finished?.reason, finished?.error?.key], ['failed', 'context.full']);
    assert.equal(bench.model.requests.length, 0);
  });

  describe('by hand', () => {
    async function begun(
      turns: Turn[],
      options: Partial<TestAgentOptions> = {},
    ): Promise<{ tests: TestAgent; taskId: string }> {
      const tests = await bench.start(
        [
          counted(calling('native', 'Reading.', 'read_file', { path: 'a.txt' })),
          counted(calling('native', '', 'attempt_completion', { result: 'Read.' })),
          ...turns,
        ],
        { profile: { provider: 'openai-compatible', protocol: 'native' }, ...options },
      );
      return { tests, taskId: await tests.run('Read a.txt and remember the colour blue.') };
    }

    it('puts a summary in the place of what was, keeps how the task stands, and counts what it cost', async () => {
      const { tests, taskId } = await begun([
        { text: `<think>hm</think><summary>${SUMMARY}</summary>`, usage: { input: 4000, output: 70 } },
        calling('native', '', 'attempt_completion', { result: 'Blue.' }),
      ]);
      const whole = bench.model.requests[1]!;
      await tests.agent.dispatcher.call('task/condense', { taskId, guidance: 'Keep the colour.' });
      await tests.until(() => tests.entries('context_condensed').length === 1, 'the summary');
      const [condensed] = tests.entries('context_condensed');
      assert.deepEqual([condensed?.by, condensed?.summary], ['person', SUMMARY.trim()]);
      assert.match(said(bench.model.requests[2]!), /<guidance>\\nKeep the colour\.\\n<\/guidance>/);
      // What the provider has in its cache stands before the wish.
      const [before, wish] = [whole, bench.model.requests[2]!].map(({ body }) => body.messages as unknown[]);
      assert.deepEqual(wish!.slice(0, before!.length), before);
      // Resolves when nothing of the task runs.
      await tests.agent.dispatcher.call('task/cancel', { taskId });
      const [summary] = await tests.agent.dispatcher.call('task/list', {});
      assert.equal(summary?.state, 'completed');
      assert.equal(tests.entries('task_finished').length, 1);
      assert.ok(summary.usage.inputTokens > 4000);

      await tests.agent.dispatcher.call('task/send', { taskId, text: 'Which colour?' });
      await tests.ended(2);
      const asked = said(bench.model.requests.at(-1)!);
      assert.match(asked, /remember the colour blue.*Task: look.*Which colour\?/s);
      assert.doesNotMatch(asked, /a a a a a/);
    });

    it('is refused where it would not shrink, and the task stays as it was', async () => {
      const { tests, taskId } = await begun([
        { text: 'Much ado. '.repeat(4000) },
        calling('native', '', 'attempt_completion', { result: 'Blue.' }),
      ]);
      await tests.agent.dispatcher.call('task/condense', { taskId });
      await tests.until(() => tests.entries('notice').length === 1, 'the notice');
      assert.equal(tests.entries('notice')[0]?.message.key, 'context.noShrink');
      await tests.agent.dispatcher.call('task/send', { taskId, text: 'Which colour?' });
      await tests.ended(2);
      assert.match(said(bench.model.requests.at(-1)!), /a a a a a/);
      assert.deepEqual(kinds(tests), ['task_finished', 'task_finished']);
    });

    for (const [what, reply, key] of [
      ['an error', { status: 401, error: 'no' }, 'context.failed'],
      ['no text', { calls: [{ name: 'list_files', arguments: { path: '.' } }] }, 'context.empty'],
      ['half a text', { text: SUMMARY, finish: 'length' }, 'context.cut'],
    ] as const)
      it(`leaves the task as it was on ${what}`, async () => {
        const { tests, taskId } = await begun([reply as Reply]);
        await tests.agent.dispatcher.call('task/condense', { taskId });
        await tests.until(() => tests.entries('notice').length === 1, 'the notice');
        assert.equal(tests.entries('notice')[0]?.message.key, key);
        assert.deepEqual(
          tests.results().map(({ tool }) => tool),
          ['read_file', 'attempt_completion'],
        );
        assert.deepEqual(kinds(tests), ['task_finished']);
      });

    it('can be stopped, and leaves the task as it was', async () => {
      const { tests, taskId } = await begun([{ text: SUMMARY, stallAfter: 3 }]);
      await tests.agent.dispatcher.call('task/condense', { taskId });
      await tests.until(() => bench.model.requests.length === 3, 'the request');
      await tests.agent.dispatcher.call('task/cancel', { taskId });
      assert.deepEqual(
        tests.entries('request_finished').map(({ stopReason }) => stopReason),
        ['tool_calls', 'tool_calls', 'aborted'],
      );
      assert.deepEqual(kinds(tests), ['task_finished']);
      assert.deepEqual(tests.entries('notice'), []);
    });

    it('has nothing to do twice', async () => {
      const { tests, taskId } = await begun([{ text: SUMMARY }]);
      await tests.agent.dispatcher.call('task/condense', { taskId });
      await tests.until(() => tests.entries('context_condensed').length === 1, 'the summary');
      await tests.until(() => tests.entries('request_finished').length === 3, 'its request');
      await tests.agent.dispatcher.call('task/condense', { taskId });
      await tests.until(() => tests.entries('notice').length === 1, 'the notice');
      assert.equal(tests.entries('notice')[0]?.message.key, 'context.nothing');
      assert.equal(bench.model.requests.length, 3);
    });

    it('in a running turn comes before its next request', async () => {
      let hold: (() => void) | undefined;
      const tests = await bench.start(
        [
          counted(calling('xml', 'Reading.', 'read_file', { path: 'a.txt' })),
          counted(
            calling('xml', 'Which?', 'ask_followup_question', {
              question: 'Which colour?',
              follow_up: '<suggest>blue</suggest>',
            }),
          ),
          { text: SUMMARY },
          calling('xml', '', 'attempt_completion', { result: 'Blue.' }),
        ],
        {
          answer: (request) => {
            if (request.reason !== 'question') return undefined;
            hold = () =>
              void tests.agent.dispatcher.call('approval/respond', {
                taskId: request.taskId,
                approvalId: request.id,
                decision: { outcome: 'allow', feedback: 'blue' },
              });
            return undefined;
          },
        },
      );
      const { taskId } = await tests.agent.dispatcher.call('task/create', { text: 'Go.' });
      await tests.until(() => hold !== undefined, 'the question');
      await tests.agent.dispatcher.call('task/condense', { taskId });
      assert.equal(bench.model.requests.length, 2);
      hold?.();
      await tests.ended(1);
      assert.deepEqual(kinds(tests), ['context_condensed', 'task_finished']);
      assert.match(said(bench.model.requests[3]!), /Task: look/);
    });
  });

  for (const protocol of ['xml', 'native'] as const)
    it(`the model’s own summary takes the place of what came before (${protocol})`, async () => {
      const tests = await bench.start(
        [
          counted(calling(protocol, 'Reading.', 'read_file', { path: 'a.txt' })),
          counted(calling(protocol, '', 'condense', { message: 'Too short.' })),
          counted(calling(protocol, '', 'condense', { message: SUMMARY })),
          counted(calling(protocol, '', 'attempt_completion', { result: 'Done.' })),
        ],
        { profile: { provider: 'openai-compatible', protocol } },
      );
      await tests.run('Read, then condense.');
      assert.deepEqual(
        tests.results().map(({ tool, outcome }) => [tool, outcome]),
        [
          ['read_file', 'done'],
          ['condense', 'failed'],
          ['condense', 'done'],
          ['attempt_completion', 'done'],
        ],
      );
      assert.match(tests.results()[1]!.text, /too few to go on from/);
      assert.equal(tests.entries('context_condensed')[0]?.by, 'model');
      const last = said(bench.model.requests.at(-1)!);
      assert.equal(last.split('Task: look at the files').length, 2);
      assert.doesNotMatch(last, /a a a a a|Too short/);
    });
});
