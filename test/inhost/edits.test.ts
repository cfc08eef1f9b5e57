import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { folder, Lathe, until } from './support/Lathe.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('edits under review, from the model to the disk', () => {
  let lathe: Lathe;
  let path: string;
  let shown: string;
  let count = 0;

  before(async () => {
    lathe = await Lathe.start();
    mkdirSync(join(folder(), 'edits'), { recursive: true });
  });
  after(async () => {
    await lathe.stop();
    rmSync(join(folder(), 'edits'), { recursive: true, force: true });
  });
  beforeEach(() => {
    shown = `edits/file${++count}.txt`;
    path = join(folder(), shown);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const write = (content: string): Reply => ({
    text: xmlCall('write_to_file', { path: shown, content }),
  });
  const replace = (search: string, by: string): Reply => ({
    text: xmlCall('apply_diff', {
      path: shown,
      diff: `<<<<<<< SEARCH\n${search}\n=======\n${by}\n>>>>>>> REPLACE`,
    }),
  });

  const reviews = (): vscode.Tab[] =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff);

  /** The proposal that is under review. */
  async function proposal(taskId: string): Promise<vscode.TextDocument> {
    await lathe.asked(taskId);
    const [tab] = reviews();
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff, 'no review is open');
    return await vscode.workspace.openTextDocument(tab.input.modified);
  }

  async function insert(document: vscode.TextDocument, line: number, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(line, 0), text);
    assert.equal(await vscode.workspace.applyEdit(edit), true);
  }

  async function complete(taskId: string): Promise<void> {
    assert.equal(await lathe.ended(taskId), 'completed');
  }

  it('land when they are approved: the review goes, and an open editor shows the file as it is now', async () => {
    writeFileSync(path, 'one\n');
    const editor = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(editor);
    const task = await lathe.task('Count on', [replace('one', 'two'), done]);
    assert.equal((await proposal(task)).getText(), 'two\n');
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(readFileSync(path, 'utf8'), 'two\n');
    assert.deepEqual(reviews(), []);
    await until(() => editor.getText() === 'two\n', 'the new text in the open editor');
    assert.equal(editor.isDirty, false);
  });

  it('keep byte order mark and CRLF', async () => {
    writeFileSync(path, '\ufeffone\r\ntwo\r\n');
    const task = await lathe.task('Count', [replace('two', 'three'), done]);
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(readFileSync(path, 'utf8'), '\ufeffone\r\nthree\r\n');
  });

  it('keep byte order mark and CRLF also where the person wrote in the proposal, and the model is told', async () => {
    writeFileSync(path, '\ufeffone\r\ntwo\r\n');
    const task = await lathe.task('Count', [replace('two', 'three'), done]);
    await insert(await proposal(task), 1, 'mine\n');
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(readFileSync(path, 'utf8'), '\ufeffone\r\nmine\r\nthree\r\n');
    assert.match(lathe.results(task)[0]?.text ?? '', /person changed your proposal[^]*\+mine/);
    assert.deepEqual(reviews(), []);
  });

  it('leave no trace when they are rejected, not even of what the person wrote in the proposal', async () => {
    const task = await lathe.task('Write', [write('theirs'), done]);
    await insert(await proposal(task), 0, 'mine, unsaved\n');
    await lathe.answer(task, { outcome: 'reject', feedback: 'not now' });
    await complete(task);
    assert.equal(existsSync(path), false);
    assert.deepEqual(reviews(), []);
    const [result] = lathe.results(task);
    assert.equal(result?.outcome, 'rejected');
    assert.match(result.text, /not now/);
    assert.doesNotMatch(result.text, /mine/);
  });

  it('are refused over a document with unsaved changes, which stay as they are', async () => {
    writeFileSync(path, 'one\n');
    const document = await vscode.workspace.openTextDocument(path);
    await insert(document, 0, 'typed\n');
    const task = await lathe.task('Change', [replace('one', 'two'), done]);
    await complete(task);
    assert.equal(lathe.results(task)[0]?.outcome, 'failed');
    assert.match(lathe.results(task)[0]?.text ?? '', /unsaved changes/);
    assert.deepEqual(
      [readFileSync(path, 'utf8'), document.getText(), document.isDirty],
      ['one\n', 'typed\none\n', true],
    );
    await document.save();
  });

  it('are refused when the person began to write in the file while the proposal waited', async () => {
    writeFileSync(path, 'one\n');
    const document = await vscode.workspace.openTextDocument(path);
    const task = await lathe.task('Change', [replace('one', 'two'), done]);
    await lathe.asked(task);
    await insert(document, 0, 'typed\n');
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(lathe.results(task)[0]?.outcome, 'failed');
    assert.deepEqual([readFileSync(path, 'utf8'), document.getText()], ['one\n', 'typed\none\n']);
    await document.save();
  });

  it('are refused when the file changed on disk while the proposal waited', async () => {
    writeFileSync(path, 'one\n');
    const task = await lathe.task('Change', [replace('one', 'two'), done]);
    await lathe.asked(task);
    writeFileSync(path, 'one\nsomeone else\n');
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(lathe.results(task)[0]?.outcome, 'failed');
    assert.match(lathe.results(task)[0]?.text ?? '', /changed on disk/);
    assert.equal(readFileSync(path, 'utf8'), 'one\nsomeone else\n');
  });

  it('are refused when the file was deleted while the proposal waited', async () => {
    writeFileSync(path, 'one\n');
    const task = await lathe.task('Change', [replace('one', 'two'), done]);
    await lathe.asked(task);
    rmSync(path);
    await lathe.answer(task, { outcome: 'allow' });
    await complete(task);
    assert.equal(lathe.results(task)[0]?.outcome, 'failed');
    assert.equal(existsSync(path), false);
  });

  it('go with the turn that is stopped: the review closes, and nothing lands', async () => {
    const task = await lathe.task('Write', [write('theirs'), done]);
    await proposal(task);
    await lathe.parts.agent.dispatcher.call('task/cancel', { taskId: task });
    assert.equal(await lathe.ended(task), 'cancelled');
    assert.deepEqual(reviews(), []);
    assert.equal(existsSync(path), false);
  });
});
