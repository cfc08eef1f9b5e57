import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Fact, TaskDelta, TaskEvent } from '../../src/shared/events.ts';
import type { AssistantMessageContent, ToolView } from '../../src/shared/tools.ts';
import { emptyView, foldAll, withRunning } from '../../src/shared/view.ts';
import type { TaskView, ToolItem } from '../../src/shared/viewItems.ts';

const model = {
  profile: 'p',
  provider: 'openai',
  model: 'm',
  protocol: 'native',
  contextWindow: 1000,
} as const;
const usage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const editView: ToolView = { kind: 'edit', subject: 'a.ts', locations: [{ path: 'a.ts' }] };

/** Facts and deltas in the order they happen; facts get their numbers. */
function events(script: readonly (Fact | { delta: TaskDelta })[]): TaskEvent[] {
  let seq = 0;
  return script.map((step) =>
    'delta' in step
      ? { kind: 'delta', delta: step.delta }
      : { kind: 'entry', entry: { seq: ++seq, at: 1000 + seq, ...step } },
  );
}

const started: Fact = { type: 'task_started', version: 1, taskId: 't', cwd: '/w', mode: 'code', model };
const asked: Fact = { type: 'user_message', text: 'Fix it\nplease' };
const requestStarted = (requestId: string): Fact => ({
  type: 'request_started',
  requestId,
  model,
  hash: 'h',
});
const requestFinished = (requestId: string): Fact => ({
  type: 'request_finished',
  requestId,
  stopReason: 'tool_calls',
  usage,
  durationMs: 7,
});
const call = (id: string, name = 'write_to_file'): AssistantMessageContent => ({
  type: 'tool_use',
  id,
  name,
  origin: 'native',
  params: { path: 'a.ts' },
  partial: false,
});
const toolStarted = (callId: string): Fact => ({
  type: 'tool_started',
  callId,
  tool: 'write_to_file',
  view: editView,
});
const toolFinished = (callId: string, outcome: 'done' | 'failed' | 'rejected' = 'done'): Fact => ({
  type: 'tool_finished',
  callId,
  tool: 'write_to_file',
  outcome,
  view: editView,
  content: [{ type: 'text', text: 'ok' }],
  durationMs: 3,
});
const approval = (id: string, callId: string): Fact => ({
  type: 'approval_requested',
  request: {
    id,
    taskId: 't',
    reason: 'tool',
    callId,
    tool: 'write_to_file',
    actions: [],
    why: [],
    dangerous: false,
    options: [],
    review: false,
  },
});

function stateOfCall(view: TaskView, callId: string): ToolItem['state'] | undefined {
  return view.items.find((item): item is ToolItem => item.type === 'tool' && item.callId === callId)?.state;
}

