import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ModeOverview, ModeRow, RuleRow } from '../../src/shared/customModes.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import type { Note } from '../../src/shared/notes.ts';
import { Refusal, ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { themes, type ThemeName } from './webviewThemes.ts';

const docs: ModeConfig = {
  slug: 'docs-writer',
  name: 'Docs Writer',
  description: 'Write and mend the documentation',
  roleDefinition: 'You write.',
  groups: ['read', ['edit', { fileRegex: '\\.mdx?$', description: 'Markdown files only' }], 'command'],
};
const own = (mode: ModeConfig, more: Partial<ModeRow>): ModeRow => ({
  ...{ mode, source: 'project', state: 'used', path: '/work/shop/.lathe/modes.yaml', line: 3 },
  ...{ hash: `hash of ${mode.name}`, agreed: false },
  ...more,
});
const rules: RuleRow[] = [
  {
    origin: '.lathe/rules/tests.md',
    path: '/work/shop/.lathe/rules/tests.md',
    source: 'project',
    bytes: 700,
    on: true,
  },
  {
    ...{ origin: '.roo/rules-ask/a-rather-long-name-of-a-file.md', path: '/work/shop/.roo/rules-ask/a.md' },
    source: 'project',
    mode: 'ask',
    bytes: 9000,
    on: false,
  },
  {
    ...{ origin: 'AGENTS.md', path: '/work/shop/AGENTS.md', source: 'project', bytes: 40_000, on: true },
    problem: { key: 'rules.tooLong', args: { limit: 32_768 } },
  },
  { origin: 'rules/mine.md', path: '/home/lathe/rules/mine.md', source: 'global', bytes: 120, on: true },
];

/** An agent with modes of every kind, rules and commands. */

const notes: Note[] = [
  {
    id: 'n1',
    text: 'Tests need the database: docker compose up db\n\nIt takes a while; wait for "ready to accept connections" in its log before the first test.',
    outside: false,
  },
  { id: 'n2', text: 'The API of v2 wants a token.', outside: true },
];

function agentWithFiles(): { agent: ScriptedAgent; overview: ModeOverview } {
  const agent = new ScriptedAgent();
  const overview: ModeOverview = {
    modes: [
      ...builtInModes.map((mode): ModeRow => ({
        mode,
        source: 'builtIn',
        state: 'used',
        hash: mode.slug,
        agreed: false,
      })),
      own(docs, {}),
      own(
        { ...docs, slug: 'notes', name: 'Notes' },
        { source: 'global', path: '/home/lathe/modes.yaml', agreed: false },
      ),
      own(
        { ...docs, slug: 'code', name: 'Code of theirs' },
        { path: '/work/shop/.roomodes', line: 12, state: 'asks' },
      ),
    ],
    problems: [
      {
        path: '/work/shop/.kilocodemodes',
        line: 7,
        problem: { key: 'modes.problem.missing', args: { mode: 'tester', field: 'roleDefinition' } },
      },
    ],
    files: { global: '/home/lathe/modes.yaml', project: '/work/shop/.lathe/modes.yaml' },
  };
  agent.answers.set('mode/overview', () => overview);
  agent.answers.set('mode/list', () =>
    overview.modes.filter(({ state }) => state === 'used').map(({ mode }) => mode),
  );
  agent.answers.set('rule/list', () => rules);
  agent.answers.set('command/list', () => ({
    commands: [
      {
        name: 'review',
        description: 'Look at a change',
        argumentHint: '<path>',
        mode: 'ask',
        source: 'project',
        path: '/work/shop/.lathe/commands/review.md',
      },
      { name: 'release', source: 'global', path: '/home/lathe/commands/release.md' },
    ],
    problems: [],
  }));
  agent.answers.set('memory/list', () => ({ notes, file: '/home/lathe/memory/shop-1.md' }));
  agent.answers.set('mode/import', () => ({ slugs: ['new-one'], problems: [] }));
  agent.answers.set('mode/export', () => ({ name: 'notes.yaml', text: 'customModes: []\n' }));
  return { agent, overview };
}

describe('the screen of modes, rules and commands', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async function () {
    this.timeout(120_000);
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    const complaints = sidebar?.complaints ?? [];
    await sidebar?.close();
    sidebar = undefined;
    assert.deepEqual(complaints, []);
  });
  after(async () => {
    await harness.stop();
  });

  async function open(
    agent: ScriptedAgent,
    options?: Parameters<WebviewHarness['open']>[1],
  ): Promise<Sidebar> {
    sidebar = await harness.open(agent, options);
    await sidebar.byTest('mode-picker').click();
    await sidebar.frame.getByTestId('mode-picker-item').last().click();
    await sidebar.byTest('mode-row').first().waitFor();
    return sidebar;
  }
  const row = (opened: Sidebar, slug: string, state = 'used') =>
    opened.frame.locator(`[data-testid="mode-row"][data-mode="${slug}"][data-state="${state}"]`);
  async function act(opened: Sidebar, slug: string, id: string): Promise<void> {
    await row(opened, slug).getByTestId('mode-actions').click();
    await row(opened, slug).locator(`[data-value="${id}"]`).click();
  }

  it('lists every mode with its source and what it may do; what is wrong opens at its line', async () => {
    const { agent } = agentWithFiles();
    const opened = await open(agent);
    assert.deepEqual(
      await Promise.all(
        (await opened.byTest('mode-row').all()).map(async (one) => await one.getAttribute('data-mode')),
      ),
      [...builtInModes.map(({ slug }) => slug), 'docs-writer', 'notes', 'code'],
    );
    assert.equal(
      await row(opened, 'docs-writer').getByTestId('mode-may').textContent(),
      'reads, edits Markdown files only, runs commands',
    );
    assert.equal(
      await row(opened, 'orchestrator').getByTestId('mode-may').textContent(),
      'talks and hands over',
    );
    await opened.byTest('file-problem-place').click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: '/work/shop/.kilocodemodes', line: 7 });
    await act(opened, 'docs-writer', 'open');
    assert.deepEqual(await agent.called('editor/openFile', 2), {
      path: '/work/shop/.lathe/modes.yaml',
      line: 3,
    });
  });

  it('a mode that takes the place of another waits for a yes, given to exactly what is shown', async () => {
    const { agent } = agentWithFiles();
    const opened = await open(agent);
    await row(opened, 'code', 'asks').getByTestId('mode-agree').click();
    assert.deepEqual(await agent.called('mode/consent'), {
      slug: 'code',
      hash: 'hash of Code of theirs',
      agreed: true,
    });
  });

  it('writes a new mode: its slug from its name, what is missing is said, and the picker has it', async () => {
    const { agent, overview } = agentWithFiles();
    const opened = await open(agent);
    await opened.byTest('new-mode').click();
    await opened.byTest('mode-save').click();
    await opened.frame.getByText('A name is needed.').waitFor();
    await opened.byTest('mode-name').fill('Test Writer!');
    assert.equal(await opened.byTest('mode-slug').inputValue(), 'test-writer');
    await opened.byTest('mode-roleDefinition').fill('You write tests.');
    await opened.byTest('mode-group-edit').check();
    await opened.byTest('mode-fileRegex').fill('(');
    await opened.byTest('mode-save').click();
    await opened.frame.getByText('This is no regular expression.').waitFor();
    await opened.byTest('mode-fileRegex').fill('\\.test\\.ts$');
    const mode = {
      ...{ slug: 'test-writer', name: 'Test Writer!', roleDefinition: 'You write tests.' },
      groups: ['read', ['edit', { fileRegex: '\\.test\\.ts$' }]],
    } satisfies ModeConfig & { groups: unknown[] } as ModeConfig;
    agent.answers.set('mode/save', () => {
      overview.modes.push(own(mode, {}));
      return {};
    });
    await opened.byTest('mode-save').click();
    assert.deepEqual(await agent.called('mode/save'), { scope: 'project', mode });
    await row(opened, 'test-writer').waitFor();
    await opened.byTest('back').click();
    await opened.byTest('mode-picker').click();
    await opened.frame.locator('[data-testid="mode-picker-item"][data-value="test-writer"]').click();
    assert.deepEqual(await agent.called('mode/set'), { mode: 'test-writer' });
  });

  it('changes, copies, exports, imports and deletes', async () => {
    const { agent } = agentWithFiles();
    const opened = await open(agent);
    await act(opened, 'notes', 'edit');
    await opened.byTest('mode-description').fill('For notes');
    await opened.byTest('mode-save').click();
    assert.deepEqual(await agent.called('mode/save'), {
      scope: 'global',
      mode: { ...docs, slug: 'notes', name: 'Notes', description: 'For notes' },
      replaces: 'notes',
    });
    await act(opened, 'ask', 'duplicate');
    assert.equal(await opened.byTest('mode-slug').inputValue(), 'ask-2');
    await opened.byTest('back').click();
    await act(opened, 'notes', 'export');
    assert.deepEqual(await agent.called('editor/saveText'), {
      name: 'notes.yaml',
      text: 'customModes: []\n',
    });
    await opened.byTest('import-modes').click();
    const chosen = opened.page.waitForEvent('filechooser');
    await opened.frame.locator('[data-testid="import-modes-item"][data-value="global"]').click();
    await (
      await chosen
    ).setFiles({ name: 'm.yaml', mimeType: 'text/yaml', buffer: Buffer.from('customModes: []') });
    assert.deepEqual(await agent.called('mode/import'), { scope: 'global', text: 'customModes: []' });
    await opened.frame.getByText('Imported: new-one').waitFor();
    await act(opened, 'docs-writer', 'delete');
    await opened.byTest('mode-delete').click();
    assert.deepEqual(await agent.called('mode/delete'), { scope: 'project', slug: 'docs-writer' });
  });

  it('switches rules on and off, and opens rules and commands', async () => {
    const { agent } = agentWithFiles();
    const opened = await open(agent);
    await opened.byTest('tab-modes').press('ArrowRight');
    const first = opened.frame.locator('[data-testid="rule-row"][data-origin=".lathe/rules/tests.md"]');
    await first.getByTestId('rule-on').click();
    assert.deepEqual(await agent.called('rule/set'), { path: '/work/shop/.lathe/rules/tests.md', on: false });
    await first.getByRole('button').click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: '/work/shop/.lathe/rules/tests.md' });
    await opened.byTest('tab-commands').click();
    await opened.byTest('slash-command').first().getByRole('button').click();
    assert.deepEqual(await agent.called('editor/openFile', 2), {
      path: '/work/shop/.lathe/commands/review.md',
    });
  });

  it('shows the notes, adds, changes and deletes them, and puts one back', async () => {
    const { agent } = agentWithFiles();
    let kept: Note[] = [...notes];
    agent.answers.set('memory/list', () => ({ notes: kept, file: '/home/lathe/memory/shop-1.md' }));
    const opened = await open(agent);
    await opened.byTest('tab-notes').click();
    const rows = opened.byTest('note-row');
    await rows.nth(1).getByText('Written after content from outside was read').waitFor();
    await opened.byTest('note-file').click();
    assert.deepEqual(await agent.called('editor/openFile'), { path: '/home/lathe/memory/shop-1.md' });
    await opened.byTest('note-add').click();
    assert.equal(await opened.byTest('note-save').isDisabled(), true);
    await opened.byTest('note-text').fill('A new one');
    agent.answers.set('memory/save', () => {
      kept = [...kept, { id: 'n3', text: 'A new one', outside: false }];
      return { id: 'n3' };
    });
    await opened.byTest('note-text').press('Control+Enter');
    assert.deepEqual(await agent.called('memory/save'), { text: 'A new one' });
    await rows.nth(2).getByText('A new one').waitFor();
    await opened.byTest('note-form').waitFor({ state: 'detached' });
    // What cannot be saved stays in the form, and says why.
    agent.answers.set('memory/save', () => {
      throw new Refusal({
        code: 'invalid_params',
        message: {
          key: 'notes.error.twice',
          args: { detail: 'n3', note: 1000, notes: 100, characters: 8000 },
        },
      });
    });
    await rows.first().getByTestId('note-edit').click();
    await opened.byTest('note-text').fill('A new one');
    await opened.byTest('note-save').click();
    await opened.frame.getByText('There is such a note already.').waitFor();
    assert.deepEqual(await agent.called('memory/save', 2), { text: 'A new one', id: 'n1' });
    assert.equal(await opened.byTest('note-text').inputValue(), 'A new one');
    await opened.byTest('note-text').press('Escape');
    // Another window has changed them.
    kept = kept.slice(1);
    await agent.notify('memory/changed', {});
    await opened.frame.getByText('Tests need').waitFor({ state: 'detached' });
    agent.answers.set('memory/delete', () => {
      kept = kept.slice(1);
      return {};
    });
    agent.answers.set('memory/save', () => ({ id: 'n2' }));
    await rows.first().getByTestId('note-delete').click();
    assert.deepEqual(await agent.called('memory/delete'), { id: 'n2' });
    await opened.byTest('note-deleted').getByText('Deleted: The API of v2 wants a token.').waitFor();
    await opened.byTest('note-undo').click();
    assert.deepEqual(await agent.called('memory/save', 3), {
      text: '[outside] The API of v2 wants a token.',
    });
    await opened.byTest('note-deleted').waitFor({ state: 'detached' });
  });

  it('a command of a file is completed in the composer, and goes to the agent as it is written', async () => {
    const { agent } = agentWithFiles();
    sidebar = await harness.open(agent);
    await sidebar.byTest('composer').pressSequentially('/rev');
    await sidebar.frame.getByTestId('completion-option').filter({ hasText: '/review <path>' }).waitFor();
    await sidebar.page.keyboard.press('Enter');
    assert.equal(await sidebar.byTest('composer').inputValue(), '/review ');
    await sidebar.page.keyboard.type('src/cart.ts');
    await sidebar.page.keyboard.press('Enter');
    assert.deepEqual(await agent.called('task/create'), { text: '/review src/cart.ts', mode: 'code' });
  });

  for (const theme of Object.keys(themes) as ThemeName[])
    it(`${theme}: nothing for axe to find, nothing wider than the panel, in both languages`, async function () {
      this.timeout(120_000);
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const pictures = process.env.LATHE_TEST_PICTURES;
      for (const locale of ['en', 'zh-cn'] as const) {
        const { agent } = agentWithFiles();
        agent.locale = locale;
        const opened = await open(agent, { theme, width: 300, height: 900 });
        await opened.page.evaluate(axe);
        const look = async (name: string): Promise<void> => {
          const wide = await opened.page.evaluate('document.documentElement.scrollWidth');
          assert.ok(Number(wide) <= 300, `${name}: ${String(wide)} pixels`);
          const found: unknown = await opened.page.evaluate(
            `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
              .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`,
          );
          assert.deepEqual(found, [], name);
          if (pictures === undefined) return;
          mkdirSync(pictures, { recursive: true });
          await opened.page.screenshot({ path: join(pictures, `modes-${name}-${theme}-${locale}.png`) });
        };
        await look('list');
        await opened.byTest('mode-row').last().scrollIntoViewIfNeeded();
        await look('list-end');
        await opened.byTest('tab-rules').click();
        await opened.byTest('rule-row').first().waitFor();
        await look('rules');
        await opened.byTest('tab-commands').click();
        await opened.byTest('slash-command').first().waitFor();
        await look('commands');
        await opened.byTest('tab-notes').click();
        await opened.byTest('note-row').first().waitFor();
        await look('notes');
        await opened.byTest('note-edit').first().click();
        await opened.byTest('note-form').waitFor();
        await look('note-form');
        await opened.byTest('tab-modes').click();
        await act(opened, 'docs-writer', 'edit');
        await opened.byTest('mode-form').waitFor();
        await look('form');
        await opened.close();
        sidebar = undefined;
      }
    });
});
