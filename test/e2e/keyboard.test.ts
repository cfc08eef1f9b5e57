import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (name: string, params: Record<string, string>, text = ''): Reply => ({
  text: `${text}\n${xmlCall(name, params)}`,
});
/** A key that is held down repeats faster than this. */
const BETWEEN_KEYS = 20;
/** Tabs after which something cannot be reached. */
const MOST_TABS = 60;

describe('without a mouse, and beside a person who types, in a real VS Code', function () {
  this.timeout(240_000);
  let sidebar: Sidebar;
  let workspace: Workspace;

  before(async () => {
    workspace = Workspace.ofSample();
    writeFileSync(join(workspace.folder, 'typed.txt'), '');
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
      settings: { 'editor.quickSuggestions': 'off', 'editor.wordBasedSuggestions': 'off' },
    });
  });
  after(async () => {
    await sidebar.close();
    workspace.remove();
  });

  const press = async (key: string): Promise<void> => await sidebar.code.page.keyboard.press(key);
  const type = async (text: string): Promise<void> =>
    await sidebar.code.page.keyboard.type(text, { delay: BETWEEN_KEYS });
  const focused = (testId: string): Locator => sidebar.view.locator(`[data-testid="${testId}"]:focus`);

  /** A command of the palette, by keys alone. */
  const command = async (title: string): Promise<void> => {
    const { page } = sidebar.code;
    await press('F1');
    await page.locator('.quick-input-widget input').first().waitFor({ state: 'visible' });
    await type(title);
    const row = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title });
    await row.waitFor();
    await press('Enter');
    await row.waitFor({ state: 'hidden' });
  };

  /** Walks by Tab until the focus is there, and checks that each stop on the way shows that it has it. */
  const walkTo = async (wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
    for (let step = 0; step < MOST_TABS; step++) {
      await press(key);
      const here = sidebar.view.locator(':focus');
      if ((await here.count()) === 0) continue;
      assert.equal(await sidebar.view.locator(':focus-visible').count(), 1, 'the focus cannot be seen');
      if ((await wanted.count()) > 0) return;
    }
    assert.fail(`Tab does not reach ${String(wanted)}`);
  };

  it('a whole task: open, type, approve, answer, finish, history, settings, back', async () => {
    sidebar.answer([
      call('write_to_file', { path: 'note.txt', content: 'written' }, 'I write a note.'),
      call('write_to_file', { path: 'note.txt', content: 'written twice' }),
      call('ask_followup_question', {
        question: 'Which one stays?',
        follow_up: '<suggest>The first</suggest><suggest>The second</suggest>',
      }),
      call('attempt_completion', { result: 'The note is written.' }),
    ]);
    // The person is in an editor.
    await press('Control+P');
    await type('summary.js');
    await sidebar.code.page.locator('.quick-input-list .monaco-list-row.focused').first().waitFor();
    await press('Enter');
    await sidebar.code.page.locator('.tab.active', { hasText: 'summary.js' }).waitFor();

    await command('Lathe: New Task');
    await sidebar.view.getByTestId('empty').waitFor();
    await focused('composer').waitFor();
    await type('Write a note.');
    await press('Enter');

    // The first by the button, the second by the key, which takes nothing before it could be read.
    const first = await sidebar.waiting('write_to_file');
    await first.getByTestId('approve').and(sidebar.view.locator(':not([aria-disabled="true"])')).waitFor();
    await sleep(600);
    await walkTo(focused('approve'), 'Shift+Tab');
    await press('Enter');
    await sidebar.cards('write_to_file', 'done').first().waitFor();
    await sidebar.waiting('write_to_file');
    await sleep(600);
    await press('Control+K');
    await press('Control+Y');
    await focused('composer').waitFor();
    await sleep(300);
    await press('Control+Enter');

    await sidebar.view.getByTestId('suggestion').first().waitFor();
    await sleep(600);
    await walkTo(focused('suggestion'), 'Shift+Tab');
    await press('Enter');
    assert.match(await sidebar.completion(), /The note is written/);
    assert.equal(readFileSync(join(workspace.folder, 'note.txt'), 'utf8'), 'written twice\n');
    assert.deepEqual(sidebar.outcomes(), [
      ['write_to_file', 'done'],
      ['write_to_file', 'done'],
      ['ask_followup_question', 'done'],
      ['attempt_completion', 'done'],
    ]);

    await command('Lathe: New Task');
    await sidebar.view.getByTestId('empty').waitFor();
    await command('Lathe: History');
    await sidebar.view.getByTestId('history').waitFor();
    await walkTo(focused('history-search'));
    await type('a note');
    await walkTo(focused('open-task'));
    await press('Enter');
    await sidebar.completion();

    await command('Lathe: Settings');
    await sidebar.view.getByTestId('settings').waitFor();
    await walkTo(focused('automatic-edit'));
    await press('Space');
    await sidebar.view.locator('[data-testid="automatic-edit"]:checked').waitFor();
    await press('Space');
    await sidebar.view.locator('[data-testid="automatic-edit"]:not(:checked)').waitFor();
    await walkTo(focused('explain-command'));
    await type('git status');
    await press('Enter');
    await sidebar.view.locator('[data-testid="explained"][data-verdict="ask"]').waitFor();
    await walkTo(focused('back'), 'Shift+Tab');
    await press('Enter');
    await focused('composer').waitFor();
  });

  it('every character lands in the editor in which a person types while the agent works, asks and ends', async () => {
    const words = 'the quick brown fox jumps over the lazy dog, and what it thinks of that nobody knows. ';
    const text = words.repeat(3).trim();
    await sidebar.code.openFile('typed.txt');
    await sidebar.task('Work beside me.', [
      {
        text: `${'I look at it and think aloud. '.repeat(40)}\n${xmlCall('list_files', { path: '.' })}`,
        delay: 40,
      },
      call('read_file', { args: '<file><path>src/summary.js</path></file>' }),
      call('write_to_file', { path: 'beside.txt', content: 'proposed' }),
    ]);
    const { page } = sidebar.code;
    await sidebar.state('running');
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.type(text, { delay: 60 });
    // It asks by now, and goes on asking: nothing that was typed answered it.
    await sidebar.view.getByTestId('approval').waitFor();
    await page.keyboard.type(' end', { delay: 60 });
    await press('Control+S');
    // A tab does not always say that its file is still being written.
    const written = (): string => readFileSync(join(workspace.folder, 'typed.txt'), 'utf8');
    for (let attempt = 0; attempt < 200 && !written().endsWith(' end'); attempt++) await sleep(100);
    assert.equal(written(), `${text} end`);
    await sidebar.view.getByTestId('approval').waitFor();
    assert.equal(await sidebar.composer.inputValue(), '');
  });
});
