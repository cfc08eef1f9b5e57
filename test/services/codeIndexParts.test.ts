import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chunksOf } from '../../src/services/codeIndex/chunks.ts';
import { excerptOf } from '../../src/services/codeIndex/excerpt.ts';
import { ranked } from '../../src/services/codeIndex/ranking.ts';
import { stem, wordsOf, wordsOfQuestion } from '../../src/services/codeIndex/words.ts';

describe('words of code', () => {
  it('are identifiers whole and in their parts', () => {
    assert.deepEqual(wordsOf('parseHTTPHeader max_retry_count SHA256 $scope x #private'), [
      ...['parsehttpheader', 'pars', 'http', 'head'],
      ...['max_retry_count', 'max', 'retry', 'count'],
      ...['sha256', 'sha', '256', 'scop', 'x', 'privat'],
    ]);
  });

  it('have one stem with their kin', () => {
    for (const kin of [
      ['parse', 'parses', 'parsed', 'parsing', 'parser', 'parsers'],
      ['retry', 'retries'],
      ['validate', 'validates', 'validated', 'validation'],
      ['stop', 'stops', 'stopped', 'stopping'],
      ['match', 'matches', 'matching'],
      ['file', 'files'],
      ['select', 'selection', 'selector'],
    ])
      assert.equal(new Set(kin.map(stem)).size, 1, kin.map(stem).join(' '));
    assert.notEqual(stem('process'), stem('proces'));
  });

  it('are found in scripts without blanks as pairs of signs', () => {
    assert.deepEqual(wordsOf('查找文件 file'), ['查找', '找文', '文件', 'fil']);
  });

  it('of a question are those that say something, each once; all when there is nothing else', () => {
    assert.deepEqual(wordsOfQuestion('Where are the ignore files read, and how are files ignored?'), [
      'ignor',
      'fil',
      'read',
    ]);
    assert.deepEqual(wordsOfQuestion('where is it'), ['wher', 'is', 'it']);
    assert.deepEqual(wordsOfQuestion('?!'), []);
  });

  it('are the same in code and in a question, and plain, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text)) assert.match(word, /^[\p{L}\p{M}\p{N}_$]+$/u);
      }),
    );
  });
});

describe('chunks', () => {
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
  const definition = (name: string, start: number, end: number) => ({
    kind: 'class',
    name,
    start,
    end,
    line: start,
  });

  it('follow definitions, with the comment above them; a long one is cut along those in it', () => {
    const text = lines(120);
    text[9] = '// what A is';
    text[69] = '   ';
    const found = chunksOf(text, [
      definition('A', 11, 20),
      definition('B', 21, 110),
      definition('c', 30, 40),
      definition('d', 41, 69),
    ]);
    assert.deepEqual(
      found.map(({ start, end, name }) => [start, end, name]),
      [
        [1, 9, ''],
        [10, 20, 'A'],
        [21, 29, 'B'],
        [30, 40, 'B c'],
        [41, 69, 'B d'],
        [71, 110, 'B'],
        [111, 120, ''],
      ],
    );
  });

  it('hold every line that is not blank, once and in order, whatever the definitions', () => {
    const any = fc.record({
      size: fc.integer({ min: 0, max: 300 }),
      blanks: fc.array(fc.nat(300)),
      ranges: fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat(150)), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(any, ({ size, blanks, ranges }) => {
        const text = lines(size);
        for (const at of blanks) if (at < size) text[at] = ' ';
        const definitions = ranges
          .filter(([start]) => start <= size)
          .map(([start, length], index) => definition(`d${index}`, start, Math.min(size, start + length)))
          .sort((a, b) => a.start - b.start || b.end - a.end);
        const seen = new Map<number, number>();
        let last = 0;
        for (const { start, end } of chunksOf(text, definitions)) {
          assert.ok(start > last && end >= start && end <= size);
          last = end;
          for (let line = start; line <= end; line++) seen.set(line, (seen.get(line) ?? 0) + 1);
        }
        for (const [index, line] of text.entries())
          if (line.trim() !== '') assert.equal(seen.get(index + 1), 1, `line ${index + 1}`);
      }),
    );
  });
});

describe('the order of places', () => {
  const place = (path: string, score: number, start = 1) => ({
    id: start,
    path,
    score,
    start,
    end: start + 9,
    kind: 'function',
    name: 'f',
  });

  it('puts files with several good places first, tests and prose behind, and names as many files as it can', () => {
    const found = [
      place('test/a.test.ts', 12),
      place('README.md', 11),
      place('src/once.ts', 10),
      place('src/often.ts', 9, 1),
      place('src/often.ts', 8, 20),
      place('src/often.ts', 7, 40),
      place('src/often.ts', 1, 60),
    ];
    const paths = (words: string[], limit: number): string[] =>
      ranked(found, words, limit).map(({ path, start }) => `${path}:${start}`);
    assert.deepEqual(paths(['x'], 9), [
      'src/often.ts:1',
      'src/often.ts:20',
      'src/often.ts:40',
      'src/once.ts:1',
      'README.md:1',
      'test/a.test.ts:1',
    ]);
    assert.deepEqual(paths(['x'], 3), ['src/often.ts:1', 'src/once.ts:1', 'README.md:1']);
    assert.equal(paths(['test'], 9)[0], 'src/often.ts:1');
    assert.equal(paths(['test'], 9)[3], 'test/a.test.ts:1');
  });

  it('shows all of a short place, and the head and the best lines of a long one', () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    text[49] = 'const retryDelay = wait';
    assert.deepEqual(
      excerptOf(text, 3, 5, new Set(['retry'])).map(({ line }) => line),
      [3, 4, 5],
    );
    const shown = excerptOf(text, 11, 90, new Set(['retry', 'delay'])).map(({ line }) => line);
    assert.deepEqual([shown.slice(0, 2), shown.length, shown.includes(50)], [[11, 12], 12, true]);
  });
});
