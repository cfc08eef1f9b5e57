import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseBlocks, SearchReplaceError } from '../../src/core/diff/parseBlocks.ts';
import { applyBlocks } from '../../src/core/diff/searchReplace.ts';

/** A diff of one block after another: search, replacement, and the start line if any. */
function diffOf(...blocks: [search: string, replace: string, startLine?: number][]): string {
  return blocks
    .map(([search, replace, startLine]) =>
      [
        '<<<<<<< SEARCH',
        ...(startLine === undefined ? [] : [`:start_line:${startLine}`, '-------']),
        ...(search === '' ? [] : [search]),
        '=======',
        ...(replace === '' ? [] : [replace]),
        '>>>>>>> REPLACE',
      ].join('\n'),
    )
    .join('\n\n');
}

const apply = (text: string, diff: string): string => applyBlocks(text, parseBlocks(diff));

function failure(text: string, diff: string): string {
  try {
    return `no failure: ${JSON.stringify(apply(text, diff))}`;
  } catch (error) {
    if (error instanceof SearchReplaceError) return error.message;
    throw error;
  }
}

describe('SEARCH/REPLACE blocks', () => {
  it('are read in our form and in the peers’', () => {
    const expected = [{ search: ['  a', ''], replace: ['b'] }];
    assert.deepEqual(parseBlocks('<<<<<<< SEARCH\n  a\n\n=======\nb\n>>>>>>> REPLACE'), expected);
    assert.deepEqual(parseBlocks('------- SEARCH\n  a\n\n=======\nb\n+++++++ REPLACE'), expected);
    assert.deepEqual(
      parseBlocks(
        'Here it is:\n```diff\r\n<<<<<<< SEARCH>\r\n:start_line: 7\r\n:end_line:9\r\n-------\r\n  a\r\n\r\n=======\r\nb\r\n>>>>>>> REPLACE\r\n```\n',
      ),
      [{ ...expected[0], startLine: 7 }],
    );
  });

  it('hold lines that look like markers behind a backslash, and backslashes of their own', () => {
    const [block] = parseBlocks(
      [
        '<<<<<<< SEARCH',
        '\\<<<<<<< HEAD',
        '\\=======',
        '\\>>>>>>> other',
        '\\\\=======',
        '\\------- SEARCH',
        '\\:start_line:3',
        '\\not a marker',
        ' =======',
        '=======',
        '\\+++++++ REPLACE',
        '-------',
        '>>>>>>> REPLACE',
      ].join('\n'),
    );
    assert.deepEqual(block, {
      search: [
        '<<<<<<< HEAD',
        '=======',
        '>>>>>>> other',
        '\\=======',
        '------- SEARCH',
        ':start_line:3',
        '\\not a marker',
        ' =======',
      ],
      replace: ['+++++++ REPLACE', '-------'],
    });
  });

  it('that cannot be read say at which line, and how a block is written', () => {
    const cases: [string, RegExp][] = [
      ['no block at all', /holds no SEARCH\/REPLACE block/],
      ['<<<<<<< SEARCH\na\n=======\nb', /The last block has no >>>>>>> REPLACE/],
      ['<<<<<<< SEARCH\na\n>>>>>>> REPLACE', /^Line 3 of the diff: the block has no =======/],
      ['<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE', /^Line 5 .* second =======/],
      ['<<<<<<< SEARCH\na\n<<<<<<< SEARCH', /^Line 3 .* begins before the last one has ended/],
      ['=======', /^Line 1 .* outside of a block/],
    ];
    for (const [diff, expected] of cases) {
      const words = failure('a\n', diff);
      assert.match(words, expected);
      assert.match(words, /Each block is: <<<<<<< SEARCH/);
    }
  });
});

