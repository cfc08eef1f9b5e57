import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinLines, splitLines, usualLineEnd } from '../../src/core/diff/lines.ts';

describe('lines of a text', () => {
  it('keep their own breaks', () => {
    assert.deepEqual(splitLines('a\r\nb\n\nc'), [
      { text: 'a', end: '\r\n' },
      { text: 'b', end: '\n' },
      { text: '', end: '\n' },
      { text: 'c', end: '' },
    ]);
    assert.deepEqual(splitLines(''), []);
  });

  it('joined again are the text, byte for byte', () => {
    const text = fc
      .array(fc.constantFrom('a', '\n', '\r', '\r\n', '😀', '\u2028'))
      .map((parts) => parts.join(''));
    fc.assert(fc.property(text, (whole) => assert.equal(joinLines(splitLines(whole)), whole)));
  });

  it('say which break is usual', () => {
    assert.deepEqual(
      ['a\r\nb\r\nc\n', 'a\nb\r\n', 'a', ''].map((text) => usualLineEnd(splitLines(text))),
      ['\r\n', '\n', '\n', '\n'],
    );
  });
});