describe('the view of a task', () => {
  it('builds a turn from its first delta to its completion', () => {
    const steps = events([
      started,
      asked,
      requestStarted('r'),
      { delta: { type: 'reasoning', requestId: 'r', text: 'Hm' } },
      { delta: { type: 'block', requestId: 'r', delta: { type: 'text', block: 0, text: 'I wri' } } },
      {
        delta: {
          type: 'block',
          requestId: 'r',
          delta: { type: 'tool_started', block: 1, id: 'c', name: 'write_to_file', origin: 'native' },
        },
      },
      {
        delta: {
          type: 'block',
          requestId: 'r',
          delta: { type: 'param', block: 1, name: 'path', text: 'a.' },
        },
      },
    ]);
    const streaming = foldAll(emptyView(), steps);
    assert.equal(streaming.title, 'Fix it');
    assert.equal(streaming.state, 'running');
    assert.deepEqual(
      streaming.items.map(({ type, key }) => [type, key]),
      [
        ['user', 'entry:2'],
        ['reasoning', 'r:reasoning'],
        ['text', 'r:0'],
        ['tool', 'r:1'],
      ],
    );
    assert.equal(stateOfCall(streaming, 'c'), 'streaming');

    const more = events([
      started,
      asked,
      requestStarted('r'),
      requestFinished('r'),
      {
        type: 'assistant_message',
        requestId: 'r',
        content: [{ type: 'text', text: 'I write.', partial: false }, call('c')],
        reasoning: { text: 'Hmm', durationMs: 1500, parts: [] },
      },
      approval('a', 'c'),
      {
        type: 'approval_resolved',
        approvalId: 'a',
        decision: { outcome: 'allow', feedback: 'nice', by: 'person' },
      },
      toolStarted('c'),
      toolFinished('c'),
      { type: 'task_finished', reason: 'completed', result: 'Done.' },
    ]);
    const waiting = foldAll(streaming, more.slice(0, 6));
    assert.deepEqual(
      { state: waiting.state, call: stateOfCall(waiting, 'c'), pending: waiting.pending.map(({ id }) => id) },
      { state: 'waiting', call: 'waiting', pending: ['a'] },
    );
    const running = foldAll(waiting, more.slice(6, 8));
    assert.equal(stateOfCall(running, 'c'), 'running');
    const done = foldAll(running, more.slice(8));
    assert.deepEqual(done.items.slice(1), [
      { type: 'reasoning', key: 'r:reasoning', text: 'Hmm', streaming: false, durationMs: 1500 },
      { type: 'text', key: 'r:0', text: 'I write.', streaming: false },
      {
        type: 'tool',
        key: 'r:1',
        callId: 'c',
        tool: 'write_to_file',
        origin: 'native',
        params: { path: 'a.ts' },
        view: editView,
        state: 'done',
        startedAt: 1008,
        durationMs: 3,
        result: [{ type: 'text', text: 'ok' }],
        feedback: 'nice',
        output: '',
      },
      { type: 'completion', key: 'entry:10', result: 'Done.' },
    ]);
    assert.deepEqual(
      [done.state, done.contextTokens, done.contextWindow, done.usage.inputTokens, done.lastSeq],
      ['completed', 15, 1000, 10, 10],
    );
  });

  it('keeps the identity of what did not change, and of the view when nothing changed', () => {
    const base = foldAll(emptyView(), events([started, asked, requestStarted('r')]));
    const next = foldAll(base, [
      {
        kind: 'delta',
        delta: { type: 'block', requestId: 'r', delta: { type: 'text', block: 0, text: 'x' } },
      },
    ]);
    assert.equal(next.items[0], base.items[0]);
    assert.equal(next.todos, base.todos);
    assert.equal(
      foldAll(next, [{ kind: 'delta', delta: { type: 'tool_output', callId: 'none', text: 'x' } }]),
      next,
    );
    assert.equal(foldAll(next, events([started, asked])), next);
  });

  it('keeps a call open whose subtask has not come to its end, over a question, an interruption and its going on', () => {
    const view: ToolView = { kind: 'think', subject: 'Look', locations: [] };
    const script: Fact[] = [
      started,
      asked,
      requestStarted('r1'),
      requestFinished('r1'),
      { type: 'assistant_message', requestId: 'r1', content: [call('c1', 'new_task')] },
      { type: 'tool_started', callId: 'c1', tool: 'new_task', view },
      { type: 'subtask_started', callId: 'c1', taskId: 'below', mode: 'ask', message: 'Look' },
    ];
    const going: Fact = { type: 'tool_started', callId: 'c1', tool: 'new_task', view };
    const shown = (folded: TaskView): unknown[] => {
      const item = folded.items.at(-1);
      return item?.type === 'tool'
        ? [folded.state, item.state, item.subtask?.taskId, [...folded.openCalls.keys()]]
        : [];
    };
    const begun = foldAll(emptyView(), events(script));
    assert.deepEqual(shown(begun), ['running', 'running', 'below', ['c1']]);
    assert.deepEqual(shown(withRunning(begun, false)), ['interrupted', 'queued', 'below', ['c1']]);
    const question: Fact = { type: 'task_finished', reason: 'question', result: 'Which?' };
    const waits = foldAll(emptyView(), events([...script, question]));
    assert.deepEqual(shown(waits), ['question', 'queued', 'below', ['c1']]);
    const goneOn = foldAll(emptyView(), events([...script, question, going]));
    assert.deepEqual(shown(goneOn), ['running', 'running', 'below', ['c1']]);
    const finished: Fact = {
      type: 'tool_finished',
      callId: 'c1',
      tool: 'new_task',
      outcome: 'done',
      view,
      content: [],
      durationMs: 1,
    };
    const done = foldAll(emptyView(), events([...script, question, going, finished]));
    assert.deepEqual(shown(done), ['running', 'done', 'below', []]);
  });

  it('shows a call whose process died as unknown, and the task as interrupted', () => {
    const view = foldAll(
      emptyView(),
      events([
        started,
        asked,
        requestStarted('r'),
        requestFinished('r'),
        { type: 'assistant_message', requestId: 'r', content: [call('c'), call('d')] },
        toolStarted('c'),
      ]),
    );
    const gone = withRunning(view, false);
    assert.deepEqual(
      [gone.state, stateOfCall(gone, 'c'), stateOfCall(gone, 'd')],
      ['interrupted', 'unknown', 'queued'],
    );
    assert.equal(withRunning(view, true), view);
    assert.equal(withRunning(emptyView(), false).state, 'idle');
  });

  it('ignores what it does not know and what comes late', () => {
    const view = foldAll(emptyView(), events([started, asked]));
    const future = { kind: 'entry', entry: { seq: 3, at: 1, type: 'from_the_future', extra: {} } };
    const next = foldAll(view, [future as unknown as TaskEvent]);
    assert.deepEqual(next, { ...view, lastSeq: 3 });
    const late: TaskEvent = {
      kind: 'delta',
      delta: { type: 'block', requestId: 'old', delta: { type: 'text', block: 0, text: 'late' } },
    };
    assert.equal(foldAll(next, [late]), next);
  });

  it('keeps previews after what happens beside them', () => {
    const view = foldAll(
      emptyView(),
      events([
        started,
        asked,
        requestStarted('r'),
        { delta: { type: 'block', requestId: 'r', delta: { type: 'text', block: 0, text: 'x' } } },
        { type: 'mode_changed', mode: 'ask', by: 'person' },
      ]),
    );
    assert.deepEqual(
      view.items.map(({ type }) => type),
      ['user', 'mode', 'text'],
    );
  });

  it('tells a turn that could not even be written down', () => {
    const base = foldAll(emptyView(), events([started, asked]));
    const error = { key: 'error.journal' };
    const failed = foldAll(base, [
      { kind: 'delta', delta: { type: 'turn_failed', error, unsent: ['more'] } },
    ]);
    assert.deepEqual([failed.state, failed.failure], ['failed', { error, unsent: ['more'] }]);
    assert.equal(foldAll(failed, events([started, asked, asked])).failure, undefined);
  });

  it('is the same whatever deltas are lost and however the events are batched', () => {
    fc.assert(
      fc.property(
        script(),
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 7 }),
        (all, keep, size) => {
          const kept = all.filter((event) => event.kind === 'entry' || keep.next().value);
          let view = emptyView();
          for (let index = 0; index < kept.length; index += size)
            view = foldAll(view, kept.slice(index, index + size));
          const entries = all.filter((event) => event.kind === 'entry');
          assert.deepEqual(view, foldAll(emptyView(), entries));
        },
      ),
    );
  });

  it('a summary that is written shows as work, changes no state, and leaves what it saved', () => {
    const wish: Fact = { type: 'request_started', requestId: 's', model, hash: 'h', purpose: 'condense' };
    const before = events([
      started,
      asked,
      requestStarted('r'),
      { ...requestFinished('r'), usage: { ...usage, inputTokens: 900 } } as Fact,
      { type: 'task_finished', reason: 'answered' },
      wish,
    ]);
    const writing = foldAll(emptyView(), before);
    assert.deepEqual(
      [writing.state, writing.openRequest, writing.condensing?.requestId, writing.contextTokens],
      ['answered', undefined, 's', 905],
    );
    assert.equal(withRunning(writing, false).condensing, undefined);
    const after = foldAll(
      writing,
      events([
        ...before.map(() => asked),
        requestFinished('s'),
        {
          type: 'context_condensed',
          summary: 'What was.',
          through: 5,
          by: 'person',
          tokensBefore: 905,
          tokensAfter: 300,
        },
        { type: 'results_trimmed', through: 5, tokensBefore: 300, tokensAfter: 200 },
      ]).slice(before.length),
    );
    assert.deepEqual(
      [after.state, after.condensing, after.contextTokens, after.usage.inputTokens],
      ['answered', undefined, 200, 910],
    );
    assert.deepEqual(
      after.items.slice(-2).map(({ key: _key, ...item }) => item),
      [
        { type: 'condensed', summary: 'What was.', tokens: { before: 905, after: 300 } },
        { type: 'trimmed', tokens: { before: 300, after: 200 } },
      ],
    );
  });

  it('takes 20,000 events in time proportional to their number', () => {
    const script: (Fact | { delta: TaskDelta })[] = [started];
    for (let index = 0; index < 4000; index++)
      script.push(
        { type: 'user_message', text: `m${index}` },
        requestStarted(`r${index}`),
        requestFinished(`r${index}`),
        { type: 'assistant_message', requestId: `r${index}`, content: [call(`c${index}`)] },
        toolFinished(`c${index}`),
      );
    const view = foldAll(emptyView(), events(script));
    assert.equal(view.items.length, 8000);
    assert.equal(view.openCalls.size, 0);
  });
});

