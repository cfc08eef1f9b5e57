import assert from 'node:assert/strict';
import fc from 'fast-check';
import { modeText, withMode, withoutMode } from '../../src/core/modes/editModes.ts';
import { hashOfMode, parseModes } from '../../src/core/modes/parseModes.ts';
import { ProtocolError } from '../../src/core/Dispatcher.ts';
import type { ModeConfig } from '../../src/shared/modes.ts';
import { translate } from '../../src/shared/strings.ts';
import { toolGroupNames } from '../../src/shared/tools.ts';

const docs: ModeConfig = {
  slug: 'docs',
  name: 'Docs',
  roleDefinition: 'You write.\nBriefly.',
  whenToUse: 'Writing.',
  groups: ['read', ['edit', { fileRegex: '\\.md$', description: 'Markdown' }]],
};

/** The slugs that count, and each problem with its line in words. */
function read(text: string): { slugs: string[]; problems: string[] } {
  const { modes, problems } = parseModes(text);
  return {
    slugs: modes.map(({ mode, line }) => `${mode.slug}:${line}`),
    problems: problems.map(({ line, problem }) => `${line}: ${translate('en', problem)}`),
  };
}

const good = (slug: string): string =>
  `  - slug: ${slug}\n    name: ${slug}\n    roleDefinition: You are ${slug}.\n    groups: [read]\n`;

describe('files with modes', () => {
  it('as people have them: YAML of Roo and Kilo, with what only they know', () => {
    const text = `# ours
customModes:
  - slug: docs
    name: Docs
    iconName: codicon-book
    roleDefinition: |-
      You write.
      Briefly.
    whenToUse: Writing.
    groups:
      - read
      - - edit
        - fileRegex: \\.md$
          description: Markdown
    source: project
`;
    assert.deepEqual(parseModes(text), {
      modes: [{ mode: docs, line: 3, hash: hashOfMode(docs) }],
      problems: [],
    });
  });

  it('and JSON, tabs and all', () => {
    const text = JSON.stringify({ customModes: [docs, { ...docs, slug: 'two' }] }, undefined, '\t');
    assert.deepEqual(read(text), { slugs: ['docs:3', 'two:19'], problems: [] });
    assert.deepEqual(parseModes(text).modes[0]?.mode, docs);
  });

  it('that hold nothing have nothing wrong with them', () => {
    for (const text of [
      '',
      '\n# later\n',
      'customModes:\n',
      'customModes: []\n',
      '{}'.replace('{}', '{"customModes": []}'),
    ])
      assert.deepEqual(read(text), { slugs: [], problems: [] }, JSON.stringify(text));
  });

  it('a mode that is wrong is named with its line, and hides no other', () => {
    const bad: [string, RegExp][] = [
      ['  - slug: x\n    name: X\n    groups: [read]\n', /^6: The mode “x” has no roleDefinition\.$/],
      ['  - slug: x y\n    name: X\n    roleDefinition: r\n    groups: []\n', /^6: The slug “x y” has other/],
      ['  - slug: x\n    name: X\n    roleDefinition: r\n    groups: [read, fly]\n', /^9: .*names a group/],
      [
        '  - slug: x\n    name: X\n    roleDefinition: r\n    groups:\n      - [edit, {fileRegex: "("}]\n',
        /^10: The fileRegex of the mode “x” is no regular expression: .*Unterminated group/,
      ],
      [
        `  - slug: x\n    name: X\n    roleDefinition: r\n    groups:\n      - [edit, {fileRegex: "${'a'.repeat(1001)}"}]\n`,
        /^10: The fileRegex/,
      ],
      [
        '  - slug: x\n    name: X\n    roleDefinition: r\n    groups:\n      - edit\n      - [edit, {fileRegex: a}]\n',
        /^11: .*names the group edit twice/,
      ],
      ['  - slug: x\n    name: 5\n    roleDefinition: r\n    groups: []\n', /^7: .*name: .*string/],
      ['  - 5\n', /^6: This is no mode/],
      ['  -\n', /^6: This is no mode/],
      [
        '  - slug: x\n    slug: y\n    name: X\n    roleDefinition: r\n    groups: []\n',
        /^7: This cannot be read/,
      ],
      ['  - slug: x\n    name: *gone\n    roleDefinition: r\n    groups: []\n', /^6: This cannot be read/],
      [good('first'), /^6: The slug “first” is used in line 2 already/],
      // Slips of the pen that a parser of the whole file does not get over.
      ['  - slug: x\n    name: "X\n    roleDefinition: r\n    groups: []\n', /This cannot be read/],
      ['  - slug: x\n    name: X: Y: Z\n    groups: [read\n', /This cannot be read/],
      ['  - slug: x\n\tname: X\n    groups: []\n', /This cannot be read/],
      ['  - slug: x\n    groups: {\n', /This cannot be read/],
    ];
    for (const [text, problem] of bad) {
      const { slugs, problems } = read(`customModes:\n${good('first')}${text}${good('last')}`);
      const last = 6 + text.split('\n').length - 1;
      assert.deepEqual(slugs, ['first:2', `last:${last}`], text);
      assert.match(problems.join('\n'), problem, text);
    }
  });

  it('a mode whose text holds what looks like another is one mode', () => {
    const text = `customModes:\n  - slug: a\n    name: A\n    roleDefinition: |\n      - slug: evil\n      customModes:\n    groups: []\n  - slug: "b\n`;
    const { modes } = parseModes(text);
    assert.deepEqual(
      modes.map(({ mode }) => mode.roleDefinition),
      ['- slug: evil\ncustomModes:\n'],
    );
  });

  it('that are something else say so', () => {
    assert.match(read('just text').problems.join(), /^1: There is no list of modes/);
    assert.match(read('a: 1\ncustomModes: 5\n').problems.join(), /^2: There is no list of modes/);
    assert.match(read('{"customModes": [').problems.join(), /^1: This cannot be read/);
    const many = read(
      `customModes:\n${Array.from({ length: 120 }, (_, index) => good(`m${index}`)).join('')}`,
    );
    assert.deepEqual(
      [many.slugs.length, many.problems],
      [100, ['2: Only the first 100 modes of a file are used.']],
    );
  });

  it('whatever they hold, reading ends and gives only whole modes', () => {
    const line = fc.constantFrom(
      'customModes:',
      '  - slug: a',
      '    name: A',
      '    roleDefinition: r',
      '    groups: [read]',
      '    groups:',
      '      - read',
      '      - - edit',
      '        - fileRegex: x',
      '- slug: b',
      '{',
      '}',
      '"',
      '&a *a',
      '\t',
      '---',
      '...',
      '#',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        for (const { mode } of parseModes(lines.join('\n')).modes)
          assert.ok(mode.slug !== '' && mode.name !== '' && Array.isArray(mode.groups));
      }),
    );
  });
});

