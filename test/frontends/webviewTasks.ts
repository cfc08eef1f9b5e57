import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import type { Fact, TaskDelta } from '../../src/shared/events.ts';
import {
  answered,
  call,
  commandApproval,
  commandView,
  diffDetails,
  fileView,
  finished,
  model,
  started,
  text,
  type ScriptedAgent,
} from './webviewAgent.ts';

type Step = Fact | { delta: TaskDelta };

const answerText = `The total starts at the **second** item. See \`src/cart.ts:11\` and [the issue](https://example.com/1).

| file | what |
|---|---|
| \`cart.ts\` | loop bounds |
| \`cart.test.ts\` | expects 30 |

1. Loop over every item
2. Multiply by the quantity

\`\`\`ts
// sums what is in the cart
export function total(items: Item[]): number {
  return items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
}
\`\`\``;

/** A task in the middle of its work: everything a transcript can show, and a command that waits. */
export async function busyTask(agent: ScriptedAgent, { waits = true } = {}): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  agent.journals.set('task-1', []);
  const test = 'npm test -- --grep "cart total" && echo finished';
  const steps: Step[] = [
    started('task-1'),
    { type: 'user_message', text: 'The cart’s total is wrong. Find out why,\nfix it and run the tests.' },
    ...answered(
      'r1',
      [
        call('c1', 'list_files', { path: 'src' }),
        call('c2', 'read_file', { path: 'src/cart.ts' }),
        call('c3', 'search_files', { path: 'src', regex: 'total\\(' }),
      ],
      'The total is computed somewhere in src. I look at the cart first.',
    ),
    finished('c1', 'list_files', fileView('search', 'src'), {
      details: { type: 'listing', shown: 12 },
    }),
    finished('c2', 'read_file', fileView('read', 'src/cart.ts'), {
      details: { type: 'files', files: [{ path: 'src/cart.ts' }] },
    }),
    finished('c3', 'search_files', { kind: 'search', subject: 'total\\(', locations: [] }),
    ...answered('r2', [text(answerText), call('c4', 'apply_diff', { path: 'src/cart.ts', diff: '…' })]),
    finished('c4', 'apply_diff', fileView('edit', 'src/features/checkout/components/cart/cart.ts'), {
      details: { ...diffDetails, changedByPerson: true },
      feedback: 'keep the comment short',
      durationMs: 1800,
    }),
    {
      type: 'todos_updated',
      by: 'model',
      todos: [
        { text: 'Find the cause', status: 'completed' },
        { text: 'Fix the loop', status: 'completed' },
        { text: 'Run the tests', status: 'in_progress' },
        { text: 'Summarise', status: 'pending' },
      ],
    },
    ...answered('r3', [
      call('c5', 'read_file', { path: 'missing.ts' }),
      call('c6', 'write_to_file', { path: 'src/notes.md', content: 'x' }),
      call('c7', 'execute_command', { command: 'npm run lint' }),
    ]),
    finished('c5', 'read_file', fileView('read', 'missing.ts'), {
      outcome: 'failed',
      content: 'There is no file missing.ts. Similar: src/missing.test.ts',
    }),
    finished('c6', 'write_to_file', fileView('edit', 'src/notes.md'), {
      outcome: 'rejected',
      feedback: 'no notes please',
    }),
    finished('c7', 'execute_command', commandView('npm run lint'), {
      durationMs: 65_000,
      details: {
        type: 'command',
        command: 'npm run lint',
        cwd: '/work/shop',
        exitCode: 1,
        output: Array.from({ length: 14 }, (_, line) => `src/file${line}.ts: unused variable`).join('\n'),
      },
    }),
    { type: 'mode_changed', mode: 'debug', by: 'model', reason: 'The tests fail for another reason.' },
    ...answered('r4', [call('c8', 'execute_command', { command: test })]),
  ];
  if (waits) steps.push(commandApproval('a1', 'c8', test));
  await agent.say('task-1', ...steps);
}

