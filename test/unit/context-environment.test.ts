import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  environmentDetails,
  environmentSections,
  type EnvironmentFacts,
} from '../../src/core/context/environmentDetails.ts';

const facts: EnvironmentFacts = {
  modeName: 'Code',
  visibleFiles: ['src/a.ts'],
  openTabs: ['src/a.ts', 'src/b.ts'],
  terminals: [{ name: 'Lathe', command: 'npm run dev' }],
  todos: [
    { text: 'Find it', status: 'completed' },
    { text: 'Mend it', status: 'in_progress' },
    { text: 'Test it', status: 'pending' },
  ],
  changedFiles: [],
  withMessage: true,
};
const nothing = new Map<string, string>();

/** What the model has seen after these blocks. */
function seen(...blocks: (string | undefined)[]): Map<string, string> {
  return new Map(blocks.flatMap((block) => [...environmentSections(block ?? '')]));
}

function block(...lines: string[]): string {
  return ['<environment>', ...lines, '</environment>'].join('\n');
}

describe('what surrounds a message', () => {
  it('is one block at first, without what there is none of', () => {
    assert.equal(
      environmentDetails({ ...facts, rootEntries: ['src/', 'package.json'] }, nothing),
      block(
        'Mode: Code',
        'Visible in the editor:',
        '  src/a.ts',
        'Open tabs:',
        '  src/a.ts',
        '  src/b.ts',
        'Running in terminals:',
        '  Lathe: npm run dev',
        'Todo list:',
        '  [x] Find it',
        '  [-] Mend it',
        '  [ ] Test it',
        'Workspace root:',
        '  src/',
        '  package.json',
      ),
    );
    const bare = { ...facts, visibleFiles: [], openTabs: [], terminals: [], todos: [] };
    assert.equal(environmentDetails(bare, nothing), block('Mode: Code'));
  });

  it('then says only what changed, and that something is gone', () => {
    const first = environmentDetails({ ...facts, rootEntries: ['src/'] }, nothing);
    assert.equal(environmentDetails(facts, seen(first)), undefined);
    const closed = environmentDetails({ ...facts, visibleFiles: [], terminals: [] }, seen(first));
    assert.equal(closed, block('Visible in the editor: none', 'Running in terminals: none'));
    const now = { ...facts, visibleFiles: [], terminals: [] };
    assert.equal(environmentDetails(now, seen(first, closed)), undefined);
    assert.equal(environmentDetails({ ...now, modeName: 'Ask' }, seen(first, closed)), block('Mode: Ask'));
  });

  it('tells time and cost only where they are wanted, and never for their own sake', () => {
    const first = environmentDetails(facts, nothing);
    const now = new Date('2026-01-31T10:00:00Z');
    const wanted = { ...facts, now, cost: 0.1234 };
    const told = environmentDetails(wanted, seen(first)) ?? '';
    assert.match(
      told,
      /^<environment>\nTime: 2026-0[12]-\d\d \d\d:\d\d \(.+, UTC[+-]\d\d:\d\d\)\nCost so far: \$0\.12\n<\/environment>$/,
    );
    assert.deepEqual(seen(told), nothing);
    assert.equal(environmentDetails({ ...wanted, withMessage: false }, seen(first)), undefined);
  });

  it('names the files that changed behind the model’s back, each time', () => {
    const first = environmentDetails(facts, nothing);
    const changedFiles = [
      { shown: 'src/a.ts', gone: false },
      { shown: 'src/b.ts', gone: true },
    ];
    const told = environmentDetails({ ...facts, changedFiles }, seen(first));
    assert.equal(
      told,
      block(
        'Changed since you read them (read them again before you rely on them):',
        '  src/a.ts',
        '  src/b.ts (gone)',
      ),
    );
    assert.equal(environmentDetails({ ...facts, changedFiles }, seen(first, told)), told);
    assert.equal(environmentDetails(facts, seen(first, told)), undefined);
  });

  it('is bounded, and says what is left out', () => {
    const many = Array.from({ length: 500 }, (_, index) => `file-${index}.ts`);
    const whole = environmentDetails({ ...facts, openTabs: many, rootEntries: many }, nothing) ?? '';
    assert.equal(whole.match(/^ {2}file-\d+\.ts$/gm)?.length, 120);
    assert.match(whole, /^ {2}\(and 480 more\)$/m);
    assert.match(whole, /^ {2}\(and 400 more\)$/m);
  });

  const name = fc.string({
    unit: fc.constantFrom('a', '\n', '</environment>', 'Todo list:', '\r', '\u2028'),
  });
  const names = fc.array(name, { maxLength: 4 });

  it('a name cannot end the block or fake a line of it', () => {
    fc.assert(
      fc.property(names, names, (openTabs, rootEntries) => {
        const whole = environmentDetails({ ...facts, openTabs, rootEntries }, nothing) ?? '';
        assert.equal(whole.match(/<\/environment>/g)?.length, 1);
        assert.equal(whole.match(/^Todo list:$/gm)?.length, 1);
      }),
    );
  });

  it('what a block says is never said again, whatever the names', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, names), { maxLength: 5 }), (states) => {
        const blocks: (string | undefined)[] = [];
        for (const [visibleFiles, openTabs] of states) {
          const now = { ...facts, visibleFiles, openTabs };
          blocks.push(environmentDetails(now, seen(...blocks)));
          assert.equal(environmentDetails(now, seen(...blocks)), undefined);
        }
      }),
    );
  });
});
