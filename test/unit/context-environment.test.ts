import assert from 'node:assert/strict';
import fc from 'fast-check';
import { environmentDetails, type EnvironmentFacts } from '../../src/core/context/environmentDetails.ts';

const facts: EnvironmentFacts = {
  now: new Date('2026-01-31T10:00:00Z'),
  modeName: 'Code',
  visibleFiles: ['src/a.ts'],
  openTabs: ['src/a.ts', 'src/b.ts'],
  todos: [
    { text: 'Find it', status: 'completed' },
    { text: 'Mend it', status: 'in_progress' },
    { text: 'Test it', status: 'pending' },
  ],
};

/** Without the line of the time, which depends on the machine's zone. */
function withoutTime(block: string | undefined): string | undefined {
  return block?.replace(/^Time: .*$/m, 'Time: now');
}

describe('what surrounds a message', () => {
  it('is one block, the root listed once', () => {
    const block = environmentDetails({ ...facts, rootEntries: ['src/', 'package.json'] }, undefined);
    assert.equal(
      withoutTime(block),
      [
        '<environment>',
        'Time: now',
        'Mode: Code',
        'Visible in the editor:',
        '  src/a.ts',
        'Open tabs:',
        '  src/a.ts',
        '  src/b.ts',
        'Todo list:',
        '  [x] Find it',
        '  [-] Mend it',
        '  [ ] Test it',
        'Workspace root:',
        '  src/',
        '  package.json',
        '</environment>',
      ].join('\n'),
    );
    assert.match(block ?? '', /^Time: 2026-0[12]-\d\d \d\d:\d\d \(.+, UTC[+-]\d\d:\d\d\)$/m);
  });

  it('is said again only when something but the time changed', () => {
    const first = environmentDetails({ ...facts, rootEntries: ['src/'] }, undefined);
    const later = new Date(facts.now.getTime() + 3_600_000);
    assert.equal(environmentDetails({ ...facts, now: later }, first), undefined);
    const changed = environmentDetails({ ...facts, now: later, visibleFiles: [] }, first);
    assert.match(changed ?? '', /^<environment>\nTime: .*\nMode: Code\nOpen tabs:/);
    assert.equal(environmentDetails({ ...facts, visibleFiles: [] }, changed), undefined);
    assert.notEqual(environmentDetails({ ...facts, modeName: 'Ask', visibleFiles: [] }, changed), undefined);
    assert.notEqual(environmentDetails({ ...facts, todos: [], visibleFiles: [] }, changed), undefined);
  });

  it('is bounded, and says what is left out', () => {
    const many = Array.from({ length: 500 }, (_, index) => `file-${index}.ts`);
    const block = environmentDetails({ ...facts, openTabs: many, rootEntries: many }, undefined) ?? '';
    assert.equal(block.match(/^ {2}file-\d+\.ts$/gm)?.length, 120);
    assert.match(block, /^\(and 480 more\)$/m);
    assert.match(block, /^\(and 400 more\)$/m);
  });

  it('a name cannot end the block or fake a line of it', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', '\n', '</environment>', 'Todo list:', '\r', '\u2028'),
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), fc.array(name, { maxLength: 4 }), (tabs, entries) => {
        const block = environmentDetails({ ...facts, openTabs: tabs, rootEntries: entries }, undefined) ?? '';
        assert.equal(block.match(/<\/environment>/g)?.length, 1);
        assert.equal(block.match(/^Todo list:$/gm)?.length, 1);
      }),
    );
  });
});
