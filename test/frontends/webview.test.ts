import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fact } from '../../src/shared/events.ts';
import {
  answered,
  call,
  commandApproval,
  commandView,
  finished,
  model,
  ScriptedAgent,
  started,
  text,
} from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { begunTask, completedTask, pastTasks, question } from './webviewTasks.ts';

describe('the sidebar in a browser', function () {
  this.timeout(30_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async function () {
    this.timeout(60_000);
    harness = await WebviewHarness.start();
  });
  const complaints: string[] = [];
  afterEach(async () => {
    complaints.push(...(sidebar?.complaints ?? []));
    await sidebar?.close();
    sidebar = undefined;
  });
  after(async () => {
    await harness.stop();
  });

  async function open(
    agent: ScriptedAgent,
    options?: Parameters<WebviewHarness['open']>[1],
  ): Promise<Sidebar> {
    sidebar = await harness.open(agent, options);
    return sidebar;
  }

  /** A task whose one command waits for an answer. */
  async function waiting(dangerous = false): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    agent.running = true;
    await agent.say(
      'task-1',
      started('task-1'),
      { type: 'user_message', text: 'Run the tests' },
      ...answered('r1', [call('c1', 'execute_command', { command: 'npm test' })]),
      commandApproval('a1', 'c1', 'npm test', dangerous),
    );
    return agent;
  }

  it('keeps its first load small', () => {
    assert.ok(harness.bytes > 0 && harness.bytes <= 1_000_000, `${harness.bytes} bytes`);
  });

  it('starts a task, shows the answer while it streams, and its completion', async () => {
    const agent = new ScriptedAgent();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').fill('Fix the total');
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('task/create'), { text: 'Fix the total', mode: 'code' });
    assert.deepEqual(await agent.called('editor/opened'), { taskId: 'task-1' });
    await page.locator('[data-role="user"]', { hasText: 'Fix the total' }).waitFor();

    await agent.say('task-1', { type: 'request_started', requestId: 'r1', model, hash: 'h' });
    await byTest('working').waitFor();
    await agent.say('task-1', {
      delta: { type: 'block', requestId: 'r1', delta: { type: 'text', block: 0, text: 'I will **loo' } },
    });
    const message = page.locator('[data-role="assistant"]');
    await message.locator('strong', { hasText: 'loo' }).waitFor();
    await agent.say(
      'task-1',
      ...answered('r1', [
        text('I will **look** at it.'),
        call('c1', 'attempt_completion', { result: 'All fixed.' }),
      ]).slice(1),
      finished('c1', 'attempt_completion', { kind: 'other', subject: '', locations: [] }),
      { type: 'task_finished', reason: 'completed', result: 'All fixed.' },
    );
    await message.locator('strong', { hasText: 'look' }).waitFor();
    await byTest('completion').getByText('All fixed.').waitFor();
    assert.equal(await byTest('completion').count(), 1);
    assert.equal(await byTest('announcer').textContent(), 'Lathe is done.');
    assert.equal(await byTest('composer').inputValue(), '');
  });

  it('takes no click on an approval in its first moments, then carries the comment with the answer', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('approve').waitFor();
    await page.evaluate(`document.querySelector('[data-testid="approve"]').click()`);
    assert.deepEqual(agent.of('approval/respond'), []);
    await byTest('composer').fill('but only once');
    await byTest('approve').click();
    assert.deepEqual(await agent.called('approval/respond'), {
      taskId: 'task-1',
      approvalId: 'a1',
      decision: { outcome: 'allow', optionId: 'once', feedback: 'but only once', by: 'person' },
    });
    // A second click is no second answer.
    await page.evaluate(`document.querySelector('[data-testid="approve"]').click()`);
    assert.equal(agent.of('approval/respond').length, 1);
    assert.equal(await byTest('composer').inputValue(), '');
  });

  it('rejects by sending words, and offers what is kept narrowest first', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('approve-always').click();
    assert.deepEqual(await byTest('approve-always-item').allTextContents(), [
      'Run exactly: npm test',
      'Change everything in src',
    ]);
    await page.keyboard.press('Escape');
    await byTest('composer').fill('use pnpm');
    await page.keyboard.press('Enter');
    assert.deepEqual((await agent.called('approval/respond')).decision, {
      outcome: 'reject',
      optionId: 'no',
      feedback: 'use pnpm',
      by: 'person',
    });
  });

  it('answers with a kept scope', async () => {
    const agent = await waiting();
    const { byTest } = bind(await open(agent));
    await byTest('approve-always').click();
    await byTest('approve-always-item').first().click();
    const { decision } = await agent.called('approval/respond');
    assert.deepEqual(decision, { outcome: 'allow', optionId: 'exact', by: 'person' });
  });

  it('answers no, now and always, by a menu beside Reject', async () => {
    const agent = await waiting();
    const { byTest } = bind(await open(agent));
    await byTest('reject-always').click();
    assert.deepEqual(await byTest('reject-always-item').allTextContents(), ['Never run: npm test']);
    await byTest('reject-always-item').click();
    const { decision } = await agent.called('approval/respond');
    assert.deepEqual(decision, { outcome: 'reject', optionId: 'never', by: 'person' });
  });

  it('approves by a key what is plain, and what is dangerous only by a click', async () => {
    const agent = await waiting(true);
    const { byTest } = bind(await open(agent));
    await byTest('approve').click({ trial: true });
    await agent.notify('editor/command', { command: 'approve' });
    await byTest('error').getByText('Click Approve').waitFor();
    assert.deepEqual(agent.of('approval/respond'), []);
    await agent.notify('editor/command', { command: 'reject' });
    assert.deepEqual((await agent.called('approval/respond')).decision, {
      outcome: 'reject',
      optionId: 'no',
      by: 'person',
    });
  });

  it('gives the words back when someone else answered first', async () => {
    const agent = await waiting();
    agent.answers.set('approval/respond', () => ({ accepted: false }));
    const { byTest } = bind(await open(agent));
    await byTest('composer').fill('my words');
    await byTest('reject').click();
    await byTest('error').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'my words');
  });

  it('is not changed by forged, replayed and malformed messages', async () => {
    const agent = await waiting();
    const opened = await open(agent);
    const { byTest } = bind(opened);
    await byTest('approve').waitFor();
    const before = await opened.frame.locator('.app').innerText();
    for (const message of [
      null,
      'text',
      { type: 'response', id: 1, result: {} },
      { type: 'response', id: 'x' },
      {
        type: 'notification',
        name: 'task/events',
        params: { taskId: 'task-1', events: [{ kind: 'entry' }, 7] },
      },
      { type: 'notification', name: 'task/events', params: { taskId: '../x', events: [] } },
      { type: 'notification', name: 'constructor', params: {} },
      { type: 'notification', name: 'task/events', params: { taskId: 'task-9', events: [] } },
      {
        type: 'notification',
        name: 'task/events',
        params: {
          taskId: 'task-1',
          events: [{ kind: 'entry', entry: { ...started('task-9'), seq: 1, at: 1 } }],
        },
      },
    ])
      await opened.post(message);
    await opened.page.waitForTimeout(100);
    assert.equal(await opened.frame.locator('.app').innerText(), before);
  });

  it('asks again from the last entry that it has when one is missing', async () => {
    const agent = await waiting();
    const { page } = bind(await open(agent));
    const journal = agent.journals.get('task-1') ?? [];
    const missed = { seq: journal.length + 1, at: 1, type: 'user_message', text: 'missed' } as const;
    const next = { seq: journal.length + 2, at: 1, type: 'user_message', text: 'heard' } as const;
    journal.push(missed, next);
    await agent.notify('task/events', { taskId: 'task-1', events: [{ kind: 'entry', entry: next }] });
    await page.locator('[data-role="user"]', { hasText: 'missed' }).waitFor();
    assert.deepEqual(
      agent.of('task/subscribe').map(({ since }) => since),
      [0, 6],
    );
  });

  it('queues while the agent works, and stopping brings the queue back', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    agent.running = true;
    await agent.say(
      'task-1',
      started('task-1'),
      { type: 'user_message', text: 'Go' },
      {
        type: 'request_started',
        requestId: 'r1',
        model,
        hash: 'h',
      },
    );
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').fill('and the docs');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('too');
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('task/send'), { taskId: 'task-1', text: 'and the docs\ntoo' });
    await agent.notify('task/queue', { taskId: 'task-1', queued: ['and the docs\ntoo'] });
    await byTest('queue').waitFor();
    await byTest('composer').press('Escape');
    assert.deepEqual(await agent.called('task/cancel'), { taskId: 'task-1' });
    assert.equal(await byTest('composer').inputValue(), 'and the docs\ntoo');
    assert.equal(await byTest('queue').count(), 0);
  });

  it('takes back and drops what waits in the queue', async () => {
    const agent = new ScriptedAgent();
    await begunTask(agent);
    agent.queued = ['first', 'second'];
    agent.answers.set('task/unqueue', ({ text }) => ({ text }));
    const { byTest } = bind(await open(agent));
    await byTest('composer').fill('later');
    await byTest('edit-queued').nth(1).click();
    assert.deepEqual(await agent.called('task/unqueue'), { taskId: 'task-1', index: 1, text: 'second' });
    await until(async () => (await byTest('composer').inputValue()) === 'second\nlater');
    await byTest('drop-queued').first().click();
    assert.deepEqual(await agent.called('task/unqueue', 2), { taskId: 'task-1', index: 0, text: 'first' });
    assert.equal(await byTest('composer').inputValue(), 'second\nlater');
  });

  it('edits an earlier message into a new task, and leaves the old one as it was', async () => {
    const agent = await waiting();
    agent.journals.set('task-7', []);
    agent.answers.set('task/branch', async () => {
      await agent.say('task-7', started('task-7'), { type: 'user_message', text: 'Run them with pnpm' });
      return { taskId: 'task-7' };
    });
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').fill('a thought');
    await page.locator('[data-role="user"]').hover();
    await byTest('edit-message').click();
    assert.equal(await byTest('composer').inputValue(), 'Run the tests');
    await byTest('stop-editing').click();
    assert.equal(await byTest('composer').inputValue(), 'a thought');
    await byTest('edit-message').click();
    await byTest('composer').fill('Run them with pnpm');
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('task/branch'), {
      taskId: 'task-1',
      seq: 2,
      text: 'Run them with pnpm',
    });
    await page.locator('[data-role="user"]', { hasText: 'pnpm' }).waitFor();
    assert.deepEqual([agent.of('approval/respond'), agent.of('task/send')], [[], []]);
    await agent.notify('editor/openTask', { taskId: 'task-1' });
    await byTest('waiting').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'a thought');
  });

  it('keeps what was written over a reload, for each task its own', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').fill('half a thou');
    await agent.notify('editor/command', { command: 'newTask' });
    await byTest('empty').waitFor();
    assert.equal(await byTest('composer').inputValue(), '');
    await byTest('composer').fill('another');
    await page.reload();
    await byTest('waiting').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'half a thou');
  });

  it('sends nothing while an input method composes', async () => {
    const agent = new ScriptedAgent();
    const opened = await open(agent);
    const { page, byTest } = bind(opened);
    await byTest('composer').focus();
    const devtools = await opened.context.newCDPSession(page);
    await devtools.send('Input.imeSetComposition', { text: 'nihao', selectionStart: 5, selectionEnd: 5 });
    await devtools.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 13,
    });
    await devtools.send('Input.insertText', { text: '你好' });
    assert.equal(await byTest('composer').inputValue(), '你好');
    assert.deepEqual(agent.of('task/create'), []);
    await page.keyboard.press('Enter');
    assert.equal((await agent.called('task/create')).text, '你好');
  });

  it('recalls what was sent last', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(await byTest('composer').inputValue(), 'Run the tests');
  });

  it('mentions files by what is typed, and keeps its list out of the way of a turn', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').focus();
    await page.keyboard.type('look at @cart');
    await byTest('completion-option').nth(1).waitFor();
    assert.equal(await byTest('completion-option').count(), 2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    assert.equal(await byTest('composer').inputValue(), 'look at @src/cart.ts ');
    await page.keyboard.type('and @my');
    await byTest('completion-option').getByText('my files').click();
    assert.equal(await byTest('composer').inputValue(), 'look at @src/cart.ts and @"my files/a.ts" ');
    await page.keyboard.type('@s');
    await byTest('completion-option').first().waitFor();
    await page.keyboard.press('Escape');
    await byTest('completions').waitFor({ state: 'detached' });
    assert.deepEqual([agent.of('task/cancel'), agent.of('approval/respond')], [[], []]);
  });

  it('runs commands after a slash, and sends none of them', async () => {
    const agent = new ScriptedAgent();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').focus();
    await page.keyboard.type('/arch');
    await byTest('completion-option').getByText('Mode: Architect').waitFor();
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('mode/set'), { mode: 'architect' });
    assert.equal(await byTest('composer').inputValue(), '');
    await page.keyboard.type('/hist');
    await page.keyboard.press('Tab');
    await byTest('history').waitFor();
    assert.deepEqual(agent.of('task/create'), []);
  });

  it('takes files that are dragged from the editor', async () => {
    const agent = new ScriptedAgent();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').focus();
    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///work/shop/src/a%20b.ts\\r\\nfile:///etc/100%25\\r\\nhttps://example.com');
      document.activeElement.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
    assert.equal(await byTest('composer').inputValue(), '@"src/a b.ts" @/etc/100% ');
  });

  it('takes pictures that are pasted, and says why when it does not', async () => {
    const agent = new ScriptedAgent();
    const { page, byTest } = bind(await open(agent));
    await byTest('composer').focus();
    const paste = async (name: string, type: string): Promise<void> => {
      await page.evaluate(`{
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array([1, 2, 3])], '${name}', { type: '${type}' }));
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      }`);
    };
    await paste('a.bmp', 'image/bmp');
    await byTest('error').getByText('a.bmp was not attached').waitFor();
    await paste('a.png', 'image/png');
    await byTest('thumbnail').waitFor();
    await byTest('send').click();
    assert.deepEqual((await agent.called('task/create')).images, [{ mediaType: 'image/png', data: 'AQID' }]);
  });

  it('shows 5,000 messages with few elements, follows its end, and stays where the reader is', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    agent.running = true;
    const steps: Fact[] = [started('task-1')];
    for (let index = 0; index < 2500; index++)
      steps.push(
        { type: 'user_message', text: `Question ${index}` },
        ...answered(`r${index}`, [text(`Answer ${index}`)]),
      );
    await agent.say('task-1', ...steps);
    const { page, byTest } = bind(await open(agent));
    const log = byTest('transcript');
    await page.getByText('Answer 2499').waitFor();
    assert.ok((await page.getByTestId('message').count()) < 100);
    const fromEnd = `(() => { const log = document.querySelector('[data-testid="transcript"]');
      return Math.round(log.scrollHeight - log.scrollTop - log.clientHeight); })()`;
    await until(async () => Number(await page.evaluate(fromEnd)) < 2);
    assert.equal(await byTest('pill').count(), 0);

    await agent.say('task-1', { type: 'user_message', text: 'One more' });
    await page.getByText('One more').waitFor();
    await until(async () => Number(await page.evaluate(fromEnd)) < 2);

    await log.hover();
    await page.mouse.wheel(0, -5000);
    await byTest('pill').waitFor();
    await page.waitForTimeout(300);
    const topNow = `document.querySelector('[data-testid="transcript"]').scrollTop`;
    const top = Number(await page.evaluate(topNow));
    assert.ok(top > 0);
    await agent.say(
      'task-1',
      { type: 'user_message', text: 'New 1' },
      { type: 'user_message', text: 'New 2' },
    );
    await byTest('pill').getByText('2 new').waitFor();
    assert.equal(Number(await page.evaluate(topNow)), top);
    // Another screen and back: the reader is where they were.
    const firstInSight = `(() => { const log = document.querySelector('[data-testid="transcript"]').getBoundingClientRect();
      return [...document.querySelectorAll('[data-testid="message"]')].find((row) => row.getBoundingClientRect().bottom > log.top)?.innerText; })()`;
    const reading = await page.evaluate(firstInSight);
    await agent.notify('editor/command', { command: 'history' });
    await byTest('back').click();
    await until(async () => (await page.evaluate(firstInSight)) === reading);

    await byTest('pill').click();
    await page.getByText('New 2').waitFor();
    await until(async () => Number(await page.evaluate(fromEnd)) < 2);
    assert.equal(await byTest('pill').count(), 0);
  });

  it('neither loads nor runs anything of a message', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    const evil = [
      '![pixel](https://evil.invalid/p.png)',
      '<img src="https://evil.invalid/i.png" onerror="window.hacked = 1">',
      '<script>window.hacked = 2</script>',
      '[run](command:workbench.action.terminal.new) [js](javascript:window.hacked=3) [data](data:text/html,x)',
      '[vbs](vbscript:x) [file](src/a.ts#L12) [page](https://example.com/x?a=1)',
      '<iframe src="https://evil.invalid"></iframe><style>@import "https://evil.invalid/s.css"</style>',
      '[ref]: https://evil.invalid/ref.png\n\n![x][ref]',
      '```html\n<script src="https://evil.invalid/x.js"></script>\n```',
      `\`\`\`\n${'x'.repeat(1_000_000)}\n\`\`\``,
    ].join('\n\n');
    await agent.say(
      'task-1',
      started('task-1'),
      { type: 'user_message', text: evil.slice(0, 900) },
      ...answered('r1', [text(evil)]),
      { type: 'task_finished', reason: 'answered' },
    );
    const opened = await open(agent);
    const { page } = bind(opened);
    await page.getByTestId('transcript').waitFor();
    await page.evaluate(`document.querySelector('[data-testid="transcript"]').scrollTop = 0`);
    const message = page.locator('[data-role="assistant"]');
    await message.getByText('page').waitFor();
    const made = await page.evaluate(
      `[...document.querySelectorAll('[data-role="assistant"] :is(img,script,iframe,style,link,a,object,form)')].map((made) => made.tagName)`,
    );
    assert.deepEqual(made, []);
    for (const inert of ['run', 'js', 'data', 'vbs']) await message.getByText(inert, { exact: true }).click();
    await message.getByRole('link', { name: 'file' }).click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: 'src/a.ts', line: 12 });
    await message.getByRole('link', { name: 'page' }).click();
    assert.deepEqual(await agent.called('editor/openExternal'), { url: 'https://example.com/x?a=1' });
    assert.equal(agent.of('editor/openExternal').length, 1);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.deepEqual(opened.foreignRequests, []);
  });

  it('folds runs of reads, and opens cards to their results', async () => {
    const agent = new ScriptedAgent();
    await completedTask(agent);
    const { page, byTest } = bind(await open(agent, { height: 3000 }));
    const run = byTest('tool-run');
    await run.getByText('Read 1 file, searched once, listed 1 folder').click();
    assert.equal(await run.getByTestId('tool-card').count(), 3);
    await run.locator('[data-tool="read_file"]').getByRole('button', { name: 'Open src/cart.ts' }).click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: 'src/cart.ts' });

    const edit = page.locator('[data-tool="apply_diff"]');
    await edit.getByText('+3').waitFor();
    await edit.getByRole('button', { name: /^Edited/ }).click();
    assert.equal(await edit.locator('.diff-added').count(), 3);
    assert.equal(await edit.locator('.diff-removed').count(), 2);
    await edit.locator('.diff-added .hljs-comment').waitFor();
    await edit.locator('.diff-removed .hljs-keyword', { hasText: 'let' }).waitFor();
    await edit.getByTestId('open-diff').click();
    assert.deepEqual(await agent.called('editor/openDiff'), { taskId: 'task-1', callId: 'c4' });
    const shown: string[] = [];
    for (const card of await byTest('tool-card').all())
      shown.push(
        `${(await card.getAttribute('data-tool')) ?? ''} ${(await card.getAttribute('data-state')) ?? ''}`,
      );
    assert.deepEqual(shown, [
      'list_files done',
      'read_file done',
      'search_files done',
      'apply_diff done',
      'read_file failed',
      'write_to_file rejected',
      'execute_command done',
      'execute_command done',
    ]);
  });

  it('shows a command live, stops it and sends it to the background', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await agent.say(
      'task-1',
      { type: 'approval_resolved', approvalId: 'a1', decision: { outcome: 'allow', by: 'person' } },
      { type: 'tool_started', callId: 'c1', tool: 'execute_command', view: commandView('npm test') },
    );
    await byTest('waiting').waitFor({ state: 'detached' });
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    await agent.say('task-1', { delta: { type: 'tool_output', callId: 'c1', text: lines } });
    await byTest('output').getByText('line 29').waitFor();
    assert.equal((await byTest('output').innerText()).split('\n').length, 10);
    await page.getByText('Show all output').click();
    assert.equal((await byTest('output').innerText()).split('\n').length, 30);
    await byTest('background-command').click();
    assert.deepEqual(await agent.called('command/background'), { taskId: 'task-1', callId: 'c1' });
    await byTest('stop-command').click();
    assert.deepEqual(await agent.called('command/stop'), { taskId: 'task-1', callId: 'c1' });
  });

  it('answers a question by a suggestion, or takes it into the composer', async () => {
    const agent = new ScriptedAgent();
    await question(agent);
    const { byTest } = bind(await open(agent));
    await byTest('edit-suggestion').first().click();
    assert.equal(await byTest('composer').inputValue(), 'Euro, as the shop’s settings say');
    await byTest('composer').fill('');
    await byTest('suggestion').nth(1).click();
    assert.deepEqual((await agent.called('approval/respond')).decision, {
      outcome: 'allow',
      feedback: 'The currency of the customer’s country, looked up by the address of the last order',
      mode: 'architect',
      by: 'person',
    });
  });

  it('offers to retry a failed request, and to resume an interrupted task', async () => {
    const agent = await waiting();
    agent.running = false;
    const { byTest } = bind(await open(agent));
    await byTest('resume').click();
    assert.deepEqual(await agent.called('task/resume'), { taskId: 'task-1' });
    await agent.say(
      'task-1',
      { type: 'approval_resolved', approvalId: 'a1', decision: { outcome: 'cancelled', by: 'policy' } },
      {
        type: 'approval_requested',
        request: {
          id: 'f1',
          taskId: 'task-1',
          reason: 'request_failed',
          error: { key: 'error.internal', args: { reason: 'no route' } },
        },
      },
    );
    await byTest('problem').getByText('no route').waitFor();
    await byTest('approve').click();
    assert.deepEqual((await agent.called('approval/respond')).decision, { outcome: 'allow', by: 'person' });
  });

  it('tells a coming retry, and a turn that could not be written', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    agent.running = true;
    await agent.say(
      'task-1',
      started('task-1'),
      { type: 'user_message', text: 'Go' },
      {
        type: 'request_started',
        requestId: 'r1',
        model,
        hash: 'h',
      },
    );
    const { byTest } = bind(await open(agent));
    const words = { key: 'error.internal', args: { reason: 'too many requests' } };
    await agent.say('task-1', {
      delta: {
        type: 'request_status',
        requestId: 'r1',
        error: { message: words, retryable: true, status: 429 },
        attempt: 2,
        retryAt: Date.now() + 60_000,
      },
    });
    await byTest('retrying').getByText('attempt 2').waitFor();
    await agent.say('task-1', { delta: { type: 'turn_failed', error: words, unsent: ['left over'] } });
    await byTest('turn-failed').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'left over');
  });

  it('changes mode, model and what is automatic', async () => {
    const agent = new ScriptedAgent();
    agent.profiles.push({ ...agent.profiles[0]!, name: 'Local', provider: 'ollama', model: 'qwen' });
    const { byTest } = bind(await open(agent));
    await byTest('mode-picker').click();
    await byTest('mode-picker-item').getByText('Ask', { exact: true }).click();
    assert.deepEqual(await agent.called('mode/set'), { mode: 'ask' });
    await byTest('model-picker').click();
    await byTest('model-picker-item').getByText('Local').click();
    assert.deepEqual(await agent.called('profile/select'), { name: 'Local' });
    await byTest('automatic').click();
    await byTest('automatic-item').nth(1).click();
    assert.deepEqual(await agent.called('approval/setAutomatic'), { edit: true });
    await byTest('automatic').getByText('Auto: read, edit').waitFor();
  });

  it('starts the tour without any model', async () => {
    const agent = new ScriptedAgent();
    agent.profiles = [];
    agent.active = undefined;
    const { byTest } = bind(await open(agent));
    await byTest('tour').click();
    const created = await agent.called('task/create');
    assert.deepEqual(
      [agent.of('profile/save').map(({ profile }) => profile), agent.active, created.profile],
      [[{ name: 'Tour', provider: 'tour', model: 'tour', protocol: 'auto' }], 'Tour', 'Tour'],
    );
  });

  it('adds a model that was found, and one with a key after a test', async () => {
    const agent = new ScriptedAgent();
    agent.profiles = [];
    agent.active = undefined;
    agent.services = [{ provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3'] }];
    const { byTest } = bind(await open(agent));
    await byTest('found-model').click();
    assert.deepEqual((await agent.called('profile/save')).profile, {
      name: 'qwen3',
      provider: 'ollama',
      model: 'qwen3',
      baseUrl: 'http://127.0.0.1:11434/v1',
      protocol: 'auto',
    });
    await byTest('model-picker').getByText('qwen3').waitFor();
    await agent.notify('editor/command', { command: 'settings' });
    await byTest('add-profile').click();
    await byTest('profile-model').fill('claude-sonnet');
    await byTest('profile-prompt').selectOption('short');
    await byTest('profile-window').fill('many');
    await byTest('profile-save').click();
    await byTest('profile-form').getByText('Type a whole number of tokens, or nothing.').waitFor();
    await byTest('profile-window').fill('32768');
    await byTest('profile-key').fill('secret');
    await byTest('profile-test').click();
    await byTest('test-ok').waitFor();
    await byTest('profile-key').press('Enter');
    const expected = {
      name: 'claude-sonnet',
      provider: 'anthropic',
      model: 'claude-sonnet',
      protocol: 'auto',
      contextWindow: 32768,
      compactPrompt: true,
    };
    assert.deepEqual(await agent.called('profile/save', 2), { profile: expected, key: 'secret' });
    await byTest('profile').nth(1).getByText('key saved').waitFor();
    await byTest('back').click();
    await byTest('empty').waitFor();
  });

  it('finds, deletes, exports, renames and opens tasks', async () => {
    const agent = new ScriptedAgent();
    await completedTask(agent);
    agent.taskId = undefined;
    pastTasks(agent);
    const { byTest } = bind(await open(agent));
    assert.equal(await byTest('history-item').count(), 3);
    await agent.notify('editor/command', { command: 'history' });
    await byTest('history-search').fill('CHECKOUT');
    assert.equal(await byTest('history-item').count(), 1);
    // The text of tasks is searched when typing pauses.
    assert.deepEqual(await agent.called('task/search'), { query: 'CHECKOUT', limit: 50 });
    // Long tasks take their time: nothing is said to be missing before they were read.
    let answer: (found: unknown) => void = () => undefined;
    agent.answers.set('task/search', () => new Promise((resolve) => (answer = resolve)));
    await byTest('history-search').fill('what nobody titled');
    await byTest('searching').waitFor();
    assert.doesNotMatch(await byTest('history-count').innerText(), /No task/);
    await agent.called('task/search', 2);
    answer([]);
    await byTest('history-count').getByText('No task says these words.').waitFor();
    assert.equal(await byTest('searching').count(), 0);
    agent.answers.delete('task/search');
    await byTest('history-search').fill('CHECKOUT');
    await agent.called('task/search', 3);
    const pick = async (action: string): Promise<void> => {
      await byTest('task-actions').first().click();
      await byTest('task-actions-item').getByText(action).click();
    };
    const [first] = agent.tasks;
    agent.answers.set('task/delete', () => {
      agent.tasks = agent.tasks.filter(({ id }) => id !== 'task-2');
      return {};
    });
    await pick('Delete');
    await byTest('deleted').getByText('Write tests for the checkout').waitFor();
    assert.deepEqual(await agent.called('task/delete'), { taskId: 'task-2' });
    await until(async () => (await byTest('history-item').count()) === 0);
    await byTest('undo-delete').click();
    assert.deepEqual(await agent.called('task/restore'), { taskId: 'task-2' });
    // Words of the conversation, not only of the title.
    agent.answers.set('task/search', () => [{ taskId: 'task-1', excerpt: '…the loop begins at one…' }]);
    await byTest('history-search').fill('loop begins');
    await byTest('history-item').getByText('…the loop begins at one…').waitFor();
    assert.deepEqual(await agent.called('task/search', 4), { query: 'loop begins', limit: 50 });
    agent.answers.set('task/export', () => ({ name: 'The cart.md', text: '# The cart' }));
    await pick('Export as Markdown');
    assert.deepEqual(await agent.called('task/export'), { taskId: first?.id, format: 'markdown' });
    assert.deepEqual(await agent.called('editor/saveText'), { name: 'The cart.md', text: '# The cart' });
    await pick('Rename');
    await byTest('rename').fill('The cart, at last');
    await byTest('rename').press('Enter');
    assert.deepEqual(await agent.called('task/rename'), { taskId: first?.id, title: 'The cart, at last' });
    await byTest('open-task').first().click();
    await byTest('completion').waitFor();
    assert.deepEqual(await agent.called('editor/opened'), { taskId: 'task-1' });
  });

  it('says what is limited before the workspace is trusted', async () => {
    const agent = new ScriptedAgent();
    agent.trusted = false;
    const { byTest } = bind(await open(agent));
    await byTest('limited').waitFor();
    assert.equal(await byTest('composer').isDisabled(), true);
    await agent.notify('editor/trusted', { trusted: true });
    await byTest('limited').waitFor({ state: 'detached' });
    assert.equal(await byTest('composer').isDisabled(), false);
  });

  it('keeps a message that the agent refused', async () => {
    const agent = new ScriptedAgent();
    agent.answers.set('task/create', () => {
      throw Object.assign(new Error('refused'), {
        data: { code: 'unavailable', message: { key: 'error.noProfile' } },
      });
    });
    const { byTest } = bind(await open(agent));
    await byTest('composer').fill('Fix it');
    await byTest('send').click();
    await byTest('error').getByText('No model is set up').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'Fix it');
  });

  it('goes on from an interruption with a message', async () => {
    const agent = await waiting();
    agent.running = false;
    const { byTest } = bind(await open(agent));
    await byTest('interrupted').waitFor();
    await byTest('composer').fill('use pnpm from now on');
    await byTest('send').click();
    assert.deepEqual(await agent.called('task/send'), { taskId: 'task-1', text: 'use pnpm from now on' });
    assert.deepEqual(agent.of('approval/respond'), []);
  });

  it('never takes the focus from an editor, and closes its menus when it goes there', async () => {
    const agent = new ScriptedAgent();
    await begunTask(agent);
    const opened = await open(agent, { framed: true });
    const { page, byTest } = bind(opened);
    const editor = page.locator('#editor');
    await byTest('mode-picker').click();
    await byTest('mode-picker-item').first().waitFor();
    await editor.click();
    await byTest('mode-picker-item').first().waitFor({ state: 'detached' });
    // A person types while the agent works, asks, fails, changes and ends.
    const block = { type: 'block', requestId: 'r1' } as const;
    const typed = editor.pressSequentially('const total = items.length;', { delay: 30 });
    await agent.say('task-1', { delta: { ...block, delta: { type: 'text', block: 0, text: 'I look.' } } });
    await agent.say(
      'task-1',
      ...answered('r1', [call('c1', 'execute_command', { command: 'npm test' })]).slice(1),
      commandApproval('a1', 'c1', 'npm test'),
    );
    await byTest('approve').waitFor();
    await agent.say(
      'task-1',
      { type: 'approval_resolved', approvalId: 'a1', decision: { outcome: 'allow', by: 'client' } },
      { type: 'tool_started', callId: 'c1', tool: 'execute_command', view: commandView('npm test') },
      finished('c1', 'execute_command', commandView('npm test')),
      ...answered('r2', [call('c2', 'ask_followup_question', { question: 'Which?' })]),
      {
        type: 'approval_requested',
        request: {
          id: 'q1',
          taskId: 'task-1',
          reason: 'question',
          callId: 'c2',
          question: 'Which?',
          suggestions: [{ text: 'This' }],
        },
      },
    );
    await byTest('suggestion').waitFor();
    await agent.say(
      'task-1',
      { type: 'approval_resolved', approvalId: 'q1', decision: { outcome: 'cancelled', by: 'policy' } },
      { type: 'task_finished', reason: 'completed', result: 'Done.' },
    );
    await byTest('completion').waitFor();
    await agent.notify('mode/changed', { mode: 'ask' });
    await agent.notify('task/listChanged', {});
    await typed;
    assert.equal(await editor.inputValue(), 'const total = items.length;');
  });

  it('does a whole task by the keyboard alone', async () => {
    const agent = await waiting();
    const { page, byTest } = bind(await open(agent));
    await byTest('approve').click({ trial: true });
    await agent.notify('editor/command', { command: 'focusComposer' });
    await until(async () => (await page.evaluate(`document.activeElement?.dataset.testid`)) === 'composer');
    const reached: string[] = [];
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press('Shift+Tab');
      reached.push(String(await page.evaluate(`document.activeElement?.dataset.testid`)));
      if (reached.at(-1) === 'approve') break;
    }
    assert.deepEqual(reached, ['reject-always', 'reject', 'approve-always', 'approve']);
    await page.keyboard.press('Enter');
    assert.equal(((await agent.called('approval/respond')).decision as { outcome: string }).outcome, 'allow');
  });

  it('made no page complain of an error or of its policy in all of this', () => {
    assert.deepEqual(complaints, []);
  });
});

/** Polls; five seconds at most. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await holds()) return;
    await delay(50);
  }
  assert.fail('it did not come about');
}

function bind(sidebar: Sidebar): { page: Sidebar['page']; byTest: Sidebar['byTest'] } {
  return { page: sidebar.page, byTest: (id) => sidebar.byTest(id) };
}
