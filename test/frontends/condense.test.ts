import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { busyTask, completedTask, condensed, condensing } from './webviewTasks.ts';
import { themes, type ThemeName } from './webviewThemes.ts';

describe('condensing in the task line', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async () => {
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    await sidebar?.close();
    sidebar = undefined;
  });
  after(async () => {
    await harness.stop();
  });

  async function open(agent: ScriptedAgent, theme: ThemeName = 'dark'): Promise<Sidebar> {
    sidebar = await harness.open(agent, { theme, width: 300 });
    return sidebar;
  }

  it('asks for it, shows that it goes on and can be stopped, then what it saved, and the summary', async () => {
    const agent = new ScriptedAgent();
    await completedTask(agent);
    const { page, byTest } = await open(agent);
    assert.equal(await byTest('condense').getAttribute('aria-label'), 'Condense the conversation');
    await byTest('condense').click();
    assert.deepEqual(await agent.called('task/condense'), { taskId: 'task-1' });

    await agent.say('task-1', condensing);
    await byTest('working').getByText('Condensing the conversation…').waitFor();
    assert.ok(await byTest('condense').isDisabled());
    await byTest('stop').click();
    assert.deepEqual(await agent.called('task/cancel'), { taskId: 'task-1' });

    await agent.say('task-1', ...condensed);
    await page.getByText('Old tool results shortened for the model: 171k → 168k tokens').waitFor();
    await page.getByRole('button', { name: 'Condensed: 168k → 9.1k tokens' }).click();
    await page.getByText('the total of the cart must count quantities').waitFor();
    assert.match((await byTest('context-meter').getAttribute('aria-valuetext')) ?? '', /^Context: 9,120 of/);
    assert.equal(await byTest('working').count(), 0);
    // How the task stands is as it was.
    assert.equal(await byTest('task-line').getAttribute('data-state'), 'completed');
    assert.ok(await byTest('condense').isEnabled());
  });

  it('in a running turn waits for its next request, and says so', async () => {
    const agent = new ScriptedAgent();
    await busyTask(agent, { waits: false });
    const { page, byTest } = await open(agent);
    await byTest('condense').click();
    await page.getByRole('button', { name: 'Condenses before the next request', disabled: true }).waitFor();
    await agent.say('task-1', ...condensed);
    await page.getByRole('button', { name: 'Condense the conversation', disabled: false }).waitFor();
  });

  it('is asked for by /condense too, where there is something to condense', async () => {
    const agent = new ScriptedAgent();
    await completedTask(agent);
    const { page, byTest } = await open(agent);
    await byTest('composer').pressSequentially('/cond');
    await byTest('completion-option').getByText('Condense the conversation').waitFor();
    await page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('task/condense'), { taskId: 'task-1' });
    assert.equal(await byTest('composer').inputValue(), '');
    await agent.notify('editor/command', { command: 'newTask' });
    await byTest('empty').waitFor();
    await byTest('composer').pressSequentially('/');
    await byTest('completion-option').getByText('New task').waitFor();
    assert.equal(await byTest('completion-option').getByText('Condense').count(), 0);
  });

  for (const theme of Object.keys(themes) as ThemeName[])
    it(`has no accessibility violation at 300 pixels (${theme})`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      for (const facts of [[condensing], condensed]) {
        const agent = new ScriptedAgent();
        agent.locale = theme === 'light' ? 'zh-cn' : 'en';
        await completedTask(agent);
        await agent.say('task-1', ...facts);
        const opened = await open(agent, theme);
        const { page, complaints } = opened;
        await page.evaluate(axe);
        const violations = await page.evaluate(
          `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
        );
        assert.deepEqual(violations, []);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 300);
        assert.deepEqual(complaints, []);
        await opened.close();
        sidebar = undefined;
      }
    });
});
