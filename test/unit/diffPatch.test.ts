import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyHunks } from '../../src/core/diff/applyHunks.ts';
import { SearchReplaceError } from '../../src/core/diff/parseBlocks.ts';
import { parsePatch } from '../../src/core/diff/parsePatch.ts';

const patchOf = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const update = (...lines: string[]): string => patchOf('*** Update File: a', ...lines);

function apply(text: string, patch: string): string {
  const [file] = parsePatch(patch);
  if (file?.type !== 'update') throw new Error('no update');
  return applyHunks(text, file.hunks);
}

function failureOf(work: () => unknown): string {
  try {
    return `no failure: ${JSON.stringify(work())}`;
  } catch (error) {
    if (error instanceof SearchReplaceError) return error.message;
    throw error;
  }
}

describe('a patch', () => {
  it('is read by its whole grammar', () => {
    const patch = [
      "apply_patch <<'EOF'",
      '*** Begin Patch',
      '*** Add File: new/a b.txt',
      '+one',
      '',
      '++two',
      '*** Delete File: old.txt',
      '',
      '*** Update File: src/a.py',
      '*** Move to: src/b.py',
      '@@ class A',
      '@@   def run(self):',
      '     pass',
      '-    old',
      '+    new',
      '',
      ' @@ not a header',
      '@@',
      '+last',
      '*** End of File',
      '*** End Patch',
      'EOF',
    ];
    const expected = [
      { type: 'add', path: 'new/a b.txt', text: 'one\n\n+two\n' },
      { type: 'delete', path: 'old.txt', hunks: [] },
      {
        type: 'update',
        path: 'src/a.py',
        moveTo: 'src/b.py',
        hunks: [
          {
            context: ['class A', '  def run(self):'],
            lines: [
              { kind: 'kept', text: '    pass' },
              { kind: 'removed', text: '    old' },
              { kind: 'added', text: '    new' },
              { kind: 'kept', text: '' },
              { kind: 'kept', text: '@@ not a header' },
            ],
            atEnd: false,
          },
          { context: [], lines: [{ kind: 'added', text: 'last' }], atEnd: true },
        ],
      },
    ];
    assert.deepEqual(parsePatch(patch.join('\n')), expected);
    assert.deepEqual(parsePatch(patch.join('\r\n')), expected);
    assert.deepEqual(parsePatch(patchOf('*** Add File: empty')), [{ type: 'add', path: 'empty', text: '' }]);
  });

  it('that cannot be read is refused as a whole, with the line', () => {
    const wrong = (patch: string): string => failureOf(() => parsePatch(patch));
    assert.match(wrong('*** Update File: a\n+x'), /^There is no \*\*\* Begin Patch line/);
    assert.match(
      wrong('*** Begin Patch\n*** Delete File: a\n'),
      /^The patch has no \*\*\* End Patch line: it seems to be cut/,
    );
    assert.match(wrong(patchOf('')), /names no file/);
    assert.match(
      wrong(patchOf('*** Add File: a', 'x')),
      /^Line 3 of the patch, "x", belongs to a new file and has no \+/,
    );
    assert.match(
      wrong(patchOf('*** Remove File: a')),
      /^Line 2 of the patch, [^]* is no line of a patch here/,
    );
    assert.match(wrong(update('x')), /^Line 3 of the patch, "x", begins with neither/);
    assert.match(wrong(update('@@', ' x')), /'a' has a hunk that changes nothing/);
    assert.match(wrong(update()), /changes nothing/);
    assert.match(wrong(update('*** End of File')), /has no hunk before it/);
  });

  it('changes its lines and no others, whatever the line ends', () => {
    const hunk = ['@@', ' one', '-two', '+zwei', '+drei', ' three'];
    assert.equal(apply('one\ntwo\nthree', update(...hunk)), 'one\nzwei\ndrei\nthree');
    assert.equal(apply('one\r\ntwo\r\nthree\r\n', update(...hunk)), 'one\r\nzwei\r\ndrei\r\nthree\r\n');
    assert.equal(apply('one\ntwo\r\nthree\n', update(...hunk)), 'one\nzwei\r\ndrei\r\nthree\n');
    assert.equal(apply('a\nb\nc\n', update('-a', '@@', ' b', '-c', '+$& \\1')), 'b\n$& \\1\n');
    assert.equal(apply('a\nb', update('+c')), 'a\nb\nc');
    assert.equal(apply('', update('+c')), 'c\n');
    assert.equal(apply('a\nb\n', update('@@ a', '+c')), 'a\nc\nb\n');
  });

  it('fits lines that differ in blanks, indentation and typographic characters, exact ones first', () => {
    assert.equal(
      apply('\tsay(“x – y”);  \n\told\n', update(' say("x - y");', '-old', '+new')),
      '\tsay(“x – y”);  \n\tnew\n',
    );
    assert.equal(apply('  x\nx\n', update('-x', '+y')), '  x\ny\n');
    assert.equal(apply('a\nb\n', update('-b', '+c', ' ')), 'a\nc\n');
  });

  it('goes by the @@ lines, the end of the file, the line number and the order where several places fit', () => {
    const text = 'class A\n  def a():\n    pass\n  def b():\n    pass\nclass B\n  def a():\n    pass\n';
    const change = ['-    pass', '+    go'];
    const lines = (line: number): string =>
      text
        .split('\n')
        .map((one, index) => (index === line - 1 ? '    go' : one))
        .join('\n');
    assert.equal(apply(text, update('@@ def b():', ...change)), lines(5));
    assert.equal(apply(text, update('@@ class B', ...change)), lines(8));
    assert.equal(apply(text, update('@@ class B', '@@ def a():', ...change)), lines(8));
    assert.equal(apply(text, update('@@', ...change, '*** End of File')), lines(8));
    assert.equal(apply(text, update('@@ -5,1 +5,1 @@', ...change)), lines(5));
    assert.equal(
      apply(text, update('@@', '-class B', '+class C', '@@', ...change)),
      lines(8).replace('class B', 'class C'),
    );
    const fits =
      'it fits at 3 places (lines 3, 5, 8). Add lines around it until it is unique, or an @@ line with the function or class it stands in.';
    assert.equal(
      failureOf(() => apply(text, update(...change))),
      fits,
    );
    assert.match(
      failureOf(() => apply(text, update('@@ def a():', ...change))),
      /^it fits at 2 places \(lines 3, 8\)/,
    );
  });

  it('says what does not fit, and changes nothing', () => {
    assert.equal(
      failureOf(() => apply('one\ntwo();\n', update('@@', '-one', '+1', '@@', '-two(2);', '+2'))),
      'Hunk 2: the text it changes was not found. The nearest lines are:\n2 | two();\nFirst difference, line 2: you sent "two(2);". ' +
        'Copy the lines as they stand in the file, then send the call again.',
    );
    assert.match(
      failureOf(() => apply('a\nb\n', update('@@', '-a', ' b', '@@', ' b', '+c'))),
      /overlap/,
    );
  });
});

