import assert from 'node:assert/strict';
import { Waiting } from '../../src/frontends/vscode/Waiting.ts';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { Fact, TaskEvent } from '../../src/shared/events.ts';

describe('what waits for the person', () => {
  let counts: number[];
  let waiting: Waiting;
  let seq = 0;

  beforeEach(() => {
    counts = [];
    waiting = new Waiting(
      () => 'en',
      (count) => counts.push(count),
    );
  });
  afterEach(() => waiting.dispose());

  const tell = (taskId: string, ...facts: Fact[]): void => {
    const events = facts.map((fact): TaskEvent => ({ kind: 'entry', entry: { seq: ++seq, at: 0, ...fact } }));
    waiting.hear('task/events', { taskId, events });
  };
  const asks = (taskId: string, id: string): Fact => {
    const request: ApprovalRequest = { id, taskId, reason: 'mistake_limit', count: 3 };
    return { type: 'approval_requested', request };
  };
  const answered = (approvalId: string): Fact => ({
    type: 'approval_resolved',
    approvalId,
    decision: { outcome: 'allow', by: 'person' },
  });

  it('is counted over all tasks, and not any more when it was answered or its turn has ended', () => {
    tell('a', asks('a', '1'));
    tell('b', asks('b', '2'), asks('b', '3'));
    tell('a', answered('1'));
    tell('a', answered('1'));
    tell('b', { type: 'task_finished', reason: 'cancelled' });
    assert.deepEqual(counts, [1, 3, 2, 0]);
  });

  it('is over with a turn that could not go on', () => {
    tell('a', asks('a', '1'));
    const delta = { type: 'turn_failed', error: { key: 'error.taskRunning' }, unsent: [] } as const;
    waiting.hear('task/events', {
      taskId: 'a',
      events: [{ kind: 'delta', delta: { ...delta, unsent: [] } }],
    });
    assert.deepEqual(counts, [1, 0]);
  });

  it('is not counted where another window runs the task', () => {
    tell('a', asks('a', '1'));
    waiting.hear('task/elsewhere', { taskId: 'a', writer: { pid: 1, host: 'here' } });
    tell('a', asks('a', '2'));
    assert.deepEqual(counts, [1, 0]);
    waiting.hear('task/elsewhere', { taskId: 'a' });
    tell('a', asks('a', '3'));
    assert.equal(counts.at(-1), 1);
  });
});
