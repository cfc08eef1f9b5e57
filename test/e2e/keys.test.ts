import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };
const write = (path: string): Reply => ({ text: xmlCall('write_to_file', { path, content: 'written' }) });

/** Milliseconds. */
const FOCUS_TAKES = 1500;

describe('keys, as they are pressed', function () {
  this.timeout(180_000);
  let workspace: string;
  let sidebar: Sidebar;

  before(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'lathe-keys-'));
    sidebar = await Sidebar.open({ workspace, provider: 'openai-compatible', protocol: 'xml' });
  });
  after(async () => {
    await sidebar.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const press = async (key: string): Promise<void> => await sidebar.code.page.keyboard.press(key);
  const exists = (path: string): boolean => existsSync(join(workspace, path));
  /** Nothing is answered by what was pressed before it could be read. */
  const armed = async (tool: string): Promise<void> => {
    await sidebar.waiting(tool);
    await sleep(600);
  };
  /** The editor hears of the focus from the page: on a slow machine later than a key that is pressed by a program. */
  const focus = async (): Promise<void> => {
    await sidebar.composer.focus();
    await sleep(FOCUS_TAKES);
  };
  const composerHasFocus = async (): Promise<void> => {
    const focused = sidebar.view.locator('[data-testid="composer"]:focus');
    await focused.waitFor();
    await sleep(FOCUS_TAKES);
  };

  it('approve and reject in the sidebar; where something is written Ctrl+Backspace deletes a word', async () => {
    await sidebar.task('Write', [write('approved.txt'), write('rejected.txt'), done]);
    await armed('write_to_file');
    await focus();
    await press('Control+Enter');
    await sidebar.cards('write_to_file', 'done').waitFor();
    assert.equal(exists('approved.txt'), true);
    await armed('write_to_file');
    await sidebar.composer.fill('not this');
    await press('Control+Backspace');
    await press('Control+Backspace');
    await press('Control+Backspace');
    assert.equal(await sidebar.composer.inputValue(), '');
    await sleep(FOCUS_TAKES);
    await sidebar.waiting('write_to_file');
    await press('Control+Backspace');
    await sidebar.completion();
    assert.deepEqual(sidebar.outcomes(), [
      ['write_to_file', 'done'],
      ['write_to_file', 'rejected'],
      ['attempt_completion', 'done'],
    ]);
    assert.equal(exists('rejected.txt'), false);
  });

  it('answer nothing while an editor has the focus, where they do what they always do', async () => {
    await sidebar.task('Write', [write('waits.txt'), done]);
    await armed('write_to_file');
    // The proposal itself is such an editor.
    const lines = sidebar.code.page.locator('.monaco-diff-editor .modified .view-lines').last();
    await lines.click();
    await press('Control+Home');
    await press('Control+Enter');
    await sidebar.code.page.keyboard.type('mine too');
    await press('Control+Backspace');
    await lines.getByText('mine').waitFor();
    await sidebar.waiting('write_to_file');
    assert.equal(exists('waits.txt'), false);

    await press('Control+K');
    await press('Control+Y');
    await composerHasFocus();
    await press('Control+Enter');
    await sidebar.completion();
    assert.equal(readFileSync(join(workspace, 'waits.txt'), 'utf8'), 'written\nmine \n');
  });

  it('stop the turn from the sidebar', async () => {
    await sidebar.task('Talk', [{ text: 'and so on '.repeat(2000), delay: 20 }]);
    await sidebar.state('running');
    await focus();
    await press('Control+K');
    await press('Control+G');
    await sidebar.state('cancelled');
    await press('Control+K');
    await press('Control+Y');
    await composerHasFocus();
    assert.equal(await sidebar.composer.inputValue(), '');
  });
});
