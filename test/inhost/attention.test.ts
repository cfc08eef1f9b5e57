import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Attention } from '../../src/frontends/vscode/Attention.ts';
import { Waiting } from '../../src/frontends/vscode/Waiting.ts';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { Fact } from '../../src/shared/events.ts';
import { until } from './support/Lathe.ts';

describe('notifications', () => {
  let focused: boolean;
  let shown: [string, string][];
  let opened: string[];
  /** What the person chooses in the next notification. */
  let choice: string | undefined;
  let waiting: Waiting;
  let seq = 0;

  beforeEach(() => {
    [focused, shown, opened, choice] = [false, [], [], undefined];
    const attention = new Attention(() => 'en', {
      isFocused: () => focused,
      show: async (words, button) => {
        shown.push([words, button]);
        return await Promise.resolve(choice);
      },
      open: async (taskId) => await Promise.resolve(opened.push(taskId)),
    });
    waiting = new Waiting(
      () => 'en',
      () => undefined,
      attention,
    );
  });
  afterEach(() => waiting.dispose());

  const tell = (taskId: string, fact: Fact): void =>
    waiting.hear('task/events', {
      taskId,
      events: [{ kind: 'entry', entry: { seq: ++seq, at: 0, ...fact } }],
    });
  const ask = (taskId: string, id: string): void => {
    const request: ApprovalRequest = { id, taskId, reason: 'mistake_limit', count: 3 };
    tell(taskId, { type: 'approval_requested', request });
  };
  const waits: [string, string] = ['Lathe waits for you', 'Show'];

  it('come while the window is not in front, once a task, and offer nothing but to show what waits', () => {
    ask('a', '1');
    ask('a', '2');
    ask('b', '3');
    assert.deepEqual(shown, [waits, waits]);
  });

  it('do not come to a person who sees it, and come again after they have been here', () => {
    focused = true;
    ask('a', '1');
    assert.deepEqual(shown, []);
    focused = false;
    ask('a', '2');
    focused = true;
    ask('a', '3');
    focused = false;
    ask('a', '4');
    assert.deepEqual(shown, [waits, waits]);
  });

  it('tell that a task is done or cannot go on, and nothing of one that the person stopped', () => {
    tell('a', { type: 'task_finished', reason: 'completed' });
    tell('b', { type: 'task_finished', reason: 'failed' });
    tell('c', { type: 'task_finished', reason: 'question' });
    tell('d', { type: 'task_finished', reason: 'cancelled' });
    assert.deepEqual(
      shown.map(([words]) => words),
      ['Lathe has finished a task', 'A task of Lathe could not go on', 'Lathe waits for you'],
    );
  });

  it('open the task that they are about', async () => {
    choice = 'Show';
    ask('a', '1');
    await until(() => opened.length > 0, 'the task');
    assert.deepEqual(opened, ['a']);
  });

  it('are silent where another window runs the task, or the person wants none', async () => {
    waiting.hear('task/elsewhere', { taskId: 'a', writer: { pid: 1, host: 'here' } });
    ask('a', '1');
    const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('lathe');
    const set = async (value: boolean | undefined): Promise<void> => {
      await configuration().update('notifications', value, vscode.ConfigurationTarget.Global);
      await until(
        () => configuration().inspect('notifications')?.globalValue === value,
        'the setting to be changed',
      );
    };
    await set(false);
    try {
      ask('b', '2');
      assert.deepEqual(shown, []);
    } finally {
      await set(undefined);
    }
  });
});
