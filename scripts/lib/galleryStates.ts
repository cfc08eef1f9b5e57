// The states of the sidebar that the gallery shows, and a person's way through them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import type { VsCode } from '../../test/e2e/support/VsCode.ts';
import type { Reply, ScriptedModel } from '../../test/support/ScriptedModel.ts';

export const states = {
  'first-start': 'The first start: what was found, a key, or the tour.',
  'profile-form': 'A model is added.',
  empty: 'Before a task.',
  mentions: 'A file is mentioned.',
  commands: 'What a slash offers.',
  running: 'The model answers; what it read is folded into a line.',
  'approve-command': 'A command waits for a yes.',
  'approve-edit': 'An edit waits for a yes; it is open in the editor too.',
  question: 'The model asks.',
  error: 'A request failed: what happened, and the way out.',
  finished: 'The task is done.',
  'task-line':
    'The task unfolds: what was asked, its checkpoints, what it took, and what can be done with it.',
  restore: 'Back to a checkpoint: what would change, before it does.',
  subtask: 'A subtask asks, seen from the task that waits for it.',
  'approve-mcp': 'A tool of an MCP server waits for a yes.',
  'approve-note': 'A note for later tasks waits for a yes.',
  condensed: 'A long conversation was condensed.',
  history: 'The tasks of this workspace.',
  mcp: 'MCP servers: what runs and what it offers.',
  'mcp-consent': 'A server of the project waits for a yes to what would run.',
  modes: 'Modes: where each comes from, and what it may do.',
  notes: 'Notes: what later tasks are told.',
  settings: 'Settings: models, and what goes without asking.',
  rules: 'What is always allowed and denied, and the verdict on a command.',
  about: 'About Lathe.',
} as const;
export type State = keyof typeof states;
export const stateNames = Object.keys(states) as State[];

export interface Visit {
  code: VsCode;
  view: FrameLocator;
  model: ScriptedModel;
  take: (state: State) => Promise<void>;
  /** The folder that is open. */
  workspace: string;
}

const call = (text: string, name: string, args: Record<string, unknown>): Reply => ({
  text,
  calls: [{ name, arguments: args }],
});
const diff = [
  '<<<<<<< SEARCH',
  '    .sort((a, b) => a.total - b.total);',
  '=======',
  '    .sort((a, b) => b.total - a.total);',
  '>>>>>>> REPLACE',
].join('\n');
const follow_up = [{ text: 'Yes, most expensive first' }, { text: 'No, by name' }];
const slow = 'The totals are right, but their order is not: **travel** should come before **food**. ';
const ledger = 'date,category,amount\n' + '2026-03-14,travel,120.50\n2026-03-15,food,18.20\n'.repeat(400);
const summary = [
  '**Task:** find the month with the highest total in `data/ledger.csv`.',
  '**State:** the file is read. March has the highest total, 55,480.00.',
  '**Next:** nothing is left to do.',
].join('\n\n');

/** A server of receipts, as small as one can be. */
const server = `
import { createInterface } from 'node:readline';
const words = { type: 'object', properties: { words: { type: 'string' }, year: { type: 'number' } } };
const tools = [
  { name: 'find_receipt', description: 'Finds receipts by their words.', inputSchema: words },
  { name: 'add_receipt', description: 'Adds a receipt to the folder of its month.', inputSchema: words },
];
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'receipts', version: '1.4.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'Two receipts: 14 March, 120.50; 15 March, 18.20.' }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const error = { code: -32601, message: 'no such method' };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }) + '\\n');
});
`;

/** What the pictures need besides the sample. */
export function prepareWorkspace(workspace: string, home: string): void {
  mkdirSync(join(workspace, '.lathe'), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(workspace, 'data', 'ledger.csv'), ledger);
  writeFileSync(join(workspace, 'receipts.mjs'), server);
  writeFileSync(
    join(workspace, '.lathe', 'modes.yaml'),
    'customModes:\n' +
      '  - slug: bookkeeper\n    name: Bookkeeper\n    description: Checks sums and writes reports\n' +
      '    roleDefinition: You check sums.\n    groups:\n      - read\n' +
      '      - [edit, { fileRegex: "\\\\.csv$", description: Tables only }]\n',
  );
  writeFileSync(
    join(home, 'mcp.json'),
    JSON.stringify({
      mcpServers: { receipts: { command: 'node', args: [join(workspace, 'receipts.mjs')] } },
    }),
  );
}

