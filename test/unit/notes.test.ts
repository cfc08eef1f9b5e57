import assert from 'node:assert/strict';
import fc from 'fast-check';
import { idOf, notesIn, withNote } from '../../src/core/notes/noteText.ts';

const written = (text: string): [string, boolean][] => notesIn(text).map((note) => [note.text, note.outside]);

describe('the text of notes', () => {
  it('takes items and paragraphs as a person writes them; headings and comments are theirs alone', () => {
    const text = [
      '# About the shop',
      '',
      '<!-- two lines',
      '- of a comment -->',
      '- first',
      '  goes on',
      '',
      '    code',
      '* [outside] second',
      '1. third',
      '',
      'A paragraph',
      'of two lines.',
      '## More',
      '- ',
      '- last\r',
    ].join('\n');
    assert.deepEqual(written(text), [
      ['first\ngoes on\n\n  code', false],
      ['second', true],
      ['third', false],
      ['A paragraph\nof two lines.', false],
      ['last', false],
    ]);
  });

  it('changes one note and leaves every other line as it is', () => {
    const text = '# Mine\n\n- one\n\n<!-- kept -->\nA word.\n- two\n  more\n';
    const [one, , two] = notesIn(text);
    assert.equal(
      withNote(text, { text: 'new\n\nlines', outside: true }, one),
      '# Mine\n\n- [outside] new\n\n  lines\n\n<!-- kept -->\nA word.\n- two\n  more\n',
    );
    assert.equal(withNote(text, undefined, two), '# Mine\n\n- one\n\n<!-- kept -->\nA word.\n');
    assert.equal(withNote(text, { text: 'three', outside: false }, undefined), `${text}- three\n`);
    assert.equal(withNote('# Mine\n', { text: 'one', outside: false }, undefined), '# Mine\n\n- one\n');
    assert.equal(withNote('', { text: 'one', outside: false }, undefined), '- one\n');
  });

  it('gives back what was put in, whatever it is, beside whatever else is there', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', ' ', '-', '#', '<!--', '-->', '1. ', '  ', '`', '漢'),
    });
    const note = fc
      .array(line, { minLength: 1, maxLength: 4 })
      .map((lines) => lines.join('\n').trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(
        fc.array(note, { maxLength: 5 }),
        fc.array(line, { maxLength: 5 }),
        note,
        (notes, others, one) => {
          let text = others.join('\n');
          const before = notesIn(text).map((each) => each.text);
          // An open comment of the person's hides what stands behind it.
          fc.pre(!text.includes('<!--'));
          for (const each of notes) text = withNote(text, { text: each, outside: false }, undefined);
          assert.deepEqual(
            notesIn(text).map((each) => each.text),
            [...before, ...notes],
          );
          const place = notesIn(text).at(-1);
          if (!place) return;
          const changed = withNote(text, { text: one, outside: true }, place);
          const last = notesIn(changed).at(-1);
          assert.deepEqual([last?.text, last?.outside, last?.id], [one, true, idOf(one)]);
          assert.deepEqual(
            notesIn(withNote(text, undefined, place)).map((each) => each.text),
            notesIn(text)
              .slice(0, -1)
              .map((each) => each.text),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
