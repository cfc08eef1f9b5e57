import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findMentions, mentionOf } from '../../src/shared/mention.ts';

function targets(text: string): unknown[] {
  return findMentions(text).map(({ text: written, target }) => ({ written, ...target }));
}

describe('mentions in a text', () => {
  it('are paths with lines or definitions, words, commits and addresses', () => {
    assert.deepEqual(
      targets(
        '@src/a.ts:3-9 @"my file.ts":4 @src/a.ts#Cart.total @src/ @problems @terminal @git-changes @a1b2c3d @https://e.org/x',
      ),
      [
        {
          written: '@src/a.ts:3-9',
          kind: 'path',
          path: 'src/a.ts',
          certain: true,
          lines: { first: 3, last: 9 },
        },
        {
          written: '@"my file.ts":4',
          kind: 'path',
          path: 'my file.ts',
          certain: true,
          lines: { first: 4, last: 4 },
        },
        {
          written: '@src/a.ts#Cart.total',
          kind: 'path',
          path: 'src/a.ts',
          certain: true,
          symbol: 'Cart.total',
        },
        { written: '@src/', kind: 'path', path: 'src/', certain: true },
        { written: '@problems', kind: 'problems' },
        { written: '@terminal', kind: 'terminal' },
        { written: '@git-changes', kind: 'git-changes' },
        { written: '@a1b2c3d', kind: 'commit', hash: 'a1b2c3d' },
        { written: '@https://e.org/x', kind: 'url', url: 'https://e.org/x' },
      ],
    );
  });

  it('are resources of MCP servers: a server’s name, and an address of its own', () => {
    assert.deepEqual(
      targets('@docs:demo://a/b?x=1&y=(2), @a.b-c:file:///x. @https://e.org @c:\\x @src/a:b://c'),
      [
        {
          written: '@docs:demo://a/b?x=1&y=(2)',
          kind: 'resource',
          server: 'docs',
          uri: 'demo://a/b?x=1&y=(2)',
        },
        { written: '@a.b-c:file:///x', kind: 'resource', server: 'a.b-c', uri: 'file:///x' },
        { written: '@https://e.org', kind: 'url', url: 'https://e.org' },
        { written: '@c:\\x', kind: 'path', path: 'c:\\x', certain: true },
        { written: '@src/a:b://c', kind: 'path', path: 'src/a:b://c', certain: true },
      ],
    );
  });

  it('end before the sentence’s own marks, in every script', () => {
    assert.deepEqual(
      findMentions(
        'Look at @a.ts, (@b.ts) and @c.ts. 看看@d.ts，@"e f.ts"。@problems里 @https://e.org/x_(y).',
      ).map((one) => one.text),
      ['@a.ts', '@b.ts', '@c.ts', '@d.ts', '@"e f.ts"', '@problems', '@https://e.org/x_(y)'],
    );
  });

  it('are not in code, addresses of people, or words', () => {
    assert.deepEqual(
      findMentions('`@a.ts` me@b.ts x/@c.ts\n```ts\n@d.ts\n```\n~~~\n@e.ts').map((one) => one.text),
      [],
    );
    assert.deepEqual(targets('thanks @jane, @effaced'), [
      { written: '@jane', kind: 'path', path: 'jane', certain: false },
      { written: '@effaced', kind: 'path', path: 'effaced', certain: false },
    ]);
  });

  it('are written so that they mean the path, whatever its name', () => {
    for (const [path, mention] of [
      ['src/a.ts', '@src/a.ts'],
      ['my file.ts', '@"my file.ts"'],
      ['problems', '@./problems'],
      ['abc1234', '@./abc1234'],
      ['a#b.ts', '@"a#b.ts"'],
      ['a.ts:3', '@"a.ts:3"'],
      ['名（a）.ts', '@"名（a）.ts"'],
    ] as const)
      assert.equal(mentionOf(path), mention);
    assert.equal(mentionOf('a.ts', { first: 3, last: 3 }), '@a.ts:3');
    assert.equal(mentionOf('a.ts', { symbol: 'total' }), '@a.ts#total');
  });

  it('come back as they were written (property)', () => {
    const name = fc
      .stringMatching(/^[\p{L}\p{N} _.()#:,@&[\]{}'-]{1,12}$/u)
      .filter((one) => one.trim() === one && !/^\.*$/.test(one));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
        const path = names.join('/');
        const [found, ...more] = findMentions(`see ${mentionOf(path)} now`);
        assert.deepEqual(more, []);
        assert.equal(
          found?.target.kind === 'path' && found.target.path.replace(/^\.\//, ''),
          path.replace(/^\.\//, ''),
        );
      }),
    );
  });

  it('are found in any text in bounded steps', () => {
    for (const text of [
      '@'.repeat(200_000),
      '@"'.repeat(100_000),
      '```\n@a'.repeat(50_000),
      '@a:1-'.repeat(50_000),
      '`'.repeat(100_000),
    ])
      findMentions(text);
  });
});
