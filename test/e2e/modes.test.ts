import assert from 'node:assert/strict';
import { parseModes } from '../../src/core/modes/parseModes.ts';
import { TOOL_GROUPS, type ToolName } from '../../src/shared/tools.ts';
import type { Turn } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const CODE = 'export const answer = 41;\n';
const block =
  '<<<<<<< SEARCH\nexport const answer = 41;\n=======\nexport const answer = 42;\n>>>>>>> REPLACE';
const patch =
  '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-export const answer = 41;\n+export const answer = 42;\n*** End Patch';
const [old_string, new_string] = ['41', '42'];

/** A call of each tool that edits, all of the same file. */
const edits: Partial<Record<ToolName, Record<string, unknown>>> = {
  apply_diff: { path: 'src/a.ts', diff: block },
  write_to_file: { path: 'src/a.ts', content: 'export const answer = 42;\n' },
  delete_file: { path: 'src/a.ts' },
  search_replace: { file_path: 'src/a.ts', old_string, new_string },
  edit_file: { file_path: 'src/a.ts', old_string, new_string },
  search_and_replace: { path: 'src/a.ts', search: old_string, replace: new_string },
  insert_content: { path: 'src/a.ts', line: 1, content: '// 42' },
  apply_patch: { patch },
  new_rule: { path: '.lathe/rules/a.txt', content: 'Say 42.' },
  fast_edit_file: { target_file: 'src/a.ts', instructions: 'Say 42.', code_edit: '42' },
};

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

  it('the fileRegex of a project’s mode stops every tool that edits, and lets through what it names', async () => {
    const opened = await open({
      'src/a.ts': CODE,
      'notes.md': '# Notes\n',
      '.roomodes':
        'customModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: You write the docs.\n    groups:\n      - read\n      - - edit\n        - fileRegex: \\.md$\n          description: Markdown only\n',
    });
    const names = [...TOOL_GROUPS.edit.tools, ...(TOOL_GROUPS.edit.customTools ?? [])].filter(
      (name) => edits[name] !== undefined,
    );
    assert.equal(names.length, Object.keys(edits).length);
    await pick(opened.sidebar, 'docs');
    await opened.sidebar.task('Make the answer right.', [
      ...names.map((name): Turn => ({
        text: `By ${name}.`,
        calls: [{ name, arguments: edits[name] }],
      })),
      {
        text: '',
        calls: [
          { name: 'write_to_file', arguments: { path: 'docs/answer.md', content: 'It should be 42.\n' } },
        ],
      },
      {
        text: '',
        calls: [{ name: 'attempt_completion', arguments: { result: 'Noted in docs/answer.md.' } }],
      },
    ]);
    await opened.sidebar.approve('write_to_file');
    assert.match(await opened.sidebar.completion(), /Noted/);
    assert.deepEqual(opened.sidebar.outcomes(), [
      ...names.map((name) => [name, 'failed']),
      ['write_to_file', 'done'],
      ['attempt_completion', 'done'],
    ]);
    for (const index of names.keys())
      assert.match(opened.sidebar.result(index), /Docs mode may only edit: Markdown only/, names[index]);
    assert.equal(opened.workspace.read('src/a.ts'), CODE);
    assert.equal(opened.workspace.read('docs/answer.md'), 'It should be 42.\n');
    assert.equal(opened.workspace.exists('.lathe/rules/a.txt'), false);
  });

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
    await view.getByTestId('back').click();

    opened.sidebar.answer([
      { text: '', calls: [{ name: 'write_to_file', arguments: { path: 'src/a.ts', content: 'x' } }] },
      {
        text: '',
        calls: [{ name: 'write_to_file', arguments: { path: 'greetings/ada.txt', content: 'Hello Ada.\n' } }],
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
    for (const words of ['You write greetings.', 'Write a greeting for Ada.', 'Be kind.'])
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
