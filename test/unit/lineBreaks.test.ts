import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withLineBreaksOf } from '../../src/core/diff/withLineBreaksOf.ts';

const plain = (text: string): string => text.replace(/\r\n?/g, '\n');
const texts = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r', ' '), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('line breaks of a text that was changed in a plain field', () => {
  it('come back as they were when nothing was changed, and change no other character', () => {
    fc.assert(
      fc.property(texts, texts.map(plain), (before, written) => {
        assert.equal(withLineBreaksOf(before, plain(before)), before);
        assert.equal(plain(withLineBreaksOf(before, written) ?? ''), written);
      }),
    );
  });

  it('are those of the lines that stayed, and the usual one where something is new', () => {
    assert.equal(
      withLineBreaksOf('a\r\nb\nc\r\nd\r\n', 'a\nnew\nmore\nc\nd\n'),
      'a\r\nnew\r\nmore\r\nc\r\nd\r\n',
    );
    assert.equal(withLineBreaksOf('a\nb\r\nc\n', 'a\nx\nc\n'), 'a\nx\nc\n');
    assert.equal(withLineBreaksOf('a\r\nb', 'a\r\nb\n'), 'a\r\nb\n');
    assert.equal(withLineBreaksOf('a\r\n', undefined), undefined);
  });
});
