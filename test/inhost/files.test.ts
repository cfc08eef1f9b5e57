import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { FileError } from '../../src/core/host/Host.ts';
import { hashOf } from '../../src/hosts/node/NodeFileHost.ts';
import { unsavedDocuments } from '../../src/hosts/vscode/unsavedDocuments.ts';
import { VsCodeFileHost } from '../../src/hosts/vscode/VsCodeFileHost.ts';

describe('files that an editor has open', () => {
  const files = new VsCodeFileHost();
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  let folder: string;
  let path: string;
  let options: { limit: number; signal: AbortSignal };

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-files-')));
    path = join(folder, 'notes.md');
    writeFileSync(path, 'on disk\n');
    options = { limit: 1000, signal: new AbortController().signal };
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    rmSync(folder, { recursive: true, force: true });
  });

  async function type(at: string, text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(at);
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    await vscode.workspace.applyEdit(edit);
    return document;
  }

  async function read(): Promise<{ text: string; hash: string; unsaved: boolean }> {
    const { bytes: found, hash, unsaved } = await files.read(path, options);
    return { text: new TextDecoder().decode(found), hash, unsaved };
  }

  it('come from the disk when nothing is unsaved', async () => {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(path));
    assert.deepEqual(await read(), { text: 'on disk\n', hash: hashOf(bytes('on disk\n')), unsaved: false });
  });

  it('come from the editor when they are unsaved there, and are not written over', async () => {
    const document = await type(path, 'typed, ');
    const hash = hashOf(bytes('typed, on disk\n'));
    assert.deepEqual(await read(), { text: 'typed, on disk\n', hash, unsaved: true });
    for (const expected of [hash, hashOf(bytes('on disk\n'))])
      await assert.rejects(files.write(path, bytes('ours'), expected), {
        name: 'FileError',
        reason: 'unsaved',
      });
    assert.equal(readFileSync(path, 'utf8'), 'on disk\n');
    await document.save();
    // A save may be passed over for one that the editor began by itself.
    for (let wait = 0; wait < 100 && unsavedDocuments().includes(document); wait++) await sleep(50);
    assert.deepEqual(await read(), { text: 'typed, on disk\n', hash, unsaved: false });
    await files.write(path, bytes('ours'), hash);
    assert.equal(readFileSync(path, 'utf8'), 'ours');
  });

  it('are found unsaved also by way of a link', async () => {
    const link = join(folder, 'link.md');
    symlinkSync(path, link);
    await type(link, 'typed, ');
    assert.equal((await read()).unsaved, true);
    await assert.rejects(files.write(path, bytes('ours'), hashOf(bytes('on disk\n'))), FileError);
  });

  it('do not hinder others when they have gone from the disk', async () => {
    const gone = join(folder, 'gone.md');
    const link = join(folder, 'broken.md');
    writeFileSync(gone, '');
    symlinkSync(gone, link);
    await type(link, 'typed');
    rmSync(gone);
    assert.equal((await read()).unsaved, false);
  });

  it('are limited in size as they stand in the editor', async () => {
    await type(path, 'x'.repeat(1000));
    await assert.rejects(files.read(path, options), { name: 'FileError', reason: 'too_large' });
  });
});
