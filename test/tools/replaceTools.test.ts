import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decoded, parseNative, parseXml, withContext } from '../support/testContext.ts';
import { xmlCall } from '../support/ScriptedModel.ts';

/** One call of each tool that turns `two` into `zwei` in a.md. */
const calls: [name: string, params: Record<string, string | number>][] = [
  ['search_replace', { file_path: 'a.md', old_string: 'two', new_string: 'zwei' }],
  ['edit_file', { file_path: 'a.md', old_string: 'two', new_string: 'zwei', expected_replacements: 1 }],
  ['search_and_replace', { path: 'a.md', search: 'two', replace: 'zwei', start_line: 2, end_line: 2 }],
];
const texts = (params: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));

describe('search_replace, edit_file, search_and_replace', () => {
  const create = withContext();

  it('take the same call in XML and natively, every byte of the text', () => {
    const text = '  if (a &lt; b) {\n\t"x" </old_string> <path>\n';
    const inside = [
      ['search_replace', { file_path: 'a', old_string: text, new_string: `${text}$&` }],
      ['edit_file', { file_path: 'a', old_string: text, new_string: '', expected_replacements: 2 }],
      ['edit_file', { target_file: 'a', instructions: 'Do it.', code_edit: text }],
      ['search_and_replace', { path: 'a', search: text, replace: '$1', use_regex: true, end_line: 3 }],
      ['search_and_replace', { path: 'a', operations: [{ search: '</operations>', replace: text }] }],
      ['insert_content', { path: 'a', line: 3, content: text }],
    ] as const;
    for (const [name, args] of inside) {
      const params = Object.fromEntries(
        Object.entries(args).map(([key, value]) => [
          key,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      );
      assert.deepEqual(decoded(parseNative(name, args)), args, name);
      assert.deepEqual(decoded(parseXml(xmlCall(name, params))), args, name);
    }
  });

  for (const [name, params] of calls)
    it(`${name} asks with the proposal, lands it, and keeps mark and line ends`, async () => {
      const context = await create({ files: { 'a.md': '\ufeffone\r\ntwo\r\nthree' } });
      const { prepared, text = '' } = await context.xml(name, texts(params));
      const path = join(context.root, 'a.md');
      assert.deepEqual(prepared?.actions, [
        { type: 'edit', path, insideWorkspace: true, protected: false, created: false },
      ]);
      assert.deepEqual(prepared.proposal, {
        path,
        shown: 'a.md',
        before: 'one\r\ntwo\r\nthree',
        after: 'one\r\nzwei\r\nthree',
      });
      assert.match(text, /Changed 'a\.md': 1 line added, 1 removed\.$/);
      assert.equal(readFileSync(path, 'utf8'), '\ufeffone\r\nzwei\r\nthree');
    });

  for (const [name, params] of calls) {
    it(`${name} keeps what the person made of it, and says so`, async () => {
      const context = await create({ files: { 'a.md': 'one\ntwo\n' } });
      const { text = '' } = await context.native(name, params, {
        answer: { allowed: true, edited: 'one\nZWEI\n' },
      });
      assert.match(text, /The person changed your proposal[^]*-zwei\n\+ZWEI/);
      assert.equal(context.read('a.md'), 'one\nZWEI\n');
    });

    it(`${name} does nothing when denied, when the file changed meanwhile, when aborted`, async () => {
      const context = await create({ files: { 'a.md': 'one\ntwo\n' } });
      assert.equal((await context.native(name, params, { answer: { allowed: false } })).denied, true);
      const changed = await context.native(name, params, {
        whileAsked: () => context.write('a.md', 'one\ntwo\nthree\n'),
      });
      assert.match(changed.error ?? '', /changed on disk since it was read, so nothing was written/);
      const abort = new AbortController();
      await assert.rejects(
        context.native(name, params, { signal: abort.signal, whileAsked: () => abort.abort() }),
        { name: 'AbortError' },
      );
      assert.equal(context.read('a.md'), 'one\ntwo\nthree\n');
    });

    it(`${name} keeps to the files of its mode, and to what is there`, async () => {
      const context = await create({ files: { 'a.md': 'two\ntwo\n', 'a.ts': 'two\n' }, mode: 'architect' });
      const key = 'path' in params ? 'path' : 'file_path';
      const refused = await context.native(name, { ...params, [key]: 'a.ts' });
      assert.match(refused.error ?? '', /Architect mode may only edit/);
      const missing = await context.native(name, { ...params, [key]: 'b.md' });
      assert.match(missing.error ?? '', /There is no file 'b\.md' to change/);
      assert.equal(context.read('a.ts'), 'two\n');
    });
  }

  it('search_replace and edit_file refuse a text that stands twice, and name the lines', async () => {
    const context = await create({ files: { 'a.md': 'two\none\ntwo\n' } });
    for (const name of ['search_replace', 'edit_file']) {
      const params = { file_path: 'a.md', old_string: 'two', new_string: 'x' };
      const { error } = await context.xml(name, params);
      assert.equal(
        error,
        "'a.md' was not changed. old_string stands at 2 places (lines 1, 3). Add lines around it until it is unique.",
      );
    }
    const { error } = await context.native('search_replace', {
      file_path: 'a.md',
      old_string: '',
      new_string: 'x',
    });
    assert.match(error ?? '', /old_string/);
  });

  it('edit_file creates a file with an empty old_string, never over another one', async () => {
    const context = await create({ files: { 'a.md': 'one\n' } });
    const params = { file_path: 'new/b.md', old_string: '', new_string: 'hello' };
    const { text = '' } = await context.xml('edit_file', params);
    assert.match(text, /^Created 'new\/b\.md'/);
    assert.equal(context.read('new/b.md'), 'hello\n');
    const { error } = await context.xml('edit_file', { ...params, file_path: 'a.md' });
    assert.match(error ?? '', /exists already/);
    assert.equal(context.read('a.md'), 'one\n');
  });

  it('edit_file names what is missing, in either form', async () => {
    const context = await create({ files: { 'a.md': 'one\n' } });
    const { error } = await context.native('edit_file', { file_path: 'a.md', old_string: 'one' });
    assert.match(error ?? '', /Missing required parameter 'new_string'/);
    const fast = await context.native('edit_file', {
      target_file: 'a.md',
      instructions: 'x',
      code_edit: 'y',
    });
    assert.match(fast.error ?? '', /needs a fast-apply model[^]*Send file_path, old_string and new_string/);
  });

  it('search_and_replace says how many places, and does a list all or not at all', async () => {
    const context = await create({ files: { 'a.md': 'x x\nx\n' } });
    const many = await context.xml('search_and_replace', { path: 'a.md', search: 'x', replace: 'y$&' });
    assert.match(many.text ?? '', /^Replaced at 3 places\. Changed 'a\.md'/);
    assert.equal(context.read('a.md'), 'y$& y$&\ny$&\n');
    const half = await context.xml('search_and_replace', {
      path: 'a.md',
      operations: JSON.stringify([
        { search: 'y$&\n', replace: 'z' },
        { search: 'gone', replace: '' },
      ]),
    });
    assert.match(half.error ?? '', /Operation/);
    assert.equal(context.read('a.md'), 'y$& y$&\ny$&\n');
  });
});

describe('insert_content', () => {
  const create = withContext();

  it('puts lines before a line or at the end, in the file’s own line ends', async () => {
    const context = await create({ files: { 'a.md': 'one\r\ntwo' } });
    const insert = async (line: number, content: string): Promise<string> => {
      const { error } = await context.xml('insert_content', { path: 'a.md', line: String(line), content });
      return error ?? context.read('a.md');
    };
    assert.equal(await insert(1, '  zero\nhalf'), '  zero\r\nhalf\r\none\r\ntwo');
    assert.equal(await insert(0, 'three\n'), '  zero\r\nhalf\r\none\r\ntwo\r\nthree');
    assert.match(await insert(9, 'x'), /has 5 lines, so there is no line 9 to insert before/);
    const created = await context.native('insert_content', { path: 'b.md', line: 0, content: 'a\n' });
    assert.match(created.text ?? '', /^Created 'b\.md'/);
    assert.equal(context.read('b.md'), 'a\n');
  });
});
