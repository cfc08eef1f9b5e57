import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fact } from '../../src/shared/events.ts';
import { answered, call, fileView, finished, ScriptedAgent, started, text } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';

describe('reading a long task', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;
  const complaints: string[] = [];

  before(async () => {
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    complaints.push(...(sidebar?.complaints ?? []));
    await sidebar?.close();
    sidebar = undefined;
    assert.deepEqual(complaints, []);
  });
  after(async () => {
    await harness.stop();
  });

  /** A task of so many turns, each about a thousand bytes of answer; the reads of two turns meet at some page's edge. */
  async function longTask(turns: number): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    const steps: Fact[] = [started('task-1')];
    for (let turn = 0; turn < turns; turn++)
      steps.push(
        { type: 'user_message', text: `Question ${turn}` },
        ...answered(`r${turn}`, [
          text(`Answer ${turn}: ${'it begins at one. '.repeat(60)}`),
          call(`c${turn}`, 'read_file', { path: `src/${turn}.ts` }),
        ]),
        finished(`c${turn}`, 'read_file', fileView('read', `src/${turn}.ts`)),
      );
    await agent.say('task-1', ...steps, { type: 'task_finished', reason: 'answered' });
    return agent;
  }

  async function open(agent: ScriptedAgent): Promise<Sidebar> {
    sidebar = await harness.open(agent);
    return sidebar;
  }

  /** The first message in sight and how far its top is from that of the transcript. */
  async function inSight({ page }: Sidebar): Promise<{ text: string; top: number }> {
    return await page.evaluate(`(() => {
      const top = document.querySelector('[data-testid="transcript"]').getBoundingClientRect().top;
      const row = [...document.querySelectorAll('[data-testid="message"]')].find((message) => message.getBoundingClientRect().bottom > top + 1);
      return { text: row?.innerText.slice(0, 20) ?? '', top: Math.round((row?.getBoundingClientRect().top ?? 0) - top) };
    })()`);
  }

  const log = `document.querySelector('[data-testid="transcript"]')`;
  const scrollTo = async ({ page }: Sidebar, top: number): Promise<void> =>
    page.evaluate(`${log}.scrollTop = ${top}`);
  const shown = async ({ page }: Sidebar, words: string): Promise<void> =>
    page.getByText(words, { exact: true }).waitFor();

  it('opens with its end alone, and fetches what came before as the reader comes near it', async () => {
    const agent = await longTask(1200);
    const opened = await open(agent);
    const { page } = opened;
    await shown(opened, 'Question 1199');
    const [subscribed] = agent.of('task/subscribe');
    assert.deepEqual(subscribed, { taskId: 'task-1', since: 0, bytes: 400_000 });
    assert.deepEqual(agent.of('task/page'), []);

    // The question at the top of the task is far away, and still what the task line says.
    await page.locator('.task-title').click();
    await page.locator('.task-prompt').getByText('Question 0', { exact: true }).waitFor();
    await page.locator('.task-title').click();
    const asked = agent.of('task/page').length;

    await scrollTo(opened, 500);
    await delay(200);
    const before = await inSight(opened);
    await agent.called('task/page', asked + 1);
    await delay(500);
    assert.deepEqual(await inSight(opened), before);
    assert.ok(Number(await page.evaluate(`${log}.scrollTop`)) > 10_000);

    for (let attempt = 0; attempt < 100 && (await inSight(opened)).text !== 'Question 0'; attempt++) {
      await scrollTo(opened, 0);
      await delay(100);
    }
    assert.equal((await inSight(opened)).text, 'Question 0');
    const pages = agent.of('task/page').slice(asked);
    assert.ok(pages.length >= 2 && pages.length <= 6, `${pages.length} pages`);
    assert.equal(new Set(pages.map(({ before: end }) => end)).size, pages.length);
    // Nothing is missing and nothing is there twice: every row has its place.
    const questions = await page.locator('[data-role="user"]').allInnerTexts();
    assert.deepEqual(
      questions,
      questions.map((_, turn) => `Question ${turn}`),
    );
  });

  it('goes on from its last entry after a gap, with the pages that it has', async () => {
    const agent = await longTask(1200);
    const opened = await open(agent);
    const { byTest } = opened;
    await shown(opened, 'Question 1199');
    await scrollTo(opened, 500);
    await agent.called('task/page');
    await delay(300);
    const reading = await inSight(opened);
    const journal = agent.journals.get('task-1') ?? [];
    const last = journal.length;
    const missed = { seq: last + 1, at: 1, type: 'user_message', text: 'missed' } as const;
    const next = { seq: last + 2, at: 1, type: 'user_message', text: 'heard' } as const;
    journal.push(missed, next);
    await agent.notify('task/events', { taskId: 'task-1', events: [{ kind: 'entry', entry: next }] });
    await byTest('pill').getByText('2 new').waitFor();
    assert.deepEqual(await agent.called('task/subscribe', 2), {
      taskId: 'task-1',
      since: last,
      bytes: 400_000,
    });
    assert.deepEqual(await inSight(opened), reading);
    await byTest('pill').click();
    await shown(opened, 'heard');
    await shown(opened, 'missed');
  });

  it('is where the reader was after a reload, with what they opened', async () => {
    const agent = await longTask(1200);
    const opened = await open(agent);
    const { page } = opened;
    await shown(opened, 'Question 1199');
    await scrollTo(opened, 500);
    await agent.called('task/page');
    await delay(300);
    await scrollTo(opened, 40_000);
    await delay(300);
    const inWindow = await page.evaluate<string>(
      `[...document.querySelectorAll('[data-call]')].find((card) => card.getBoundingClientRect().top > 200)?.dataset.call`,
    );
    const card = page.locator(`[data-call="${inWindow}"]`);
    await card.locator('.card-toggle').click();
    await card.locator('.card-body').waitFor();
    await delay(300);
    const reading = await inSight(opened);
    const subscribed = agent.of('task/subscribe').length;
    await page.reload();
    await agent.called('task/subscribe', subscribed + 1);
    await card.locator('.card-body').waitFor();
    for (let attempt = 0; attempt < 50; attempt++) {
      if ((await inSight(opened)).text === reading.text) break;
      await delay(100);
    }
    await delay(300);
    assert.deepEqual(await inSight(opened), reading);
    assert.equal(await opened.byTest('pill').innerText(), 'Latest');
  });

  it('keeps what an edit of an earlier message set aside over a reload', async () => {
    const agent = await longTask(3);
    const opened = await open(agent);
    const { page, byTest } = opened;
    await byTest('composer').fill('a thought');
    await page.locator('[data-role="user"]', { hasText: 'Question 1' }).hover();
    await byTest('edit-message').nth(1).click();
    await byTest('composer').fill('Question 1, better');
    await page.reload();
    await byTest('editing').waitFor();
    assert.equal(await byTest('composer').inputValue(), 'Question 1, better');
    await byTest('stop-editing').click();
    assert.equal(await byTest('composer').inputValue(), 'a thought');
    await page.reload();
    await byTest('task-line').waitFor();
    assert.equal(await byTest('editing').count(), 0);
  });

  it('walks from message to message of the person, and fetches those before', async () => {
    const agent = await longTask(500);
    const opened = await open(agent);
    const { page, byTest } = opened;
    await shown(opened, 'Question 499');
    await byTest('composer').focus();
    const current = page.locator('.row-current');
    const turn = async (key: string, expected: number): Promise<void> => {
      await page.keyboard.press(key);
      await current.getByText(`Question ${expected}`, { exact: true }).waitFor();
    };
    await turn('Alt+ArrowUp', 499);
    await turn('Alt+ArrowUp', 498);
    await turn('Alt+ArrowUp', 497);
    await turn('Alt+ArrowDown', 498);
    await byTest('previous-turn').click();
    await current.getByText('Question 497', { exact: true }).waitFor();
    // The composer keeps the focus of who writes there.
    await byTest('composer').focus();
    await delay(600);
    await scrollTo(opened, 0);
    await agent.called('task/page');
    await delay(300);
    await page.keyboard.press('Alt+ArrowUp');
    await current.waitFor();
    for (let step = 0; step < 3; step++) await page.keyboard.press('Alt+ArrowDown');
  });
});