describe('a unified diff', () => {
  it('is read as git writes it', () => {
    const diff = [
      'diff --git a/empty b/empty',
      'new file mode 100644',
      'index 0000000..e69de29',
      'diff --git "a/\\303\\244 \\"x\\".txt" "b/\\303\\244 \\"x\\".txt"',
      'index 1..2 100644',
      '--- "a/\\303\\244 \\"x\\".txt"',
      '+++ "b/\\303\\244 \\"x\\".txt"',
      '@@ -1,2 +1,2 @@ heading',
      '--- a',
      '+++ b',
      ' same',
      '\\ No newline at end of file',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      'diff --git a/one b/two',
      'similarity index 100%',
      'rename from one',
      'rename to two',
      '',
    ].join('\n');
    const exact = { oldBare: false, newBare: false };
    assert.deepEqual(parsePatch(diff), [
      { type: 'add', path: 'empty', text: '' },
      {
        type: 'update',
        path: 'ä "x".txt',
        hunks: [
          {
            context: [],
            lines: [
              { kind: 'removed', text: '-- a' },
              { kind: 'added', text: '++ b' },
              { kind: 'kept', text: 'same' },
            ],
            atEnd: false,
            startLine: 1,
            exact: { oldBare: true, newBare: true },
          },
        ],
      },
      {
        type: 'delete',
        path: 'gone',
        hunks: [{ context: [], lines: [{ kind: 'removed', text: 'x' }], atEnd: false, startLine: 1, exact }],
      },
      { type: 'update', path: 'one', moveTo: 'two', hunks: [] },
    ]);
  });

  it('of a model, with wrong counts and numbers, is placed by its lines', () => {
    const diff = '--- src/a\n+++ src/a\n@@ -10,9 +12,2 @@\n one\n-two\n+zwei\n';
    assert.equal(apply('zero\r\none\r\ntwo\r\n', diff), 'zero\r\none\r\nzwei\r\n');
    assert.equal(apply('zero\none\ntwo', diff.replaceAll('\n', '\r\n')), 'zero\none\nzwei');
    const missing = failureOf(() => apply('zero\n', diff));
    assert.match(missing, /^the text it changes was not found/);
  });

  it('refuses what is no text and what it cannot do', () => {
    const wrong = (...lines: string[]): string =>
      failureOf(() => parsePatch(['diff --git a/x b/x', ...lines].join('\n')));
    assert.match(wrong('Binary files a/x and b/x differ'), /cannot be applied as text/);
    assert.match(wrong('old mode 100644', 'new mode 100755'), /'x' has no hunk: changes of its mode/);
    assert.match(wrong('--- a/x', '+++ b/x', '@@ -1 +1 @@', '?x'), /^Line 5 of the diff, "\?x"/);
  });
});