describe('SEARCH/REPLACE', () => {
  const five = 'one\ntwo\nthree\nfour\nfive\n';

  it('replaces, inserts and deletes, several blocks in any order', () => {
    const diff = diffOf(['four', 'four\nfour and a half'], ['one', ''], ['two\nthree', '2\n3']);
    assert.equal(apply(five, diff), '2\n3\nfour\nfour and a half\nfive\n');
  });

  it('takes $&, $1 and entities as they are (4, 10)', () => {
    assert.equal(
      apply('a\nb\n', diffOf(['a', "$& $1 $$ $` $' &lt;b&gt; &amp;"])),
      "$& $1 $$ $` $' &lt;b&gt; &amp;\nb\n",
    );
    assert.equal(apply('x &lt; y\nx < y\n', diffOf(['x &lt; y', 'x &gt; y'])), 'x &gt; y\nx < y\n');
  });

  it('keeps line ends, whichever they are, and the missing final one (4)', () => {
    const cases: [string, string][] = [
      ['a\r\nb\r\nc\r\n', 'a\r\nB\r\nB2\r\nc\r\n'],
      ['a\rb\rc', 'a\rB\rB2\rc'],
      ['a\nb\r\nc\n', 'a\nB\r\nB2\r\nc\n'],
      ['a\r\nb', 'a\r\nB\r\nB2'],
      ['b', 'B\nB2'],
      ['b\nc', 'B\nB2\nc'],
    ];
    for (const [before, after] of cases) assert.equal(apply(before, diffOf(['b', 'B\nB2'])), after);
  });

  it('keeps the bytes of the lines that a block only repeats', () => {
    assert.equal(
      apply(
        'say(“hello”);  \r\nold();\nreturn;\r\n',
        diffOf(['say("hello");\nold();\nreturn;', 'say("hello");\nnew1();\nnew2();\nreturn;']),
      ),
      'say(“hello”);  \r\nnew1();\nnew2();\nreturn;\r\n',
    );
    assert.equal(apply('a\r\nb\nc\r\nd\n', diffOf(['a\nb\nc', 'a\nx\nb\nc'])), 'a\r\nx\r\nb\nc\r\nd\n');
  });

  it('finds lines that differ in trailing blanks, typographic characters or indentation', () => {
    assert.equal(apply('a  \nb\n', diffOf(['a\nb', 'a\nc'])), 'a  \nc\n');
    assert.equal(apply("it's\u00a0‘so’\n", diffOf(["it's 'so'", 'gone'])), 'gone\n');
    assert.equal(
      apply('\tif (a) {\n\t\tb();\n\t}\n', diffOf(['if (a) {\n  b();\n}', 'if (a) {\n  b();\n  c();\n}'])),
      '\tif (a) {\n\t\tb();\n\t\tc();\n\t}\n',
    );
    assert.equal(
      apply('    x = 1\n    y = 2\n', diffOf(['x = 1\ny = 2', 'x = 1\nif x:\n    y = 3'])),
      '    x = 1\n    if x:\n        y = 3\n',
    );
  });

  it('takes an exact place before one that only looks like it', () => {
    assert.equal(apply('  a\na\na \n', diffOf(['a', 'b'])), '  a\nb\na \n');
    assert.equal(apply('a \nx\na\n', diffOf(['a', 'b', 1])), 'b\nx\na\n');
  });

  it('goes by the start line, then around it, then through the whole file', () => {
    const text = `${'x\n'.repeat(99)}same\n${'x\n'.repeat(99)}same\n`;
    const expectAt = (line: number): string =>
      text
        .split('\n')
        .map((one, index) => (index === line - 1 ? 'changed' : one))
        .join('\n');
    assert.equal(apply(text, diffOf(['same', 'changed', 200])), expectAt(200));
    assert.equal(apply(text, diffOf(['same', 'changed', 130])), expectAt(100));
    assert.equal(
      apply(text.replace('same', 'other'), diffOf(['same', 'changed', 3])),
      expectAt(200).replace('same', 'other'),
    );
    assert.match(failure(text, diffOf(['same', 'changed', 150])), /2 places \(lines 100, 200\)/);
    assert.match(failure(text, diffOf(['same', 'changed', 99_999])), /2 places \(lines 100, 200\)/);
  });

  it('names the places when there are several, and touches none (5)', () => {
    const text = 'return;\nx\nreturn;\ny\nreturn;\n';
    assert.equal(
      failure(text, diffOf(['return;', 'break;'])),
      'Block 1: its SEARCH stands at 3 places (lines 1, 3, 5). Add lines around it until it is unique, or give :start_line: of the one you mean.',
    );
    assert.match(
      failure('\n'.repeat(30), diffOf(['\n', 'x'])),
      /stands at 29 places \(lines 1, 2, 3, 4, 5, 6, 7, 8…\)/,
    );
    assert.equal(apply(text, diffOf(['y\nreturn;', 'y\nbreak;'])), 'return;\nx\nreturn;\ny\nbreak;\n');
  });

  it('forgives copied line numbers, and blank lines at the edges that the file has not', () => {
    assert.equal(
      apply(five, diffOf([' 2 | two\n 3 | three', ' 2 | zwei\n 3 | three'])),
      five.replace('two', 'zwei'),
    );
    assert.equal(apply('1 | a\n', diffOf(['1 | a', '1 | b'])), '1 | b\n');
    assert.equal(apply('f() {\n  a\n}\n', diffOf(['}\n', '}\n\ng() {}\n'])), 'f() {\n  a\n}\n\ng() {}\n');
    assert.equal(apply(five, diffOf(['\ntwo\n', '\n2\n', 1])), five.replace('two', '2'));
  });

  it('refuses blocks that overlap, are empty, or change nothing', () => {
    assert.match(
      failure(five, diffOf(['one\ntwo', '1'], ['two\nthree', '2'])),
      /^Blocks 1 and 2 overlap at line 2\. Send them as one block/,
    );
    assert.match(failure(five, diffOf(['one', '1'], ['one', 'eins'])), /^Blocks 1 and 2 overlap/);
    assert.match(failure(five, diffOf(['', 'x'])), /^Block 1: SEARCH is empty\. To insert/);
    assert.match(failure(five, diffOf(['one', 'one'])), /^Block 1: SEARCH and REPLACE are the same/);
    assert.equal(apply('', diffOf(['', 'x\ny'])), 'x\ny\n');
  });

  it('shows the nearest lines when nothing fits, in a few lines', () => {
    const text = 'function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\n';
    assert.equal(
      failure(text, diffOf(['function add(a, b) {\n  return a + b;\n}', 'x'])),
      'Block 1: its SEARCH was not found. The nearest lines are:\n' +
        '1 | function add(a, b) {\n2 |   const sum = a + b;\n3 |   return sum;\n' +
        'First difference, line 2: you sent "  return a + b;". Copy the lines as they stand in the file, then send the block again.',
    );
    assert.match(
      failure(text, diffOf(['  const total = a + b;', 'x'])),
      /nearest lines are:\n2 \| {3}const sum = a \+ b;/,
    );
    assert.match(failure(text, diffOf(['@@@', 'x'])), /No line of it stands in the file \(4 lines\)/);
    assert.match(failure(text, diffOf(['@@@', 'x', 3])), /nearest lines are:\n3 \| {3}return sum;/);
  });

  it('keeps the words of a failure short, whatever was sent', () => {
    const wide = `${'w'.repeat(100_000)} tail`;
    const words = failure(`${wide}\n`.repeat(50), diffOf([`${wide} other\n`.repeat(40) + 'tail', 'x']));
    assert.ok(words.length < 1024, String(words.length));
    const many = failure(
      five,
      diffOf(...Array.from({ length: 60 }, (_, index): [string, string] => [`no ${index}`, 'x']), [
        'one',
        '1',
      ]),
    );
    assert.match(
      many,
      /^Block 1: [^]*\nBlock 3: [^]*\n57 more blocks could not be placed either\.\nThe other block would fit/,
    );
    assert.ok(many.length < 1200, String(many.length));
  });

  it('takes a file of ten megabytes', () => {
    const text = Array.from(
      { length: 200_000 },
      (_, index) => `const value${index} = compute(${index});\r\n`,
    ).join('');
    const changed = apply(
      text,
      diffOf(['const value199998 = compute(199998);', 'x'], ['const value7 = compute(7);', '']),
    );
    assert.equal(
      changed,
      text.replace('const value199998 = compute(199998);', 'x').replace('const value7 = compute(7);\r\n', ''),
    );
  });
});

