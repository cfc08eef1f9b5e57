import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecorded } from '../../src/core/replay/readRecorded.ts';
import type { ReplayedStep } from '../../src/core/replay/ReplayedStep.ts';
import { replayTask } from '../../src/core/replay/replayTask.ts';
import { journalLine } from '../../src/core/task/TaskJournal.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { ScriptedModel, xmlCall, type Reply, type Turn } from '../support/ScriptedModel.ts';
import { SubtaskBench } from '../support/SubtaskBench.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

type Protocol = 'xml' | 'native';
type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { type: T }>;

const DIFF = '<<<<<<< SEARCH\n  return a - b;\n=======\n  return a + b;\n>>>>>>> REPLACE';
const SOURCE = 'export function sum(a, b) {\n  return a - b;\n}\n';

function calling(protocol: Protocol, text: string, name: string, params: Record<string, string>): Reply {
  return protocol === 'xml'
    ? { text: `${text}\n${xmlCall(name, params)}` }
    : { text, calls: [{ name, arguments: params }] };
}

/** A task with all that can happen to a call: done, refused by a person, wrong parameters, cut off, sent again. */
function eventful(protocol: Protocol, provider = 'openai-compatible'): Turn[] {
  const cut = calling(protocol, 'Once more.', 'read_file', { path: 'sum.js' });
  return [
    { status: 503, error: 'busy' },
    { ...calling(protocol, 'I look first.', 'read_file', { path: 'sum.js' }), reasoning: 'A sum…' },
    calling(protocol, 'A minus.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
    calling(protocol, 'Then by hand.', 'execute_command', { command: 'echo "a < b" && exit 3' }),
    calling(protocol, 'Without its words.', 'search_files', { path: '.' }),
    // Anthropic's stream begins with events of its own.
    { ...cut, unfinished: true, cutAfter: provider === 'anthropic' ? 9 : 6, chunk: 5 },
    { text: 'No call at all.' },
    calling(protocol, '', 'attempt_completion', { result: 'sum\nadds <now>.' }),
  ];
}

describe('replaying a task', () => {
  let cwd: string;
  let model: ScriptedModel | undefined;
  const agents: TestAgent[] = [];

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-replay-'));
    writeFileSync(join(cwd, 'sum.js'), SOURCE);
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.stop();
    await model?.stop();
    model = undefined;
    rmSync(cwd, { recursive: true, force: true });
  });

  async function agentFor(turns: Turn[], options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    model ??= await ScriptedModel.start(turns);
    const agent = await TestAgent.start({
      cwd,
      retryLimit: 1,
      // The edit is refused, what else asks is allowed.
      answer: (request) =>
        request.reason === 'tool' && request.tool === 'apply_diff'
          ? { outcome: 'reject', feedback: 'by hand, please' }
          : { outcome: 'allow' },
      ...options,
      profile: { provider: 'openai-compatible', ...options.profile, baseUrl: model.url },
    });
    agents.push(agent);
    return agent;
  }

  const journalOf = (agent: TestAgent, taskId: string): string =>
    join(agent.home, 'tasks', taskId, 'journal.jsonl');

  function recorded(agent: TestAgent, taskId: string): JournalEntry[] {
    const path = journalOf(agent, taskId);
    const [task] = readRecorded(readFileSync(path), path);
    assert.equal(task?.damaged, 0);
    return task.entries;
  }

  /** Part, verdict, and of calls their tool, one a step. */
  const told = ({ part, verdict, of }: ReplayedStep): string =>
    part === 'call' ? `${part} ${verdict}: ${of ?? ''}` : `${part} ${verdict}`;
  const steps = async (entries: readonly JournalEntry[]): Promise<string[]> =>
    (await replayTask(entries)).steps.map(told);
  /** What is not the same, with the entry that holds it. */
  const others = async (entries: readonly JournalEntry[]): Promise<string[]> =>
    (await replayTask(entries)).steps
      .filter(({ verdict }) => verdict !== 'same')
      .map((step) => `${entries.find(({ seq }) => seq === step.seq)?.type ?? ''}: ${told(step)}`);

  for (const provider of ['openai-compatible', 'anthropic'] as const)
    for (const protocol of ['xml', 'native'] as const)
      it(`is the same where nothing was changed (${provider}, ${protocol})`, async () => {
        const agent = await agentFor(eventful(protocol, provider), { profile: { provider, protocol } });
        const taskId = await agent.run('Mend @/sum.js', 'code');
        const entries = recorded(agent, taskId);
        assert.deepEqual(
          agent.results().map(({ tool, outcome }) => `${tool} ${outcome}`),
          [
            'read_file done',
            'apply_diff rejected',
            'execute_command done',
            'search_files failed',
            'read_file cut_off',
            'attempt_completion done',
          ],
        );
        const step = (tool: string): string[] => ['request same', 'answer same', `call same: ${tool}`];
        assert.deepEqual(await steps(entries), [
          ...['read_file', 'apply_diff', 'execute_command', 'search_files', 'read_file'].flatMap(step),
          ...['request same', 'answer same'],
          ...step('attempt_completion'),
          ...['end same', 'view same'],
        ]);
      });

  for (const protocol of ['xml', 'native'] as const) {
    it(`is the same behind a summary and for the request for it (${protocol})`, async () => {
      const summary = `Task: look. Known: sum.js is read. ${'Nothing more is known. '.repeat(12)}`;
      writeFileSync(join(cwd, 'sum.js'), `${SOURCE}// ${'a '.repeat(30)}\n`.repeat(200));
      const thought = 'I think about it at length. '.repeat(800);
      const counted =
        (reply: Reply): Turn =>
        (request) => ({
          ...reply,
          usage: { input: Math.round(request.raw.length * 0.28), output: 10 },
        });
      const agent = await agentFor(
        [
          counted(calling(protocol, thought, 'list_files', { path: '.' })),
          counted(calling(protocol, thought, 'read_file', { path: 'sum.js' })),
          { text: summary, usage: { input: 9000, output: 100 } },
          counted(calling(protocol, '', 'attempt_completion', { result: 'Done.' })),
        ],
        {
          profile: { provider: 'openai-compatible', protocol, contextWindow: 20_000 },
          settings: { readContextShare: 1 },
        },
      );
      const entries = recorded(agent, await agent.run('Look at everything.'));
      assert.equal(entries.filter(({ type }) => type === 'context_condensed').length, 1);
      assert.deepEqual(await others(entries), []);
      assert.equal((await steps(entries)).filter((step) => step === 'request same').length, 4);
    });

    it(`is the same for a task and its subtask, exported and read on another machine (${protocol})`, async () => {
      const give = { mode: 'ask', message: 'Look (script:child)' };
      const bench = await SubtaskBench.start(
        {
          parent: [
            calling(protocol, 'I give it out.', 'new_task', give),
            calling(protocol, '', 'attempt_completion', { result: 'There is one.' }),
          ],
          child: [
            calling(protocol, 'I look.', 'list_files', { path: '.' }),
            calling(protocol, '', 'attempt_completion', { result: 'One file.' }),
          ],
        },
        protocol,
      );
      let text = '';
      try {
        const agent = await bench.agent();
        const { taskId } = await agent.agent.dispatcher.call('task/create', { text: 'script:parent' });
        await agent.ended(2);
        ({ text } = await agent.agent.dispatcher.call('task/export', { taskId, format: 'json' }));
      } finally {
        await bench.stop();
      }
      const tasks = readRecorded(Buffer.from(text), 'parent.json');
      assert.equal(tasks.length, 2);
      for (const { entries } of tasks) assert.deepEqual(await others(entries), []);
    });

    it(`is the same where a process ended in the middle and another went on (${protocol})`, async () => {
      const turns = [
        calling(protocol, 'I run it.', 'execute_command', { command: 'echo started; sleep 30' }),
        calling(protocol, 'I mend it.', 'write_to_file', { path: 'b.txt', content: 'b\n' }),
        calling(protocol, '', 'attempt_completion', { result: 'Went on.' }),
      ];
      const home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
      try {
        const profile = { provider: 'openai-compatible' as const, protocol };
        const first = await agentFor(turns, { home, profile });
        const { taskId } = await first.agent.dispatcher.call('task/create', { text: 'Run it' });
        await first.until(
          () => first.events.some((event) => event.kind === 'delta' && event.delta.type === 'tool_output'),
          'output',
        );
        await first.agent.dispose();
        const second = await agentFor(turns, { home, profile });
        await second.agent.dispatcher.call('task/resume', { taskId });
        await second.ended(1);
        const entries = recorded(second, taskId);
        assert.deepEqual(
          entries.flatMap((entry) => (entry.type === 'tool_finished' ? [entry.outcome] : [])),
          ['unknown', 'done', 'done'],
        );
        assert.deepEqual(await others(entries), []);
      } finally {
        for (const agent of agents.splice(0)) await agent.stop();
        rmSync(home, { recursive: true, force: true });
      }
    });

    it(`is the same for a task that was stopped, and branched at a message (${protocol})`, async () => {
      const agent = await agentFor(
        [
          calling(protocol, 'I run it.', 'execute_command', { command: 'echo started; sleep 30' }),
          calling(protocol, '', 'attempt_completion', { result: 'One.' }),
          calling(protocol, '', 'attempt_completion', { result: 'Another.' }),
        ],
        { profile: { provider: 'openai-compatible', protocol } },
      );
      const { dispatcher } = agent.agent;
      const { taskId } = await dispatcher.call('task/create', { text: 'Run it' });
      await agent.until(
        () => agent.events.some((event) => event.kind === 'delta' && event.delta.type === 'tool_output'),
        'output',
      );
      await dispatcher.call('task/cancel', { taskId });
      await dispatcher.call('task/send', { taskId, text: 'Leave that.' });
      await agent.ended(2);
      const entries = recorded(agent, taskId);
      assert.deepEqual(await others(entries), []);
      const words = entries.findLast((entry) => entry.type === 'user_message' && entry.automatic !== true);
      const seq = words?.seq ?? 0;
      const branch = await dispatcher.call('task/branch', { taskId, seq, text: 'Do this instead.' });
      await agent.ended(3);
      assert.deepEqual(await others(recorded(agent, branch.taskId)), []);
    });
  }

  it('tells what was changed at the step where it counts', async () => {
    const agent = await agentFor(eventful('xml'));
    const entries = recorded(agent, await agent.run('Mend sum', 'code'));
    const text = JSON.stringify(entries);
    const changed = <T extends JournalEntry['type']>(
      type: T,
      which: number,
      change: (entry: EntryOf<T>) => void,
    ): JournalEntry[] => {
      const copy = JSON.parse(text) as JournalEntry[];
      const found = copy.filter((entry): entry is EntryOf<T> => entry.type === type)[which];
      assert.ok(found);
      change(found);
      return copy;
    };
    const first = async (copy: readonly JournalEntry[]): Promise<unknown> => {
      const differs = (await replayTask(copy)).steps.filter(({ verdict }) => verdict === 'differs');
      const [step] = differs;
      const at = copy.filter(({ seq }) => seq < (step?.seq ?? 0));
      const before = (type: JournalEntry['type']): number => at.filter((entry) => entry.type === type).length;
      return { ...step, requests: before('request_started') };
    };
    const starts = entries.flatMap((entry) => (entry.type === 'request_started' ? [entry] : []));
    const hashes = starts.map(({ hash }) => hash);
    const withoutReplayed = async (copy: readonly JournalEntry[]): Promise<unknown> => {
      const { replayed, ...step } = (await first(copy)) as { replayed?: string };
      assert.ok(replayed !== undefined);
      return step;
    };

    // The person's words: every request holds them, from the first on.
    assert.deepEqual(
      await withoutReplayed(changed('user_message', 0, (entry) => (entry.text = 'Mend the sum'))),
      {
        ...{ seq: starts[0]?.seq, part: 'request', verdict: 'differs', requests: 0 },
        ...{ of: `#1–#${(starts[0]?.seq ?? 0) - 1}`, recorded: hashes[0] },
      },
    );
    // A result: the request behind it.
    assert.deepEqual(
      await withoutReplayed(
        changed('tool_finished', 1, (entry) => (entry.content = [{ type: 'text', text: 'Fine.' }])),
      ),
      {
        ...{ seq: starts[2]?.seq, part: 'request', verdict: 'differs', requests: 2 },
        ...{ of: `#${(starts[1]?.seq ?? 0) + 1}–#${(starts[2]?.seq ?? 0) - 1}`, recorded: hashes[2] },
      },
    );
    // What was asked of the model beside its messages.
    const [otherHead] = (
      await replayTask(
        changed('request_started', 0, (entry) => (entry.head = { ...entry.head, system: 'Be kind.' })),
      )
    ).steps.filter(({ verdict }) => verdict === 'differs');
    assert.deepEqual([otherHead?.part, otherHead?.seq], ['request', starts[0]?.seq]);
    // A parameter of a call: the answer that it was read from.
    const answers = entries.flatMap((entry) => (entry.type === 'assistant_message' ? [entry] : []));
    const other = (await first(
      changed('assistant_message', 1, ({ content }) => {
        const call = content.find((block) => block.type === 'tool_use');
        if (call?.type === 'tool_use') call.params.path = 'other.js';
      }),
    )) as ReplayedStep;
    assert.deepEqual([other.seq, other.part, other.of], [answers[1]?.seq, 'answer', 'apply_diff']);
    assert.match(other.recorded ?? '', /other\.js/);
    assert.match(other.replayed ?? '', /"path":"sum\.js"/);
    // An outcome: the call.
    const results = entries.flatMap((entry) => (entry.type === 'tool_finished' ? [entry] : []));
    for (const [which, outcome, replayed] of [
      [0, 'skipped', 'runs'],
      [1, 'done', 'not started'],
      [3, 'done', 'failed'],
      [4, 'done', 'cut_off'],
    ] as const) {
      const copy = changed('tool_finished', which, (entry) => (entry.outcome = outcome));
      const { seq, tool: of } = results[which]!;
      const { requests: _requests, ...step } = (await first(copy)) as { requests: number };
      assert.deepEqual(step, { seq, part: 'call', verdict: 'differs', of, recorded: outcome, replayed });
    }
    // The end's words.
    assert.deepEqual(
      await others(changed('task_finished', 0, (entry) => (entry.result = 'sum subtracts.'))),
      ['task_finished: end differs'],
    );
    // An entry that is gone.
    const gone = entries.filter(({ seq }) => seq !== results[2]?.seq);
    assert.deepEqual((await others(gone))[0], `${entries[results[2]!.seq]?.type ?? ''}: journal differs`);
  });

  it('passes over what a killed process left, and counts lines that were changed', async () => {
    const agent = await agentFor(eventful('native'), {
      profile: { provider: 'openai-compatible', protocol: 'native' },
    });
    const entries = recorded(agent, await agent.run('Mend sum', 'code'));
    const header = '{"format":"lathe-journal","version":1}\n';
    const lines = entries.map(journalLine);
    const torn = readRecorded(Buffer.from(header + lines.slice(0, -1).join('') + '{"crc'), 'torn');
    assert.deepEqual(
      torn.map(({ entries: read, damaged }) => [read.length, damaged]),
      [[entries.length - 1, 0]],
    );
    const changed = lines.with(2, lines[2]!.replace('"seq"', '"Seq"'));
    const [damaged] = readRecorded(Buffer.from(header + changed.join('')), 'changed');
    assert.equal(damaged?.damaged, 1);
    assert.equal((await others(damaged.entries))[0], `${entries[3]?.type ?? ''}: journal differs`);
    for (const text of ['', '{}', '# a task', '{"format":"lathe-task","version":2,"entries":[]}'])
      assert.throws(() => readRecorded(Buffer.from(text), 'x.json'), { name: 'ProtocolError' });
  });

  it('compares what an older journal keeps, and says of the rest that it does not', async () => {
    const agent = await agentFor(eventful('xml'));
    const taskId = await agent.run('Mend sum', 'code');
    const old = recorded(agent, taskId).map((entry): JournalEntry => {
      if (entry.type === 'request_started') {
        const { head: _head, offered: _offered, ...kept } = entry;
        return kept;
      }
      if (entry.type !== 'assistant_message') return entry;
      const { answer: _answer, ...kept } = entry;
      return kept;
    });
    const verdicts = new Set((await steps(old)).map((step) => step.split(':')[0]));
    // An answer without calls is its text.
    assert.deepEqual([...verdicts].sort(), [
      ...['answer same', 'answer unknown', 'call same', 'end same', 'request unknown', 'view same'],
    ]);
  });

  it('writes nothing', async () => {
    const agent = await agentFor(eventful('xml'));
    const taskId = await agent.run('Mend sum', 'code');
    const state = (): unknown =>
      readdirSync(agent.home, { recursive: true, encoding: 'utf8' }).map((name) => {
        const { size, mtimeMs } = statSync(join(agent.home, name));
        return [name, size, mtimeMs];
      });
    await agent.agent.dispose();
    const before = state();
    await steps(recorded(agent, taskId));
    assert.deepEqual(state(), before);
  });
});