/** A whole task with previews: turns of requests, each with text, reasoning and calls of every outcome. */
function script(): fc.Arbitrary<TaskEvent[]> {
  const request = fc.record({
    reasoning: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    blocks: fc.array(fc.record({ tool: fc.boolean(), text: fc.string({ minLength: 1 }) }), { maxLength: 4 }),
    approved: fc.constantFrom('none', 'allow', 'reject', 'cancelled'),
    outcome: fc.constantFrom('done', 'failed', 'rejected'),
    modeChange: fc.boolean(),
    fails: fc.boolean(),
  });
  return fc.array(request, { minLength: 1, maxLength: 4 }).map((requests) => {
    const steps: (Fact | { delta: TaskDelta })[] = [started, asked];
    requests.forEach(({ reasoning, blocks, approved, outcome, modeChange, fails }, number) => {
      const requestId = `r${number}`;
      steps.push(requestStarted(requestId));
      if (reasoning !== undefined) steps.push({ delta: { type: 'reasoning', requestId, text: reasoning } });
      blocks.forEach(({ tool, text }, block) => {
        const id = `${requestId}c${block}`;
        const deltas: TaskDelta[] = tool
          ? [
              {
                type: 'block',
                requestId,
                delta: { type: 'tool_started', block, id, name: 'write_to_file', origin: 'native' },
              },
              { type: 'block', requestId, delta: { type: 'param', block, name: 'path', text } },
              { type: 'tool_view', requestId, block, view: editView },
              { type: 'block', requestId, delta: { type: 'tool_ended', block } },
            ]
          : [{ type: 'block', requestId, delta: { type: 'text', block, text } }];
        steps.push(...deltas.map((delta) => ({ delta })));
        if (modeChange && block === 0) steps.push({ type: 'mode_changed', mode: 'ask', by: 'person' });
      });
      if (fails) {
        const error = { message: { key: 'error.internal' }, retryable: true };
        steps.push({ delta: { type: 'request_status', requestId, error, attempt: 1, retryAt: 5 } });
        steps.push({ type: 'request_finished', requestId, stopReason: 'error', error, durationMs: 1 });
        return;
      }
      steps.push(requestFinished(requestId), {
        type: 'assistant_message',
        requestId,
        content: blocks.map(({ tool, text }, block) =>
          tool ? call(`${requestId}c${block}`) : { type: 'text', text, partial: false },
        ),
        ...(reasoning === undefined ? {} : { reasoning: { text: reasoning, durationMs: 1, parts: [] } }),
      });
      blocks.forEach(({ tool }, block) => {
        if (!tool) return;
        const id = `${requestId}c${block}`;
        if (approved !== 'none')
          steps.push(approval(`a${id}`, id), {
            type: 'approval_resolved',
            approvalId: `a${id}`,
            decision: { outcome: approved, by: 'person' },
          });
        if (outcome !== 'rejected')
          steps.push(toolStarted(id), { delta: { type: 'tool_output', callId: id, text: 'out' } });
        steps.push(toolFinished(id, outcome));
      });
    });
    steps.push({ type: 'task_finished', reason: 'answered' });
    return events(steps);
  });
}