const anyMode: fc.Arbitrary<ModeConfig> = fc.record(
  {
    slug: fc.stringMatching(/^[a-z0-9-]{1,12}$/),
    name: fc.string({ minLength: 1, unit: 'grapheme' }),
    roleDefinition: fc.string({ minLength: 1, unit: 'grapheme' }).map((text) => `${text}\nand: more # so\n`),
    customInstructions: fc.string({ unit: 'grapheme' }),
    whenToUse: fc.string(),
    groups: fc
      .uniqueArray(fc.constantFrom(...toolGroupNames))
      .chain((names) =>
        fc.tuple(
          ...names.map((name) =>
            fc.constantFrom(name, [name, { fileRegex: '\\.(md|txt)$' }] as [
              typeof name,
              { fileRegex: string },
            ]),
          ),
        ),
      )
      .map((groups) => [...groups]),
  },
  { requiredKeys: ['slug', 'name', 'roleDefinition', 'groups'], noNullPrototype: true },
);

describe('writing modes into a file', () => {
  it('whatever a mode says, it is read as it was written', () => {
    fc.assert(
      fc.property(anyMode, fc.boolean(), (mode, json) => {
        const before = json ? '{"customModes": []}' : 'customModes: []\n';
        for (const text of [
          withMode(before, mode, undefined),
          withMode('', mode, undefined),
          modeText(mode, []),
        ])
          assert.deepEqual(
            parseModes(text).modes.map((written) => written.mode),
            [mode],
          );
      }),
    );
  });

  it('leaves the rest as it is: comments, other modes, what it does not know', () => {
    const text = `# head\ncustomModes:\n${good('first')}  # about docs\n  - slug: docs\n    name: Old # kept?\n    roleDefinition: r\n    iconName: book\n    whenToUse: gone\n    groups: [read]\n${good('last')}`;
    const { whenToUse: _gone, ...mode } = docs;
    const changed = withMode(text, { ...mode, slug: 'docs2' }, 'docs');
    assert.deepEqual(read(changed), { slugs: ['first:3', 'docs2:8', 'last:19'], problems: [] });
    for (const part of ['# head', '# about docs', 'iconName: book']) assert.ok(changed.includes(part), part);
    assert.ok(!changed.includes('gone'));
    assert.deepEqual(parseModes(changed).modes[1]?.mode, { ...mode, slug: 'docs2' });
    const without = withoutMode(changed, 'docs2');
    assert.deepEqual(
      read(without).slugs.map((slug) => slug.split(':')[0]),
      ['first', 'last'],
    );
    assert.equal(withoutMode(text, 'nobody').includes('# about docs'), true);
  });

  it('refuses a file that it cannot read whole', () => {
    for (const text of ['customModes: "x\n', 'just text', 'customModes: 5'])
      assert.throws(() => withMode(text, docs, undefined), ProtocolError);
  });
});