export async function completedTask(agent: ScriptedAgent): Promise<void> {
  await busyTask(agent, { waits: false });
  await agent.say(
    'task-1',
    finished('c8', 'execute_command', commandView('npm test'), {
      durationMs: 12_400,
      details: { type: 'command', command: 'npm test', cwd: '/work/shop', exitCode: 0, output: '12 passing' },
    }),
    { type: 'user_message', text: 'And tell me what you did' },
    ...answered('r5', [call('c9', 'attempt_completion', { result: 'The total now counts every item.' })]),
    finished('c9', 'attempt_completion', { kind: 'other', subject: '', locations: [] }),
    {
      type: 'task_finished',
      reason: 'completed',
      result: 'The total now counts **every** item and its quantity. All 12 tests pass.',
    },
  );
  agent.running = false;
}

/** The request for a summary; then the summary, after old results did not make room enough. */
export const condensing: Fact = {
  type: 'request_started',
  requestId: 's1',
  model,
  hash: 'h',
  purpose: 'condense',
};
export const condensed: readonly Fact[] = [
  { type: 'results_trimmed', through: 4, tokensBefore: 171_000, tokensAfter: 168_400 },
  condensing,
  { type: 'request_finished', requestId: 's1', stopReason: 'end', durationMs: 8000 },
  {
    type: 'context_condensed',
    summary:
      '**Task:** the total of the cart must count quantities.\n\n**State:** `src/cart.ts:14` mended; `npm test` passes (12).\n\n**Next:** nothing is left.',
    through: 20,
    by: 'person',
    tokensBefore: 168_400,
    tokensAfter: 9_120,
  },
];

export async function question(agent: ScriptedAgent): Promise<void> {
  await busyTask(agent, { waits: false });
  await agent.say(
    'task-1',
    finished('c8', 'execute_command', commandView('npm test')),
    ...answered('r5', [
      call('c9', 'ask_followup_question', { question: 'Which **currency** should the total use?' }),
    ]),
    {
      type: 'approval_requested',
      request: {
        id: 'q1',
        taskId: 'task-1',
        reason: 'question',
        callId: 'c9',
        question: 'Which **currency** should the total use?',
        suggestions: [
          { text: 'Euro, as the shop’s settings say' },
          {
            text: 'The currency of the customer’s country, looked up by the address of the last order',
            mode: 'architect',
          },
        ],
      },
    },
  );
}

/** A task that has just begun its first request. */
export async function begunTask(agent: ScriptedAgent, prompt = 'Fix the total'): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  await agent.say(
    'task-1',
    started('task-1'),
    { type: 'user_message', text: prompt },
    { type: 'request_started', requestId: 'r1', model, hash: 'h' },
  );
}

/** A task whose first call waits for what this request asks. */
export async function askingTask(
  agent: ScriptedAgent,
  request: Omit<
    Extract<ApprovalRequest, { reason: 'tool' }>,
    'id' | 'taskId' | 'reason' | 'callId' | 'options'
  >,
): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  await agent.say(
    'task-1',
    started('task-1'),
    { type: 'user_message', text: 'Fix the total and run the tests' },
    ...answered('r1', [text('I change the loop.'), call('c1', request.tool, { path: longPath })]),
    {
      type: 'approval_requested',
      request: {
        id: 'a1',
        taskId: 'task-1',
        reason: 'tool',
        callId: 'c1',
        ...request,
        options: [
          { id: 'once', kind: 'allow_once' },
          { id: 'file', kind: 'allow_always', rule: { type: 'file', access: 'edit', path: longPath } },
          {
            id: 'folder',
            kind: 'allow_always',
            rule: { type: 'folder', access: 'edit', path: '/work/shop/src/features/checkout' },
          },
          { id: 'kind', kind: 'allow_always', rule: { type: 'kind', kind: 'edit', workspace: '/work/shop' } },
          { id: 'no', kind: 'reject_once' },
        ],
      },
    },
  );
}

/** A read that asks. */
export function readApproval(
  id: string,
  callId: string,
  path: string,
  tool = 'read_file',
): { type: 'approval_requested'; request: ApprovalRequest } {
  return {
    type: 'approval_requested',
    request: {
      ...{ id, taskId: 'task-1', reason: 'tool', callId, tool, review: false, dangerous: false },
      actions: [{ type: 'read', path: `/work/shop/${path}`, insideWorkspace: true, protected: false }],
      why: [{ key: 'why.kindAsks' }],
      options: [
        { id: 'once', kind: 'allow_once' },
        { id: 'kind', kind: 'allow_always', rule: { type: 'kind', kind: 'read', workspace: '/work/shop' } },
        { id: 'no', kind: 'reject_once' },
      ],
    },
  };
}