export async function visit(visited: Visit): Promise<void> {
  await firstSteps(visited);
  await wholeTask(visited);
  await otherTasks(visited);
  await screens(visited);
}

/** What every part of the way does. */
function person({ code, view, model }: Visit) {
  const at = (id: string) => view.getByTestId(id);
  return {
    at,
    answer: (...turns: ScriptedModel['turns']): void => {
      model.turns.length = model.requests.length;
      model.turns.push(...turns);
    },
    send: async (text: string): Promise<void> => {
      await at('composer').fill(text);
      await at('composer').press('Enter');
    },
    newTask: async (): Promise<void> => {
      await code.palette('Lathe: New Task');
      await at('empty').waitFor();
    },
    waiting: async (tool: string): Promise<void> =>
      await view.locator(`[data-testid="approval"][data-tool="${tool}"]`).waitFor(),
  };
}

async function firstSteps(visited: Visit): Promise<void> {
  const { code, view, model, take } = visited;
  const { at, answer, send, newTask } = person(visited);
  await at('tour').waitFor();
  await take('first-start');
  await at('add-key').click();
  await at('profile-provider').selectOption('openai-compatible');
  await at('profile-model').fill('qwen3-coder');
  await at('profile-url').fill(model.url);
  await view.locator('select:has(option[value="native"])').selectOption('native');
  await take('profile-form');
  await at('profile-save').click();
  await at('profile').waitFor();
  await newTask();
  await at('model-picker').getByText('qwen3-coder').waitFor();
  await take('empty');
  await at('composer').pressSequentially('Explain @summ');
  await at('completion-option').first().waitFor();
  await take('mentions');
  await at('composer').fill('');
  await at('composer').pressSequentially('/');
  await at('completion-option').first().waitFor();
  await take('commands');
  await at('composer').fill('');

  answer(
    call('I read the code first.', 'read_file', { path: 'src/summary.js' }),
    call('', 'search_files', { path: '.', regex: 'summarize', file_pattern: '*.js' }),
    { text: slow.repeat(8), delay: 40 },
  );
  await send('Which order has the summary?');
  await view.getByText('should come before').first().waitFor();
  await code.page.waitForTimeout(1500);
  await take('running');
  await at('stop').click();
  await view.locator('[data-testid="task-line"][data-state="cancelled"]').waitFor();
}

async function wholeTask(visited: Visit): Promise<void> {
  const { view, take } = visited;
  const { at, answer, send, newTask, waiting } = person(visited);
  await newTask();
  answer(
    call('I run the tests, to see what fails.', 'execute_command', { command: 'npm test' }),
    call('The order is wrong.', 'apply_diff', { path: 'src/summary.js', diff }),
    call('', 'ask_followup_question', { question: 'Should the **most expensive** come first?', follow_up }),
    { status: 401, error: 'no such key' },
    call('', 'attempt_completion', {
      result: 'The summary is sorted by total, the most expensive category first. `npm test` passes.',
    }),
  );
  await send('npm test fails. Find out why and fix it.');
  await waiting('execute_command');
  await take('approve-command');
  await at('approve').click();
  await waiting('apply_diff');
  await view.locator('.diff .hljs-title, .diff .hljs-keyword, .diff .hljs-number').first().waitFor();
  await take('approve-edit');
  await at('approve').click();
  await at('suggestion').first().waitFor();
  await take('question');
  await at('suggestion').first().click();
  await at('problem').waitFor();
  await take('error');
  await at('problem').getByTestId('approve').click();
  await at('completion').waitFor();
  await take('finished');
  await view.locator('.task-title').click();
  await at('checkpoint').first().waitFor();
  await take('task-line');
  await at('checkpoint').first().click();
  await at('change').first().waitFor();
  await view.locator('.change-toggle').first().click();
  await at('change').first().getByTestId('diff').waitFor();
  await take('restore');
  await at('back').click();
  await view.locator('.task-title').click();
}

