import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';
import { xmlCall } from '../support/ScriptedModel.ts';

const patchOf = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const all = patchOf(
  '*** Update File: a.md',
  '@@',
  '-one',
  '+eins',
  '*** Add File: new/b.md',
  '+hello',
  '*** Delete File: c.bin',
  '*** Update File: d.md',
  '*** Move to: e.md',
  '@@',
  ' x',
  '+y',
);
const files = { 'a.md': 'one\r\ntwo\r\n', 'c.bin': new Uint8Array([0, 1, 2]), 'd.md': '\ufeffx\n' };

describe('apply_patch', () => {
  const create = withContext();

  it('takes the same call in XML and natively, every byte of the patch', () => {
    const patch = patchOf('*** Add File: a', '+  </patch> &lt;', '+');
    const xml = parseXml(xmlCall('apply_patch', { patch }));
    assert.deepEqual(decoded(xml), { patch });
    assert.deepEqual(decoded(parseNative('apply_patch', { patch })), { patch });
  });

  it('asks once for everything, then adds, changes, moves and deletes', async () => {
    const context = await create({ files });
    const { prepared, text, response } = await context.xml('apply_patch', { patch: all });
    const at = (path: string): object => ({
      path: join(context.root, path),
      insideWorkspace: true,
      protected: false,
    });
    assert.deepEqual(prepared?.actions, [
      { type: 'edit', ...at('a.md'), created: false },
      { type: 'edit', ...at('new/b.md'), created: true },
      { type: 'edit', ...at('e.md'), created: true },
      { type: 'delete', ...at('c.bin') },
      { type: 'delete', ...at('d.md') },
    ]);
    assert.equal(prepared.proposal, undefined);
    assert.equal(
      text,
      "Changed 'a.md': 1 line added, 1 removed.\nCreated 'new/b.md': 1 line added, 0 removed.\n" +
        "Created 'e.md': 2 lines added, 0 removed.\nDeleted 'c.bin'.\nDeleted 'd.md'.",
    );
    assert.equal(response?.details?.type, 'diff');
    assert.equal(context.read('a.md'), 'eins\r\ntwo\r\n');
    assert.equal(context.read('new/b.md'), 'hello\n');
    assert.equal(context.read('e.md'), '\ufeffx\ny\n');
    for (const gone of ['c.bin', 'd.md']) assert.equal(existsSync(join(context.root, gone)), false);
  });

  it('changes none of several files when one does not fit', async () => {
    const context = await create({ files });
    for (const [wrong, words] of [
      [['*** Update File: a.md', '@@', '-gone', '+x'], /does not fit\. the text it changes was not found/],
      [
        ['*** Update File: no.md', '@@', '-gone', '+x'],
        /There is no file 'no\.md' to change\. Nothing was changed/,
      ],
      [['*** Delete File: no.md'], /There is no file 'no\.md'/],
      [['*** Add File: d.md', '+x'], /'d\.md' exists already/],
      [['*** Update File: d.md', '*** Move to: a.md'], /that file exists/],
      [['*** Add File: c.bin', '+x'], /binary|no text/],
    ] as const) {
      const { error } = await context.native('apply_patch', {
        patch: patchOf('*** Add File: first.md', '+x', ...wrong),
      });
      assert.match(error ?? '', words);
      assert.equal(existsSync(join(context.root, 'first.md')), false);
      assert.equal(context.read('a.md'), files['a.md']);
    }
  });

  it('says what landed when something comes between', async () => {
    const context = await create({ files });
    const { response, text = '' } = await context.native(
      'apply_patch',
      { patch: all },
      { whileAsked: () => context.write('new/b.md', 'theirs\n') },
    );
    assert.equal(response?.failed, true);
    assert.match(
      text,
      /^Changed 'a\.md'[^]*'new\/b\.md' changed on disk[^]*The files after it were not changed either\.$/,
    );
    assert.equal(context.read('a.md'), 'eins\r\ntwo\r\n');
    assert.equal(context.read('new/b.md'), 'theirs\n');
    assert.equal(context.read('d.md'), '\ufeffx\n');
  });

  it('a single file is a proposal that the person may change', async () => {
    const context = await create({ files });
    const patch = patchOf('*** Update File: a.md', '@@', '-one', '+eins');
    const { prepared, text } = await context.xml(
      'apply_patch',
      { patch },
      { answer: { allowed: true, edited: 'EINS\r\ntwo\r\n' } },
    );
    assert.equal(prepared?.proposal?.after, 'eins\r\ntwo\r\n');
    assert.match(text ?? '', /The person changed your proposal/);
    assert.equal(context.read('a.md'), 'EINS\r\ntwo\r\n');
  });

  it('takes a file that is deleted and added as one that is changed', async () => {
    const context = await create({ files });
    const patch = patchOf('*** Delete File: a.md', '*** Add File: a.md', '+new');
    const { prepared } = await context.xml('apply_patch', { patch });
    assert.deepEqual(
      prepared?.actions.map(({ type }) => type),
      ['edit'],
    );
    assert.equal(context.read('a.md'), 'new\n');
  });

  it('keeps to the files of its mode on every path, and to what is not hidden', async () => {
    const context = await create({
      files: { ...files, 'a.ts': 'x\n', '.latheignore': 'secret/\n', 'secret/a.md': 'x\n' },
      mode: 'architect',
    });
    for (const lines of [
      ['*** Add File: b.ts', '+x'],
      ['*** Update File: a.ts', '@@', '-x', '+y'],
      ['*** Delete File: a.ts'],
      ['*** Update File: d.md', '*** Move to: d.ts'],
    ]) {
      const { error } = await context.native('apply_patch', { patch: patchOf(...lines) });
      assert.match(error ?? '', /Architect mode may only edit/, lines.join(' '));
    }
    const { error } = await context.native('apply_patch', { patch: patchOf('*** Delete File: secret/a.md') });
    assert.match(error ?? '', /hidden by the workspace's ignore file/);
    const outside = await context.native(
      'apply_patch',
      { patch: patchOf('*** Add File: ../x.md', '+x') },
      { answer: { allowed: false } },
    );
    assert.deepEqual(outside.prepared?.actions, [
      {
        type: 'edit',
        path: join(context.root, '../x.md'),
        insideWorkspace: false,
        protected: false,
        created: true,
      },
    ]);
    assert.equal(outside.denied, true);
  });

  it('applies what git diff says of a whole change: new, gone, moved, changed', async () => {
    const context = await create({
      files: { 'keep/a.txt': 'one\ntwo\nthree', 'old name.txt': 'x\r\n'.repeat(20), 'gone.txt': 'bye\n' },
    });
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd: context.root, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
    context.write('keep/a.txt', 'one\nzwei\nthree\n');
    renameSync(join(context.root, 'old name.txt'), join(context.root, 'new name.txt'));
    context.write('new name.txt', `${'x\r\n'.repeat(20)}last\r\n`);
    rmSync(join(context.root, 'gone.txt'));
    context.write('made/empty.txt', '');
    context.write('made/full.txt', 'no newline');
    git('add', '-A');
    const patch = git('diff', '--cached', '-M');
    git('reset', '-q', '--hard');
    const { error } = await context.native('apply_patch', { patch });
    assert.equal(error, undefined);
    git('add', '-A');
    assert.equal(git('diff', '--cached', '-M'), patch);
  });

  it('says that nothing changes, and refuses what cannot be read', async () => {
    const context = await create({ files });
    const nothing = await context.native('apply_patch', {
      patch: patchOf('*** Update File: a.md', '@@', '-one', '+one'),
    });
    assert.match(nothing.error ?? '', /already so/);
    for (const patch of ['', 'x', 7, ['a']]) {
      const { error } = await context.native('apply_patch', { patch });
      assert.match(error ?? '', /patch/);
    }
  });
});

describe('delete_file', () => {
  const create = withContext();

  it('takes the same call in XML and natively', () => {
    assert.deepEqual(decoded(parseXml(xmlCall('delete_file', { path: 'a b.md' }))), { path: 'a b.md' });
    assert.deepEqual(decoded(parseNative('delete_file', { path: 'a b.md' })), { path: 'a b.md' });
  });

  it('asks with what goes, and deletes a file, text or not', async () => {
    const context = await create({ files });
    const { prepared, text } = await context.xml('delete_file', { path: 'a.md' });
    const path = join(context.root, 'a.md');
    assert.deepEqual(prepared?.actions, [{ type: 'delete', path, insideWorkspace: true, protected: false }]);
    assert.equal(prepared.details?.type === 'diff' && prepared.details.removed, 2);
    assert.equal(text, "Deleted 'a.md'.");
    assert.equal(existsSync(path), false);
    assert.equal((await context.native('delete_file', { path: 'c.bin' })).text, "Deleted 'c.bin'.");
  });

  it('deletes a folder when everything in it may go, and asks for each', async () => {
    const context = await create({ files: { 'old/a.md': 'a', 'old/in/b.md': 'b', 'old/.env': 'c' } });
    const { prepared, text } = await context.xml('delete_file', { path: 'old' });
    const at = (path: string, isProtected = false): object => ({
      type: 'delete',
      path: join(context.root, path),
      insideWorkspace: true,
      protected: isProtected,
    });
    assert.deepEqual(prepared?.actions, [
      at('old'),
      at('old/.env', true),
      at('old/a.md'),
      at('old/in'),
      at('old/in/b.md'),
    ]);
    assert.equal(text, "Deleted 'old'.");
    assert.equal(existsSync(join(context.root, 'old')), false);
  });

  it('keeps a folder with something hidden in it, with too much, or that changed meanwhile', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}`, '']));
    const context = await create({
      files: { '.latheignore': 'secret.md\n', 'old/secret.md': 'x', 'new/a.md': 'x', ...many },
    });
    assert.match((await context.native('delete_file', { path: 'old' })).error ?? '', /hidden/);
    assert.match(
      (await context.native('delete_file', { path: 'many' })).error ?? '',
      /more than 200 entries/,
    );
    const changed = await context.native(
      'delete_file',
      { path: 'new' },
      { whileAsked: () => context.write('new/b.md', 'x') },
    );
    assert.match(changed.error ?? '', /changed while the person was asked, so nothing was deleted/);
    assert.match((await context.native('delete_file', { path: '.' })).error ?? '', /workspace itself/);
    for (const path of ['old/secret.md', 'many/0', 'new/a.md'])
      assert.ok(existsSync(join(context.root, path)));
  });

  it('deletes nothing when denied, aborted, changed since, or missing', async () => {
    const context = await create({ files });
    const params = { path: 'a.md' };
    assert.equal((await context.native('delete_file', params, { answer: { allowed: false } })).denied, true);
    const abort = new AbortController();
    await assert.rejects(
      context.native('delete_file', params, { signal: abort.signal, whileAsked: () => abort.abort() }),
      { name: 'AbortError' },
    );
    const changed = await context.native('delete_file', params, {
      whileAsked: () => context.write('a.md', 'theirs'),
    });
    assert.match(changed.error ?? '', /'a\.md' changed on disk/);
    assert.equal(readFileSync(join(context.root, 'a.md'), 'utf8'), 'theirs');
    assert.match(
      (await context.native('delete_file', { path: 'b.md' })).error ?? '',
      /There is no file 'b\.md'/,
    );
  });

  it('keeps to the files of its mode', async () => {
    const context = await create({ files: { 'a.ts': 'x', 'd/a.md': 'x' }, mode: 'architect' });
    for (const path of ['a.ts', 'd'])
      assert.match(
        (await context.native('delete_file', { path })).error ?? '',
        /Architect mode may only edit/,
      );
    assert.equal((await context.native('delete_file', { path: 'd/a.md' })).text, "Deleted 'd/a.md'.");
  });

  it('removes links in a folder, and follows none of them', async () => {
    const context = await create({ files: { 'd/a.md': 'x', 'kept/b.md': 'x' } });
    symlinkSync('../kept', join(context.root, 'd/link'));
    const { text } = await context.native('delete_file', { path: 'd' });
    assert.equal(text, "Deleted 'd'.");
    assert.equal(context.read('kept/b.md'), 'x');
  });
});
