import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Lexer } from 'marked';
import type { ToolItem, ViewItem } from '../../src/shared/viewItems.ts';
import { RowBuilder } from '../../webview-ui/src/chat/rows.ts';
import { parsePatch } from '../../webview-ui/src/diff/parsePatch.ts';
import { linkTarget, pathInCode } from '../../webview-ui/src/markdown/linkTarget.ts';
import { BlockReader } from '../../webview-ui/src/markdown/markdownBlocks.ts';

function tool(
  key: string,
  name: string,
  kind: 'read' | 'search' | 'edit',
  state: ToolItem['state'] = 'done',
): ToolItem {
  const view = { kind, subject: key, locations: [] };
  return {
    type: 'tool',
    key,
    callId: key,
    tool: name,
    origin: 'native',
    params: {},
    view,
    state,
    result: [],
    output: '',
  };
}

describe('the rows of a transcript', () => {
  const thought: ViewItem = { type: 'reasoning', key: 't', text: 'x', streaming: false, durationMs: 1 };

  it('folds finished looks and the thoughts between them, and nothing else', () => {
    const items = [
      thought,
      tool('a', 'read_file', 'read'),
      thought,
      tool('b', 'search_files', 'search'),
      thought,
      tool('c', 'apply_diff', 'edit'),
      tool('d', 'read_file', 'read'),
      tool('e', 'read_file', 'read', 'failed'),
    ];
    assert.deepEqual(
      new RowBuilder()
        .rows(items)
        .map((row) => (row.kind === 'run' ? row.parts.map(({ key }) => key) : row.key)),
      ['t', ['a', 't', 'b'], 't', 'c', 'd', 'e'],
    );
  });

  it('gives the same rows for the same items', () => {
    const builder = new RowBuilder();
    const items = [
      tool('a', 'read_file', 'read'),
      tool('b', 'read_file', 'read'),
      tool('c', 'apply_diff', 'edit'),
    ];
    const [run, edit] = builder.rows(items);
    const again = builder.rows([...items, thought]);
    assert.equal(again[0], run);
    assert.equal(again[1], edit);
  });
});

describe('a streamed message', () => {
  const pieces = fc.constantFrom(
    '# a\n',
    'text ',
    '\n\n',
    '- item\n',
    '```ts\n',
    'x = `1`',
    '| a | b |\n|---|---|\n',
    '> q\n',
    '**b',
    '[l](u',
  );

  it('keeps every character, and ends as if it had come whole', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const reader = new BlockReader();
        let text = '';
        for (const part of parts) {
          text += part;
          reader.read(text, true);
        }
        assert.deepEqual(
          reader.read(text, false).map(({ token }) => token),
          [...new Lexer({ gfm: true }).lex(text)],
        );
      }),
    );
  });

  it('does not read again what is finished', () => {
    const reader = new BlockReader();
    const before = reader.read('one\n\ntwo\n\nthree\n\nfour', true);
    const after = reader.read('one\n\ntwo\n\nthree\n\nfour and more', true);
    assert.equal(after[0], before[0]);
    assert.equal(after[2], before[2]);
  });
});

describe('a link of a message', () => {
  it('leads to a page, to a file, or nowhere', () => {
    const cases: [string, ReturnType<typeof linkTarget>][] = [
      ['https://example.com', { type: 'external', url: 'https://example.com/' }],
      ['src/a.ts', { type: 'file', path: 'src/a.ts' }],
      ['src/a.ts:12', { type: 'file', path: 'src/a.ts', line: 12 }],
      ['src/a%20b.ts#L3-L9', { type: 'file', path: 'src/a b.ts', line: 3 }],
      ['file:///w/a.ts', { type: 'file', path: '/w/a.ts' }],
      ['C:\\w\\a.ts', { type: 'file', path: 'C:\\w\\a.ts' }],
      ['makefile:3', { type: 'file', path: 'makefile', line: 3 }],
      ['command:x', { type: 'none' }],
      ['JavaScript:alert(1)', { type: 'none' }],
      ['data:text/html,x', { type: 'none' }],
      ['vscode://x', { type: 'none' }],
      ['//evil.invalid/x', { type: 'none' }],
      ['#top', { type: 'none' }],
      ['', { type: 'none' }],
    ];
    assert.deepEqual(
      cases.map(([href]) => [href, linkTarget(href)]),
      cases,
    );
  });

  it('is made of code only when that names a file with its folder', () => {
    assert.deepEqual(pathInCode('src/a.ts:3'), { type: 'file', path: 'src/a.ts', line: 3 });
    for (const code of ['a.b', 'x / y', 'npm test', 'https://x.y/z.ts', 'a/b'])
      assert.deepEqual(pathInCode(code), { type: 'none' });
  });
});

describe('the rows of a diff', () => {
  it('number both sides and leave the headers out', () => {
    assert.deepEqual(
      parsePatch(
        '--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@ f()\n same\n-old\r\n+new\n+more\n\\ No newline at end of file',
      ),
      [
        { type: 'hunk', text: 'f()' },
        { type: 'same', text: 'same', before: 3, after: 3 },
        { type: 'removed', text: 'old', before: 4 },
        { type: 'added', text: 'new', after: 4 },
        { type: 'added', text: 'more', after: 5 },
      ],
    );
    assert.deepEqual(parsePatch('no diff'), []);
  });
});
