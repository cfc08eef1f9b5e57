import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { xmlCall } from '../support/ScriptedModel.ts';
import { WebChatHarness, type WebChat } from './webChatHarness.ts';

const CART = `export class Cart {
  total(items: number[]): number {
    return items.length;
  }
}
`;

describe('mentions in the web chat', function () {
  this.timeout(120_000);
  let harness: WebChatHarness;
  let chat: WebChat;

  before(async () => {
    harness = await WebChatHarness.start();
  });
  after(async () => {
    await chat.stop();
    await harness.stop();
  });

  it('are offered of definitions, commits and changes, and the model reads what they name', async () => {
    const done = { text: xmlCall('attempt_completion', { result: 'Read.' }) };
    chat = await harness.serve([done], { files: { 'cart.ts': CART } });
    const git = (...command: string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...command], {
        cwd: chat.cwd,
        encoding: 'utf8',
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'Count the items');
    const hash = git('rev-parse', 'HEAD').trim();
    const page = await chat.open();
    const composer = page.getByTestId('composer');
    await composer.pressSequentially('Mend @tota');
    await page.getByRole('option', { name: 'Cart.total' }).click();
    assert.equal(await composer.inputValue(), 'Mend @cart.ts#Cart.total ');
    await composer.pressSequentially('of @count');
    await page.getByRole('option', { name: 'Count the items' }).click();
    assert.ok(hash.startsWith(/of @(\w{9,}) $/.exec(await composer.inputValue())?.[1] ?? 'none'));
    await composer.pressSequentially('@uncomm');
    await page.getByRole('option', { name: 'Uncommitted changes' }).click();
    assert.match(await composer.inputValue(), / @git-changes $/);
    await composer.press('Enter');
    await page.getByText('Read.', { exact: true }).waitFor();
    const told = JSON.stringify(chat.model.requests[0]?.body);
    assert.match(told, /total\(items: number\[\]\): number/);
    assert.match(told, /Count the items/);
    assert.match(told, /Nothing is changed since the last commit/);
    assert.deepEqual([...chat.complaints, ...chat.foreign, ...chat.server.tests.errors], []);
  });
});
