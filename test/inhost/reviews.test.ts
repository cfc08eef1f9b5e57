import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Internals } from '../../src/extension.ts';
import type { DiffReview } from '../../src/core/host/Host.ts';
import { internals } from './support/Lathe.ts';

describe('proposals under review', () => {
  const path = join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, 'src', 'greeting.ts');
  let reviews: Awaited<ReturnType<Internals['loaded']>>['host']['reviews'];
  let typing: vscode.TextEditor;

  before(async () => {
    const { loaded } = await internals();
    reviews = (await loaded()).host.reviews;
  });
  beforeEach(async () => {
    typing = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: 'the person types here' }),
      { preview: false },
    );
  });
  afterEach(async () => {
    await vscode.window.showTextDocument(typing.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    // What a failed test has left.
    if (tabs().length > 0) await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  function tabs(): { label: string; dirty: boolean }[] {
    return vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff)
      .map(({ label, isDirty }) => ({ label, dirty: isDirty }));
  }

  async function open(before: string | null, after: string): Promise<DiffReview> {
    return await reviews.open({ path, before, after, signal: new AbortController().signal });
  }

  async function proposal(): Promise<vscode.TextDocument> {
    // Documents of closed tabs linger: the newest is meant.
    const document = vscode.workspace.textDocuments.findLast(({ uri }) => uri.scheme === 'lathe-proposal');
    assert.ok(document, 'no proposal is open');
    return await Promise.resolve(document);
  }

  async function type(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.equal(await vscode.workspace.applyEdit(edit), true);
  }

  it('opens beside the editor that the person types in, and closes without a trace', async () => {
    await vscode.commands.executeCommand('type', { text: 'and goes on ' });
    const review = await open('const a = 1;\n', 'const a = 2;\n');
    assert.equal(vscode.window.activeTextEditor?.document, typing.document);
    assert.deepEqual(tabs(), [{ label: 'greeting.ts (proposed by Lathe)', dirty: false }]);
    assert.equal((await proposal()).languageId, 'typescript');
    assert.equal(await review.text(), 'const a = 2;\n');
    await review.close();
    assert.deepEqual(tabs(), []);
    assert.equal(vscode.window.activeTextEditor.document, typing.document);
    assert.equal(vscode.window.tabGroups.all.length, 1);
    assert.equal(typing.document.getText(), 'and goes on the person types here');
  });

  it('gives the person’s version as it stands, saved or not, and asks nobody when it closes', async () => {
    const review = await open(null, 'const a = 2;\n');
    await type(await proposal(), '// mine\n');
    assert.equal((await proposal()).isDirty, true);
    assert.equal(await review.text(), '// mine\nconst a = 2;\n');
    await (await proposal()).save();
    assert.equal(await review.text(), '// mine\nconst a = 2;\n');
    await type(await proposal(), '// more\n');
    assert.equal(await review.text(), '// more\n// mine\nconst a = 2;\n');
    await review.close();
    assert.deepEqual(tabs(), []);
  });

  it('closes without a trace where the editor was still saving what the person had gone on with', async function () {
    this.timeout(120_000);
    const long = 'a line of a long proposal\n'.repeat(20_000);
    for (let attempt = 0; attempt < 6; attempt++) {
      const review = await open(null, long);
      const document = await proposal();
      await type(document, 'mine\n');
      const saving = document.save();
      await sleep(attempt * 4);
      await type(document, 'more\n');
      await saving;
      assert.equal(await review.text(), `more\nmine\n${long}`);
      await review.close();
      assert.deepEqual(tabs(), [], `attempt ${attempt}`);
    }
    // What it holds to be unsaved it opens again, a moment later.
    await sleep(3000);
    assert.deepEqual(
      vscode.window.tabGroups.all.flatMap((group) =>
        group.tabs.map(({ label }) => label).filter((label) => label.includes('greeting')),
      ),
      [],
    );
  });

  it('keeps a version whose tab the person has closed, and shows it again', async () => {
    const review = await open('', 'one\n');
    await type(await proposal(), 'mine\n');
    await (await proposal()).save();
    await vscode.window.tabGroups.close(
      vscode.window.tabGroups.all.flatMap((group) =>
        group.tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff),
      ),
    );
    assert.equal(await review.text(), 'mine\none\n');
    assert.equal(await reviews.reveal(path), true);
    assert.deepEqual(tabs(), [{ label: 'greeting.ts (proposed by Lathe)', dirty: false }]);
    assert.equal(await review.text(), 'mine\none\n');
    await review.close();
    assert.deepEqual(tabs(), []);
    assert.equal(await reviews.reveal(path), false);
  });

  it('gives back what nobody changed byte for byte: mixed line breaks, no last line break, a byte order mark', async () => {
    for (const after of ['a\r\nb\nc', 'a\nb\r\n', '\r\n\n', '', '\ufeffmarked\n']) {
      const review = await open('before', after);
      assert.equal(await review.text(), after);
      await review.close();
    }
  });

  it('is not read in the encoding of the person’s files', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('encoding', 'gbk', vscode.ConfigurationTarget.Global);
    try {
      const review = await open('', '你好，é\n');
      assert.equal(await review.text(), '你好，é\n');
      await type(await proposal(), '我\n');
      await (await proposal()).save();
      assert.equal(await review.text(), '我\n你好，é\n');
      await vscode.window.tabGroups.close(
        vscode.window.tabGroups.all.flatMap((group) =>
          group.tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff),
        ),
      );
      assert.equal(await reviews.reveal(path), true);
      assert.equal(await review.text(), '我\n你好，é\n');
      await review.close();
    } finally {
      await files.update('encoding', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('keeps two reviews of one file apart', async () => {
    const [first, second] = [await open('a', 'first'), await open('a', 'second')];
    await first.close();
    assert.equal(tabs().length, 1);
    assert.equal(await second.text(), 'second');
    await second.close();
    assert.deepEqual(tabs(), []);
  });

  it('shows a change that has landed', async () => {
    await reviews.show(path, 'one\n', 'two\n');
    const [tab] = vscode.window.tabGroups.activeTabGroup.tabs.filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff,
    );
    assert.ok(tab && tab.input instanceof vscode.TabInputTextDiff);
    const { original, modified } = tab.input;
    const texts = await Promise.all(
      [original, modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
    );
    assert.deepEqual(texts, ['one\n', 'two\n']);
    await vscode.window.tabGroups.close(tab);
  });
});
