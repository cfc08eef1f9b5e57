import assert from 'node:assert/strict';
import fc from 'fast-check';
import { replaceLiteral } from '../../src/core/diff/literal.ts';
import { SearchReplaceError } from '../../src/core/diff/parseBlocks.ts';
import { searchAndReplace, type Replacement } from '../../src/core/diff/searchAndReplace.ts';

function failureOf(work: () => unknown): string {
  try {
    return `no failure: ${JSON.stringify(work())}`;
  } catch (error) {
    if (error instanceof SearchReplaceError) return error.message;
    throw error;
  }
}
const replaced = (text: string, replacement: Replacement): string =>
  searchAndReplace(text, [replacement]).text;

describe('one piece of text replaced', () => {
  it('character by character, nothing of the replacement expanded, each line end as it was', () => {
    const cases: [text: string, search: string, replace: string, expected: string][] = [
      ['a b c', 'b', "$& $1 $$ $' &amp;", "a $& $1 $$ $' &amp; c"],
      ['one\r\ntwo\r\nthree', 'one\ntwo', '1\n2', '1\r\n2\r\nthree'],
      ['one\r\ntwo\r\nthree', 'two', '2\nzwei', 'one\r\n2\r\nzwei\r\nthree'],
      ['one\ntwo\r\nthree\n', 'one\ntwo\nthree', '1\n2\n3', '1\n2\r\n3\n'],
      ['one\n\ntwo', '\n\n', '\n', 'one\ntwo'],
      ['one\r\n\r\ntwo\r\n', '\n\ntwo', '\ntwo', 'one\r\ntwo\r\n'],
      ['a\r\nb', 'a\r\nb', 'b\r\na', 'b\r\na'],
      ['“quoted”\u00a0x', 'x', 'y', '“quoted”\u00a0y'],
    ];
    for (const [text, search, replace, expected] of cases)
      assert.equal(replaceLiteral(text, search, replace), expected, JSON.stringify([text, search]));
  });

  it('at exactly one place, or as many as are expected', () => {
    assert.equal(
      failureOf(() => replaceLiteral('x\ny\nx\n', 'x', 'z')),
      'old_string stands at 2 places (lines 1, 3). Add lines around it until it is unique.',
    );
    // Two places that overlap are two.
    assert.match(
      failureOf(() => replaceLiteral('aaa', 'aa', 'b')),
      /stands at 2 places \(lines 1, 1\)/,
    );
    assert.equal(replaceLiteral('aaaa', 'aa', 'b', { expected: 2 }), 'bb');
    assert.equal(
      failureOf(() => replaceLiteral('x\ny\n', 'x', 'z', { expected: 3 })),
      'old_string stands at 1 place (lines 1), but 3 were expected. Read the file, and send the number that is meant.',
    );
    assert.match(
      failureOf(() => replaceLiteral('x', 'x', 'x')),
      /nothing would change/,
    );
  });

  it('shows the nearest lines when it is not there', () => {
    assert.equal(
      failureOf(() => replaceLiteral('function a() {\n  return 12;\n}\n', '  return 13;', '  return 1;')),
      'old_string was not found. The nearest lines are:\n2 |   return 12;\nFirst difference, line 2: you sent "  return 13;". ' +
        'Copy the lines as they stand in the file, then send the call again.',
    );
  });

  it('tolerant: whole lines that differ in blanks and typographic characters, one place or none', () => {
    const options = { tolerant: true };
    assert.equal(
      replaceLiteral(
        'if (a) {\r\n\tsay(“x”);  \r\n}\r\n',
        'if (a) {\n  say("x");\n}\n',
        'if (b) {\n  say("x");\n}\n',
        options,
      ),
      'if (b) {\r\n\tsay(“x”);  \r\n}\r\n',
    );
    assert.equal(replaceLiteral('a\n  b \nc\n', 'b\n', '', options), 'a\nc\n');
    assert.match(
      failureOf(() => replaceLiteral('\tx = 1\n  x = 1\n', '    x = 1\n', 'y\n', options)),
      /stands at 2 places \(lines 1, 2\)/,
    );
  });

  it('and back again gives the same bytes, whatever the line ends', () => {
    const line = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', ' ', '\t', '$', '&', 'é', '”') });
    const text = fc
      .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 }), line)
      .map(([lines, last]) => lines.map(([one, end]) => one + end).join('') + last);
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.nat(),
        fc.array(line, { minLength: 1 }),
        (whole, from, length, words) => {
          const start = whole.length === 0 ? 0 : from % whole.length;
          const search = whole.slice(start, start + 1 + (length % 20));
          if (search === '' || search.startsWith('\n') || search.endsWith('\r')) return;
          // As many lines as before: then each break has its own to come back to.
          const breaks = search.split('\n').length - 1;
          const replace = Array.from(
            { length: breaks + 1 },
            (_, index) => `<${words[index % words.length] ?? ''}>`,
          ).join('\n');
          let there: string;
          try {
            there = replaceLiteral(whole, search, replace);
          } catch (error) {
            if (error instanceof SearchReplaceError) return;
            throw error;
          }
          assert.notEqual(there, whole);
          const back = searchAndReplace(there, [{ search: replace, replace: search }]);
          if (back.count === 1) assert.equal(back.text, whole);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('every place replaced', () => {
  it('plain text, a range of lines, without case, by an expression', () => {
    const text = 'Foo foo\nfoo $1\r\nbar\n';
    assert.deepEqual(searchAndReplace(text, [{ search: 'foo', replace: '$&' }]), {
      text: 'Foo $&\n$& $1\r\nbar\n',
      count: 2,
    });
    assert.equal(replaced(text, { search: 'foo', replace: 'x', start_line: 2 }), 'Foo foo\nx $1\r\nbar\n');
    assert.equal(replaced(text, { search: 'foo', replace: 'x', end_line: 1 }), 'Foo x\nfoo $1\r\nbar\n');
    assert.equal(
      replaced(text, { search: 'foo', replace: '$&', ignore_case: true }),
      '$& $&\n$& $1\r\nbar\n',
    );
    assert.equal(
      replaced(text, { search: '(\\w)oo', replace: '$1u', use_regex: true }),
      'Fu fu\nfu $1\r\nbar\n',
    );
    assert.equal(
      replaced('a;\r\nb;\r\n', { search: ';$\\n', replace: '\n\n', use_regex: true }),
      'a\r\n\r\nb\r\n\r\n',
    );
  });

  it('a list: each once, on what the last one left; all or nothing', () => {
    assert.deepEqual(
      searchAndReplace('one two', [
        { search: 'one', replace: 'two', once: true },
        { search: 'two two', replace: 'three', once: true },
      ]),
      { text: 'three', count: 2 },
    );
    assert.equal(
      failureOf(() =>
        searchAndReplace('one one', [
          { search: ' ', replace: '_', once: true },
          { search: 'one', replace: 'x', once: true },
        ]),
      ),
      'Operation 2: search stands at 2 places (lines 1, 1). Add lines around it until it is unique.',
    );
  });

  it('says what is wrong: no match, no such lines, no expression, one that never ends', function () {
    this.timeout(20_000);
    const text = `${'a'.repeat(40)}!\n`;
    const wrong = (replacement: Replacement): string =>
      failureOf(() => searchAndReplace(text, [replacement]));
    assert.match(wrong({ search: 'x', replace: '' }), /^search was not found/);
    assert.match(wrong({ search: 'x+', replace: '', use_regex: true }), /^search matches nothing/);
    assert.match(
      wrong({ search: 'a', replace: '', start_line: 5 }),
      /There are no lines 5 to 1: the file has 1/,
    );
    assert.match(wrong({ search: '(', replace: '', use_regex: true }), /^search is no regular expression/);
    assert.match(wrong({ search: '(a+)+$', replace: '', use_regex: true }), /^search takes too long/);
  });
});
