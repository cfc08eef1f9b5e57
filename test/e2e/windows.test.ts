import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });

describe('windows that come and go, in a real VS Code', () => {
  let sidebar: Sidebar;
  let workspace: Workspace;

  before(async function () {
    this.timeout(180_000);
    workspace = Workspace.ofSample();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
  });
  after(async () => {
    await sidebar.close();
    workspace.remove();
  });

  it('one task in two: the second reads along, says where it runs, and changes nothing', async () => {
    await sidebar.task('Write a note.', [
      call('write_to_file', { path: 'note.txt', content: 'from the first window' }),
      call('attempt_completion', { result: 'it is written' }),
    ]);
    await sidebar.waiting('write_to_file');
    const second = await sidebar.code.anotherWindow();
    const view = await second.openSidebar();
    await second.palette('Lathe: History');
    await view.getByTestId('open-task').getByText('Write a note.').first().click();
    const elsewhere = view.getByTestId('elsewhere');
    await elsewhere.waitFor();
    assert.match(await elsewhere.innerText(), /running in another window \(process \d+ on .+\)/);
    assert.equal(await view.getByTestId('approval').count(), 0);
    await second.screenshot('two-windows');

    assert.equal(await second.offers('Lathe: Stop'), false, 'it is not this window that could stop it');
    await view.getByTestId('composer').fill('me too');
    await view.getByTestId('composer').press('Enter');
    await sleep(1000);
    assert.equal(await view.getByTestId('composer').inputValue(), 'me too', 'it is given back');
    assert.equal(workspace.exists('note.txt'), false);

    await sidebar.approve('write_to_file');
    assert.match(await sidebar.completion(), /it is written/);
    await view.getByTestId('completion').getByText('it is written').waitFor();
    await elsewhere.waitFor({ state: 'detached' });
    assert.equal(workspace.read('note.txt'), 'from the first window\n');

    sidebar.answer([call('attempt_completion', { result: 'gone on in the second' })]);
    await view.getByTestId('composer').press('Enter');
    await view.getByText('gone on in the second').first().waitFor();
    await sidebar.view.getByText('gone on in the second').first().waitFor();
    await second.page.close();
  });

  it('what was being written survives a crash of host and page', async () => {
    await sidebar.code.palette('Lathe: New Task');
    await sidebar.view.getByTestId('empty').waitFor();
    await sidebar.composer.fill('a long thought that nobody wants to write twice');
    await sleep(1000);
    await sidebar.code.killExtensionHost();
    await sidebar.code.crash();
    const view = await sidebar.code.openSidebar();
    await sidebar.code.palette('Lathe: New Task');
    await view.getByTestId('empty').waitFor();
    assert.equal(
      await view.getByTestId('composer').inputValue(),
      'a long thought that nobody wants to write twice',
    );
  });
});