describe('patches, whatever the text', () => {
  const line = fc.string({
    maxLength: 5,
    unit: fc.constantFrom('a', 'b', ' ', '\t', '-', '+', '@', '\\', '*', 'ü', '\r'),
  });
  const lines = fc.array(
    fc.oneof(line, fc.constantFrom('a', '', '--- a', '+++ b', '@@ -1 +1 @@', '*** End Patch')),
    { maxLength: 14 },
  );
  /** Lines, one end for all of them or a mixture, with a final one or without. */
  const textOf = (ends: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(lines, fc.infiniteStream(ends), fc.boolean()).map(([all, stream, final]) => {
      const joined = all.map((one) => one + (stream.next().value as string)).join('');
      return final ? joined : joined.replace(/\r?\n$/, '');
    });
  const text = fc.oneof(
    textOf(fc.constant('\n')),
    textOf(fc.constant('\r\n')),
    textOf(fc.constantFrom('\n', '\r\n')),
  );
  /** Two versions that have most lines in common. */
  const versions = fc
    .tuple(text, text, fc.nat(), fc.nat())
    .map(([one, other, from, length]): [string, string] => {
      const all = one.split(/(?<=\n)/);
      const start = from % (all.length + 1);
      const cut = all.slice(0, start).join('');
      return [
        one,
        cut +
          (other === '' || cut === '' || cut.endsWith('\n') ? other : `\n${other}`) +
          all.slice(start + (length % 4)).join(''),
      ];
    });

  it('a diff that git made gives the other version and back, byte for byte', function () {
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'lathe-git-'));
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
    try {
      git('init', '-q');
      mkdirSync(join(folder, 'files'));
      fc.assert(
        fc.property(fc.array(versions, { minLength: 30, maxLength: 30 }), fc.nat(4), (pairs, context) => {
          const name = (index: number): string => `files/${index} ü.txt`;
          const write = (side: 0 | 1): void => {
            for (const [index, pair] of pairs.entries()) writeFileSync(join(folder, name(index)), pair[side]);
          };
          write(0);
          git('add', '-A');
          write(1);
          for (const [from, reverse] of [
            [0, []],
            [1, ['-R']],
          ] as const) {
            const diff = git('diff', '--text', '--no-color', `-U${context}`, ...reverse);
            if (diff === '') continue;
            const files = parsePatch(diff);
            const changed = pairs.flatMap(([a, b], index) => (a === b ? [] : [name(index)]));
            assert.deepEqual(
              files.map(({ path }) => path),
              changed.sort(),
            );
            for (const file of files) {
              assert.ok(file.type === 'update');
              const pair = pairs.find((_, index) => name(index) === file.path);
              assert.equal(applyHunks(pair?.[from] ?? '', file.hunks), pair?.[1 - from], diff);
            }
          }
        }),
        { numRuns: 12 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a patch of lines that stand once gives the target, and its inverse the original', () => {
    const end = fc.constantFrom('\n', '\r\n');
    const unique = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        unique,
        end,
        fc.boolean(),
        fc.nat(),
        fc.nat(3),
        fc.array(fc.stringMatching(/^[A-Z]{1,3}$/)),
        (all, eol, final, from, length, added) => {
          const tail = final ? eol : '';
          const original = all.join(eol) + tail;
          const start = from % all.length;
          const removed = all.slice(start, start + length);
          // Without a line break nobody can know which kind the file has.
          if (removed.length + added.length === 0 || (all.length < 2 && !final)) return;
          const above = all.slice(Math.max(0, start - 2), start);
          const below = all.slice(start + length, start + length + 2);
          // Where no line break is left, or the last line without one goes, there is nothing to come back to.
          const target = [...all.slice(0, start), ...added, ...all.slice(start + length)];
          if (
            target.length < (final ? 1 : 2) ||
            above.length + below.length === 0 ||
            (below.length === 0 && !final)
          )
            return;
          const hunk = (minus: string[], plus: string[]): string =>
            update(
              '@@',
              ...above.map((one) => ` ${one}`),
              ...minus.map((one) => `-${one}`),
              ...plus.map((one) => `+${one}`),
              ...below.map((one) => ` ${one}`),
            );
          if (new Set(target).size < target.length) return;
          const there = apply(original, hunk(removed, added));
          assert.equal(there, target.join(eol) + tail);
          assert.equal(apply(there, hunk(added, removed)), original);
        },
      ),
    );
  });

  it('any text is a patch or is refused with words', () => {
    const piece = fc.constantFrom(
      '*** Begin Patch',
      '*** End Patch',
      '*** Update File: a',
      '*** Add File: b',
      '*** Move to: c',
      '*** Delete File: d',
      '@@',
      '@@ x',
      '@@ -1,2 +3,4 @@',
      '--- a/x',
      '+++ b/x',
      'diff --git a/x b/x',
      '\\ No newline',
      '*** End of File',
      '+a',
      '-a',
      ' a',
      '',
      'x',
      'rename from x',
      'rename to y',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        failureOf(() =>
          parsePatch(pieces.join('\n')).map((file) =>
            file.type === 'update' ? applyHunks('a\na\n', file.hunks) : '',
          ),
        );
      }),
      { numRuns: 3000 },
    );
  });
});
