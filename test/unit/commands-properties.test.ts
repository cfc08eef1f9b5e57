import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { loadGrammars, type Grammars } from '../../src/core/approval/commands/grammars.ts';
import { judgeCommand, type Judgement } from '../../src/core/approval/commands/judgeCommand.ts';
import type { Shell } from '../../src/core/approval/commands/Reading.ts';
import { readWithTreeSitter } from '../../src/core/approval/commands/readWithTreeSitter.ts';
import { readWithUnbash } from '../../src/core/approval/commands/readWithUnbash.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'pwsh', 'cmd', 'other'];
const allow = [
  'ls',
  'echo',
  'cat',
  'git status',
  'git log',
  'grep',
  'find',
  'sort',
  'sed',
  'xargs',
  'sh',
  'env',
  'npm run',
];

/** Pieces that shells understand, put together in any order. */
const piece = fc.constantFrom(
  ...[
    'ls',
    'echo',
    'git',
    'status',
    'cat',
    'rm',
    'sh',
    '-la',
    '-o',
    '--',
    'a',
    'src/',
    '.env',
    '../x',
    '/etc',
    '*',
    '?',
    '[a]',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
    ';',
    '&',
    '&&',
    '||',
    '|',
    '|&',
    '>',
    '>>',
    '2>',
    '2>&1',
    '<',
    '<<',
    '<<EOF\n',
    '<<<',
    '\nEOF\n',
  ],
  ...[
    '/dev/null',
    '$',
    '$(',
    '${',
    '$((',
    '`',
    ')',
    '}',
    '))',
    '(',
    '{',
    '{a,b}',
    '=',
    'x=',
    '~',
    '!',
    '#',
    '\\',
    '\\\n',
    "'",
    '"',
  ],
  ...[
    "$'",
    '$"',
    '@(',
    '%',
    '^',
    '-exec',
    'if',
    'then',
    'fi',
    'for',
    'do',
    'done',
    'case',
    'esac',
    'function',
    'time',
    '[[',
    ']]',
  ],
);
const shellText = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
const anyText = fc.oneof(
  shellText,
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  // Bytes as they come, lone surrogates included.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
);

/** One word in every way of quoting that keeps it literal. */
const quoted = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    `'${word.replaceAll("'", `'\\''`)}'`,
    `"${word.replace(/[$`"\\]/g, '\\$&')}"`,
    word.replace(/[^\w]/g, '\\$&'),
  );
const word = fc.string({
  unit: fc.constantFrom(...Array.from(`abz09_-./ ;&|<>()$\`"'\\*?[]{}~#!=%^,:@+`)),
  minLength: 1,
  maxLength: 10,
});
const written = word
  .filter((text) => !text.startsWith('-'))
  .chain((text) => fc.record({ text: fc.constant(text), source: quoted(text) }));

