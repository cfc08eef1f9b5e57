import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { brokenPattern } from '../../src/core/context/ignorePatterns.ts';
import { IgnoreRules } from '../../src/core/context/IgnoreRules.ts';
import { ToolError } from '../../src/core/tools/ToolError.ts';
import { modeOf, PolicyBench } from '../support/PolicyBench.ts';

const { signal } = new AbortController();

describe('ignore files', () => {
  let bench: PolicyBench;
  let rules: IgnoreRules;
  const hidden = async (...paths: string[]): Promise<string[]> => {
    await rules.refresh(signal);
    return paths.filter((path) => rules.hides(path));
  };
  const refusal = async (): Promise<string> => {
    await rules.refresh(signal);
    assert.equal(rules.usable, false);
    try {
      rules.hides('src/a.ts');
    } catch (error) {
      if (error instanceof ToolError) return error.message;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  beforeEach(async () => {
    bench = await PolicyBench.open();
    rules = new IgnoreRules(bench.root, bench.host.files);
  });
  afterEach(() => bench.close());

  it('hide what they name, all of them together, with gitignore’s meaning', async () => {
    bench.write('workspace/.latheignore', '# keys\n*.key\n/build/\n!src/public.key\r\n');
    bench.write('workspace/.kilocodeignore', 'kilo.txt');
    bench.write('workspace/.rooignore', '\ufeffroo.txt\n');
    bench.write('workspace/.clineignore', 'cline.txt\n');
    const seen = ['src/a.ts', 'src/public.key', 'src/build/a', 'build', '.', '', '..', '../a.key'];
    const not = ['a.key', 'src/b.key', 'build/', 'build/a/b', 'kilo.txt', 'src/roo.txt', 'cline.txt'];
    assert.deepEqual(await hidden(...seen, ...not), not);
  });

  it('hide a file however its name is spelled', async () => {
    bench.write('workspace/.latheignore', 'Geheim.txt\ncafe\u0301.md\nprivate/\n');
    const spellings = [
      'geheim.TXT',
      'Geheim.txt.',
      'Geheim.txt ',
      'Geheim.txt::$DATA',
      'Ge\u200bheim.txt',
      'caf\u00e9.md',
      'cafe\u0301.md',
      'PRIVATE/a',
      'private\\a',
      'private./a',
      '..\\private/x',
    ];
    assert.deepEqual(await hidden(...spellings), spellings);
    assert.deepEqual(await hidden('..foo', 'geheim', 'x/..', 'cafe.md'), []);
    bench.write('workspace/.latheignore', '..foo\n*\n!src/\n!src/**\n');
    assert.deepEqual(await hidden('..foo', 'a', 'src/a.ts', 'src/'), ['..foo', 'a']);
  });

  it('refuse everything before they were looked at', () => {
    assert.equal(rules.usable, false);
    assert.throws(() => rules.hides('a'), ToolError);
  });

  it('refuse everything while one is there that cannot be used, and say which and why', async () => {
    const cases: [string, () => void, RegExp][] = [
      ['a folder', () => mkdirSync(join(bench.root, '.rooignore')), /not_a_file.*\.rooignore/],
      [
        'a link to nothing',
        () => symlinkSync('gone', join(bench.root, '.rooignore')),
        /\.rooignore is a link to nothing/,
      ],
      ['a link in a circle', () => symlinkSync('.rooignore', join(bench.root, '.rooignore')), /\.rooignore/],
      ['a pipe', () => execFileSync('mkfifo', [join(bench.root, '.rooignore')]), /not_a_file.*\.rooignore/],
      [
        'no text',
        () => bench.write('workspace/.rooignore', Buffer.from([0x66, 0xff, 0xfe])),
        /\.rooignore is not UTF-8/,
      ],
      ['too large', () => bench.write('workspace/.rooignore', 'a\n'.repeat(600_000)), /1200000 bytes/],
      ['too many', () => bench.write('workspace/.rooignore', 'a\n'.repeat(30_000)), /20000 patterns/],
      [
        'a broken class',
        () => bench.write('workspace/.rooignore', 'ok\nsecret[.txt\n'),
        /\.rooignore, line 2: '\[' is never closed/,
      ],
      [
        'a reversed range',
        () => bench.write('workspace/.rooignore', '[z-a].txt'),
        /line 1: the range z-a is the wrong way round/,
      ],
      ['nothing after !', () => bench.write('workspace/.rooignore', 'a\n!\n'), /line 2: it names nothing/],
      ['a lone backslash', () => bench.write('workspace/.rooignore', 'a\\\n'), /lone backslash/],
      [
        'a bomb',
        () => bench.write('workspace/.rooignore', '*a*a*a*a*a*a*a*b'),
        /more than 4 \* between two slashes/,
      ],
    ];
    bench.write('workspace/.latheignore', 'x\n');
    for (const [title, arrange, words] of cases) {
      arrange();
      assert.match(await refusal(), words, title);
      await assert.rejects(bench.gate.resolve('src/a.ts', 'read', modeOf('code'), signal), ToolError, title);
      // Mended, it works again at once.
      rmSync(join(bench.root, '.rooignore'), { recursive: true });
      assert.deepEqual(await hidden('x', 'y'), ['x'], title);
    }
  });

  it('are read again when they change, appear or go', async () => {
    assert.deepEqual(await hidden('a', 'b'), []);
    bench.write('workspace/.latheignore', 'a\n');
    assert.deepEqual(await hidden('a', 'b'), ['a']);
    bench.write('workspace/.latheignore', 'b\n');
    utimesSync(join(bench.root, '.latheignore'), 1, 1);
    assert.deepEqual(await hidden('a', 'b'), ['b']);
    rmSync(join(bench.root, '.latheignore'));
    assert.deepEqual(await hidden('a', 'b'), []);
  });

  it('apply to the asked and the real name, and folders above the workspace have no say', async () => {
    bench.write('.latheignore', '*\n');
    bench.write('workspace/.latheignore', 'secret/\nalias.txt\n');
    bench.write('workspace/secret/x');
    bench.write('workspace/plain.txt');
    bench.link('workspace/to-secret', 'secret');
    bench.link('workspace/alias.txt', 'plain.txt');
    const refused = async (path: string, access: 'read' | 'edit' | 'list'): Promise<boolean> => {
      try {
        await bench.gate.resolve(path, access, modeOf('code'), signal);
        return false;
      } catch (error) {
        if (error instanceof ToolError) return true;
        throw error;
      }
    };
    assert.deepEqual(
      [
        await refused('secret/x', 'read'),
        await refused('secret/new', 'edit'),
        await refused('secret', 'list'),
        await refused('to-secret/x', 'read'),
        await refused('to-secret', 'list'),
        await refused('alias.txt', 'read'),
        await refused('plain.txt', 'read'),
        await refused('src/../secret/x', 'read'),
      ],
      [true, true, true, true, true, true, false, true],
    );
  });

  it('a stop is a stop, not a broken file', async () => {
    bench.write('workspace/.latheignore', 'a\n');
    await assert.rejects(rules.refresh(AbortSignal.abort()), { name: 'AbortError' });
  });
});

describe('patterns of an ignore file', () => {
  it('that git understands are no fault', () => {
    const fine = [
      '',
      '   ',
      '# [',
      '*.log',
      '**/a/**',
      '!keep',
      '/root',
      'dir/',
      '\\#a',
      '\\!a',
      'a\\ ',
      '[a-z0-9].ts',
    ];
    const classes = [
      '[!a-z]',
      '[^a]',
      '[]a]',
      '[!]a]',
      'app/[slug]/page.tsx',
      '\\[x',
      '[\\]]',
      '[a\\-z]',
      'a b',
      '{a,b}',
      'ä?.txt',
    ];
    assert.deepEqual(
      [...fine, ...classes].filter((line) => brokenPattern(line) !== undefined),
      [],
    );
  });

  it('never make matching blow up, whatever stands in them', async () => {
    const part = fc.constantFrom('*', '**', '?', 'a', 'b', '[a-b]', '/', '!', '\\a', '[', ']', '*a', '.');
    const line = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''));
    const path = fc
      .array(fc.constantFrom('a'.repeat(60), 'ab', 'b'), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), path, async (lines, file) => {
        const bench = await PolicyBench.open();
        try {
          bench.write('workspace/.latheignore', lines.join('\n'));
          const rules = new IgnoreRules(bench.root, bench.host.files);
          await rules.refresh(signal);
          const anyBroken = lines.some((one) => brokenPattern(one) !== undefined);
          assert.equal(rules.usable, !anyBroken);
          if (rules.usable) assert.equal(typeof rules.hides(file), 'boolean');
        } finally {
          await bench.close();
        }
      }),
    );
  });
});
