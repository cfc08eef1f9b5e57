import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { MAX_CHANGED_TEXT } from '../../src/shared/approvalMethods.ts';
import { xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { ready, send, WebChatHarness, type WebChat } from './webChatHarness.ts';

const said = (text: string): Turn => ({ text: xmlCall('attempt_completion', { result: text }) });
const writes = (path: string, content: string): Turn => ({
  text: xmlCall('write_to_file', { path, content }),
});

describe('a proposal that is changed in the web chat', function () {
  this.timeout(120_000);
  let harness: WebChatHarness;
  let chat: WebChat;

  before(async () => {
    harness = await WebChatHarness.start();
  });
  after(async () => {
    await harness.stop();
  });
  afterEach(async () => {
    const { complaints, foreign } = chat;
    await chat.stop();
    assert.deepEqual([...complaints, ...foreign], []);
  });

  const onDisk = (path: string): string => readFileSync(join(chat.cwd, path), 'utf8');
  const toldToModel = (request: number): string => JSON.stringify(chat.model.requests[request]?.body);
  const answers = (): object[] =>
    chat.server.tests.entries('approval_resolved').map(({ decision }) => decision);

  it('lands as the person wrote it, line breaks as they were, and the model hears what they changed', async () => {
    const turns = [writes('a.ts', 'const a = 2;\nconst b = 2;\n'), said('As you have it.')];
    chat = await harness.serve(turns, { files: { 'a.ts': 'const a = 1;\r\n' } });
    const page = await chat.open();
    await send(page, 'Make it 2');
    const text = await change(page);
    assert.equal(await text.getAttribute('aria-label'), 'New text of a.ts');
    assert.equal(await text.inputValue(), 'const a = 2;\nconst b = 2;\n');
    await text.fill('const a = 2;\nconst b = 3;\n');
    assert.equal(onDisk('a.ts'), 'const a = 1;\r\n');
    await page.getByTestId('change-approve').click();
    await page.getByText('As you have it.').waitFor();
    assert.equal(onDisk('a.ts'), 'const a = 2;\r\nconst b = 3;\r\n');
    await page.getByText('You changed the proposal').waitFor();
    assert.equal(await page.getByTestId('unused-change').count(), 0);
    const told = toldToModel(1);
    assert.match(told, /The person changed your proposal before approving it\./);
    assert.match(told, /-const b = 2;/);
    assert.match(told, /\+const b = 3;/);
    assert.doesNotMatch(told, /[+-]const a = 2;/);
    assert.deepEqual(answers(), [
      {
        outcome: 'allow',
        optionId: 'allow_once',
        by: 'person',
        edited: { [join(chat.cwd, 'a.ts')]: 'const a = 2;\r\nconst b = 3;\r\n' },
      },
    ]);
  });

  it('is worked by the keyboard alone: Escape goes back and keeps the words, and so does loading the page anew', async () => {
    chat = await harness.serve([writes('b.txt', 'one two three'), said('By keys.')]);
    const page = await chat.open();
    await send(page, 'Write b');
    await armed(page, 'approve');
    await page.getByTestId('change').focus();
    await page.keyboard.press('Enter');
    await focused(page, 'change-text');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('four five');
    // It deletes a word here, and rejects nothing.
    await page.keyboard.press('Control+Backspace');
    await page.keyboard.press('Escape');
    await focused(page, 'change');
    assert.equal(await page.getByTestId('change').innerText(), 'Go on changing');
    await armed(page, 'change');
    await page.keyboard.press('Enter');
    await focused(page, 'change-text');
    assert.equal(await page.getByTestId('change-text').inputValue(), 'one two three\nfour ');
    await page.reload();
    await ready(page);
    await focused(page, 'change-text');
    assert.equal(await page.getByTestId('change-text').inputValue(), 'one two three\nfour ');
    await page.keyboard.press('Tab');
    await focused(page, 'change-approve');
    await page.keyboard.press('Shift+Tab');
    await armed(page, 'change-approve');
    await page.keyboard.press('Control+Enter');
    await page.getByText('By keys.').waitFor();
    assert.equal(onDisk('b.txt'), 'one two three\nfour ');
    await focused(page, 'composer');
  });

  it('lands as proposed when nothing was changed, or the change was taken back', async () => {
    chat = await harness.serve([writes('c.txt', 'c'), said('As it was.')]);
    const page = await chat.open();
    await send(page, 'Write c');
    const text = await change(page);
    await text.fill('another');
    await page.getByTestId('change-reset').click();
    assert.equal(await text.inputValue(), 'c\n');
    await armed(page, 'change-approve');
    await page.getByTestId('change-approve').click();
    await page.getByText('As it was.').waitFor();
    assert.equal(onDisk('c.txt'), 'c\n');
    assert.deepEqual(answers(), [{ outcome: 'allow', optionId: 'allow_once', by: 'person' }]);
    assert.doesNotMatch(toldToModel(1), /The person changed/);
  });

  it('is answered by one tab alone; what another one wrote is given back there', async () => {
    chat = await harness.serve([writes('d.txt', 'd'), said('One of them.')]);
    const one = await chat.open();
    await send(one, 'Write d');
    await (await change(one)).fill('from the first\n');
    const two = await chat.tab();
    await two.goto(chat.server.url);
    await ready(two);
    await two.getByTestId('history-item').first().click();
    await (await change(two)).fill('from the second\n');
    await armed(two, 'change-approve');
    await two.getByTestId('change-approve').click();
    for (const page of [one, two]) await page.getByText('One of them.').waitFor();
    assert.equal(onDisk('d.txt'), 'from the second\n');
    await one.getByTestId('unused-change').locator('summary').click();
    assert.equal(await one.getByTestId('unused-change').locator('pre').innerText(), 'from the first\n');
    assert.equal(await one.getByTestId('change-text').count(), 0);
    assert.equal(await two.getByTestId('unused-change').count(), 0);
    await one.reload();
    await one.getByTestId('unused-change').waitFor();
    await one.getByTestId('dismiss-unused').click();
    await one.getByTestId('unused-change').waitFor({ state: 'detached' });
    await one.reload();
    await one.getByText('One of them.').waitFor();
    assert.equal(await one.getByTestId('unused-change').count(), 0);
  });

  it('is not written over a file that changed on disk meanwhile; what the person wrote is given back', async () => {
    const turns = [writes('e.txt', 'proposed'), said('I see.')];
    chat = await harness.serve(turns, { files: { 'e.txt': 'before\n' } });
    const page = await chat.open();
    await send(page, 'Write e');
    await (await change(page)).fill('mine\n');
    writeFileSync(join(chat.cwd, 'e.txt'), 'somebody else\n');
    await page.getByTestId('change-approve').click();
    await page.getByText('I see.').waitFor();
    assert.equal(onDisk('e.txt'), 'somebody else\n');
    assert.match(toldToModel(1), /changed on disk since it was read, so nothing was written/);
    await page.getByTestId('unused-change').locator('summary').click();
    assert.equal(await page.getByTestId('unused-change').locator('pre').innerText(), 'mine\n');
  });

  it('takes a click where it is dangerous, and is no way to another file', async () => {
    const turns = [writes('.vscode/settings.json', '{}'), said('Guarded.')];
    chat = await harness.serve(turns, { files: {} });
    const page = await chat.open();
    await send(page, 'Write settings');
    const text = await change(page);
    await text.fill('{ "a": 1 }\n');
    await armed(page, 'change-approve');
    await text.press('Control+Enter');
    await page.getByTestId('error').waitFor();
    assert.deepEqual(answers(), []);
    const { taskId, id: approvalId } = chat.server.tests.entries('approval_requested')[0]!.request;
    const decision = { outcome: 'allow', edited: { [join(chat.cwd, 'other.txt')]: 'slipped in' } };
    const long = { taskId, approvalId, decision, text: 'x'.repeat(MAX_CHANGED_TEXT + 1) };
    assert.equal((await rpc('approval/respond', long)).status, 400);
    assert.deepEqual(answers(), []);
    const given = { taskId, approvalId, decision, path: 'other.txt', text: '{ "b": 2 }\n' };
    assert.equal((await rpc('approval/respond', given)).status, 200);
    await page.getByText('Guarded.').waitFor();
    assert.equal(onDisk('.vscode/settings.json'), '{ "b": 2 }\n');
    assert.equal(existsSync(join(chat.cwd, 'other.txt')), false);
    assert.equal((await rpc('approval/proposal', { taskId, approvalId })).status, 404);
  });

  it('is offered for the text of one file of some size: else it says why not, and nothing is answered', async () => {
    const large = `${'x'.repeat(99)}\n`.repeat(MAX_CHANGED_TEXT / 100);
    const patch = '*** Begin Patch\n*** Add File: f.txt\n+f\n*** Add File: g.txt\n+g\n*** End Patch';
    chat = await harness.serve(
      [
        { text: xmlCall('apply_patch', { patch }) },
        { text: xmlCall('write_to_file', { path: 'large.txt', mode: 'append', content: 'more' }) },
        { text: xmlCall('execute_command', { command: 'true' }) },
        said('All of them.'),
      ],
      { files: { 'large.txt': large } },
    );
    const page = await chat.open();
    await send(page, 'Go');
    await page.getByTestId('changes-several').waitFor();
    assert.equal(await page.getByTestId('change').count(), 0);
    const { taskId, id: approvalId } = chat.server.tests.entries('approval_requested')[0]!.request;
    const decision = { outcome: 'allow' };
    assert.equal((await rpc('approval/respond', { taskId, approvalId, decision, text: 'x' })).status, 503);
    assert.deepEqual(answers(), []);
    await armed(page, 'approve');
    await page.getByTestId('approve').click();
    await page.locator('[data-testid="approval"][data-tool="write_to_file"]').waitFor();
    await armed(page, 'approve');
    await page.getByTestId('change').click();
    await page.getByTestId('error').getByText('too large to be changed here').waitFor();
    assert.equal(await page.getByTestId('change-text').count(), 0);
    await armed(page, 'approve');
    await page.getByTestId('approve').click();
    await page.locator('[data-testid="approval"][data-tool="execute_command"]').waitFor();
    assert.equal(await page.getByTestId('change').count(), 0);
    assert.deepEqual(
      [onDisk('f.txt'), onDisk('g.txt'), onDisk('large.txt').length],
      ['f\n', 'g\n', large.length + 'more\n'.length],
    );
  });

  async function rpc(method: string, params: object): Promise<Response> {
    return await fetch(`${chat.server.url}/rpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  }
});

/** Opens the proposal as a text, ready to be answered. */
async function change(page: Page): Promise<Locator> {
  await page.getByTestId('approval').waitFor();
  await armed(page, 'approve');
  await page.getByTestId('change').click();
  await armed(page, 'change-approve');
  return page.getByTestId('change-text');
}

async function armed(page: Page, testId: string): Promise<void> {
  await page.locator(`[data-testid="${testId}"]:not([aria-disabled="true"])`).waitFor();
}

async function focused(page: Page, testId: string): Promise<void> {
  await page.locator(`[data-testid="${testId}"]:focus`).waitFor();
}
