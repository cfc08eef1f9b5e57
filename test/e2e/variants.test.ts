import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { Sidebar } from './support/Sidebar.ts';
import { Workspace } from './support/Workspace.ts';

const call = (text: string, name: string, params: Record<string, string>): Reply => ({
  text: `${text}\n${xmlCall(name, params)}`,
});
const done = (result: string): Reply => call('', 'attempt_completion', { result });
const write = (content: string): Reply => call('I write it.', 'write_to_file', { path: 'note.txt', content });

describe('what goes otherwise, in a real VS Code', () => {
  let sidebar: Sidebar;
  let workspace: Workspace;

  before(async function () {
    this.timeout(180_000);
    workspace = Workspace.ofSample();
    sidebar = await Sidebar.open({
      workspace: workspace.folder,
      provider: 'openai-compatible',
      protocol: 'xml',
      settings: { 'lathe.idleTimeoutSeconds': 5, 'lathe.retryLimit': 2 },
    });
  });
  after(async () => {
    await sidebar.close();
    workspace.remove();
  });

  it('a rejection with feedback: nothing is written, and the model hears why', async () => {
    await sidebar.task('Write a note.', [write('first version'), write('shorter'), done('written')]);
    await sidebar.reject('write_to_file', 'make it shorter');
    await sidebar.approve('write_to_file');
    await sidebar.completion();
    assert.match(sidebar.result(0), /rejected this call and said:\n<feedback>\nmake it shorter/);
    assert.equal(workspace.read('note.txt'), 'shorter\n');
    assert.equal(await sidebar.cards('write_to_file', 'rejected').count(), 1);
  });

  it('the person changes the proposal in the diff: theirs lands, and the model is told', async () => {
    await sidebar.task('Write a poem.', [
      call('', 'write_to_file', { path: 'poem.txt', content: 'Roses are red' }),
      done('written'),
    ]);
    await sidebar.waiting('write_to_file');
    const { page } = sidebar.code;
    await page.locator('.tab.active', { hasText: 'poem.txt' }).waitFor();
    const editor = page.locator('.monaco-diff-editor .editor.modified .view-lines').first();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('Violets are blue, ');
    await page.locator('.view-lines', { hasText: 'Violets are blue, Roses are red' }).first().waitFor();
    await sidebar.approve('write_to_file');
    await sidebar.completion();
    assert.equal(workspace.read('poem.txt'), 'Violets are blue, Roses are red\n');
    assert.match(
      sidebar.result(0),
      /The person changed your proposal[^]*-Roses are red\n\+Violets are blue, Roses are red/,
    );
    assert.equal(
      await page.locator('.tab', { hasText: 'poem.txt' }).count(),
      0,
      'the review is closed, and nobody is asked to save',
    );
  });

  it('stop in the middle of a stream', async () => {
    await sidebar.task('Tell me a long story.', [
      { text: 'Once upon a time, and so on. '.repeat(500), delay: 20 },
    ]);
    await sidebar.view.getByText('Once upon a time').first().waitFor();
    await sidebar.view.getByTestId('stop').click();
    await sidebar.state('cancelled');
    assert.equal(sidebar.journal().find((entry) => entry.type === 'request_finished')?.stopReason, 'aborted');
  });

  it('stop in the middle of a command', async () => {
    await sidebar.task('Wait a while.', [
      call('', 'execute_command', { command: 'echo begun && sleep 300' }),
    ]);
    await sidebar.approve('execute_command');
    await sidebar.cards('execute_command', 'running').getByText('begun').first().waitFor();
    await sidebar.view.getByTestId('stop').click();
    await sidebar.state('cancelled');
    assert.deepEqual(sidebar.outcomes(), [['execute_command', 'stopped']]);
    assert.doesNotMatch(sidebar.result(0), /Exit code: 0/);
  });

  it('a mode that forbids the edit', async () => {
    await sidebar.view.getByTestId('mode-picker').click();
    await sidebar.view.locator('[data-testid="mode-picker-item"][data-value="ask"]').click();
    await sidebar.task('Change the note.', [
      write('no'),
      { text: 'I may not change files here.' },
      { text: 'I may not change files here.' },
    ]);
    await sidebar.state('answered');
    assert.deepEqual(sidebar.outcomes(), [['write_to_file', 'failed']]);
    assert.match(sidebar.result(0), /not allowed in Ask mode/);
    await sidebar.view.getByTestId('mode-picker').click();
    await sidebar.view.locator('[data-testid="mode-picker-item"][data-value="code"]').click();
  });

  it('a file that changed on disk under the agent', async () => {
    workspace.write('shared.txt', 'one\n');
    const edit = call('', 'apply_diff', {
      path: 'shared.txt',
      diff: '<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE',
    });
    await sidebar.task('Count on.', [
      call('', 'read_file', { path: 'shared.txt' }),
      edit,
      done('someone else was faster'),
    ]);
    await sidebar.waiting('apply_diff');
    workspace.write('shared.txt', 'one\nmine\n');
    await sidebar.approve('apply_diff');
    await sidebar.completion();
    assert.match(sidebar.result(1), /changed on disk since it was read, so nothing was written/);
    assert.equal(workspace.read('shared.txt'), 'one\nmine\n');
  });

  it('a stream cut in the middle of a call: the call never runs', async () => {
    const cut: Reply = {
      ...call('I run it.', 'execute_command', {
        command: `touch ${join(workspace.folder, 'ran')} ${'x'.repeat(300)}`,
      }),
      cutAfter: 20,
    };
    await sidebar.task('Run it.', [cut, done('it was cut off')]);
    await sidebar.completion();
    assert.deepEqual(sidebar.outcomes(), [
      ['execute_command', 'cut_off'],
      ['attempt_completion', 'done'],
    ]);
    assert.equal(existsSync(join(workspace.folder, 'ran')), false);
  });

  it('HTTP 429 with Retry-After, then 500: it waits, shows it, and goes on', async () => {
    await sidebar.task('Try.', [
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 500 },
      done('third time lucky'),
    ]);
    await sidebar.view.getByTestId('retrying').waitFor();
    assert.match(await sidebar.completion(), /third time lucky/);
  });

  it('an invalid key: says so with the way out, and goes on when asked', async () => {
    await sidebar.task('Try.', [{ status: 401, error: 'bad key' }, done('with the new key')]);
    const problem = sidebar.view.getByTestId('problem');
    await problem.getByText('did not accept the key').waitFor();
    await problem.getByTestId('approve').click();
    assert.match(await sidebar.completion(), /with the new key/);
  });

  it('a stalled stream: ends by itself, keeps what came, and can be retried', async () => {
    await sidebar.task('Try.', [{ text: 'I was about to say', stallAfter: 3 }, done('said it')]);
    assert.match(await sidebar.completion(), /said it/);
    const [first] = sidebar.journal().filter((entry) => entry.type === 'request_finished');
    assert.deepEqual([first?.stopReason, first?.error?.message.key], ['cut', 'provider.stalled']);
  });

  it('the host killed while an approval waits, and again in the middle of a stream: all is there, and it goes on', async function () {
    this.timeout(300_000);
    await sidebar.task('Write it after the crash.', [
      call('Soon.', 'write_to_file', { path: 'crash.txt', content: 'survived' }),
      { text: 'And then I talked for a long time. '.repeat(400), delay: 20 },
      done('all done'),
    ]);
    await sidebar.waiting('write_to_file');
    await sidebar.composer.fill('a draft');
    const before = sidebar.journal().length;
    await sidebar.code.killExtensionHost();
    // The editor starts another host by itself, and the view comes back with what was in it.
    await sidebar.code.page.waitForTimeout(5000);
    await sidebar.code.screenshot('after-kill');
    await sidebar.code.openSidebar();
    assert.equal(sidebar.journal().slice(0, before).length, before);
    assert.equal(await sidebar.composer.inputValue(), 'a draft');
    await sidebar.composer.fill('');
    await sidebar.approve('write_to_file');
    await sidebar.view.getByText('And then I talked').first().waitFor();
    assert.equal(workspace.read('crash.txt'), 'survived\n');

    await sidebar.code.killExtensionHost();
    await sidebar.code.open();
    await sidebar.code.openSidebar();
    sidebar.answer([done('all done')]);
    await sidebar.view.getByTestId('resume').click();
    assert.match(await sidebar.completion(), /all done/);
    assert.deepEqual(sidebar.outcomes(), [
      ['write_to_file', 'done'],
      ['attempt_completion', 'done'],
    ]);
    assert.equal(readFileSync(join(workspace.folder, 'crash.txt'), 'utf8'), 'survived\n');
  });
});
