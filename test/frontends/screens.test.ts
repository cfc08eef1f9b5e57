import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRule } from '../../src/shared/approvals.ts';
import { answered, call, finished, ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { scenes } from './webviewScenes.ts';
import { begunTask } from './webviewTasks.ts';

describe('the screens beside the conversation, in a browser', function () {
  this.timeout(30_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async function () {
    this.timeout(60_000);
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    const complaints = sidebar?.complaints ?? [];
    await sidebar?.close();
    sidebar = undefined;
    assert.deepEqual(complaints, []);
  });
  after(async () => {
    await harness.stop();
  });

  async function open(agent: ScriptedAgent, screen?: string): Promise<Sidebar> {
    sidebar = await harness.open(agent);
    if (screen !== undefined) {
      await agent.notify('editor/command', { command: screen });
      await sidebar.byTest(screen).waitFor();
    }
    return sidebar;
  }

  it('switches what goes without asking, kind by kind, and says what cannot be switched', async () => {
    const agent = new ScriptedAgent();
    const { byTest, frame } = await open(agent, 'settings');
    const table = byTest('automatic-table');
    await table.getByRole('checkbox', { name: 'Changing files, Inside: without asking' }).click();
    assert.deepEqual(await agent.called('approval/setAutomatic'), { edit: true });
    await byTest('automatic-read').click();
    assert.deepEqual(await agent.called('approval/setAutomatic', 2), { read: false });
    await until(async () => !(await byTest('automatic-read').isChecked()));
    assert.equal(await byTest('automatic-edit').isChecked(), true);
    assert.equal(await table.getByRole('checkbox').count(), 4);
    const commands = frame.getByRole('row', { name: /^Running commands/ });
    assert.deepEqual(await commands.getByRole('cell').allInnerTexts(), [
      'asks',
      'Unless a rule allows it and the sandbox runs it',
    ]);
  });

  it('lists what is always allowed and always denied, and takes back one of them', async () => {
    const agent = new ScriptedAgent();
    const allowed: ApprovalRule = { type: 'site', site: 'https://docs.example.com' };
    const denied: ApprovalRule = { type: 'command', command: 'git push', cwd: '/work/shop' };
    agent.policy.allow.push(allowed);
    agent.policy.deny.push(denied);
    agent.answers.set('approval/revoke', () => ({ ...agent.policy, deny: [] }));
    const { byTest, page } = await open(agent, 'settings');
    await byTest('rules-allowed').getByText('Open pages of https://docs.example.com').waitFor();
    await byTest('rules-denied').getByRole('button', { name: 'Take back: Run exactly: git push' }).click();
    assert.deepEqual(await agent.called('approval/revoke'), { rule: denied });
    await byTest('rules-denied').getByText('Nothing yet.').waitFor();
    assert.equal(await byTest('rule').count(), 1);
    // The row took the focused button with it.
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Always denied');
  });

  it('explains a command by Enter, and forgets the verdict when the command changes', async () => {
    const agent = new ScriptedAgent();
    agent.answers.set('command/explain', () => ({
      verdict: 'ask',
      why: [{ key: 'command.notAllowed', args: { program: 'npm' } }],
      more: 0,
      parts: [
        { source: 'git status', verdict: 'auto', why: [] },
        {
          source: 'npm test',
          verdict: 'ask',
          why: [{ key: 'command.notAllowed', args: { program: 'npm' } }],
        },
      ],
    }));
    const { byTest, page } = await open(agent, 'settings');
    assert.equal(await byTest('explain-button').isDisabled(), true);
    await byTest('explain-command').pressSequentially('git status');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('npm test');
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('command/explain'), { command: 'git status\nnpm test' });
    await byTest('explained').getByText('Asks you').first().waitFor();
    assert.deepEqual(
      await Promise.all(
        (await byTest('explained-part').all()).map((part) => part.getAttribute('data-verdict')),
      ),
      ['auto', 'ask'],
    );
    await page.keyboard.type('s');
    await byTest('explained').waitFor({ state: 'detached' });
  });

  it('keeps the label of a command’s program whole in Chinese, however narrow', async () => {
    const agent = new ScriptedAgent();
    agent.locale = 'zh-cn';
    await scenes.find(({ name }) => name === 'approve-program')?.prepare(agent);
    const { byTest, page } = await open(agent);
    await byTest('command-program').waitFor();
    for (const width of [180, 240, 300, 360]) {
      await page.setViewportSize({ width, height: 700 });
      const lines = await page.evaluate(`(() => {
        const range = document.createRange();
        const text = document.querySelector('[data-testid="command-program"]').firstChild;
        range.setStart(text, 0);
        range.setEnd(text, '程序：'.length);
        return range.getClientRects().length;
      })()`);
      assert.equal(lines, 1, `${width} pixels`);
    }
  });

  it('shows words on a card from their beginning, whatever slashes are in them, and of an address its end', async () => {
    const agent = new ScriptedAgent();
    await begunTask(agent);
    const note =
      'Amounts in data/ledger.csv are in euros; a negative one is a refund and counts for its month.';
    const page = 'https://docs.example.com/a/long/way/to/the/page.html';
    await agent.say(
      'task-1',
      ...answered('r1', [
        call('c1', 'memory', { content: note }),
        call('c2', 'web_fetch', { url: page }),
      ]).slice(1),
      finished('c1', 'memory', { kind: 'other', subject: note, locations: [] }),
      finished('c2', 'web_fetch', { kind: 'fetch', subject: page, locations: [] }),
    );
    const { frame, byTest } = await open(agent);
    await byTest('tool-card').nth(1).waitFor();
    const subject = (index: number, part: string) =>
      frame.locator('.card-subject').nth(index).locator(`.middle-${part}`).allInnerTexts();
    assert.deepEqual([await subject(0, 'folder'), await subject(0, 'head')], [[], [note]]);
    assert.deepEqual(await subject(1, 'tail'), ['/page.html']);
  });

  it('says what the program is, opens what belongs to it, and copies what a report needs', async () => {
    const agent = new ScriptedAgent();
    const { byTest, context } = await open(agent, 'settings');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await byTest('open-about').click();
    await byTest('facts').getByText('0.1.0').waitFor();
    assert.deepEqual((await byTest('facts').innerText()).split('\n'), [
      'Version',
      '0.1.0',
      'Licence',
      'Apache-2.0',
      'Editor',
      'Visual Studio Code 1.106.3',
      'System',
      'linux 6.12.0 x64',
    ]);
    assert.equal(await byTest('about-data').innerText(), '/home/person/.local/share/lathe');
    for (const [index, what] of ['data', 'log', 'license', 'walkthrough'].entries()) {
      await byTest(`show-${what}`).click();
      assert.deepEqual(await agent.called('editor/show', index + 1), { what });
    }
    await byTest('copy-details').click();
    await byTest('copy-details').getByText('Copied').waitFor();
    assert.equal(
      await sidebar?.page.evaluate('navigator.clipboard.readText()'),
      'Lathe 0.1.0\nVisual Studio Code 1.106.3\nlinux 6.12.0 x64\nanthropic, claude-sonnet, auto\n',
    );
    await byTest('back').click();
    await byTest('settings').waitFor();
    await byTest('back').click();
    await byTest('composer').waitFor();
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
