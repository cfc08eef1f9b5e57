import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file', () => {
  const create = withContext();

  it('takes the same parameters in XML and natively', () => {
    const xml = parseXml(
      '<read_file><path>a.ts</path><start_line>2</start_line><end_line>9</end_line></read_file>',
    );
    const native = parseNative('read_file', { path: 'a.ts', start_line: '2', end_line: 9 });
    assert.deepEqual(decoded(xml), { path: 'a.ts', start_line: 2, end_line: 9 });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('takes several files and ranges by nested XML, names as they are', () => {
    const call = parseXml(
      '<read_file>\n<args>\n<file>\n<path>a &amp; b.ts</path>\n<line_range>1-2</line_range>\n<line_range>5-6</line_range>\n</file>\n<file><path>c.ts</path></file>\n</args>\n</read_file>',
    );
    assert.deepEqual(decoded(call), {
      args: [{ path: 'a &amp; b.ts', line_range: ['1-2', '5-6'] }, { path: 'c.ts' }],
    });
  });

  it('reads one file, numbered, as each protocol writes it', async () => {
    const context = await create({ files: { 'a.txt': 'one\ntwo\n' } });
    const details = { type: 'files', files: [{ path: 'a.txt', lines: '1-2' }] };
    const xml = await context.xml('read_file', { path: 'a.txt' });
    assert.deepEqual(xml.response, {
      content: [
        {
          type: 'text',
          text: '<files>\n<file>\n<path>a.txt</path>\n<content lines="1-2">\n1 | one\n2 | two\n</content>\n</file>\n</files>',
        },
      ],
      details,
    });
    assert.deepEqual(xml.prepared?.actions, [
      { type: 'read', path: join(context.root, 'a.txt'), insideWorkspace: true, protected: false },
    ]);
    const native = await context.native('read_file', { path: 'a.txt' });
    assert.deepEqual(native.response, {
      content: [{ type: 'text', text: '[File: a.txt | Lines: 2]\n 1| one\n 2| two' }],
      details,
    });
    const plain = await context.native('read_file', { paths: ['a.txt'], show_line_numbers: false });
    assert.equal(plain.text, '[File: a.txt | Lines: 2]\none\ntwo');
  });

  it('reads several files and ranges, and says of each what went wrong', async () => {
    const context = await create({ files: { 'a.txt': numbered(12), 'b.txt': 'b\r\n' } });
    const { text } = await context.xml('read_file', {
      args: '<file><path>a.txt</path><line_range>2-3</line_range><line_range>10-11</line_range></file><file><path>b.txt</path></file><file><path>c.txt</path></file>',
    });
    assert.equal(
      text,
      [
        '<files>',
        '<file>\n<path>a.txt</path>\n<content lines="2-3, 10-11">\n 2 | line 2\n 3 | line 3\n10 | line 10\n11 | line 11\n</content>\n</file>',
        '<file>\n<path>b.txt</path>\n<content lines="1-1">\n1 | b\n</content>\n</file>',
        "<file>\n<path>c.txt</path>\n<error>There is no file 'c.txt'. Did you mean 'a.txt' or 'b.txt' in the same folder? Use list_files to see what is there.</error>\n</file>",
        '</files>',
      ].join('\n'),
    );
  });

  it('words a native batch, range and cut in blocks of their own', async () => {
    const context = await create({
      files: { 'a.txt': numbered(150), 'b.txt': 'only\n', 'c.txt': '' },
      settings: { readMaximumLines: 10 },
    });
    const cutAtTen =
      '(Showing lines 1-10 of 150. Read on with a line range from 11, or search for what you need.)';
    const batch = await context.native('read_file', {
      paths: ['a.txt', 'nowhere.txt', 'b.txt', 'c.txt'],
      show_line_numbers: true,
    });
    assert.equal(
      batch.text,
      [
        `[File: a.txt | Lines: 150]\n${Array.from({ length: 9 }, (_, index) => ` ${index + 1}| line ${index + 1}\n`).join('')}10| line 10\n${cutAtTen}`,
        "[File: nowhere.txt]\nError: There is no file 'nowhere.txt'. Use list_files to see what is there.",
        '[File: b.txt | Lines: 1]\n 1| only',
        '[File: c.txt | Lines: 0]\n(The file is empty.)',
      ].join('\n\n'),
    );
    const range = await context.native('read_file', { path: 'a.txt', start_line: 99, end_line: 101 });
    assert.equal(range.text, '[File: a.txt | Lines: 150]\n99| line 99\n100| line 100\n101| line 101');
    const plain = await context.native('read_file', {
      path: 'a.txt',
      start_line: 149,
      show_line_numbers: false,
    });
    assert.equal(plain.text, '[File: a.txt | Lines: 150]\nline 149\nline 150');
  });

  it('takes a lone <path> in args, and empty ranges, for what they mean', async () => {
    const context = await create({ files: { 'a.txt': 'one\n' } });
    for (const args of [
      '<path>a.txt</path>',
      '<file>a.txt</file>',
      '<file><path>a.txt</path><line_range></line_range></file>',
    ]) {
      const { text, error } = await context.xml('read_file', { args });
      assert.match(text ?? error ?? '', /1 \| one/, args);
    }
  });

  it('cuts at the lines of the setting and says how to read on', async () => {
    const context = await create({ files: { 'a.txt': numbered(30) }, settings: { readMaximumLines: 10 } });
    const { text } = await context.xml('read_file', { path: 'a.txt' });
    assert.match(text!, /<content lines="1-10">/);
    assert.match(text!, /<notice>Showing lines 1-10 of 30\. Read on with a line range from 11/);
    assert.doesNotMatch(text!, /line 11/);
    const range = await context.native('read_file', { path: 'a.txt', start_line: 5, end_line: 25 });
    assert.match(range.text!, /\n 5\| line 5\n[^]*\n25\| line 25$/);
  });

  it('keeps every read within the share of the context, ranges and minified files included', async () => {
    const files = { 'wide.js': 'x'.repeat(3_000_000), 'long.txt': numbered(40_000) };
    const context = await create({ files, contextLeft: 10_000, settings: { readContextShare: 0.5 } });
    for (const call of [
      { path: 'wide.js' },
      { path: 'long.txt', start_line: 1, end_line: 40_000 },
      { paths: ['wide.js', 'long.txt'] },
    ]) {
      const { text } = await context.native('read_file', call);
      assert.ok(text!.length > 15_000 && text!.length < 24_000, String(text!.length));
      assert.match(text!, /Cut in line \d+/);
    }
  });

  it('never shows a line as read that was not', async () => {
    const context = await create({
      files: { 'a.txt': `${'y'.repeat(3900)}\n${'z'.repeat(500)}\n` },
      contextLeft: 1,
    });
    const { text, response } = await context.xml('read_file', { path: 'a.txt' });
    assert.match(text!, /<content lines="1-1">/);
    assert.match(text!, /Read on from line 2/);
    assert.deepEqual(response?.details, { type: 'files', files: [{ path: 'a.txt', lines: '1-1' }] });
  });

  it('does not cut a character in two', async () => {
    const context = await create({ files: { 'a.txt': `a${'😀'.repeat(5000)}` }, contextLeft: 1 });
    const { text } = await context.native('read_file', { path: 'a.txt' });
    assert.doesNotMatch(text!, /\p{Surrogate}/u);
  });

  it('says that an empty file is empty', async () => {
    const context = await create({ files: { 'a.txt': '' } });
    assert.equal(
      (await context.xml('read_file', { path: 'a.txt' })).text,
      '<files>\n<file>\n<path>a.txt</path>\n<content/>\n<notice>The file is empty.</notice>\n</file>\n</files>',
    );
  });

  it('leaves entities, line breaks and byte order marks out of the way of what is read', async () => {
    const context = await create({
      files: {
        'a.html': '\ufeff&amp;\r\n<b>&lt;</b>\r\n',
        'wide.txt': Buffer.from('\ufeffgr\u00fc\u00df\n', 'utf16le'),
      },
    });
    const { text } = await context.native('read_file', { paths: ['a.html', 'wide.txt'] });
    assert.equal(
      text,
      '[File: a.html | Lines: 2]\n 1| &amp;\n 2| <b>&lt;</b>\n\n[File: wide.txt | Lines: 1]\n 1| gr\u00fc\u00df',
    );
  });

  it('gives pictures to a model that sees, and says so to one that does not', async () => {
    const seeing = await create({ files: { 'a.PNG': PNG }, images: true });
    const { response } = await seeing.xml('read_file', { path: 'a.PNG' });
    assert.deepEqual(response?.content, [
      {
        type: 'text',
        text: '<files>\n<file>\n<path>a.PNG</path>\n<notice>The picture follows.</notice>\n</file>\n</files>',
      },
      { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') },
    ]);
    const blind = await create({ files: { 'a.png': PNG } });
    const { error } = await blind.xml('read_file', { path: 'a.png' });
    assert.equal(error, "'a.png' is a picture, and this model does not see pictures.");
  });

  it('refuses what it cannot read, with the way out', async () => {
    const context = await create({
      files: {
        'program.bin': Buffer.from([1, 2, 0, 3]),
        'paper.pdf': '%PDF-1.7 text',
        'src/index.ts': 'x',
        'short.txt': 'one\n',
      },
    });
    mkdirSync(join(context.root, 'folder'));
    symlinkSync('/nowhere/at/all', join(context.root, 'dangling'));
    const cases: [Record<string, string>, RegExp][] = [
      [{ path: 'program.bin' }, /'program\.bin' is a binary file and cannot be read as text/],
      [{ path: 'paper.pdf' }, /No text can be taken out of 'paper\.pdf': it is no PDF/],
      [{ path: 'folder' }, /'folder' is not a file\. Use list_files for a folder/],
      [{ path: 'src/indx.ts' }, /no file 'src\/indx\.ts'\. Did you mean 'index\.ts' in the same folder\?/],
      [{ path: 'no/such/file' }, /There is no file 'no\/such\/file'\. Use list_files/],
      [{ path: 'short.txt', start_line: '5' }, /has 1 line; there is no line 5/],
      [{ path: 'short.txt', start_line: '3', end_line: '2' }, /range 3-2 ends before it starts/],
      [{ path: 'short.txt', start_line: 'x' }, /'start_line'/],
      [{ path: 'dangling' }, /link to nothing/],
      [{ path: '/proc/self/environ' }, /system's own file systems/],
      [{}, /needs a path/],
      [{ args: '<file><path>a' }, /args could not be read|path/],
      [{ args: '<file><path>short.txt</path><line_range>a-b</line_range></file>' }, /10-80/],
    ];
    for (const [params, expected] of cases) {
      const { error, text } = await context.xml('read_file', params);
      assert.match(error ?? `no error: ${text ?? ''}`, expected, JSON.stringify(params));
      assert.ok(error!.length < 1200);
    }
  });

  it('reads text whatever its bytes, and never waits for what has none', async () => {
    const context = await create({
      files: {
        'latin.txt': Buffer.from('gr\xfc\xdf\n', 'latin1'),
        'cut.txt': Buffer.from('ok \u{1f600}').subarray(0, 5),
        'mac.txt': 'one\rtwo\r',
        'be.txt': Buffer.from('\ufeffbig', 'utf16le').swap16(),
      },
    });
    const read = async (path: string): Promise<string> => {
      const { text, error } = await context.native('read_file', { path });
      return text ?? error ?? '';
    };
    assert.equal(await read('latin.txt'), '[File: latin.txt | Lines: 1]\n 1| gr\ufffd\ufffd');
    assert.match(await read('cut.txt'), /1\| ok \ufffd/);
    assert.equal(await read('mac.txt'), '[File: mac.txt | Lines: 2]\n 1| one\n 2| two');
    assert.equal(await read('be.txt'), '[File: be.txt | Lines: 1]\n 1| big');
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(context.root, 'pipe')]);
    assert.match(await read('pipe'), /'pipe' is not a file/);
    assert.match(await read('/dev/zero'), /system's own file systems/);
  });

  it('reads a file that grows meanwhile, up to where it was', async () => {
    const context = await create({ files: { 'a.log': 'line\n'.repeat(400) } });
    const stop = new AbortController();
    const growing = (async () => {
      while (!stop.signal.aborted) {
        appendFileSync(join(context.root, 'a.log'), 'more\n'.repeat(1000));
        await nextTurn();
      }
    })();
    for (let time = 0; time < 20; time++) {
      const { text } = await context.native('read_file', { path: 'a.log' });
      assert.match(text!.slice(0, 60), /^\[File: a\.log \| Lines: [\d-]+\]\n 1\| line\n/);
    }
    stop.abort();
    await growing;
  });

  it('says when a file may not be read', async function () {
    if (process.getuid?.() === 0) {
      // The superuser reads everything: a folder in the place of a file's parent is refused to all alike.
      const context = await create({ files: { file: 'x' } });
      const { error } = await context.xml('read_file', { path: 'file/below' });
      assert.match(error ?? '', /file\/below/);
      return;
    }
    const context = await create({ files: { 'a.txt': 'x' } });
    chmodSync(join(context.root, 'a.txt'), 0);
    const { error } = await context.xml('read_file', { path: 'a.txt' });
    assert.match(error ?? '', /may not be accessed.*change its permissions/);
  });

  it('takes at most the files of the setting', async () => {
    const context = await create({ settings: { readMaximumFiles: 2 } });
    const { error } = await context.native('read_file', { paths: ['a', 'b', 'c'] });
    assert.equal(
      error,
      'One read takes at most 2 files, and 3 were asked for. Read the most important first.',
    );
  });

  it('reads ranges of a file of a gigabyte without holding it', async () => {
    const context = await create();
    const path = join(context.root, 'huge.log');
    const body = Array.from({ length: 60_000 }, (_, index) => `${index + 1} ${'e'.repeat(300)}\n`).join('');
    writeFileSync(path, body);
    truncateSync(path, 1024 ** 3);
    const first = await context.xml('read_file', {
      path: 'huge.log',
      start_line: '59990',
      end_line: '59991',
    });
    assert.match(
      first.text!,
      /<content lines="59990-59991">\n59990 \| 59990 e{300}\n59991 \| 59991 e{300}\n/,
    );
    const whole = await context.native('read_file', { path: 'huge.log' });
    assert.match(whole.text!, /Showing lines 1-500\. Read on with a line range from 501/);
  });

  it('stops reading a line without end when nothing more can be shown', async () => {
    const context = await create({ contextLeft: 1000 });
    const path = join(context.root, 'one-line.json');
    writeFileSync(path, 'a'.repeat(2 * 1024 * 1024));
    truncateSync(path, 1024 ** 3);
    const { text } = await context.native('read_file', { path: 'one-line.json' });
    assert.ok(text!.length < 5000);
    assert.match(text!, /Cut in line 1/);
  });

  it('reads the output of its own commands; whether that asks is for approval to say', async () => {
    const context = await create();
    const artifact = join(context.artifacts, 'command-1.txt');
    const other = join(context.artifacts, '..', 'settings.json');
    writeFileSync(artifact, 'kept\n');
    writeFileSync(other, '{}\n');
    const kept = await context.xml('read_file', { path: artifact });
    assert.deepEqual(kept.prepared?.actions, [
      { type: 'read', path: artifact, insideWorkspace: false, protected: true },
    ]);
    assert.match(kept.text!, /1 \| kept/);
    const secret = await context.xml('read_file', { path: other });
    assert.deepEqual(secret.prepared?.actions, [
      {
        type: 'read',
        path: join(context.root, '..', 'home', 'settings.json'),
        insideWorkspace: false,
        protected: true,
      },
    ]);
  });

  it('ends when it is aborted', async () => {
    const context = await create({ files: { 'a.txt': 'x' } });
    const abort = new AbortController();
    const stopped = context.xml(
      'read_file',
      { path: 'a.txt' },
      { signal: abort.signal, whileAsked: () => abort.abort() },
    );
    await assert.rejects(stopped, { name: 'AbortError' });
  });

  it('survives hostile nested XML', async () => {
    const context = await create({ files: { 'a.txt': 'x\n' } });
    for (const args of [
      '<!DOCTYPE x [<!ENTITY a "b">]><file><path>&a;</path></file>',
      '<file><__proto__><path>a.txt</path></__proto__></file>',
      '<file><path>a.txt</path><path>b.txt</path></file>',
      '<file>'.repeat(2000),
      '<file><path><![CDATA[a.txt]]></path></file>',
      '<file><path></path></file>',
      '<args><file/></args>',
    ]) {
      const { error, text } = await context.xml('read_file', { args });
      assert.ok((error ?? text) !== undefined, args);
      assert.ok((error ?? '').length < 1200);
    }
    assert.equal(({} as Record<string, unknown>).path, undefined);
  });

  it('gives the outline of what is not shown of a file that was cut', async () => {
    const body = (count: number): string =>
      Array.from({ length: count }, (_, line) => `    step(${line});`).join('\n');
    const code = `export function first() {\n${body(10)}\n}\n\nexport class Second {\n  alpha() {\n${body(6)}\n  }\n\n  beta() {\n${body(6)}\n  }\n}\n`;
    const context = await create({ files: { 'a.ts': code }, settings: { readMaximumLines: 16 } });
    const xml = await context.xml('read_file', { path: 'a.ts' });
    assert.match(
      xml.text!,
      /\n<notice>Showing lines 1-16 of 32\. Read on with a line range from 17, or search for what you need\.<\/notice>\n<definitions in="lines that are not shown">\n14-32 \| export class Second \{\n15-22 \| {3}alpha\(\) \{\n24-31 \| {3}beta\(\) \{\n<\/definitions>\n<\/file>/,
    );
    const native = await context.native('read_file', { path: 'a.ts' });
    assert.match(
      native.text!,
      /\)\nDefinitions in the lines that are not shown:\n14-32 \| export class Second \{\n15-22 \| /,
    );
    const range = await context.native('read_file', { path: 'a.ts', start_line: 1, end_line: 5 });
    assert.doesNotMatch(range.text!, /Definitions in/);
  });

  it('leaves the inner definitions out of an outline that is too long', async () => {
    const method = (name: string): string => `  ${name}() {\n    return 1;\n  }\n`;
    const classes = Array.from(
      { length: 60 },
      (_, one) =>
        `class Number${one} {\n${Array.from({ length: 8 }, (_, two) => method(`method${two}`)).join('')}}\n`,
    );
    const context = await create({ files: { 'a.ts': classes.join('') }, settings: { readMaximumLines: 10 } });
    const { text } = await context.native('read_file', { path: 'a.ts' });
    const outline = text!.slice(text!.indexOf('Definitions in'));
    assert.equal(outline.split('\n').length, 61);
    assert.doesNotMatch(outline, /method/);
  });

  it('tells a picture by its bytes', async () => {
    const context = await create({ files: { 'a.jpg': PNG, 'b.png': 'text' }, images: true });
    const { response } = await context.native('read_file', { path: 'a.jpg' });
    assert.deepEqual((response?.content as unknown[])[1], {
      type: 'image',
      mediaType: 'image/png',
      data: PNG.toString('base64'),
    });
    const { error } = await context.native('read_file', { path: 'b.png' });
    assert.match(error!, /'b\.png' is no picture in spite of its name/);
  });
});