async function otherTasks(visited: Visit): Promise<void> {
  const { view, take } = visited;
  const { at, answer, send, newTask, waiting } = person(visited);
  await newTask();
  answer(
    call('The report is a piece of work of its own.', 'new_task', {
      ...{ mode: 'code', message: 'Write report.md: the totals of each category, the most expensive first.' },
      todos: '[ ] Add up\n[ ] Write the report',
    }),
    call('I write it.', 'write_to_file', { path: 'report.md', content: '# Report\n\n- travel: 120.50\n' }),
    call('', 'attempt_completion', { result: 'report.md is written.' }),
    call('', 'attempt_completion', { result: 'The report is in `report.md`.' }),
  );
  await send('Have a report of the totals written.');
  await waiting('new_task');
  await at('approve').click();
  await waiting('write_to_file');
  await take('subtask');
  await at('approve').click();
  await at('completion').and(view.locator('[data-streaming="false"]')).waitFor();

  await newTask();
  answer(
    call('I look for the receipts.', 'use_mcp_tool', {
      ...{ server_name: 'receipts', tool_name: 'find_receipt' },
      arguments: { words: 'train to the coast', year: 2026 },
    }),
    call('', 'attempt_completion', { result: 'There are two receipts of March.' }),
  );
  await send('Which receipts of the journey are there?');
  await waiting('use_mcp_tool');
  await take('approve-mcp');
  await at('approve').click();
  await at('completion').waitFor();

  await newTask();
  answer(
    call('I keep that for later.', 'memory', {
      action: 'add',
      content:
        'Amounts in data/ledger.csv are in euros; a negative one is a refund and counts for its month.',
    }),
    call('', 'attempt_completion', { result: 'Later tasks will know.' }),
  );
  await send('Remember that the ledger is in euros and that negative amounts are refunds.');
  await waiting('memory');
  await take('approve-note');
  await at('approve').click();
  await at('completion').waitFor();

  await newTask();
  answer(
    call('', 'read_file', { path: 'data/ledger.csv' }),
    call('', 'attempt_completion', { result: 'March has the highest total.' }),
    { text: summary },
  );
  await send('Which month was the most expensive?');
  await at('completion').and(view.locator('[data-streaming="false"]')).waitFor();
  await at('condense').click();
  const condensed = view.locator('.fold:has(.codicon-fold)');
  await condensed.click();
  await view.getByText('nothing is left to do').waitFor();
  await take('condensed');
}

async function screens(visited: Visit): Promise<void> {
  const { code, view, take, workspace } = visited;
  const { at } = person(visited);
  await code.palette('Lathe: History');
  await at('history').waitFor();
  await take('history');
  await code.palette('Lathe: MCP Servers');
  await view.locator('[data-testid="server"][data-state="ready"]').waitFor();
  await at('server-open').first().click();
  await at('server-tool').first().waitFor();
  await take('mcp');
  await at('server-open').first().click();
  writeFileSync(
    join(workspace, '.lathe', 'mcp.json'),
    JSON.stringify({
      mcpServers: { 'exchange-rates': { command: 'npx', args: ['-y', 'exchange-rates-mcp'] } },
    }),
  );
  await at('consent').waitFor();
  await take('mcp-consent');
  await at('back').click();
  await at('mode-picker').click();
  await at('mode-picker-item').last().click();
  await at('modes').waitFor();
  await view.getByText('Bookkeeper').first().waitFor();
  await take('modes');
  await at('tab-notes').click();
  await at('note-add').click();
  await at('note-text').fill('Reports are written in Markdown.');
  await at('note-save').click();
  await at('note-row').nth(1).waitFor();
  await take('notes');
  await at('back').click();
  await code.palette('Lathe: Settings');
  await at('settings').waitFor();
  await take('settings');
  await at('explain-command').fill('npm test && echo $HOME > out.txt');
  await at('explain-command').press('Enter');
  await at('explained').waitFor();
  await at('open-about').scrollIntoViewIfNeeded();
  await take('rules');
  await at('open-about').click();
  await at('facts').waitFor();
  await take('about');
}
