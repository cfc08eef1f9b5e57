import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

describe('list_files', () => {
  const create = withContext();

  it('takes the same call in XML and natively', () => {
    const xml = parseXml('<list_files>\n<path> src </path>\n<recursive>true</recursive>\n</list_files>');
    for (const recursive of [true, 'true', 'True'])
      assert.deepEqual(decoded(parseNative('list_files', { path: 'src', recursive })), decoded(xml));
    assert.deepEqual(decoded(xml), { path: 'src', recursive: true });
  });

  it('lists a folder, folders first', async () => {
    const context = await create({ files: { 'b.txt': '', 'a.txt': '', 'z/c.txt': '', '.hidden': '' } });
    const { prepared, response } = await context.xml('list_files', { path: '.' });
    assert.deepEqual(prepared?.actions, [
      { type: 'read', path: context.root, insideWorkspace: true, protected: false },
    ]);
    assert.deepEqual(response, {
      content: 'z/\n.hidden\na.txt\nb.txt',
      details: { type: 'listing', shown: 4, total: 4 },
    });
  });

  it('lists everything below, nearest first, without what is ignored (16)', async () => {
    const context = await create({
      files: {
        '../.gitignore': '*\n',
        '.gitignore': '*.log\ndist/\n',
        '.latheignore': 'private\n',
        'private/key': '',
        'a.log': '',
        'dist/b.js': '',
        'src/deep/er/c.ts': '',
        'src/d.ts': '',
        'src/.gitignore': 'e.ts\n',
        'src/e.ts': '',
        'tmp/out/vendor/f.ts': '',
        'node_modules/g/index.js': '',
        '.git/HEAD': '',
        'z.ts': '',
      },
    });
    const { text, response } = await context.xml('list_files', { path: '.', recursive: 'true' });
    const expected = [
      '.gitignore',
      '.latheignore',
      'src/',
      'tmp/',
      'z.ts',
      'src/.gitignore',
      'src/d.ts',
      'src/deep/',
      'tmp/out/',
      'src/deep/er/',
      'tmp/out/vendor/',
      'src/deep/er/c.ts',
      'tmp/out/vendor/f.ts',
    ];
    assert.equal(text, expected.join('\n'));
    assert.deepEqual(response?.details, { type: 'listing', shown: 13, total: 13 });
    const below = await context.xml('list_files', { path: 'src', recursive: 'true' });
    assert.equal(below.text, '.gitignore\nd.ts\ndeep/\ndeep/er/\ndeep/er/c.ts');
    const flat = await context.xml('list_files', { path: '.' });
    assert.doesNotMatch(flat.text!, /private/);
  });

  it('cuts at the entries of the setting, and says how many there are (17)', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`d/file-${index}`, '']));
    const context = await create({ files, settings: { listMaximumEntries: 10 } });
    for (const [recursive, total] of [
      ['false', 30],
      ['true', 30],
    ] as const) {
      const { text, response } = await context.xml('list_files', { path: 'd', recursive });
      const lines = text!.split('\n');
      assert.equal(lines.length, 11);
      assert.equal(lines[10], `(first 10 of ${total} entries; list a folder below for the rest)`);
      assert.deepEqual(response?.details, { type: 'listing', shown: 10, total });
    }
  });

  it('does not go through links, and lists outside of the workspace after asking', async () => {
    const context = await create({ files: { '../outside/secret.txt': '', 'a.txt': '' } });
    symlinkSync('../outside', join(context.root, 'link'));
    symlinkSync('.', join(context.root, 'self'));
    const { text } = await context.xml('list_files', { path: '.', recursive: 'true' });
    assert.doesNotMatch(text!, /secret/);
    const outside = await context.xml('list_files', { path: 'link', recursive: 'true' });
    assert.deepEqual(outside.prepared?.actions, [
      { type: 'read', path: join(context.root, '..', 'outside'), insideWorkspace: false, protected: false },
    ]);
    assert.equal(outside.text, 'secret.txt');
  });

  it('keeps a name with line breaks from looking like two', async () => {
    const context = await create({ files: { 'a\nb.txt': '', 'gr\u00fc\u00df.txt': '' } });
    for (const recursive of ['false', 'true']) {
      const { text } = await context.xml('list_files', { path: '.', recursive });
      assert.equal(text, '"a\\nb.txt"\ngr\u00fc\u00df.txt', recursive);
    }
  });

  it('says when there is nothing', async () => {
    const context = await create({ files: { 'd/.gitignore': '*\n', 'd/a': '' } });
    mkdirSync(join(context.root, 'empty'));
    assert.equal((await context.xml('list_files', { path: 'empty' })).text, "'empty' is empty.");
    assert.equal(
      (await context.xml('list_files', { path: 'd', recursive: 'true' })).text,
      "'d' is empty, or everything in it is ignored.",
    );
  });

  it('refuses what cannot be listed, with the way out', async () => {
    const context = await create({ files: { 'a.txt': '', '.latheignore': 'private/\n', 'private/x': '' } });
    const cases: [Record<string, unknown>, RegExp][] = [
      [{}, /Missing required parameter 'path'/],
      [{ path: '' }, /path/],
      [{ path: 'missing' }, /There is no folder 'missing'\. List a folder above it/],
      [{ path: 'a.txt' }, /'a\.txt' is not a folder\. Use read_file/],
      [{ path: 'private' }, /hidden by the workspace's ignore file/],
      [{ path: '.', recursive: 'maybe' }, /'recursive'/],
      [{ path: { a: 1 } }, /'path'/],
      [{ path: 'a\0' }, /control or invisible characters/],
      [{ path: '/sys' }, /system's own file systems/],
      [{ path: 'x'.repeat(10_000) }, /path is too long/],
    ];
    for (const [args, expected] of cases) {
      const { error, prepared } = await context.native('list_files', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 100));
      assert.equal(prepared, undefined);
    }
    const without = await create({ host: { ripgrep: undefined }, files: { a: '' } });
    assert.match(
      (await without.native('list_files', { path: '.', recursive: true })).error ?? '',
      /call list_files without recursive/,
    );
    assert.equal((await without.native('list_files', { path: '.' })).text, 'a');
  });
});
