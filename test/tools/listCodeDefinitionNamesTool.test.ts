import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';

const TOOL = 'list_code_definition_names';
const CODE = 'export class A {\n  one() {\n    return 1;\n  }\n}\n\nfunction two() {}\n';

describe(TOOL, function () {
  this.timeout(60_000);
  const create = withContext();

  it('takes the same parameters in XML and natively', () => {
    const xml = parseXml(`<${TOOL}><path>src</path></${TOOL}>`);
    assert.deepEqual(decoded(xml), { path: 'src' });
    assert.deepEqual(decoded(parseNative(TOOL, { path: 'src' })), decoded(xml));
  });

  it('lists a file: lines, and how each definition is written', async () => {
    const context = await create({ files: { 'src/a.ts': CODE } });
    const { response, prepared } = await context.xml(TOOL, { path: 'src/a.ts' });
    assert.deepEqual(response, {
      content: '# src/a.ts\n1-5 | export class A {\n2-4 |   one() {\n7-7 | function two() {}',
      details: { type: 'files', files: [{ path: 'src/a.ts' }] },
    });
    assert.deepEqual(prepared?.actions, [
      { type: 'read', path: join(context.root, 'src/a.ts'), insideWorkspace: true, protected: false },
    ]);
  });

  it('lists the files directly in a folder that have a grammar, with what could not be read', async () => {
    const context = await create({
      files: {
        'src/b.py': 'def b():\n    pass\n',
        'src/a.ts': CODE,
        'src/inner/c.ts': CODE,
        'src/data.json': '{}',
        'src/empty.go': '',
        'src/binary.c': new Uint8Array([0, 1, 2, 3]),
        'src/broken.ts': 'function a() {}\nclass {{{ (\n',
      },
    });
    const { text, response } = await context.native(TOOL, { path: 'src' });
    assert.equal(
      text,
      [
        '# src/a.ts\n1-5 | export class A {\n2-4 |   one() {\n7-7 | function two() {}',
        '# src/b.py\n1-2 | def b():',
        "# src/binary.c\n'src/binary.c' is a binary file in spite of its name, and has no definitions.",
        '# src/broken.ts\n1-1 | function a() {}\n(line 2 is not valid typescript; definitions near it may be missing)',
        '# src/empty.go\n(no definitions)',
      ].join('\n\n'),
    );
    assert.deepEqual(response?.details, {
      type: 'files',
      files: [
        { path: 'src/a.ts' },
        { path: 'src/b.py' },
        {
          path: 'src/binary.c',
          error: "'src/binary.c' is a binary file in spite of its name, and has no definitions.",
        },
        { path: 'src/broken.ts' },
        { path: 'src/empty.go' },
      ],
    });
  });

  it('honours ignore files, and does not follow links out of the folder', async () => {
    const context = await create({
      files: {
        '.latheignore': 'secret.ts\nhidden/\n',
        'secret.ts': CODE,
        'hidden/a.ts': CODE,
        'open.ts': CODE,
      },
    });
    symlinkSync(join(context.root, 'secret.ts'), join(context.root, 'link.ts'));
    const listed = await context.xml(TOOL, { path: '.' });
    assert.deepEqual(listed.response?.details, { type: 'files', files: [{ path: 'open.ts' }] });
    for (const path of ['secret.ts', 'hidden', 'hidden/a.ts', 'link.ts'])
      assert.match(
        (await context.xml(TOOL, { path })).error ?? '',
        /hidden by the workspace's ignore file/,
        path,
      );
  });

  it('says what to do when there is nothing to list', async () => {
    const context = await create({
      files: { 'notes.txt': '', 'src/main.ts': '', 'empty/a.bin': '', 'b.ts': new Uint8Array([0]) },
    });
    const error = async (path: string): Promise<string> => (await context.xml(TOOL, { path })).error ?? '';
    assert.match(await error('src/mian.ts'), /There is no file 'src\/mian.ts'. Did you mean 'main.ts'/);
    assert.match(await error('notes.txt'), /cannot be listed: this works for TypeScript.* Use read_file/);
    assert.match(await error('empty'), /no source file directly in 'empty'.*list_files/);
    assert.match(await error('b.ts'), /binary file/);
    assert.match((await context.native(TOOL, {})).error ?? '', /Missing required parameter 'path'/);
  });

  it('is denied, and stops when the turn does', async () => {
    const context = await create({ files: { 'a.ts': CODE } });
    assert.equal((await context.xml(TOOL, { path: 'a.ts' }, { answer: { allowed: false } })).denied, true);
    const stop = new AbortController();
    await assert.rejects(
      context.xml(
        TOOL,
        { path: 'a.ts' },
        { signal: stop.signal, whileAsked: () => stop.abort(new Error('stopped')) },
      ),
      new Error('stopped'),
    );
  });

  it('leaves out inner definitions, then the last, when there are too many, and says so', async () => {
    const members = Array.from({ length: 40 }, (_, index) => `  method${index}() {}`).join('\n');
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `class A${index} {\n${members}\n}`).join('\n');
    const context = await create({ files: { 'a.ts': many(100), 'b.ts': many(4000) } });
    const outer = (await context.xml(TOOL, { path: 'a.ts' })).text ?? '';
    assert.equal(outer.split('\n').length, 1 + 100 + 2);
    assert.match(outer, /^# a.ts\n1-42 \| class A0 \{\n43-84 \| class A1 \{/);
    assert.match(outer, /definitions inside of others are left out/);
    const cut = (await context.xml(TOOL, { path: 'b.ts' })).text ?? '';
    assert.ok(cut.length < 61_000);
    assert.match(cut, /\(cut: there are 164000 definitions in all\. .*search_files/);
    const small = await create({ files: { 'a.ts': many(100) }, contextLeft: 300 });
    assert.ok(((await small.xml(TOOL, { path: 'a.ts' })).text ?? '').length < 1000);
  });
});
