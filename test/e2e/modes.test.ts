import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseModes } from '../../src/core/modes/parseModes.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const CODE = 'export const answer = 41;\n';

describe('modes of files, in a real VS Code', () => {
  let sidebar: Sidebar | undefined;
  let workspace: Workspace | undefined;

  afterEach(async () => {
    await sidebar?.close();
    workspace?.remove();
    sidebar = workspace = undefined;
  });

  async function open(files: Record<string, string>): Promise<{ sidebar: Sidebar; workspace: Workspace }> {
    workspace = Workspace.withFiles(files);
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'native',
      // One refused call after another is what is tested.
      settings: { 'lathe.mistakeLimit': 20 },
    });
    return { sidebar, workspace };
  }
  async function pick(opened: Sidebar, slug: string): Promise<void> {
    await opened.view.getByTestId('mode-picker').click();
    await opened.view.locator(`[data-testid="mode-picker-item"][data-value="${slug}"]`).click();
  }

  it('a mode that is written on the screen is in the file, in the picker, and at work; a file’s command too', async () => {
    const opened = await open({
      'src/a.ts': CODE,
      '.roomodes': 'customModes:\n  - slug: half\n    name: Half\n',
      '.roo/commands/greet.md':
        '---\ndescription: Say hello\nargument-hint: <name>\n---\nWrite a greeting for $1.\n',
      'AGENTS.md': 'Be kind.\n',
    });
    const { view, code } = opened.sidebar;
    await code.setSidebarWidth(348);
    const manage = async (): Promise<void> => {
      await view.getByTestId('mode-picker').click();
      await view.locator('[data-testid="mode-picker-item"]').last().click();
      await view.getByTestId('mode-row').first().waitFor();
    };
    await manage();
    await view.getByTestId('file-problem').first().waitFor();
    await view.getByTestId('file-problem-place').first().click();
    await code.page.locator('.tab.active', { hasText: '.roomodes' }).waitFor();

    await view.getByTestId('new-mode').click();
    await view.getByTestId('mode-name').fill('Greeter');
    await view.getByTestId('mode-roleDefinition').fill('You write greetings.');
    await view.getByTestId('mode-group-edit').check();
    await view.getByTestId('mode-fileRegex').fill('^greetings/');
    await code.screenshot('modes-form');
    await view.getByTestId('mode-save').click();
    await view.locator('[data-testid="mode-row"][data-mode="greeter"]').waitFor();
    assert.deepEqual(
      parseModes(opened.workspace.read('.lathe/modes.yaml')).modes.map(({ mode }) => mode),
      [
        {
          ...{ slug: 'greeter', name: 'Greeter', roleDefinition: 'You write greetings.' },
          groups: ['read', ['edit', { fileRegex: '^greetings/' }]],
        },
      ],
    );
    for (const theme of ['Light Modern', 'Dark High Contrast', 'Dark Modern']) {
      await code.setTheme(theme);
      await code.screenshot(`modes-${theme}`);
    }
    await view.getByTestId('tab-rules').click();
    await view.getByTestId('rule-row').first().waitFor();
    await code.screenshot('modes-rules');
    await view.getByTestId('tab-notes').click();
    await view.getByTestId('note-add').click();
    await view.getByTestId('note-text').fill('Greetings are short.');
    await view.getByTestId('note-save').click();
    await view.getByTestId('note-row').getByText('Greetings are short.').waitFor();
    await view.getByTestId('note-file').click();
    const [file = ''] = readdirSync(join(opened.sidebar.home, 'memory'));
    await code.page.locator('.tab.active', { hasText: file }).waitFor();
    await code.screenshot('modes-notes');
    await view.getByTestId('back').click();

    opened.sidebar.answer([
      { text: '', calls: [{ name: 'write_to_file', arguments: { path: 'src/a.ts', content: 'x' } }] },
      {
        text: '',
        // By the name that other agents have for it.
        calls: [{ name: 'write_file', arguments: { path: 'greetings/ada.txt', content: 'Hello Ada.\n' } }],
      },
      { text: '', calls: [{ name: 'attempt_completion', arguments: { result: 'Greeted.' } }] },
    ]);
    await pick(opened.sidebar, 'greeter');
    await opened.sidebar.composer.pressSequentially('/gre');
    await view.getByTestId('completion-option').filter({ hasText: '/greet <name>' }).waitFor();
    await opened.sidebar.composer.press('Enter');
    await opened.sidebar.composer.pressSequentially('Ada');
    await opened.sidebar.composer.press('Enter');
    await opened.sidebar.approve('write_to_file');
    assert.match(await opened.sidebar.completion(), /Greeted/);
    assert.deepEqual(opened.sidebar.outcomes(), [
      ['write_to_file', 'failed'],
      ['write_to_file', 'done'],
      ['attempt_completion', 'done'],
    ]);
    const [first] = opened.sidebar.model.requests;
    const sent = JSON.stringify(first?.body);
    for (const words of [
      'You write greetings.',
      'Write a greeting for Ada.',
      'Be kind.',
      ': Greetings are short.',
    ])
      assert.ok(sent.includes(words), words);
    assert.equal(opened.workspace.read('greetings/ada.txt'), 'Hello Ada.\n');

    // What is written by hand counts as soon as it is saved.
    opened.workspace.write(
      '.kilocodemodes',
      'customModes:\n  - slug: late\n    name: Latecomer\n    roleDefinition: r\n    groups: []\n',
    );
    await view.getByTestId('mode-picker').click();
    await view.locator('[data-testid="mode-picker-item"][data-value="late"]').waitFor();
  });
});
