import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LineFinder } from '../../src/core/diff/LineFinder.ts';
import { TextLines } from '../../src/core/diff/lines.ts';

/** Lines of few words, so that many are alike: other indentation, trailing blanks, typographic characters, long ones. */
const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '}',
    '  }',
    '\t}',
    'a',
    ' a',
    'a ',
    'b',
    '\u201ca\u201d',
    '"a"',
    ' "a"\u00a0',
    'a\rb',
  ),
  fc.integer({ min: 0, max: 3 }).map((number) => `${'long '.repeat(30)}${number}${' line'.repeat(20)}`),
);

describe('LineFinder', () => {
  it('finds the same places by its table as by scanning', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        (content, end, searches) => {
          const lines = new TextLines(content.join(end));
          const used = new LineFinder(lines);
          for (const search of [...searches, ...searches, ...searches, ...searches])
            assert.deepEqual(used.find(search), new LineFinder(lines).find(search));
        },
      ),
      { numRuns: 300 },
    );
  });
});
