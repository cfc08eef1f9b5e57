import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;

describe('apply_diff', () => {
  const create = withContext();

  it('takes the same call in XML and natively, every byte of the diff', () => {
    const diff = block('if (a &lt; b && c > "d") {', "  </diff>\n\tx.replace(/y/, '$&')");
    const xml = parseXml(`<apply_diff>\n<path>a.ts</path>\n<diff>\n${diff}\n</diff>\n</apply_diff>`);
    const native = parseNative('apply_diff', { path: 'a.ts', diff });
    assert.deepEqual(decoded(xml), { path: 'a.ts', diff });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('asks with the diff and the whole proposal, then writes exactly that', async () => {
    const context = await create({ files: { 'src/a.ts': 'one\ntwo\nthree\n' } });
    const { prepared, response } = await context.xml('apply_diff', {
      path: 'src/a.ts',
      diff: block('two', 'zwei\ndrei'),
    });
    const path = join(context.root, 'src/a.ts');
    const details = {
      type: 'diff',
      path: 'src/a.ts',
      patch: '@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+drei\n three',
      added: 2,
      removed: 1,
      created: false,
      cut: false,
    };
    assert.deepEqual(prepared?.actions, [
      { type: 'edit', path, insideWorkspace: true, protected: false, created: false },
    ]);
    assert.deepEqual(prepared.details, details);
    assert.deepEqual(prepared.proposal, {
      path,
      shown: 'src/a.ts',
      before: 'one\ntwo\nthree\n',
      after: 'one\nzwei\ndrei\nthree\n',
    });
    assert.deepEqual(response, { content: "Changed 'src/a.ts': 2 lines added, 1 removed.", details });
    assert.equal(context.read('src/a.ts'), 'one\nzwei\ndrei\nthree\n');
  });

  it('keeps byte order mark, line ends, missing final newline and mode bits (4)', async () => {
    const context = await create({ files: { 'a.sh': '\ufeffone\r\ntwo &amp;\r\nthree' } });
    chmodSync(join(context.root, 'a.sh'), 0o751);
    const { error } = await context.xml('apply_diff', {
      path: 'a.sh',
      diff: block('two &amp;', '$& $1 &lt;'),
    });
    assert.equal(error, undefined);
    assert.deepEqual(
      readFileSync(join(context.root, 'a.sh')),
      Buffer.from('\ufeffone\r\n$& $1 &lt;\r\nthree'),
    );
    assert.equal(statSync(join(context.root, 'a.sh')).mode & 0o777, 0o751);
  });

  it('changes nothing when one block of several cannot be placed, and says which (5)', async () => {
    const text = 'a\nb\na\n';
    const context = await create({ files: { 'a.txt': text } });
    const { error, prepared } = await context.native('apply_diff', {
      path: 'a.txt',
      diff: `${block('b', 'B')}\n${block('a', 'A')}`,
    });
    assert.equal(
      error,
      "'a.txt' was not changed. Block 2: its SEARCH stands at 2 places (lines 1, 3). Add lines around it until it is unique, or give :start_line: of the one you mean.\nThe other block would fit: send all of them again.",
    );
    assert.equal(prepared, undefined);
    assert.equal(context.read('a.txt'), text);
  });

  it('lands the person’s own version, and tells the model what they changed', async () => {
    const context = await create({ files: { 'a.txt': 'one\ntwo\n' } });
    const { response, text } = await context.xml(
      'apply_diff',
      { path: 'a.txt', diff: block('two', 'zwei') },
      { answer: { allowed: true, edited: 'one\ndeux\n' } },
    );
    assert.equal(context.read('a.txt'), 'one\ndeux\n');
    assert.match(
      text!,
      /The person changed your proposal before approving it\. Their changes to your version, which you must keep:\n@@ -1,2 \+1,2 @@\n one\n-zwei\n\+deux$/,
    );
    assert.deepEqual(response?.details && 'changedByPerson' in response.details, true);
  });

  it('leaves the file alone when it is rejected', async () => {
    const context = await create({ files: { 'a.txt': 'one\n' } });
    const outcome = await context.xml(
      'apply_diff',
      { path: 'a.txt', diff: block('one', 'eins') },
      { answer: { allowed: false } },
    );
    assert.equal(outcome.denied, true);
    assert.equal(context.read('a.txt'), 'one\n');
  });

  it('writes nothing over what changed since it was read, or while it was asked', async () => {
    const context = await create({ files: { 'a.txt': 'one\n' } });
    await context.xml('read_file', { path: 'a.txt' });
    context.write('a.txt', 'one\nby another hand\n');
    const call = { path: 'a.txt', diff: block('one', 'eins') };
    const stale = await context.xml('apply_diff', call);
    assert.equal(
      stale.error,
      "'a.txt' changed on disk since it was read. Read it again and make the change anew.",
    );
    await context.xml('read_file', { path: 'a.txt' });
    const raced = await context.xml('apply_diff', call, {
      whileAsked: () => context.write('a.txt', 'raced\n'),
    });
    assert.match(raced.error ?? '', /changed on disk since it was read, so nothing was written/);
    assert.equal(context.read('a.txt'), 'raced\n');
    const gone = await context.xml(
      'apply_diff',
      { path: 'a.txt', diff: block('raced', 'x') },
      { whileAsked: () => execFileSync('rm', [join(context.root, 'a.txt')]) },
    );
    assert.match(gone.error ?? '', /changed on disk/);
  });

  it('edits again what it has just edited, without reading between', async () => {
    const context = await create({ files: { 'a.txt': 'one\n' } });
    await context.xml('read_file', { path: 'a.txt' });
    await context.xml('apply_diff', { path: 'a.txt', diff: block('one', 'two') });
    await context.xml('apply_diff', { path: 'a.txt', diff: block('two', 'three') });
    assert.equal(context.read('a.txt'), 'three\n');
  });

  it('keeps to the files of the mode, links followed (3)', async () => {
    const context = await create({ mode: 'architect', files: { 'a.ts': 'one\n', 'a.md': 'one\n' } });
    symlinkSync('a.ts', join(context.root, 'link.md'));
    mkdirSync(join(context.root, 'docs'));
    symlinkSync('..', join(context.root, 'docs', 'up.md'));
    for (const path of ['a.ts', 'link.md', 'docs/up.md/a.ts', 'docs/../a.ts', join(context.root, 'a.ts')]) {
      const { error } = await context.xml('apply_diff', { path, diff: block('one', 'eins') });
      assert.match(error ?? '', /mode may only edit: .*Write to such a file, or call switch_mode/, path);
    }
    assert.equal(context.read('a.ts'), 'one\n');
    await context.xml('apply_diff', { path: 'a.md', diff: block('one', 'eins') });
    assert.equal(context.read('a.md'), 'eins\n');
  });

  it('refuses what it cannot edit, with the way out', async () => {
    const context = await create({
      files: {
        'a.txt': 'one\n',
        'a.bin': Buffer.from([1, 0, 2]),
        'latin.txt': Buffer.from('gr\xfc\xdf', 'latin1'),
        'wide.txt': Buffer.from('\ufeffwide', 'utf16le'),
        '.latheignore': 'secret\n',
        secret: 'x',
      },
    });
    mkdirSync(join(context.root, 'folder'));
    writeFileSync(join(context.root, 'huge'), '');
    truncateSync(join(context.root, 'huge'), 1024 ** 3);
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(context.root, 'pipe')]);
    const good = block('one', 'two');
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ path: 'b.txt', diff: good }, /There is no file 'b\.txt' to change\. Create it with write_to_file/],
      [{ path: 'a.bin', diff: good }, /'a\.bin' is a binary file and cannot be edited as text/],
      [{ path: 'latin.txt', diff: good }, /is not UTF-8 text, and editing it would damage it/],
      [{ path: 'wide.txt', diff: good }, /is not UTF-8 text/],
      [{ path: 'folder', diff: good }, /'folder' is not a file/],
      [{ path: '.', diff: good }, /is the workspace itself, not a file/],
      [{ path: 'a.txt/b', diff: good }, /a\.txt\/b/],
      [{ path: 'huge', diff: good }, /too large to edit.*Use a command/],
      [{ path: 'pipe', diff: good }, /'pipe' is not a file/],
      [{ path: '/dev/null', diff: good }, /system's own file systems/],
      [{ path: 'secret', diff: good }, /hidden by the workspace's ignore file/],
      [
        { path: 'a.txt', diff: 'one -> two' },
        /'a\.txt' was not changed\. The diff holds no SEARCH\/REPLACE block/,
      ],
      [{ path: 'a.txt', diff: '' }, /diff/],
      [{ path: 'a.txt' }, /Missing required parameter 'diff'/],
      [{ path: '', diff: good }, /path/],
      [{ path: '   ', diff: good }, /The path is empty/],
      [{ diff: good }, /Missing required parameter 'path'/],
      [{ path: 7, diff: good }, /'path'/],
      [{ path: ['a.txt'], diff: good }, /'path'/],
      [{ path: 'a.txt', diff: { search: 'one' } }, /'diff'/],
      [{ path: 'a\0.txt', diff: good }, /control or invisible characters/],
      [{ path: 'x/'.repeat(5000), diff: good }, /The path is too long: 10000 characters/],
      [{ path: 'x/'.repeat(2045), diff: good }, /cannot be resolved/],
      [{ path: `${'n'.repeat(300)}.txt`, diff: good }, /cannot be resolved|too long/],
    ];
    for (const [args, expected] of cases) {
      const { error, prepared } = await context.native('apply_diff', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 200));
      assert.ok(error!.length < 1200, error);
      assert.equal(prepared, undefined, 'nobody is asked about what cannot be done');
    }
    assert.equal(context.read('a.txt'), 'one\n');
  });

  it('asks about files outside of the workspace and about protected ones as such', async () => {
    const context = await create({ files: { '.git/hooks/pre-commit': 'one\n', '../outside.txt': 'one\n' } });
    const outside = await context.native('apply_diff', {
      path: '../outside.txt',
      diff: block('one', 'two'),
    });
    assert.deepEqual(outside.prepared?.actions, [
      {
        type: 'edit',
        path: join(context.root, '..', 'outside.txt'),
        insideWorkspace: false,
        protected: false,
        created: false,
      },
    ]);
    const hook = await context.native(
      'apply_diff',
      { path: '.git/hooks/pre-commit', diff: block('one', 'two') },
      { answer: { allowed: false } },
    );
    assert.equal(hook.prepared?.actions[0]?.type === 'edit' && hook.prepared.actions[0].protected, true);
  });

  it('changes several files in one call, each as it is written', async () => {
    const call = (...files: string[]): ReturnType<typeof parseXml> =>
      parseXml(`<apply_diff>\n<args>\n${files.join('\n')}\n</args>\n</apply_diff>`);
    const context = await create({ files: { 'a.html': 'x\n<diff>one</diff>\n', 'b.txt': 'y\nb\nb\n' } });
    const outcome = await context.run(
      call(
        `<file>\n<path>a.html</path>\n<diff>\n<content><![CDATA[\n${block('<diff>one</diff>', '<file>&amp;</file>\n</diff>')}\n]]></content>\n</diff>\n</file>`,
        `<file><path> b.txt </path><diff><content>\n${block('b', 'B')}\n</content><start_line>3</start_line></diff><diff>\n${block('y', 'Y')}\n</diff></file>`,
      ),
    );
    assert.equal(context.read('a.html'), 'x\n<file>&amp;</file>\n</diff>\n');
    assert.equal(context.read('b.txt'), 'Y\nb\nB\n');
    assert.deepEqual(
      outcome.prepared?.actions.map((action) => action.type === 'edit' && action.path),
      [join(context.root, 'a.html'), join(context.root, 'b.txt')],
    );
    assert.equal(outcome.prepared.proposal, undefined);
    assert.deepEqual(outcome.response, {
      content: "Changed 'a.html': 2 lines added, 1 removed.\nChanged 'b.txt': 2 lines added, 2 removed.",
      details: {
        type: 'diff',
        path: 'a.html',
        patch:
          '@@ -1,2 +1,3 @@ a.html\n x\n-<diff>one</diff>\n+<file>&amp;</file>\n+</diff>\n@@ -1,3 +1,3 @@ b.txt\n-y\n+Y\n b\n-b\n+B',
        added: 4,
        removed: 3,
        created: false,
        cut: false,
      },
    });
    const single = await context.run(call(`<file><path>b.txt</path><diff>${block('Y', 'y')}</diff></file>`));
    assert.equal(single.prepared?.proposal?.after, 'y\nb\nB\n');
  });

  it('changes none of several files when one cannot be changed, and says what landed when it comes between', async () => {
    const context = await create({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const files = (b: string): Record<string, unknown> => ({
      args: [
        { path: 'a.txt', diff: [{ content: block('a', 'A') }] },
        { path: 'b.txt', diff: [{ content: block(b, 'B') }] },
      ],
    });
    const misfit = await context.native('apply_diff', files('c'));
    assert.match(misfit.error ?? '', /^'b\.txt' was not changed\. Block 1: its SEARCH was not found/);
    assert.equal(context.read('a.txt'), 'a\n');
    const raced = await context.native('apply_diff', files('b'), {
      whileAsked: () => context.write('b.txt', 'raced\n'),
    });
    assert.equal(raced.response?.failed, true);
    assert.match(
      raced.text!,
      /^Changed 'a\.txt'[^]*\n'b\.txt' changed on disk since it was read, so nothing was written/,
    );
    assert.deepEqual([context.read('a.txt'), context.read('b.txt')], ['A\n', 'raced\n']);
  });

  it('refuses a nested form that it cannot read', async () => {
    const context = await create({ files: { 'a.txt': 'a\n' } });
    const file = `<file><path>a.txt</path><diff>${block('a', 'b')}</diff></file>`;
    const cases: [string, RegExp][] = [
      ['nothing', /args could not be read from "nothing" on\. Write <file>/],
      [`${file}<file><path>b`, /args could not be read from "<file><path>b" on/],
      [`${file} and more`, /args could not be read from/],
      ['<file><diff>x</diff></file>', /does not begin with its <path>/],
      ['<file><path>a.txt</path></file>', /'args\.0\.diff'/],
      [file + file, /'a\.txt' is named twice/],
    ];
    for (const [args, expected] of cases) {
      const { error } = await context.xml('apply_diff', { args });
      assert.match(error ?? 'no error', expected, args);
    }
    assert.equal(context.read('a.txt'), 'a\n');
  });

  it('changes ten megabytes, and says that nothing would change', async () => {
    const text = Array.from(
      { length: 200_000 },
      (_, index) => `the line of the number ${index} stands here\n`,
    ).join('');
    const context = await create({ files: { 'big.txt': text } });
    const { error } = await context.native('apply_diff', {
      path: 'big.txt',
      diff: block('the line of the number 199999 stands here', 'changed'),
    });
    assert.equal(error, undefined);
    assert.equal(
      context.read('big.txt'),
      text.replace('the line of the number 199999 stands here', 'changed'),
    );
    const same = await context.native('apply_diff', { path: 'big.txt', diff: block('changed', 'changed') });
    assert.match(same.error ?? '', /SEARCH and REPLACE are the same/);
  });
});
