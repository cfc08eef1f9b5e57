import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (text: string, name: string, params: Record<string, string>): Turn => ({
  text: `${text}\n${xmlCall(name, params)}`,
});
const done = call('', 'attempt_completion', { result: 'The notes say it.' });

/** Where pictures are wanted, LATHE_TEST_PICTURES names a folder. */
const pictures = process.env.LATHE_TEST_PICTURES;

describe('a person goes back to a checkpoint, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  async function picture(name: string): Promise<void> {
    if (pictures === undefined || !sidebar) return;
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, `${name}.png`), await sidebar.code.page.screenshot());
  }

  it('sees what would change, leaves a file of their own, restores, looks at a difference in the editor, and undoes it', async () => {
    workspace = Workspace.ofPublishedPackage();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
    const { view } = sidebar;
    workspace.write('notes.txt', 'by hand\n');
    await sidebar.task('Write it down.', [
      call('I write it down.', 'write_to_file', { path: 'notes.txt', content: 'by the model\n' }),
      call('And a list.', 'execute_command', { command: 'echo first > list.txt' }),
      done,
    ]);
    await sidebar.approve('write_to_file');
    await sidebar.approve('execute_command');
    await sidebar.completion();
    workspace.write('list.txt', 'first\nmine\n');

    await view.locator('[data-tool="write_to_file"]').hover();
    await view.locator('[data-tool="write_to_file"]').getByTestId('restore').click();
    const change = (path: string) => view.locator(`[data-testid="change"][data-path="${path}"]`);
    await change('notes.txt').waitFor();
    await change('notes.txt').locator('.change-toggle').click();
    await change('notes.txt').getByTestId('diff').waitFor();
    await picture('restore');
    assert.equal(await change('list.txt').getByText('changed outside of this task').count(), 1);

    await change('notes.txt').getByTestId('open-checkpoint-diff').click();
    await sidebar.code.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await picture('restore-diff-editor');

    await view.getByTestId('leave').check();
    await view.getByTestId('do-restore').click();
    await view.getByTestId('restored').waitFor();
    await picture('restored');
    assert.deepEqual(
      [workspace.read('notes.txt'), workspace.read('list.txt')],
      ['by hand\n', 'first\nmine\n'],
    );

    await view.getByTestId('undo-restore').click();
    await change('notes.txt').waitFor();
    await view.getByTestId('do-restore').click();
    await view.getByTestId('restored').nth(1).waitFor();
    assert.equal(workspace.read('notes.txt'), 'by the model\n');

    await view.locator('.task-title').click();
    await view.getByTestId('checkpoint').first().waitFor();
    assert.equal(await view.getByTestId('checkpoint').count(), 4);
    await picture('checkpoint-list');
  });

  it('goes back with the task, which goes on as another one', async () => {
    workspace = Workspace.ofPublishedPackage();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
    const { view } = sidebar;
    await sidebar.task('Make a list.', [
      call('A list.', 'execute_command', { command: 'echo first > list.txt' }),
      done,
    ]);
    await sidebar.approve('execute_command');
    await sidebar.completion();
    const before = await view.getByTestId('task-line').getAttribute('data-task');
    await view.locator('[data-tool="execute_command"]').hover();
    await view.locator('[data-tool="execute_command"]').getByTestId('restore').click();
    await view.getByTestId('what-both').check();
    await view.locator('[data-testid="change"][data-path="list.txt"]').waitFor();
    await view.getByTestId('do-restore').click();
    await view.getByTestId('restored').waitFor();
    assert.equal(workspace.exists('list.txt'), false);
    assert.notEqual(await view.getByTestId('task-line').getAttribute('data-task'), before);
    sidebar.answer([done]);
    await sidebar.send('Another way.');
    await sidebar.completion();
    assert.match(JSON.stringify(sidebar.model.requests.at(-1)), /went back to before this call/);
  });
});
