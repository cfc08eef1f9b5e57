import assert from 'node:assert/strict';
import { readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { mayEdit } from '../../src/core/modes/toolsForMode.ts';
import { tools } from '../../src/core/tools/index.ts';
import type { ModeConfig } from '../../src/shared/modes.ts';
import { TOOL_GROUPS } from '../../src/shared/tools.ts';
import { withContext, type TestContext } from '../support/testContext.ts';

const block = '<<<<<<< SEARCH\ntext\n=======\nother\n>>>>>>> REPLACE';
const patch = (...lines: string[]): Args => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const update = (path: string): string[] => [`*** Update File: ${path}`, '@@', '-text', '+other'];

type Args = Record<string, unknown>;
/** A call that changes `path`, and perhaps `also`. `xml`: the form that only XML has. */
type Form = (path: string, also: string) => Args;

/** Every form in which a tool of the edit group names a file. `new`: the file must not be there. */
const forms: Record<string, { change: Form[]; create?: Form[]; xml?: Form[] }> = {
  write_to_file: {
    change: [
      (path) => ({ path, content: 'other\n' }),
      (path) => ({ path, content: 'more\n', mode: 'append' }),
    ],
    create: [(path) => ({ path, content: 'other\n' })],
  },
  apply_diff: {
    change: [(path) => ({ path, diff: block })],
    xml: [
      (path, also) => ({
        args: [path, also]
          .map((one) => `<file><path>${one}</path><diff><content>${block}</content></diff></file>`)
          .join(''),
      }),
    ],
  },
  delete_file: { change: [(path) => ({ path })] },
  search_replace: { change: [(path) => ({ file_path: path, old_string: 'text', new_string: 'other' })] },
  edit_file: {
    change: [
      (path) => ({ file_path: path, old_string: 'text', new_string: 'other' }),
      (path) => ({ target_file: path, instructions: 'Do.', code_edit: 'other' }),
    ],
    create: [(path) => ({ file_path: path, old_string: '', new_string: 'other\n' })],
  },
  fast_edit_file: {
    change: [(path) => ({ target_file: path, instructions: 'Do.', code_edit: 'other' })],
    create: [(path) => ({ target_file: path, instructions: '', code_edit: 'other' })],
  },
  search_and_replace: {
    change: [
      (path) => ({ path, search: 'text', replace: 'other' }),
      (path) => ({ path, operations: [{ search: 'text', replace: 'other' }] }),
    ],
  },
  insert_content: { change: [(path) => ({ path, line: 1, content: 'other' })] },
  apply_patch: {
    change: [
      (path) => patch(...update(path)),
      (path) => patch(`*** Delete File: ${path}`),
      (path, also) => patch(...update(also), ...update(path)),
      (path) => patch(`*** Update File: ${path}`, '*** Move to: moved.md', '@@', '-text', '+other'),
      (path) => ({ patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-text\n+other\n` }),
    ],
    create: [
      (path) => patch(`*** Add File: ${path}`, '+other'),
      (path, also) => patch(`*** Update File: ${also}`, `*** Move to: ${path}`, '@@', '-text', '+other'),
    ],
  },
  // Its places are fixed; the forms below stand for all.
  new_rule: {
    change: [(path) => ({ path, content: 'other' })],
    create: [(path) => ({ path, content: 'other' })],
  },
  // It writes pictures alone.
  generate_image: { change: [], create: [(path) => ({ prompt: 'a fox', path })] },
};

const mode = (fileRegex: string): ModeConfig => ({
  slug: 'own',
  name: 'Own',
  roleDefinition: 'You are one.',
  groups: ['read', ['edit', { fileRegex }]],
});

const files = {
  'a.md': 'text\n',
  'also.md': 'text\n',
  'docs/a.md': 'text\n',
  'src/a.ts': 'text\n',
  'src/b.js': 'text\n',
  'src/deep/notes.md': 'text\n',
  '.lathe/rules/a.txt': 'text\n',
  '.lathe/rules/a.md': 'text\n',
};
/** Links whose own names say something else than where they lead. */
const links = { 'innocent.md': 'src/a.ts', 'docs/src.md': '../src', 'code.ts': 'a.md', 'folder.md': 'src' };

const editTools = [...TOOL_GROUPS.edit.tools, ...(TOOL_GROUPS.edit.customTools ?? [])];

describe('the files that a mode may edit, for every tool that edits', () => {
  const create = withContext();
  const fastApply = () => Promise.resolve({ text: 'other\n' });
  // Nothing asks for a picture that may not be written.
  const makePicture = () => Promise.reject(new Error('a picture was asked for'));

  async function workspace(fileRegex: string): Promise<TestContext> {
    const context = await create({ files, mode: mode(fileRegex), fastApply, makePicture });
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(context.root, path));
    return context;
  }

  it('knows every tool of the group', () => {
    assert.deepEqual(
      editTools.filter((name) => !(name in forms)),
      [],
      'a tool that edits needs its forms in this table',
    );
    assert.deepEqual(
      editTools.filter((name) => tools[name].group !== 'edit'),
      [],
    );
  });

  for (const name of editTools) {
    const { change = [], create: making = [], xml = [] } = forms[name] ?? {};
    it(`${name}: what the expression does not match is refused, in every form and by every way there`, async () => {
      const rule = name === 'new_rule';
      const there = rule
        ? ['.lathe/rules/a.txt', './.lathe/rules/a.txt']
        : [
            ...['src/a.ts', './src/a.ts', 'docs/../src/a.ts', 'src//a.ts'],
            ...['innocent.md', 'docs/src.md/a.ts', 'folder.md/a.ts'],
          ];
      const missing = rule
        ? ['.lathe/rules/new.txt']
        : name === 'generate_image'
          ? ['src/new.png', './src/new.png', 'docs/src.md/new.png', 'folder.md/new.webp']
          : ['src/new.ts', 'docs/src.md/new.ts', 'folder.md/new.js', 'a.md/../new.ts'];
      const calls: [Args, 'xml' | 'native'][] = [
        ...change.flatMap((form) => there.map((path): [Args, 'native'] => [form(path, 'also.md'), 'native'])),
        ...making.flatMap((form) =>
          missing.map((path): [Args, 'native'] => [form(path, 'also.md'), 'native']),
        ),
        ...xml.flatMap((form) => there.map((path): [Args, 'xml'] => [form(path, 'also.md'), 'xml'])),
        ...xml.flatMap((form) => there.map((path): [Args, 'xml'] => [form('also.md', path), 'xml'])),
      ];
      assert.ok(calls.length > 0);
      const context = await workspace('\\.md$');
      const before = contents(context.root);
      for (const [args, origin] of calls) {
        const outcome =
          origin === 'xml'
            ? await context.xml(name, args as Record<string, string>)
            : await context.native(name, args);
        assert.match(
          `${outcome.error ?? ''}${outcome.text ?? ''}`,
          /Own mode may only edit: files matching \\\.md\$/,
          JSON.stringify(args),
        );
        const after = contents(context.root);
        for (const [path, text] of Object.entries(before))
          if (!path.endsWith('.md')) assert.equal(after[path], text, JSON.stringify(args));
        assert.deepEqual(
          Object.keys(after).filter((path) => !(path in before) && !path.endsWith('.md')),
          [],
          JSON.stringify(args),
        );
      }
    });

    // A picture wants a service that paints it.
    if (name === 'generate_image') continue;
    it(`${name}: what it does match is changed`, async () => {
      const path = name === 'new_rule' ? '.lathe/rules/a.md' : 'a.md';
      for (const form of change) {
        const context = await workspace('\\.md$');
        const args = form(path, 'also.md');
        const { error } = await context.native(name, args);
        assert.equal(error, undefined, JSON.stringify(args));
        assert.notEqual(contents(context.root)[path], 'text\n', JSON.stringify(args));
      }
    });
  }

  it('a folder is deleted only when all in it may be', async () => {
    const context = await workspace('\\.md$|^src$|^src/deep$');
    assert.match((await context.native('delete_file', { path: 'src' })).error ?? '', /may only edit/);
    assert.equal((await context.native('delete_file', { path: 'src/deep' })).error, undefined);
  });

  it('whatever the tool, the path and the expression: no other file is touched', async function () {
    this.timeout(120_000);
    const spelling = fc.constantFrom(
      ...Object.keys(files),
      ...Object.keys(links),
      ...[
        'docs/src.md/a.ts',
        'folder.md/deep/notes.md',
        'new.md',
        'src/new.ts',
        'docs/src.md/x.md',
        'docs',
        'src',
      ],
      ...[
        'src/deep/../a.ts',
        './a.md',
        'SRC/A.TS',
        'a.md/',
        ' a.md',
        'a.md\u0000.ts',
        '../out.md',
        'src\\a.ts',
      ],
    );
    const call = fc.constantFrom(...editTools).chain((name) => {
      const { change = [], create: making = [], xml = [] } = forms[name] ?? {};
      const form = fc.oneof(
        fc.constantFrom(...change, ...making).map((make) => ({ make, origin: 'native' as const })),
        ...(xml.length === 0
          ? []
          : [fc.constantFrom(...xml).map((make) => ({ make, origin: 'xml' as const }))]),
      );
      return fc.record({ name: fc.constant(name), form, path: spelling, also: spelling });
    });
    const expression = fc.constantFrom('\\.md$', '^docs/', '\\.ts$', '^$', '(', '^src/[^/]+$', '^\\.lathe/');
    await fc.assert(
      fc.asyncProperty(call, expression, async ({ name, form, path, also }, fileRegex) => {
        const context = await workspace(fileRegex);
        const before = contents(context.root);
        const args = form.make(path, also);
        if (form.origin === 'xml') await context.xml(name, args as Record<string, string>);
        else await context.native(name, args);
        const after = contents(context.root);
        for (const file of new Set([...Object.keys(before), ...Object.keys(after)]))
          if (!mayEdit(mode(fileRegex), file)) assert.equal(after[file], before[file], file);
      }),
      { numRuns: 150 },
    );
  });
});

/** Every file of the workspace by its real path: its text. */
function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const real = realpathSync(root);
  for (const entry of readdirSync(real, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // Newer Nodes go through links to folders.
    if (realpathSync(path) !== path) continue;
    found[relative(real, path)] = readFileSync(path, 'utf8');
  }
  return found;
}
