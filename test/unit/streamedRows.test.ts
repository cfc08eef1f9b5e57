import assert from 'node:assert/strict';
import type { ToolItem } from '../../src/shared/viewItems.ts';
import { newCall } from '../../src/shared/viewParts.ts';
import { streamedRows } from '../../webview-ui/src/diff/streamedRows.ts';

const edit = (params: Record<string, string>): ToolItem =>
  newCall('k', 'c', 'apply_diff', 'native', 'streaming', params, {
    kind: 'edit',
    subject: 'a.ts',
    locations: [],
  });

/** Sign, number and text of each row. */
const shown = (params: Record<string, string>, last = 16): string[] | undefined =>
  streamedRows(edit(params), last)?.map((row) => {
    if (row.type === 'hunk') return `@ ${row.text}`;
    const sign = { same: ' ', added: '+', removed: '-' }[row.type];
    return `${sign}${row.type === 'removed' ? row.before : row.after} ${row.text}`;
  });

const block = [
  '<<<<<<< SEARCH',
  ':start_line:10',
  '-------',
  'let sum = 0;',
  'sum += price;',
  'return sum;',
  '=======',
  'let sum = 0;',
  'sum += price * count;',
  'log(sum);',
  'return sum;',
  '>>>>>>> REPLACE',
];
const upTo = (lines: number): Record<string, string> => ({ diff: block.slice(0, lines).join('\n') });

describe('a change that arrives', () => {
  it('is its old lines first, then what takes their place, then the difference', () => {
    assert.deepEqual(
      [2, 5, 9, 12].map((lines) => shown(upTo(lines))),
      [
        [],
        [' 10 let sum = 0;', ' 11 sum += price;'],
        [' 10 let sum = 0;', '-11 sum += price;', '-12 return sum;', '+11 sum += price * count;'],
        [
          ' 10 let sum = 0;',
          '-11 sum += price;',
          '+11 sum += price * count;',
          '+12 log(sum);',
          ' 13 return sum;',
        ],
      ],
    );
  });

  it('is shown by its last block, and by its last lines', () => {
    const two = [...block, '<<<<<<< SEARCH', 'a', '=======', 'b', 'c', 'd'].join('\n');
    assert.deepEqual(shown({ diff: two }), ['-0 a', '+0 b', '+0 c', '+0 d']);
    assert.deepEqual(shown({ diff: two }, 2), ['+0 c', '+0 d']);
    assert.deepEqual(shown({ args: `<file><path>a.ts</path><diff>${two}` }, 2), ['+0 c', '+0 d']);
  });

  it('adds the lines of a new content, numbered', () => {
    assert.deepEqual(shown({ content: 'one\ntwo\nthree\nfo' }, 3), ['+2 two', '+3 three', '+4 fo']);
    assert.deepEqual(shown({ content: 'one' }), ['+1 one']);
  });

  it('takes old and new text, and patches', () => {
    assert.deepEqual(shown({ old_string: 'a\nb', new_string: 'a\nc' }), [' 0 a', '-0 b', '+0 c']);
    assert.deepEqual(shown({ old_string: 'a\nb' }), [' 0 a', ' 0 b']);
    assert.deepEqual(shown({ patch: '*** Update File: a.ts\n@@\n one\n-two\n+three' }), [
      '@ Update File: a.ts',
      '@ @@',
      ' 0 one',
      '-0 two',
      '+0 three',
    ]);
  });

  it('is no change when its arguments are none', () => {
    assert.equal(shown({ path: 'a.ts' }), undefined);
    assert.equal(shown({ diff: 'no block yet' }), undefined);
  });
});
