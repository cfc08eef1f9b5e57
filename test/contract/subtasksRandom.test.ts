import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SubtaskBench, type Script } from '../support/SubtaskBench.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';

/** A task as it is scripted: what it does in order, each a look or a subtask, and how it ends. */
interface Plan {
  steps: ('look' | Plan)[];
  end: 'completed' | 'answered' | 'failed' | 'refusal';
}

const DEEPEST = 4;

const plans = fc.letrec<{ plan: Plan; step: 'look' | Plan }>((tie) => ({
  plan: fc.record({
    steps: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'tasks' }),
    end: fc.constantFrom('completed', 'completed', 'answered', 'failed', 'refusal'),
  }),
  step: fc.oneof({ depthIdentifier: 'tasks', depthSize: 'small' }, fc.constant('look' as const), tie('plan')),
})).plan;

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });

/** Writes the plan's script, and says what its calls of new_task come to: outcome and how the words go on. */
function scripted(plan: Plan, name: string, depth: number, script: Script, expected: Expected): void {
  const replies: Reply[] = [];
  const results: [string, RegExp][] = [];
  plan.steps.forEach((step, index) => {
    const child = `${name}x${index}`;
    if (step === 'look') replies.push(call('list_files', { path: '.', recursive: String(index % 2 === 0) }));
    else replies.push(call('new_task', { mode: 'ask', message: `script:${child}` }));
    if (step === 'look') return;
    if (depth >= DEEPEST) {
      results.push(['failed', /may begin none/]);
      return;
    }
    scripted(step, child, depth + 1, script, expected);
    results.push(returned(step.end, child));
  });
  replies.push(ending(plan.end, name));
  script[name] = replies;
  expected.set(`script:${name}`, results);
}

type Expected = Map<string, [string, RegExp][]>;

function ending(end: Plan['end'], name: string): Reply {
  switch (end) {
    case 'completed':
      return call('attempt_completion', { result: `result of ${name}` });
    case 'answered':
      return { text: `result of ${name}` };
    case 'failed':
      return { status: 400, error: `trouble in ${name}` };
    case 'refusal':
      return { text: 'no', finish: 'content_filter' };
  }
}

function returned(end: Plan['end'], name: string): [string, RegExp] {
  switch (end) {
    case 'completed':
    case 'answered':
      return ['done', new RegExp(`^result of ${name}$`)];
    case 'failed':
      return ['failed', new RegExp(`trouble in ${name}`)];
    case 'refusal':
      return ['failed', /the model refused/];
  }
}

describe('stacks of subtasks', function () {
  this.timeout(240_000);

  it('random ones, broken off anywhere and gone on with from anywhere, return each result once to the call that waits', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat({ max: 60 }), fc.nat(), async (plan, brokenOffAt, from) => {
        const script: Script = {};
        const expected: Expected = new Map();
        scripted(plan, 'root', 0, script, expected);
        const bench = await SubtaskBench.start(script);
        try {
          // A failed request ends its turn with nobody there to ask; mistakes are not what is looked at here.
          const settings = { mistakeLimit: 50 };
          let agent = await bench.agent({ settings });
          await agent.agent.dispatcher.call('task/create', {
            text: 'script:root',
            taskId: 'root',
            mode: 'ask',
          });
          const over = (): boolean => agent.ends.includes('root');
          await agent.until(
            () => over() || agent.events.filter(({ kind }) => kind === 'entry').length > brokenOffAt,
            'the place to break off',
          );
          if (!over()) {
            await agent.stop();
            agent = await bench.agent({ settings });
            const open = (await bench.tasks(agent)).filter(({ state }) => state === 'interrupted');
            // Everything may have been written down just before.
            if (open.length > 0 && (await bench.entries('root', 'task_finished')).length === 0) {
              const taskId = open[from % open.length]?.id ?? 'root';
              if (open.some(({ id }) => id === 'root'))
                await agent.agent.dispatcher.call('task/resume', { taskId });
              await agent.until(over, `the end, gone on with from ${taskId}`);
            }
          }
          for (const { id, title } of await bench.tasks(agent)) {
            const results = await bench.results(id);
            const wanted = expected.get(title) ?? [];
            assert.deepEqual(
              results.map(([outcome]) => outcome),
              wanted.map(([outcome]) => outcome),
              title,
            );
            wanted.forEach(([, words], index) => assert.match(results[index]?.[1] ?? '', words));
            expected.delete(title);
          }
          assert.deepEqual([...expected.keys()], [], 'every task was begun, and none twice');
        } finally {
          await bench.stop();
        }
      }),
      { numRuns: 20 },
    );
  });
});
