import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { tools } from '../../src/core/tools/index.ts';
import { TOOL_GROUPS } from '../../src/shared/tools.ts';
import { withContext, type TestContext } from '../support/testContext.ts';

/** One change of one line to another that stands nowhere else. */
interface Change {
  /** 1-based. */
  line: number;
  from: string;
  to: string;
}

const block = ({ line, from, to }: Change): string =>
  `<<<<<<< SEARCH\n:start_line:${line}\n-------\n${from}\n=======\n${to}\n>>>>>>> REPLACE`;

/** How each edit tool is asked for the change; the rest of the group takes no text for another. */
const calls: Record<string, (change: Change) => Record<string, unknown>> = {
  apply_diff: (change) => ({ path: 'a.txt', diff: block(change) }),
  search_replace: ({ from, to }) => ({ file_path: 'a.txt', old_string: from, new_string: to }),
  edit_file: ({ from, to }) => ({ file_path: 'a.txt', old_string: from, new_string: to }),
  search_and_replace: ({ from, to }) => ({ path: 'a.txt', search: from, replace: to }),
  apply_patch: ({ from, to }) => ({
    patch: `*** Begin Patch\n*** Update File: a.txt\n@@\n-${from}\n+${to}\n*** End Patch`,
  }),
};
const NOT_OF_THIS_KIND = [
  'write_to_file',
  'insert_content',
  'delete_file',
  'new_rule',
  'fast_edit_file',
  'generate_image',
];

/** A file of lines that stand once each, with what else a file can be. */
const file = fc
  .record({
    words: fc.uniqueArray(fc.stringMatching(/^[a-z$&\\`"”é ]{0,8}[a-z]$/), { minLength: 2, maxLength: 12 }),
    ends: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 3 }),
    bom: fc.boolean(),
    final: fc.boolean(),
    at: fc.nat(),
    to: fc.stringMatching(/^[A-Z$&1 ]{0,8}[A-Z]$/),
  })
  .map(({ words, ends, bom, final, at, to }) => {
    const lines = words.map((word, index) => `${index}${word}`);
    const index = at % lines.length;
    const text = lines
      .map((line, number) =>
        number === lines.length - 1 && !final ? line : line + (ends[number % ends.length] ?? '\n'),
      )
      .join('');
    const from = lines[index] ?? '';
    return {
      bytes: (bom ? '\ufeff' : '') + text,
      change: { line: index + 1, from, to: `>${to}` },
    };
  });

describe('edits, there and back', function () {
  this.timeout(120_000);
  const create = withContext();

  it('every edit tool is here, or said not to be of this kind', () => {
    const { tools: offered, customTools = [] } = TOOL_GROUPS.edit;
    assert.deepEqual(
      [...Object.keys(calls), ...NOT_OF_THIS_KIND].sort(),
      [...offered, ...customTools].sort(),
    );
    for (const name of Object.keys(calls)) assert.ok(Object.hasOwn(tools, name));
  });

  for (const [name, args] of Object.entries(calls))
    it(`${name}: a change and its inverse leave the bytes that were there; nothing else moved between`, async () => {
      const context = await create();
      await fc.assert(
        fc.asyncProperty(file, async ({ bytes, change }) => {
          // A text that is part of another line as well is ambiguous, as it must be.
          fc.pre(bytes.split(change.from).length === 2);
          context.write('a.txt', bytes);
          // Another turn: what was read of the file before is not this one.
          await context.native('read_file', { path: 'a.txt' });
          const there = await context.native(name, args(change));
          assert.equal(there.error, undefined);
          assert.equal(
            context.read('a.txt'),
            bytes.replace(change.from, () => change.to),
          );
          const back = await context.native(name, args({ ...change, from: change.to, to: change.from }));
          assert.equal(back.error, undefined);
          assert.equal(context.read('a.txt'), bytes);
        }),
        { numRuns: 60 },
      );
    });
});

describe('a patch of several files', function () {
  this.timeout(60_000);
  const create = withContext();
  const update = (path: string, from: string): string =>
    `*** Update File: ${path}\n@@\n-${from}\n+new ${from}\n`;
  const contents = (context: TestContext, count: number): string[] =>
    Array.from({ length: count }, (_, index) => context.read(`${index}.txt`));

  it('changes all of them, or none when one part does not fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), async (fits) => {
        const files = Object.fromEntries(fits.map((_, index) => [`${index}.txt`, `line ${index}\n`]));
        const context = await create({ files });
        const parts = fits.map((fit, index) => update(`${index}.txt`, fit ? `line ${index}` : 'not there'));
        const { error, text } = await context.native('apply_patch', {
          patch: `*** Begin Patch\n${parts.join('')}*** End Patch`,
        });
        const all = fits.every(Boolean);
        assert.deepEqual(
          contents(context, fits.length),
          fits.map((_, index) => (all ? `new line ${index}\n` : `line ${index}\n`)),
        );
        if (all) assert.equal(error, undefined);
        else assert.match(error ?? `no error: ${text ?? ''}`, /not there|not changed|Nothing was changed/);
      }),
      { numRuns: 25 },
    );
  });

  it('says what landed and what did not when the disk refuses one on the way', async () => {
    const context = await create({
      files: { '0.txt': 'line 0\n', '1.txt': 'line 1\n', '2.txt': 'line 2\n' },
    });
    const patch = `*** Begin Patch\n${[0, 1, 2].map((index) => update(`${index}.txt`, `line ${index}`)).join('')}*** End Patch`;
    const { response, text } = await context.native(
      'apply_patch',
      { patch },
      // Somebody else writes the second file between the yes and the write.
      { whileAsked: () => writeFileSync(join(context.root, '1.txt'), 'theirs\n') },
    );
    assert.equal(response?.failed, true);
    assert.match(
      text ?? '',
      /^Changed '0\.txt'[^]*'1\.txt' changed on disk[^]*files after it were not changed/,
    );
    assert.deepEqual(contents(context, 3), ['new line 0\n', 'theirs\n', 'line 2\n']);
  });

  it('says what landed and what did not when the person stops it on the way', async () => {
    const patch = `*** Begin Patch\n${[0, 1].map((index) => update(`${index}.txt`, `line ${index}`)).join('')}*** Delete File: 2.txt\n*** End Patch`;
    const before = ['line 0\n', 'line 1\n', 'line 2\n'];
    const seen = new Set<number>();
    for (let moment = 1, reached = true; reached; moment++) {
      const context = await create({
        files: Object.fromEntries(before.map((text, at) => [`${at}.txt`, text])),
      });
      const stop = new AbortController();
      let steps = 0;
      const outcome = await context
        .native(
          'apply_patch',
          { patch },
          { signal: stop.signal, onStep: () => ++steps === moment && stop.abort() },
        )
        .catch((error: unknown) => {
          assert.ok(error instanceof Error && error.name === 'AbortError');
        });
      reached = steps >= moment;
      const changed = [0, 1].filter((at) => context.read(`${at}.txt`) !== before[at]).length;
      const deleted = !existsSync(join(context.root, '2.txt'));
      const landed = changed + Number(deleted);
      seen.add(landed);
      if (!outcome) assert.equal(landed, 0);
      else if (landed < 3) {
        assert.equal(outcome.response?.stopped, true);
        assert.equal(outcome.text?.match(/^Changed '/gm)?.length, changed);
        assert.match(outcome.text ?? '', /The person stopped it there: the files after it were not changed/);
      }
    }
    assert.deepEqual([...seen].sort(), [0, 1, 2, 3]);
  });
});
