import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { PROPOSAL_SCHEME } from '../../src/hosts/vscode/staleReviews.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { folder, Lathe, until } from './support/Lathe.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('edits while they arrive', () => {
  let lathe: Lathe;

  before(async () => {
    lathe = await Lathe.start();
    mkdirSync(join(folder(), 'arriving'), { recursive: true });
  });
  after(async () => {
    await lathe.stop();
    rmSync(join(folder(), 'arriving'), { recursive: true, force: true });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const diffs = (): vscode.TabInputTextDiff[] =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : []));

  async function shown(): Promise<string> {
    const [diff] = diffs();
    if (!diff) return '';
    return (await vscode.workspace.openTextDocument(diff.modified)).getText();
  }

  it('grow in the diff editor, read-only and without the focus, and go with a turn that is stopped', async () => {
    const path = join(folder(), 'arriving', 'notes.txt');
    writeFileSync(path, 'mine\n');
    const other = await vscode.workspace.openTextDocument({ content: 'typed here' });
    await vscode.window.showTextDocument(other);
    await vscode.commands.executeCommand('type', { text: 'first, ' });
    const content = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    const text = xmlCall('write_to_file', { path: 'arriving/notes.txt', content: `${content}\n` });
    const task = await lathe.task('Write', [{ text, stallAfter: Math.floor(text.length / 7 / 2) }]);
    await until(async () => (await shown()).startsWith('line 0\nline 1\n'), 'the lines that have come');
    const [diff] = diffs();
    assert.ok(diff);
    assert.equal((await vscode.workspace.openTextDocument(diff.original)).getText(), 'mine\n');
    // Nothing of it can be typed over, nothing of it is on the disk, and the person's own editor still has the keys.
    assert.equal(vscode.workspace.fs.isWritableFileSystem(diff.modified.scheme) ?? false, false);
    assert.equal(readFileSync(path, 'utf8'), 'mine\n');
    assert.equal(vscode.window.activeTextEditor?.document, other);
    await vscode.commands.executeCommand('type', { text: 'then ' });
    assert.equal(other.getText(), 'first, then typed here');
    await lathe.parts.agent.dispatcher.call('task/cancel', { taskId: task });
    assert.equal(await lathe.ended(task), 'cancelled');
    await until(() => diffs().length === 0, 'the preview to close');
  });

  it('give way to the review of the same file', async () => {
    const path = join(folder(), 'arriving', 'sum.js');
    writeFileSync(path, 'const a = 1;\nconst b = 2;\n');
    const block = (old: string, next: string): string =>
      `<<<<<<< SEARCH\n${old}\n=======\n${next}\n>>>>>>> REPLACE`;
    const diff = `${block('const a = 1;', 'const a = 10;')}\n${block('const b = 2;', 'const b = 20;')}`;
    const seen = new Set<string>();
    const watching = vscode.workspace.onDidChangeTextDocument(({ document }) => seen.add(document.getText()));
    const text = xmlCall('apply_diff', { path: 'arriving/sum.js', diff });
    const task = await lathe.task('Change', [{ text, delay: 60 }, done]);
    await lathe.asked(task);
    assert.equal(diffs().length, 1);
    assert.equal(diffs()[0]?.modified.scheme, PROPOSAL_SCHEME);
    assert.equal(await shown(), 'const a = 10;\nconst b = 20;\n');
    await lathe.answer(task, { outcome: 'allow' });
    assert.equal(await lathe.ended(task), 'completed');
    watching.dispose();
    assert.ok(seen.has('const a = 10;\nconst b = 2;\n'), 'the first block was shown before the second came');
    assert.deepEqual(diffs(), []);
    assert.equal(readFileSync(path, 'utf8'), 'const a = 10;\nconst b = 20;\n');
  });

  it('are not shown of what always asks, and not of what the mode may not change', async () => {
    const opened: string[] = [];
    const watching = vscode.window.tabGroups.onDidChangeTabs(({ opened: tabs }) => {
      for (const { input, label } of tabs) if (input instanceof vscode.TabInputTextDiff) opened.push(label);
    });
    const reply = (path: string): Reply => ({
      text: xmlCall('write_to_file', { path, content: 'line\n'.repeat(50) }),
      delay: 5,
    });
    const task = await lathe.task('Write', [reply('.vscode/tasks.json'), reply('../outside.txt')]);
    await lathe.asked(task);
    watching.dispose();
    // The one that is there is the review that the answer is given on.
    assert.equal(diffs()[0]?.modified.scheme, PROPOSAL_SCHEME);
    assert.equal(opened.length, 1);
    await lathe.parts.agent.dispatcher.call('task/cancel', { taskId: task });
    assert.equal(await lathe.ended(task), 'cancelled');
    assert.equal(existsSync(join(folder(), '.vscode', 'tasks.json')), false);
  });
});