/** Three looks and an edit in one message, the first of which asks. */
export async function manyReads(agent: ScriptedAgent): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  await agent.say(
    'task-1',
    started('task-1'),
    { type: 'user_message', text: 'Fix the total' },
    ...answered('r1', [
      text('I look at the cart and its tests.'),
      call('c1', 'list_files', { path: 'src' }),
      call('c2', 'read_file', { path: 'src/cart.ts' }),
      call('c3', 'read_file', { path: 'test/cart.test.ts' }),
      call('c4', 'apply_diff', { path: 'src/cart.ts', diff: '…' }),
    ]),
    readApproval('a1', 'c1', 'src', 'list_files'),
  );
}

export const longPath = '/work/shop/src/features/checkout/components/cart/summary/CartTotalWithDiscounts.ts';

/** A call in each state that a card can show. */
export async function everyState(agent: ScriptedAgent): Promise<void> {
  agent.taskId = 'task-1';
  agent.running = true;
  const calls = ['done', 'failed', 'rejected', 'skipped', 'cut_off', 'stopped', 'unknown'] as const;
  const command = { type: 'command', cwd: '/work/shop', output: 'listening on port 8080' } as const;
  await agent.say(
    'task-1',
    started('task-1'),
    { type: 'user_message', text: 'Go through it all' },
    ...answered('r1', [
      ...calls.map((outcome, index) => call(`c${index}`, 'write_to_file', { path: `src/${outcome}.ts` })),
      call('b1', 'execute_command', { command: 'npm run dev' }),
      call('b2', 'execute_command', { command: 'kill -9 $$' }),
      call('t1', 'update_todo_list', { todos: '[ ] one' }),
      call('m1', 'switch_mode', { mode_slug: 'debug' }),
      call('u1', 'made_up_tool', { query: 'what is this' }),
      call('q1', 'read_file', { path: 'src/next.ts' }),
    ]),
    ...calls.map((outcome, index) =>
      finished(`c${index}`, 'write_to_file', fileView('edit', `src/${outcome}.ts`), {
        outcome,
        content: outcome === 'failed' ? 'The folder src does not exist.' : '',
        ...(outcome === 'rejected' ? { feedback: 'put it into lib, and keep the old one' } : {}),
        ...(outcome === 'done' ? { details: diffDetails } : {}),
      }),
    ),
    finished('b1', 'execute_command', commandView('npm run dev'), {
      details: { ...command, command: 'npm run dev', background: true },
    }),
    finished('b2', 'execute_command', commandView('kill -9 $$'), {
      durationMs: 2400,
      details: { ...command, command: 'kill -9 $$', signal: 'SIGKILL', output: '' },
    }),
    finished('t1', 'update_todo_list', { kind: 'think', subject: '', locations: [] }),
    finished('m1', 'switch_mode', { kind: 'switch_mode', subject: 'debug', locations: [] }),
    finished('u1', 'made_up_tool', { kind: 'other', subject: 'what is this', locations: [] }),
  );
}

export function pastTasks(agent: ScriptedAgent): void {
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  const base = { cwd: '/work/shop', mode: 'code', createdAt: Date.now() - 9e6 };
  agent.tasks = [
    {
      ...base,
      id: 'task-1',
      title: 'The cart’s total is wrong. Find out why,',
      updatedAt: Date.now() - 4e5,
      usage: { ...usage, cost: 0.12 },
      state: 'completed',
    },
    {
      ...base,
      id: 'task-2',
      title: 'Write tests for the checkout',
      updatedAt: Date.now() - 9e6,
      usage,
      state: 'interrupted',
    },
    {
      ...base,
      id: 'task-3',
      title: '👩‍👩‍👧‍👦 مرحبا: explain the payment module and everything that it touches, in two pages',
      updatedAt: Date.now() - 2e8,
      usage: { ...usage, cost: 1.5 },
      state: 'cancelled',
    },
    { ...base, id: 'task-4', title: 'Older task', updatedAt: Date.now() - 3e8, usage, state: 'failed' },
  ];
}
