import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { CutLine } from '../support/CutLine.ts';
import { xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { ready, send, WebChatHarness, type WebChat } from './webChatHarness.ts';

const said = (text: string): Turn => ({ text: xmlCall('attempt_completion', { result: text }) });
const writes = (path: string, content: string): Turn => ({
  text: `I write it now.\n\n${xmlCall('write_to_file', { path, content })}`,
});
/** Its first words come, and then nothing until it is stopped. */
const hangs: Turn = { text: 'The first words of an answer. '.repeat(20), stallAfter: 6 };

describe('the web chat in a browser', function () {
  this.timeout(120_000);
  let harness: WebChatHarness;
  let chat: WebChat;
  const complaints: string[] = [];
  const foreign: string[] = [];

  before(async () => {
    harness = await WebChatHarness.start();
  });
  after(async () => {
    await harness.stop();
  });
  afterEach(async function () {
    // One that failed took none of those that it expected.
    if (this.currentTest?.isPassed()) complaints.push(...chat.complaints);
    foreign.push(...chat.foreign);
    await chat.stop();
  });

  const onDisk = (path: string): string => readFileSync(join(chat.cwd, path), 'utf8');

  it('sends, shows the answer as it comes, and writes what is approved after its diff was seen', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    chat = await harness.serve(
      [
        {
          text: `${words}\n\n${xmlCall('write_to_file', { path: 'a.ts', content: 'const a = 2;\n' })}`,
          delay: 15,
        },
        said('It is written.'),
      ],
      { files: { 'a.ts': 'const a = 1;\n' } },
    );
    const page = await chat.open();
    await page.evaluate(`(() => {
      window.seen = new Set();
      new MutationObserver(() => {
        const last = /word(\\d+)(?!.*word)/s.exec(document.querySelector('[data-testid="transcript"]')?.innerText ?? '');
        if (last) window.seen.add(last[1]);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    })()`);
    await send(page, 'Make it 2');
    await page.getByTestId('approval').waitFor();
    assert.ok((await page.evaluate<number>('window.seen.size')) > 3);
    const diff = await page.getByTestId('diff').innerText();
    assert.match(diff.replace(/\s+/g, ' '), /1 − const a = 1; 1 \+ const a = 2;/);
    assert.equal(onDisk('a.ts'), 'const a = 1;\n');
    await page.getByTestId('approve').click();
    await page.getByText('It is written.').waitFor();
    assert.equal(onDisk('a.ts'), 'const a = 2;\n');
    assert.match(await page.title(), /^lathe-web-\w+ – Lathe$/);
  });

  it('rejects with what stands in the composer, and the model hears it', async () => {
    chat = await harness.serve([writes('b.txt', 'b'), said('As you wish.')]);
    const page = await chat.open();
    await send(page, 'Write b');
    await page.getByTestId('approval').waitFor();
    await page.getByTestId('composer').fill('Not there, please');
    await page.getByTestId('reject').click();
    await page.getByText('As you wish.').waitFor();
    assert.equal(existsSync(join(chat.cwd, 'b.txt')), false);
    assert.match(JSON.stringify(chat.model.requests[1]?.body), /Not there, please/);
  });

  it('stops an answer in its middle', async () => {
    chat = await harness.serve([hangs]);
    const page = await chat.open();
    await send(page, 'Talk');
    await page.getByText('The first words').waitFor();
    await page.getByTestId('stop').click();
    await page.getByTestId('stop').waitFor({ state: 'detached' });
    await chat.server.tests.ended(1);
    assert.deepEqual(
      chat.server.tests.entries('task_finished').map(({ reason }) => reason),
      ['cancelled'],
    );
  });

  it('loses nothing when it is loaded anew: what runs goes on, what asks still asks, what was being written is there', async () => {
    const long = Array.from({ length: 80 }, (_, index) => `word${index}`).join(' ');
    chat = await harness.serve([
      { text: `${long}\n\n${xmlCall('write_to_file', { path: 'c.txt', content: 'c' })}`, delay: 15 },
      said('All of it.'),
    ]);
    const page = await chat.open();
    await send(page, 'Go');
    await page.getByText('word3').waitFor();
    await page.reload();
    await ready(page);
    await page.getByTestId('approval').waitFor();
    await page.getByText('word79').waitFor();
    await page.getByTestId('composer').fill('half a thought');
    await page.reload();
    await page.getByTestId('approval').waitFor();
    assert.equal(await page.getByTestId('composer').inputValue(), 'half a thought');
    await page.getByTestId('composer').fill('');
    await page.getByTestId('approve').click();
    await page.getByText('All of it.').waitFor();
    assert.equal(onDisk('c.txt'), 'c\n');
  });

  it('waits for a person whose page is closed when it asks', async () => {
    chat = await harness.serve([
      {
        text: `${'word '.repeat(80)}${xmlCall('write_to_file', { path: 'd.txt', content: 'd' })}`,
        delay: 15,
      },
      said('Answered later.'),
    ]);
    const page = await chat.open();
    const context = page.context();
    await send(page, 'Go');
    await page.getByText('word').first().waitFor();
    await page.close();
    const { tests } = chat.server;
    await tests.until(() => tests.entries('approval_requested').length > 0, 'the request');
    const next = await chat.tabIn(context);
    await next.goto(chat.server.url);
    await next.getByTestId('history-item').first().click();
    await next.getByTestId('approve').click();
    await next.getByText('Answered later.').waitFor();
    assert.equal(onDisk('d.txt'), 'd\n');
  });

  it('shows two tabs the same task, and the first answer counts', async () => {
    chat = await harness.serve([writes('e.txt', 'e'), said('Both see this.')]);
    const one = await chat.open();
    await send(one, 'Go');
    const two = await chat.tabIn(one.context());
    await two.goto(chat.server.url);
    await ready(two);
    // A tab begins with a task of its own.
    await two.getByTestId('history-item').first().click();
    await two.getByTestId('approval').waitFor();
    await one.getByTestId('approval').waitFor();
    await two.getByTestId('approve').click();
    for (const page of [one, two]) {
      await page.getByText('Both see this.').waitFor();
      await page.getByTestId('approval').waitFor({ state: 'detached' });
    }
    assert.deepEqual(
      chat.server.tests.entries('approval_resolved').map(({ decision }) => [decision.outcome, decision.by]),
      [['allow', 'person']],
    );
  });

  it('says that the server is not reached, sends nothing meanwhile, and shows all of it afterwards', async () => {
    chat = await harness.serve([writes('f.txt', 'f'), said('The first end.'), said('The second end.')]);
    const line = await CutLine.to(chat.server.url);
    try {
      const page = await chat.tab();
      // The page came, and then nothing more.
      await page.route('**/api/page', (route) => route.abort(), { times: 1 });
      await page.goto(line.url);
      await page.getByText('The server is not reached.').waitFor();
      await ready(page);
      await send(page, 'Go');
      await page.getByTestId('approval').waitFor();
      line.cut();
      await page.getByTestId('disconnected').waitFor();
      const { tests } = chat.server;
      const { taskId, id: approvalId } = tests.entries('approval_requested')[0]!.request;
      await page.getByTestId('approve').click({ force: true });
      await page.getByTestId('composer').fill('a message');
      await page.getByTestId('composer').press('Enter');
      assert.equal(await page.getByTestId('composer').inputValue(), 'a message');
      assert.equal(await page.getByTestId('send').isDisabled(), true);
      assert.deepEqual(tests.entries('approval_resolved'), []);
      // Somebody else answers, and the turn goes on without this page.
      await tests.agent.dispatcher.call('approval/respond', {
        ...{ taskId, approvalId },
        decision: { outcome: 'allow', by: 'person' },
      });
      await tests.ended(1);
      line.mend();
      await page.getByText('The first end.').waitFor();
      await page.getByTestId('disconnected').waitFor({ state: 'detached' });
      await page.getByTestId('send').click();
      await page.getByText('The second end.').waitFor();
      assert.equal(await page.getByText('I write it now.').count(), 1);
    } finally {
      // What the cut line said to the browser is not the page's fault.
      chat.complaints.splice(0);
      chat.foreign.splice(0);
      await line.stop();
    }
  });

  it('asks for the token of the server, says when it is another, and keeps it for this tab alone', async () => {
    const token = 'a/token=of(the)%41test';
    chat = await harness.serve([], { token });
    const page = await chat.tab();
    await page.goto(chat.server.url);
    for (const wrong of ['another', '词', token.slice(1)]) {
      await page.getByTestId('token').fill(wrong);
      await page.getByTestId('token').press('Enter');
      // The form of the next attempt.
      await emptied(page.getByTestId('token'));
      await page.getByTestId('token-wrong').waitFor();
    }
    await page.getByTestId('token').fill(token);
    await page.getByTestId('token-send').click();
    await ready(page);
    await page.reload();
    await ready(page);
    assert.equal(await page.evaluate('JSON.stringify(localStorage).includes("token")'), false);
    const other = await chat.tabIn(page.context());
    await other.goto(chat.server.url);
    await other.getByTestId('token').waitFor();
    // As the server's own words at its start have it.
    const third = await chat.tab();
    await third.goto(`${chat.server.url}/#token=${encodeURIComponent(token)}`);
    await ready(third);
    assert.equal(third.url(), `${chat.server.url}/`);
    // A browser writes down each answer 401.
    assert.ok(chat.complaints.splice(0).every((one) => one.includes('401')));
  });

  it('mentions files, saves a task as a file, opens links outside, and offers nothing that takes an editor', async () => {
    const text = 'See `a.ts`, [the file](a.ts) and [the page](https://example.com/x).';
    const turns = [{ text: xmlCall('read_file', { path: 'a.ts' }) }, said(text)];
    chat = await harness.serve(turns, { files: { 'a.ts': 'const a = 1;\n', 'b.ts': '' } });
    const page = await chat.open();
    const composer = page.getByTestId('composer');
    await composer.pressSequentially('Look at @a.');
    await page.getByRole('option', { name: 'a.ts' }).waitFor();
    await composer.press('Enter');
    assert.equal((await composer.inputValue()).trim(), 'Look at @a.ts');
    await composer.press('Enter');
    await page.getByText('See').waitFor();
    assert.equal(await page.getByRole('link', { name: 'the file' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Open/ }).count(), 0);
    await page.context().route('https://example.com/**', (route) => route.fulfill({ body: 'outside' }));
    const [outside] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'the page' }).click(),
    ]);
    assert.equal(await outside.evaluate('window.opener'), null);
    assert.deepEqual(await outside.evaluate('document.referrer'), '');
    await outside.close();
    await page.getByTestId('web-history').click();
    await page.getByTestId('history-item').first().waitFor();
    await page
      .getByRole('button', { name: /Actions/i })
      .first()
      .click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /Markdown/ }).click(),
    ]);
    assert.match(readFileSync(await download.path(), 'utf8'), /Look at @a\.ts/);
    for (const screen of ['web-mcp', 'web-settings']) await page.getByTestId(screen).click();
    await page.getByTestId('settings').waitFor();
    assert.equal(await page.getByText(/editor’s settings/).count(), 0);
    await page.getByTestId('open-about').click();
    await page.getByTestId('facts').waitFor();
    assert.equal(await page.locator('[data-testid^="show-"]').count(), 0);
    assert.equal(await page.getByText(/editor/).count(), 0);
  });

  it('shows all of a change that is too long for a diff', async () => {
    const long = Array.from({ length: 1500 }, (_, index) => `line ${index}`).join('\n');
    chat = await harness.serve([writes('long.txt', long), said('Long.')]);
    const page = await chat.open();
    await send(page, 'Write much');
    await page.getByTestId('approval').waitFor();
    await page.getByTestId('whole-call').locator('summary').click();
    assert.match(await page.getByTestId('whole-call').innerText(), /line 1499/);
  });

  it('is worked by the keyboard alone', async () => {
    chat = await harness.serve([writes('g.txt', 'g'), writes('h.txt', 'h'), said('By keys.')]);
    const page = await chat.open();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'web-newTask');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('History', { exact: true }).waitFor();
    assert.equal(await focused(page), 'web-history');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('[data-testid="composer"]:focus').waitFor();
    await page.keyboard.type('Write both');
    await page.keyboard.press('Enter');
    await page.getByTestId('approval').waitFor();
    await armed(page);
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-testid="approval"]').getByText('h.txt').waitFor();
    await armed(page);
    await page.keyboard.press('Control+Backspace');
    await page.getByText('By keys.').waitFor();
    assert.deepEqual(
      [existsSync(join(chat.cwd, 'g.txt')), existsSync(join(chat.cwd, 'h.txt'))],
      [true, false],
    );
  });

  it('speaks the language of the browser', async () => {
    chat = await harness.serve([], { token: 't' });
    const page = await chat.tab({ locale: 'zh-CN' });
    await page.goto(chat.server.url);
    await page.getByText('此服务器需要令牌').waitFor();
    await page.getByTestId('token').fill('t');
    await page.getByTestId('token').press('Enter');
    await ready(page);
    assert.equal(await page.getByTestId('app').getAttribute('lang'), 'zh-Hans');
    assert.equal(await page.getByTestId('web-newTask').getAttribute('aria-label'), '新任务');
    chat.complaints.splice(0);
  });

  it('asked for nothing outside, and no page complained, in all of this', async () => {
    chat = await harness.serve([]);
    await chat.open();
    assert.deepEqual([...complaints, ...chat.complaints], []);
    assert.deepEqual(foreign, []);
  });
});

async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(`document.activeElement?.dataset.testid ?? ''`);
}

/** Asked from outside: the page's policy lets nothing wait in it. */
async function emptied(field: Locator): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    if ((await field.inputValue()) === '') return;
    await sleep(20);
  }
  throw new Error('the field was not emptied');
}

/** What just appeared takes no answer: the buttons say when it does. */
async function armed(page: Page): Promise<void> {
  await page.locator('[data-testid="approve"]:not([aria-disabled="true"])').waitFor();
}
