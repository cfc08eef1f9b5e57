import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

describe('write_to_file', () => {
  const create = withContext();

  it('takes the same call in XML and natively', () => {
    const content = 'a &lt; b && c > d;\n\tx();';
    const xml = parseXml(
      `<write_to_file>\n<path>a.ts</path>\n<content>\n${content}\n</content>\n<line_count>2</line_count>\n</write_to_file>`,
    );
    const native = parseNative('write_to_file', { path: 'a.ts', content, line_count: '2' });
    assert.deepEqual(decoded(xml), { path: 'a.ts', content, line_count: 2 });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('creates a file with its folders, and replaces one', async () => {
    const context = await create();
    const path = join(context.root, 'new/folder/a.txt');
    const created = await context.xml('write_to_file', { path: 'new/folder/a.txt', content: 'one\ntwo' });
    assert.deepEqual(created.prepared?.actions, [
      { type: 'edit', path, insideWorkspace: true, protected: false, created: true },
    ]);
    assert.deepEqual(created.response, {
      content: "Created 'new/folder/a.txt': 2 lines added, 0 removed.",
      details: {
        type: 'diff',
        path: 'new/folder/a.txt',
        patch: '@@ -0,0 +1,2 @@\n+one\n+two',
        added: 2,
        removed: 0,
        created: true,
        cut: false,
      },
    });
    assert.equal(context.read('new/folder/a.txt'), 'one\ntwo\n');
    const replaced = await context.xml('write_to_file', { path: 'new/folder/a.txt', content: 'one\n2' });
    assert.equal(replaced.response?.content, "Changed 'new/folder/a.txt': 1 line added, 1 removed.");
    assert.deepEqual(readdirSync(join(context.root, 'new/folder')), ['a.txt']);
  });

  it('writes what a native call says, byte for byte', async () => {
    const context = await create();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom(
            'a',
            '`',
            '\n',
            '\r',
            '\t',
            '\0',
            '\u00e9',
            '\u2028',
            '\ufeff',
            '\u{1f600}',
            '<',
            '&amp;',
            '$&',
          ),
          maxLength: 60,
        }),
        async (content) => {
          // A whole file in a fence is unwrapped, which has its own test.
          fc.pre(!content.startsWith('```'));
          const path = `file-${number++}`;
          await context.native('write_to_file', { path, content });
          assert.deepEqual(readFileSync(join(context.root, path)), Buffer.from(content));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps the habits of the file: line ends, byte order mark, final newline, mode bits (4)', async () => {
    const context = await create({ files: { 'a.txt': '\ufeffone\r\ntwo\r\n', 'b.txt': 'one\ntwo' } });
    chmodSync(join(context.root, 'a.txt'), 0o640);
    await context.xml('write_to_file', { path: 'a.txt', content: 'eins\nzwei\ndrei' });
    assert.deepEqual(
      readFileSync(join(context.root, 'a.txt')),
      Buffer.from('\ufeffeins\r\nzwei\r\ndrei\r\n'),
    );
    assert.equal(statSync(join(context.root, 'a.txt')).mode & 0o777, 0o640);
    await context.xml('write_to_file', { path: 'b.txt', content: 'eins\nzwei' });
    assert.equal(context.read('b.txt'), 'eins\nzwei');
    await context.native('write_to_file', { path: 'a.txt', content: '\ufeffone mark is enough\r\n' });
    assert.deepEqual(readFileSync(join(context.root, 'a.txt')), Buffer.from('\ufeffone mark is enough\r\n'));
  });

  it('takes entities, $& and tags as they are, past 100 KB too (1, 10, 15)', async () => {
    const context = await create();
    const row =
      '<p>&lt;b&gt; &amp; $& $1</p>\n<path>evil.txt</path>\n<read_file><path>x</path></read_file>\n';
    const content = row.repeat(1500) + 'end';
    const { error } = await context.xml('write_to_file', { path: 'a.html', content });
    assert.equal(error, undefined);
    assert.equal(context.read('a.html'), `${content}\n`);
    assert.deepEqual(readdirSync(context.root), ['a.html']);
  });

  it('unwraps a file that is one fence, and keeps fences that belong to it', async () => {
    const context = await create();
    const cases: [string, string, string][] = [
      ['a.js', '```js\nlet a;\n```', 'let a;\n'],
      ['b.js', '```\nlet a;\n```\n', 'let a;\n'],
      ['c.js', 'x = `\n```js\n`;', 'x = `\n```js\n`;'],
      ['d.txt', '```a\n1\n```\ntext\n```b\n2\n```', '```a\n1\n```\ntext\n```b\n2\n```'],
      ['Dockerfile', '```\nFROM x\n```', '```\nFROM x\n```'],
      ['e.md', '```js\nlet a;\n```', '```js\nlet a;\n```'],
    ];
    for (const [path, content, expected] of cases) {
      await context.native('write_to_file', { path, content });
      assert.equal(context.read(path), expected, path);
    }
  });

  it('appends when it is told to', async () => {
    const context = await create({ files: { 'a.txt': 'one\r\n' } });
    await context.native('write_to_file', { path: 'a.txt', content: 'two\n', mode: 'append' });
    assert.equal(context.read('a.txt'), 'one\r\ntwo\r\n');
    await context.native('write_to_file', { path: 'b.txt', content: 'new', mode: 'append' });
    assert.equal(context.read('b.txt'), 'new');
    // On a line of its own, and no matter how few lines it has or what they say.
    await context.xml('write_to_file', { path: 'b.txt', content: '// ... rest of code', mode: 'append' });
    assert.equal(context.read('b.txt'), 'new\n// ... rest of code');
    const { error } = await context.native('write_to_file', { path: 'a.txt', content: 'x', mode: 'prepend' });
    assert.match(error ?? '', /'mode'/);
  });

  it('makes an empty file when the content is empty, and says when nothing would change', async () => {
    const context = await create();
    await context.xml('write_to_file', { path: 'empty', content: '' });
    assert.equal(context.read('empty'), '');
    const again = await context.xml('write_to_file', { path: 'empty', content: '' });
    assert.equal(again.error, "'empty' is already so: the edit would change nothing.");
  });

  it('refuses content that was visibly cut', async () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index};\n`).join('');
    const context = await create({
      files: { 'a.js': text, 'b.js': `// the rest of the code stays here\n${text}` },
    });
    for (const omission of [
      '// ... rest of the code remains unchanged',
      '# [the previous implementation stays the same]',
      '/* existing code here */',
      '<!-- remaining content unchanged -->',
    ]) {
      const { error } = await context.xml('write_to_file', { path: 'a.js', content: `line 0;\n${omission}` });
      assert.match(
        error ?? '',
        /content leaves out code: .*Send the whole file, or change the part with apply_diff/,
        omission,
      );
    }
    const { error } = await context.xml('write_to_file', {
      path: 'a.js',
      content: 'one\ntwo',
      line_count: '30',
    });
    assert.match(error ?? '', /content has 2 lines, but line_count says 30: it seems to be cut/);
    assert.equal(context.read('a.js'), text);
    // Such a comment can be the file's own.
    const own = await context.xml('write_to_file', {
      path: 'b.js',
      content: '// the rest of the code stays here\nline 0;',
    });
    assert.equal(own.error, undefined);
  });

  it('keeps to the files of the mode (3)', async () => {
    const context = await create({ mode: 'architect' });
    symlinkSync('target.ts', join(context.root, 'link.md'));
    context.write('target.ts', '');
    for (const path of ['a.ts', 'link.md', 'a.md.ts', '../outside.ts']) {
      const { error } = await context.native('write_to_file', { path, content: 'x' });
      assert.match(error ?? '', /mode may only edit/, path);
    }
    await context.native('write_to_file', { path: 'plan.md', content: 'x' });
    assert.equal(context.read('plan.md'), 'x');
  });

  it('does not take the place of what appeared while it was asked', async () => {
    const context = await create();
    const { error } = await context.native(
      'write_to_file',
      { path: 'a.txt', content: 'mine' },
      { whileAsked: () => context.write('a.txt', 'theirs') },
    );
    assert.match(error ?? '', /changed on disk since it was read, so nothing was written/);
    assert.equal(context.read('a.txt'), 'theirs');
    assert.deepEqual(readdirSync(context.root), ['a.txt']);
  });

  it('refuses what it cannot write, with the way out, before anyone is asked', async () => {
    const context = await create({ files: { 'a.bin': Buffer.from([0, 1]), file: 'x' } });
    mkdirSync(join(context.root, 'folder'));
    symlinkSync('/nowhere/at/all', join(context.root, 'dangling'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(context.root, 'pipe')]);
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ path: 'folder', content: 'x' }, /'folder' is not a file/],
      [{ path: 'folder/', content: 'x' }, /'folder' is not a file/],
      [{ path: 'pipe', content: 'x' }, /'pipe' is not a file/],
      [{ path: 'a.bin', content: 'x' }, /is a binary file/],
      [{ path: 'file/below', content: 'x' }, /file\/below/],
      [{ path: 'dangling', content: 'x' }, /link to nothing/],
      [{ path: '.', content: 'x' }, /workspace itself/],
      [{ path: '..', content: 'x' }, /workspace itself/],
      [{ path: '/proc/self/mem', content: 'x' }, /system's own file systems/],
      [{ path: '~/a.txt', content: 'x' }, /~ is not expanded/],
      [{ path: 'a\u202etxt.js', content: 'x' }, /control or invisible characters/],
      [{ path: 'n'.repeat(300), content: 'x' }, /cannot be resolved|too long/],
      [{ content: 'x' }, /Missing required parameter 'path'/],
      [{ path: 'a.txt' }, /Missing required parameter 'content'/],
      [{ path: 'a.txt', content: null }, /Missing required parameter 'content'/],
      [{ path: 'a.txt', content: 5 }, /'content'/],
      [{ path: 'a.txt', content: { a: 1 } }, /'content'/],
      [{ path: 'a.txt', content: 'x', line_count: -1 }, /'line_count'/],
      [{ path: 'a.txt', content: 'x', line_count: 'many' }, /'line_count'/],
    ];
    for (const [args, expected] of cases) {
      const { error, prepared } = await context.native('write_to_file', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 100));
      assert.equal(prepared, undefined);
    }
    assert.ok(!existsSync(join(context.root, 'a.txt')));
  });
});