describe('commands, properties', () => {
  let grammars: Grammars;
  before(async () => {
    // Else the process would wait at its end for a better compilation of the grammars.
    setFlagsFromString('--liftoff-only');
    grammars = await loadGrammars();
  });

  const judge = (command: string, shell: Shell = 'bash', deny: readonly string[] = []): Judgement =>
    judgeCommand(command, { allow, deny, shell }, grammars);

  it('gives a verdict on any text in any shell, and steps for what is automatic alone', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...shells), (text, shell) => {
        const { verdict, steps, why } = judge(text, shell);
        assert.deepEqual(
          { steps: steps.length > 0, why: why.length > 0 },
          { steps: verdict === 'auto', why: true },
        );
        if (verdict === 'auto') assert.ok(shell === 'bash' || shell === 'zsh', shell);
      }),
      { numRuns: 1500 },
    );
  });

  it('is automatic only where both grammars read the same literal words, and runs these', () => {
    let automatic = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          shellText,
          fc.array(word, { maxLength: 6 }).map((words) => `echo ${words.join(' ')}`),
        ),
        (text) => {
          const { verdict, steps, argv } = judge(text);
          if (verdict !== 'auto') return;
          automatic++;
          const [one, other] = [
            readWithTreeSitter(text, grammars.bash, 'bash').literal,
            readWithUnbash(text, grammars.unbash, 'bash').literal,
          ];
          assert.ok(one);
          assert.deepEqual(one, other);
          const words = one.map((command) => command.words.map((each) => each.text));
          assert.deepEqual([argv, steps.map((step) => step.argv)], [words, words]);
        },
      ),
      { numRuns: 1500 },
    );
    assert.ok(automatic > 0, 'nothing was automatic');
  });

  it('decodes every literal word to what it stands for, or asks', () => {
    let automatic = 0;
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), (words) => {
        const { verdict, argv } = judge(`echo ${words.map(({ source }) => source).join(' ')}`);
        if (verdict !== 'auto') return;
        automatic++;
        assert.deepEqual(argv, [['echo', ...words.map(({ text }) => text)]]);
      }),
      { numRuns: 1000 },
    );
    assert.ok(automatic > 500, `only ${automatic} were automatic`);
  });

  it('is never automatic with anything that is worked out when it runs', () => {
    const unknown = fc.constantFrom(
      ...[
        '$(rm x)',
        '`rm x`',
        '$x',
        '${x}',
        '${x:-$(id)}',
        '$((1+1))',
        '$[1]',
        '<(id)',
        '>(id)',
        "$'x'",
        '$"x"',
        '{a,b}',
        '{1..3}',
        '~',
        '~root',
      ],
    );
    const around = fc.constantFrom('', '"', 'a', 'src/', '--x=', "''");
    fc.assert(
      fc.property(
        written,
        unknown,
        around,
        fc.constantFrom('bash' as const, 'zsh' as const),
        ({ source }, inner, before_, shell) => {
          // Inside double quotes these four are plain text.
          if (before_ === '"' && /^(<|>|~|\{|\$['"])/.test(inner)) return;
          if (before_ !== '' && inner.startsWith('~') && before_ !== '--x=') return;
          const { verdict } = judge(`echo ${source} ${before_}${inner}${before_ === '"' ? '"' : ''}`, shell);
          assert.equal(verdict, 'ask');
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sees every command behind line breaks, comments, here-documents and joints', () => {
    const harmless = fc.constantFrom(
      'ls',
      'ls -la src',
      'echo "a b"',
      "echo '#'",
      'git status',
      'echo a#b',
      'cat <<EOF\nx\nEOF',
      'ls \\\n-l',
    );
    const joint = fc.constantFrom(
      '\n',
      '\n\n',
      ';',
      ' ; ',
      ' && ',
      ' || ',
      ' | ',
      ' |& ',
      ' & ',
      '\n# c\n',
      ' # c\n',
      ';\n',
      ' &&\n',
    );
    const hostile = fc.constantFrom(
      'rm x',
      'r\\m x',
      '"rm" x',
      "r''m x",
      '(rm x)',
      '{ rm x; }',
      '! rm x',
      '$(rm x)',
      'if true; then rm x; fi',
      'sudo rm x',
      'env rm x',
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(harmless, joint), { maxLength: 5 }),
        hostile,
        fc.array(fc.tuple(joint, harmless), { maxLength: 2 }),
        (first, bad, after) => {
          const text = [
            ...first.map((pair) => pair.join('')),
            bad,
            ...after.map((pair) => pair.join('')),
          ].join('');
          const verdict = judge(text).verdict;
          assert.notEqual(verdict, 'auto');
          // A here-document needs its own line end, and takes what follows for its text.
          if (!text.includes('<<')) assert.equal(judge(text, 'bash', ['rm']).verdict, 'deny');
        },
      ),
      { numRuns: 800 },
    );
  });

  it('denies in a chain of any length', () => {
    for (const count of [1, 60, 2000])
      assert.equal(judge(`${'true && '.repeat(count)}rm x`, 'bash', ['rm']).verdict, 'deny', String(count));
    assert.equal(judge(`${'('.repeat(5000)}rm x`, 'bash', []).verdict, 'ask');
  });
});
