import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { xmlCall } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const done = { text: xmlCall('attempt_completion', { result: 'Seen.' }) };

describe('a person mentions what they mean, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  it('by a picker: a file, the problems and what is changed are read and sent', async () => {
    workspace = Workspace.withFiles({
      'src/cart.js': 'export const total = 1;\n',
      'src/other.js': 'export const other = 2;\n',
      'broken.json': '{ "name": }\n',
    });
    const { folder } = workspace;
    const git = (...command: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...command], { cwd: folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'Begin');
    workspace.write('src/other.js', 'export const other = 3;\n');
    sidebar = await Sidebar.open({ workspace: folder, provider: 'openai-compatible', protocol: 'xml' });
    const { code, view, composer, model } = sidebar;
    // The file in front is the one that has a problem; it can be added as it is.
    await code.openFile('broken.json');
    await code.page.locator('.squiggly-error').first().waitFor();
    await code.palette('Lathe: New Task');
    await view.getByTestId('empty').waitFor();
    await view.getByTestId('add-in-view').getByText('broken.json').waitFor();

    const keyboard = code.page.keyboard;
    const option = view.getByTestId('completion-option');
    await composer.click();
    await keyboard.type('Look at @cart');
    await option.getByText('cart.js').waitFor();
    await keyboard.press('Enter');
    await keyboard.type('and @prob');
    await option.getByText('Problems').waitFor();
    await option.getByText('1 problem in 1 file').waitFor();
    await keyboard.press('Enter');
    await keyboard.type('in @unco');
    await option.getByText('Uncommitted changes').waitFor();
    await keyboard.press('Tab');
    assert.equal(await composer.inputValue(), 'Look at @src/cart.js and @problems in @git-changes ');
    assert.deepEqual(
      await view
        .getByTestId('chip')
        .evaluateAll((all) => all.map((one) => (one as unknown as { title: string }).title)),
      ['src/cart.js', 'problems', 'git-changes'],
    );
    sidebar.answer([done]);
    await keyboard.press('Enter');
    assert.match(await sidebar.completion(), /Seen/);

    const said = model.requests[0]?.text ?? '';
    const has = (words: string): boolean => said.includes(JSON.stringify(words).slice(1, -1));
    assert.ok(
      has(
        '<mentioned kind="file" path="src/cart.js" lines="1-1">\n1 | export const total = 1;\n</mentioned>',
      ),
      said,
    );
    assert.ok(has('<mentioned kind="problems" count="1">\nbroken.json:1:'), said);
    assert.ok(has('-export const other = 2;\n+export const other = 3;'), said);
    assert.deepEqual(await view.getByTestId('sent-context').locator('li').count(), 3);
    assert.deepEqual(
      sidebar
        .journal()
        .flatMap((entry) => (entry.type === 'mentions_read' ? entry.mentions : []))
        .map(({ outcome }) => outcome),
      ['whole', 'whole', 'whole'],
    );
  });

  it('keeps what is being written, with its files, when the extension host is killed', async () => {
    workspace = Workspace.ofSample();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
    });
    const { code, view, composer } = sidebar;
    await code.palette('Lathe: New Task');
    await view.getByTestId('empty').waitFor();
    await composer.fill('Half a thought about @src/main.js ');
    await view
      .locator('.composer input[type=file]')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('to keep') });
    await view.getByTestId('chip').nth(1).waitFor();
    await code.killExtensionHost();
    const after = await code.openSidebar();
    await after.getByTestId('chip').nth(1).waitFor();
    assert.equal(await after.getByTestId('composer').inputValue(), 'Half a thought about @src/main.js ');
    assert.deepEqual(
      await after
        .getByTestId('chip')
        .evaluateAll((all) => all.map((one) => (one as unknown as { title: string }).title)),
      ['src/main.js', 'notes.txt'],
    );
  });
});
