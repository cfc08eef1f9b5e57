import type { Fact } from '../../src/shared/events.ts';
import type { ToolView } from '../../src/shared/tools.ts';
import {
  answered,
  call,
  commandApproval,
  commandView,
  finished,
  started,
  text,
  type ScriptedAgent,
} from './webviewAgent.ts';
import type { Scene } from './webviewScreenScenes.ts';
import { askingTask } from './webviewTasks.ts';

const view = (subject: string): ToolView => ({ kind: 'think', subject, locations: [] });

/** A call of new_task, and the task that it began. */
function begun(callId: string, taskId: string, mode: string, message: string): Fact[] {
  const title = message.split('\n', 1)[0] ?? '';
  return [
    { type: 'tool_started', callId, tool: 'new_task', view: view(title) },
    { type: 'subtask_started', callId, taskId, mode, message },
  ];
}

const first = 'Find out why the total is wrong; change nothing';
const second = 'Write down in docs/cart.md how prices, quantities and discounts come together';
const third =
  'Mend the loop in src/cart.ts so that it counts every item\n\nIt begins at 1. Run `npm test` behind it; the result is the path, the lines, and what the test said.';

/** A task with a subtask that came to its end, one that failed, and one whose command waits for the person. */
export async function subtasks(agent: ScriptedAgent, { waits = true } = {}): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  agent.journals.set('task-1', []);
  agent.tasks = [
    {
      id: 'task-1',
      title: 'Put the cart in order',
      cwd: '/work/shop',
      mode: 'orchestrator',
      createdAt: 1,
      updatedAt: Date.now(),
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      state: 'running',
    },
  ];
  agent.journals.set('task-2', []);
  await agent.say(
    'task-2',
    {
      ...(started('task-2') as Extract<Fact, { type: 'task_started' }>),
      parent: { taskId: 'task-1', callId: 's3', depth: 1 },
    },
    { type: 'user_message', text: third },
    { type: 'user_message', text: 'This is a subtask.', automatic: true },
    {
      type: 'todos_updated',
      by: 'model',
      todos: [
        { text: 'Mend it', status: 'completed' },
        { text: 'Run the tests', status: 'in_progress' },
      ],
    },
    ...answered('q1', [text('The loop is mended.'), call('d1', 'execute_command', { command: 'npm test' })]),
    ...(waits
      ? [{ ...commandApproval('a9', 'd1', 'npm test') }]
      : [
          {
            type: 'tool_started',
            callId: 'd1',
            tool: 'execute_command',
            view: commandView('npm test'),
          } as const,
        ]),
  );
  await agent.say(
    'task-1',
    { type: 'task_started', version: 1, taskId: 'task-1', cwd: '/work/shop', mode: 'orchestrator' },
    { type: 'user_message', text: 'Put the cart in order' },
    ...answered('r1', [text('First the cause.'), call('s1', 'new_task', { mode: 'debug', message: first })]),
    ...begun('s1', 'task-8', 'debug', first),
    finished('s1', 'new_task', view(first), {
      content: 'The loop begins at 1: **src/cart.ts:11**.',
      durationMs: 94_000,
      details: { type: 'subtask', mode: 'debug', message: first, taskId: 'task-8' },
    }),
    ...answered('r2', [call('s2', 'new_task', { mode: 'architect', message: second })]),
    ...begun('s2', 'task-9', 'architect', second),
    finished('s2', 'new_task', view(second), {
      outcome: 'failed',
      content: 'The subtask did not come to its end: the model refused to go on.',
      durationMs: 3000,
    }),
    ...answered('r3', [call('s3', 'new_task', { mode: 'code', message: third })]),
    ...begun('s3', 'task-2', 'code', third),
  );
}

export const subtaskScenes: readonly Scene[] = [
  { name: 'subtask', prepare: (agent) => subtasks(agent) },
  {
    name: 'subtask-cards',
    prepare: (agent) => subtasks(agent, { waits: false }),
    act: async ({ byTest, page }) => {
      await byTest('subtask-card').first().locator('.card-toggle').click();
      await page.locator('[data-task="task-2"][data-state="running"]').waitFor();
    },
  },
  {
    name: 'subtask-inside',
    prepare: (agent) => subtasks(agent),
    act: async ({ byTest }) => {
      await byTest('open-subtask').last().click();
      await byTest('to-parent').waitFor();
    },
  },
  {
    name: 'approve-subtask',
    prepare: (agent) =>
      askingTask(agent, {
        tool: 'new_task',
        actions: [{ type: 'switch_mode', mode: 'code' }],
        details: { type: 'subtask', mode: 'code', message: third },
        why: [{ key: 'why.kindAsks' }],
        dangerous: false,
        review: false,
      }),
  },
];
