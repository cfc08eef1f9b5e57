import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TextLines, usualLineEnd, type Line } from '../../src/core/diff/lines.ts';

function linesOf(text: string): Line[] {
  const lines = new TextLines(text);
  return Array.from({ length: lines.count }, (_, index) => ({
    text: lines.line(index),
    end: lines.end(index),
  }));
}

describe('lines of a text', () => {
  const texts = fc
    .array(fc.constantFrom('a', '\n', '\r', '\r\n', '😀', '\u2028'))
    .map((parts) => parts.join(''));

  it('keep their own breaks', () => {
    assert.deepEqual(linesOf('a\r\nb\n\nc'), [
      { text: 'a', end: '\r\n' },
      { text: 'b', end: '\n' },
      { text: '', end: '\n' },
      { text: 'c', end: '' },
    ]);
    assert.deepEqual(linesOf(''), []);
    assert.deepEqual(linesOf('\r\n'), [{ text: '', end: '\r\n' }]);
  });

  it('end with a lone return only where there is no other break', () => {
    assert.deepEqual(linesOf('a\rb\r\r'), [
      { text: 'a', end: '\r' },
      { text: 'b', end: '\r' },
      { text: '', end: '\r' },
    ]);
    assert.deepEqual(linesOf('a\rb\n'), [{ text: 'a\rb', end: '\n' }]);
  });

  it('joined again are the text, byte for byte', () => {
    fc.assert(
      fc.property(texts, (whole) =>
        assert.equal(
          linesOf(whole)
            .map(({ text, end }) => text + end)
            .join(''),
          whole,
        ),
      ),
    );
  });

  it('are found by the offset of each of their characters', () => {
    fc.assert(
      fc.property(texts, (whole) => {
        const lines = new TextLines(whole);
        for (let offset = 0; offset < whole.length; offset++) {
          const line = lines.lineAt(offset);
          assert.ok(lines.offset(line) <= offset && offset < lines.offset(line + 1));
        }
      }),
    );
  });

  it('say which break is usual', () => {
    assert.deepEqual(
      ['a\r\nb\r\nc\n', 'a\nb\r\n', 'a', '', 'a\rb', 'a\rb\n'].map((text) => usualLineEnd(text)),
      ['\r\n', '\n', '\n', '\n', '\r', '\n'],
    );
  });
});