describe('SEARCH/REPLACE, whatever the text', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '}',
      '  x',
      '\tx',
      'x ',
      '=======',
      '<<<<<<< SEARCH',
      '>>>>>>> REPLACE',
      '-------',
      '\\=======',
      ':start_line:1',
      '$&',
      '&lt;',
      '“q”',
      '\u2028',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
  );
  const escaped = (text: string): string =>
    /^\\*(<{7}|={7}|>{7}|-{7}|\+{7}|:start_line:|:end_line:)/.test(text) ? `\\${text}` : text;

  /** A file in stretches; those that have a replacement are edited. */
  const stretches = fc.array(
    fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 5 }),
      replacement: fc.option(fc.array(line, { maxLength: 4 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const same = (a: readonly string[], b: readonly string[] = a): boolean =>
    a.length === b.length && a.every((one, index) => one === b[index]);

  function blocksOf(file: readonly { lines: string[]; replacement: string[] | undefined }[]): string[] {
    const blocks: string[] = [];
    let at = 1;
    for (const { lines, replacement } of file) {
      if (replacement && !same(lines, replacement))
        blocks.push(
          [
            '<<<<<<< SEARCH',
            `:start_line:${at}`,
            '-------',
            ...lines.map(escaped),
            '=======',
            ...replacement.map(escaped),
            '>>>>>>> REPLACE',
          ].join('\n'),
        );
      at += lines.length;
    }
    return blocks;
  }

  it('a diff with start lines gives the target, byte for byte', () => {
    fc.assert(
      fc.property(
        stretches,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.boolean(),
        (file, end, final, reverse) => {
          const blocks = blocksOf(file);
          const before = file.flatMap(({ lines }) => lines).join(end) + (final ? end : '');
          // An empty last line without a break is no line of the file.
          fc.pre(blocks.length > 0 && before.includes(end) && (final || !before.endsWith(end)));
          const changed = file.flatMap(({ lines, replacement }) => replacement ?? lines);
          const lastIsGone = file.at(-1)?.replacement?.length === 0;
          const after = changed.join(end) + (changed.length > 0 && (final || lastIsGone) ? end : '');
          assert.equal(apply(before, (reverse ? blocks.reverse() : blocks).join('\n')), after);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('a diff changes no byte outside of its blocks, whatever the line ends', () => {
    fc.assert(
      fc.property(stretches, fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1 }), (file, ends) => {
        const blocks = blocksOf(file);
        fc.pre(blocks.length > 0);
        let number = 0;
        const texts = file.map(({ lines }) =>
          lines.map((one) => one + (ends[number++ % ends.length] ?? '')).join(''),
        );
        const after = apply(texts.join(''), blocks.join('\n'));
        const isEdited = file.map(
          ({ lines, replacement }) => replacement !== undefined && !same(lines, replacement),
        );
        const head = texts.slice(0, isEdited.indexOf(true)).join('');
        const tail = texts.slice(isEdited.lastIndexOf(true) + 1).join('');
        assert.ok(after.startsWith(head) && after.endsWith(tail));
        const expected = file
          .flatMap(({ lines, replacement }) => replacement ?? lines)
          .map((one) => `${one}\n`);
        assert.equal(after.replaceAll('\r\n', '\n'), expected.join(''));
      }),
      { numRuns: 1000 },
    );
  });

  it('never applies a block without a start line at one of several places', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 }),
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
        (file, search) => {
          const places = file.filter((_, at) =>
            search.every((one, offset) => file[at + offset] === one),
          ).length;
          const text = `${file.join('\n')}\n`;
          const diff = diffOf([search.join('\n'), 'NEW']);
          if (places === 1) {
            const at = file.findIndex((_, start) =>
              search.every((one, offset) => file[start + offset] === one),
            );
            assert.equal(
              apply(text, diff),
              `${[...file.slice(0, at), 'NEW', ...file.slice(at + search.length)].join('\n')}\n`,
            );
          } else
            assert.match(
              failure(text, diff),
              places === 0 ? /was not found/ : new RegExp(`stands at ${places} places`),
            );
        },
      ),
    );
  });

  it('reads or refuses any diff, and any file', () => {
    const anything = fc
      .array(fc.oneof(line, fc.constantFrom('<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE')), {
        maxLength: 20,
      })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(anything, anything, (text, diff) => {
        assert.equal(typeof failure(text, diff), 'string');
      }),
    );
  });
});
