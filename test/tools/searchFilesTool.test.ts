import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

describe('search_files', () => {
  const create = withContext();

  it('takes the same call in XML and natively, the expression as it is', () => {
    const regex = '  a &lt; (?P<b>\\d+) <c> ';
    const xml = parseXml(
      `<search_files>\n<path>src</path>\n<regex>${regex}</regex>\n<file_pattern>*.ts</file_pattern>\n</search_files>`,
    );
    const native = parseNative('search_files', { path: 'src', regex, file_pattern: '*.ts' });
    assert.deepEqual(decoded(xml), { path: 'src', regex, file_pattern: '*.ts' });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('shows each file with its matches and a line around each', async () => {
    const context = await create({
      files: {
        'src/a.ts': 'one\ntwo\nhit 3\nfour\nfive\nsix\nseven\nhit 8\r\nnine\n',
        'src/b/c.ts': 'hit &lt;\n',
        'd.txt': 'hit\n',
      },
    });
    const { prepared, response, text } = await context.xml('search_files', { path: 'src', regex: 'hit.*' });
    assert.deepEqual(prepared?.actions, [
      { type: 'read', path: join(context.root, 'src'), insideWorkspace: true, protected: false },
    ]);
    assert.equal(
      text,
      [
        'Found 3 matches in 2 files.',
        '# src/a.ts\n  2 | two\n  3 | hit 3\n  4 | four\n----\n  7 | seven\n  8 | hit 8\n  9 | nine\n----',
        '# src/b/c.ts\n  1 | hit &lt;\n----',
      ].join('\n\n'),
    );
    assert.deepEqual(response?.details, { type: 'matches', shown: 3, total: 3, files: 2 });
    const none = await context.xml('search_files', { path: '.', regex: 'nothing' });
    assert.equal(none.text, 'No match.');
  });

  it('counts all there are, and shows as many as it may (17)', async () => {
    const context = await create({
      files: { 'a.txt': 'hit\n'.repeat(5000), 'b.txt': 'hit\n'.repeat(70) },
      settings: { searchMaximumResults: 10 },
    });
    const { text, response } = await context.xml('search_files', { path: '.', regex: 'hit' });
    assert.match(
      text!,
      /^Found first 10 of 5,070 matches in 2 files\. Narrow the expression or the folder for the rest\./,
    );
    assert.equal(text!.split('\n').filter((line) => line.endsWith('| hit')).length, 10);
    assert.deepEqual(response?.details, { type: 'matches', shown: 10, total: 5070, files: 2 });
  });

  it('counts also what is far too much to look at, without what may not be shown (17)', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `${index % 7}/${index}.txt`,
        'hit\nmiss\nhit hit\n'.repeat(60),
      ]),
    );
    const context = await create({ files: { ...files, '.env': 'hit\n'.repeat(9000), 'z.txt': 'hit' } });
    const { text, response } = await context.xml('search_files', { path: '.', regex: 'hit' });
    assert.match(text!, /^Found first 300 of 24,001 matches in 201 files\./);
    assert.doesNotMatch(text!, /\.env$/m);
    assert.equal(text!.match(/\| hit/g)?.length, 300);
    assert.deepEqual(response?.details, { type: 'matches', shown: 300, total: 24_001, files: 201 });
    const some = await context.xml('search_files', { path: '3', regex: 'hit', file_pattern: '**/*.txt' });
    assert.match(some.text!, /of 3,480 matches in 29 files/);
    const stop = new AbortController();
    const stopped = context.xml(
      'search_files',
      { path: '.', regex: 'hit' },
      { signal: stop.signal, whileAsked: () => setImmediate(() => stop.abort()) },
    );
    await assert.rejects(stopped, { name: 'AbortError' });
  });

  it('cuts long lines around the match, so that it is seen', async () => {
    const context = await create({
      files: {
        'a.min.js': `${'x'.repeat(100_000)}needle${'y'.repeat(100_000)}\n`,
        'b.txt': `${'z'.repeat(490)}needle${'\u{1f600}'.repeat(400)}\n`,
      },
    });
    const { text } = await context.xml('search_files', { path: '.', regex: 'needle' });
    for (const line of text!.split('\n')) assert.ok(line.length <= 520, String(line.length));
    assert.equal(text!.match(/needle/g)?.length, 2);
    assert.equal(/\p{Surrogate}|\ufffd/u.test(text!), false);
  });

  it('tells an error of the expression from no result (6)', async () => {
    const context = await create({ files: { 'a.txt': 'x\n' } });
    for (const regex of ['(', '[z-a]', '(?=x)', '\\1', '*', 'a{2,1}', '\\p{Nope}']) {
      const { error } = await context.xml('search_files', { path: '.', regex });
      assert.match(
        error ?? 'no error',
        /^The search could not be run: [^]*regex parse error[^]*Mend the expression \(Rust syntax/,
        regex,
      );
    }
    for (const regex of ['-v', '--files', '\\[', '#', '$']) {
      const { error } = await context.xml('search_files', { path: '.', regex });
      assert.equal(error, undefined, regex);
    }
  });

  it('finds by glob, without looking into what is ignored', async () => {
    const context = await create({
      files: {
        '.gitignore': 'generated.ts\nbuild/\n',
        'a.ts': 'hit\n',
        'b.js': 'hit\n',
        'src/c.ts': 'hit\n',
        'src/deep/d.ts': 'hit\n',
        'src/generated.ts': 'hit\n',
        'build/e.ts': 'hit\n',
        'src/.hidden.ts': 'hit\n',
      },
    });
    const found = async (file_pattern: string, path = '.'): Promise<string[]> => {
      const { text, error } = await context.native('search_files', { path, regex: 'hit', file_pattern });
      return [...(text ?? error ?? '').matchAll(/^# (.*)$/gm)].map((match) => match[1] ?? '').sort();
    };
    const all = ['a.ts', 'src/.hidden.ts', 'src/c.ts', 'src/deep/d.ts'];
    assert.deepEqual(await found('*.ts'), all);
    assert.deepEqual(await found('**/*.ts'), all);
    assert.deepEqual(await found('*.{ts,tsx}'), all);
    assert.deepEqual(await found('*.ts,*.js'), ['a.ts', 'b.js', ...all.slice(1)]);
    assert.deepEqual(await found('!*.ts'), ['b.js']);
    assert.deepEqual(await found('src/**/*.ts'), all.slice(1));
    assert.deepEqual(await found('deep/*.ts', 'src'), ['src/deep/d.ts']);
    assert.deepEqual(await found(''), ['a.ts', 'b.js', ...all.slice(1)]);
    assert.deepEqual(await found('*'), ['a.ts', 'b.js', ...all.slice(1)]);
    assert.deepEqual(await found('*.py'), []);
    const { error } = await context.native('search_files', {
      path: '.',
      regex: 'hit',
      file_pattern: '*.{ts',
    });
    assert.match(error ?? 'no error', /file_pattern/);
  });

  it('goes by the ignore files of the workspace, not of the folders above it (16)', async () => {
    const context = await create({
      files: {
        '../.gitignore': '*\nworkspace\n',
        '.gitignore': 'dist\n',
        'tmp/out/vendor/a.txt': 'hit\n',
        'dist/b.txt': 'hit\n',
        'src/.gitignore': 'c.txt\n',
        'src/c.txt': 'hit\n',
        'src/dist/d.txt': 'hit\n',
        '.git/e.txt': 'hit\n',
        '.latheignore': 'f.txt\n',
        'f.txt': 'hit\n',
      },
    });
    const all = await context.xml('search_files', { path: '.', regex: 'hit' });
    assert.match(all.text!, /^Found 1 match in 1 file\.\n\n# tmp\/out\/vendor\/a\.txt\n/);
    const below = await context.xml('search_files', { path: 'src', regex: 'hit' });
    assert.equal(below.text, 'No match.');
  });

  it('passes over binaries and what it may not show, and does not follow links out', async () => {
    const context = await create({
      files: {
        'a.bin': Buffer.from('hit\0hit\n'),
        'wide.txt': Buffer.from('\ufeffa hit\n', 'utf16le'),
        'latin.txt': Buffer.from('hit gr\xfc\xdf\n', 'latin1'),
        '../outside/secret.txt': 'hit\n',
        '.env': 'hit=1\n',
      },
    });
    symlinkSync('../outside', join(context.root, 'link'));
    const { text } = await context.xml('search_files', { path: '.', regex: 'hit' });
    assert.match(text!, /^Found 2 matches in 2 files\./);
    assert.match(text!, /# wide\.txt\n {2}1 \| .?a hit/);
    assert.match(text!, /# latin\.txt\n {2}1 \| hit gr\ufffd\ufffd/);
  });

  it('searches single files, in the workspace and outside', async () => {
    const context = await create({ files: { 'a.txt': 'x\nhit\n', '../outside.txt': 'hit\n' } });
    const inside = await context.xml('search_files', { path: 'a.txt', regex: 'hit' });
    assert.equal(inside.text, 'Found 1 match in 1 file.\n\n# a.txt\n  1 | x\n  2 | hit\n----');
    const outside = await context.xml('search_files', { path: '../outside.txt', regex: 'hit' });
    assert.match(
      outside.text ?? outside.error ?? '',
      /Found 1 match in 1 file\.\n\n# .*outside\.txt\n {2}1 \| hit/,
    );
    assert.deepEqual(
      outside.prepared?.actions.map((action) => action.type === 'read' && action.insideWorkspace),
      [false],
    );
  });

  it('says what could not be searched', async function () {
    const context = await create({ files: { 'a.txt': 'hit\n', 'locked/b.txt': 'hit\n' } });
    if (process.getuid?.() === 0) {
      // The superuser reads everything: a file that goes on for ever in the way of a folder does as well.
      symlinkSync('loop', join(context.root, 'loop'));
      const { error } = await context.xml('search_files', { path: 'loop', regex: 'hit' });
      assert.match(error ?? 'no error', /loop/);
      return;
    }
    chmodSync(join(context.root, 'locked'), 0);
    const { text } = await context.xml('search_files', { path: '.', regex: 'hit' });
    chmodSync(join(context.root, 'locked'), 0o700);
    assert.match(text!, /^Found 1 match in 1 file\.[^]*Not everything could be searched:\n.*locked/);
  });

  it('takes a file of a gigabyte', async () => {
    const context = await create();
    const path = join(context.root, 'huge.log');
    writeFileSync(path, 'hit\n');
    truncateSync(path, 1024 ** 3);
    const { text } = await context.xml('search_files', { path: '.', regex: 'hit' });
    assert.match(text!, /^(Found 1 match|No match)/);
  });

  it('ends when it is stopped', async () => {
    const context = await create({ files: { 'a.txt': 'x\n'.repeat(1_000_000) } });
    const stop = new AbortController();
    const call = context.xml(
      'search_files',
      { path: '.', regex: 'x' },
      { signal: stop.signal, whileAsked: () => setTimeout(() => stop.abort(), 5) },
    );
    await assert.rejects(call, { name: 'AbortError' });
  });

  it('refuses what cannot be searched, with the way out', async () => {
    const context = await create({ files: { 'a.txt': 'x\n' } });
    mkdirSync(join(context.root, 'empty'));
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ path: '.' }, /Missing required parameter 'regex'/],
      [{ regex: 'x' }, /Missing required parameter 'path'/],
      [{ path: '', regex: 'x' }, /path/],
      [{ path: '.', regex: '' }, /regex/],
      [{ path: '.', regex: 7 }, /'regex'/],
      [{ path: ['.'], regex: 'x' }, /'path'/],
      [{ path: '.', regex: 'x', file_pattern: 3 }, /'file_pattern'/],
      [{ path: '.', regex: 'a\0b' }, /NUL/],
      [{ path: '.', regex: 'x', file_pattern: 'a\0b' }, /NUL/],
      [{ path: '.', regex: 'x'.repeat(50_000) }, /regex is 50000 characters long/],
      [{ path: '.', regex: 'a\nb' }, /one line/],
      [{ path: 'missing', regex: 'x' }, /There is no file or folder 'missing'/],
      [{ path: '/proc', regex: 'x' }, /system's own file systems/],
    ];
    for (const [args, expected] of cases) {
      const { error } = await context.native('search_files', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 100));
      assert.ok(error!.length < 1500);
    }
    const without = await create({ host: { ripgrep: undefined } });
    const { error } = await without.native('search_files', { path: '.', regex: 'x' });
    assert.match(error ?? '', /ripgrep was not found here/);
    const gone = await create({ host: { ripgrep: '/nowhere/rg' } });
    const missing = await gone.native('search_files', { path: '.', regex: 'x' });
    assert.match(missing.error ?? '', /ripgrep could not be started/);
  });
});
