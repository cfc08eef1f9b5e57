import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fact } from '../../src/shared/events.ts';
import { answered, Refusal, ScriptedAgent, started, text } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import type { ThemeName } from './webviewThemes.ts';

/** Where pictures of the composer go when they are asked for. */
const PICTURES = process.env.LATHE_TEST_PICTURES;

describe('the composer in a browser', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async () => {
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    await sidebar?.close();
    sidebar = undefined;
  });
  after(async () => {
    await harness.stop();
  });

  async function open(
    agent: ScriptedAgent,
    options?: Parameters<WebviewHarness['open']>[1],
  ): Promise<Pick<Sidebar, 'page' | 'byTest'>> {
    sidebar = await harness.open(agent, options);
    return { page: sidebar.page, byTest: (id) => (sidebar as Sidebar).byTest(id) };
  }

  /** A workspace with something of every kind to mention. */
  function full(): ScriptedAgent {
    const agent = new ScriptedAgent();
    agent.mentionable = {
      problems: { count: 4, files: 2 },
      terminal: 'zsh',
      git: {
        changed: 3,
        commits: [
          { hash: 'abcdefabcdef0123456789', subject: 'Count quantities in the total' },
          { hash: '1234567890abcdef', subject: 'Begin' },
        ],
      },
    };
    agent.symbols = [
      { name: 'cartTotal', container: 'Cart', path: 'src/cart.ts', line: 12, kind: 'method' },
      { name: 'cart of (x)', container: '', path: 'src/cart.ts', line: 30, kind: 'other' },
    ];
    agent.inView = { file: 'src/cart.ts', lines: { first: 3, last: 9 } };
    agent.commands = [
      {
        name: 'ship',
        description: 'Test, tag and push',
        argumentHint: '<version>',
        source: 'project',
        path: '/work/shop/.lathe/commands/ship.md',
      },
    ];
    return agent;
  }

  /** Groups of the list, each with its options. */
  async function list({ page, byTest }: Pick<Sidebar, 'page' | 'byTest'>): Promise<Record<string, string[]>> {
    await byTest('completions').waitFor();
    return await page.evaluate<Record<string, string[]>>(
      `Object.fromEntries([...document.querySelectorAll('[data-testid=completions] [role=group]')].map((group) => [
        group.firstChild.textContent,
        [...group.querySelectorAll('[role=option]')].map((option) =>
          [...option.children].map((part) => part.textContent).filter(Boolean).join(' | '))]))`,
    );
  }

  async function value({ byTest }: Pick<Sidebar, 'byTest'>): Promise<string> {
    return await byTest('composer').inputValue();
  }

  async function chips({ byTest }: Pick<Sidebar, 'byTest'>): Promise<(string | null)[]> {
    return await byTest('chip').evaluateAll((all) =>
      all.map((one) => (one as unknown as { title: string }).title),
    );
  }

  it('offers what can be mentioned in groups, and ranks it by what is typed', async () => {
    const agent = full();
    const opened = await open(agent);
    await opened.byTest('composer').focus();
    await opened.page.keyboard.type('@');
    await until(async () => Object.values(await list(opened)).flat().length === 11);
    assert.deepEqual(await list(opened), {
      Context: ['Problems | 4 problems in 2 files', 'Terminal | zsh', 'Uncommitted changes | 3 files'],
      Web: ['Web page | type its address'],
      'Files and folders': [
        'src/cart.ts:3-9',
        'src/cart.ts',
        'src/features/checkout/components/cart/CartTotalWithDiscounts.ts',
        'src',
        'my files/a.ts',
      ],
      Commits: ['Count quantities in the total | abcdefa', 'Begin | 1234567'],
    });
    await opened.page.keyboard.type('cart');
    await until(async () => Object.keys(await list(opened)).includes('Definitions'));
    assert.deepEqual(await list(opened), {
      'Files and folders': ['src/cart.ts', 'src/features/checkout/components/cart/CartTotalWithDiscounts.ts'],
      Definitions: ['Cart.cartTotal | src/cart.ts:12', 'cart of (x) | src/cart.ts:30'],
    });
    assert.equal(await opened.byTest('composer').getAttribute('aria-activedescendant'), 'completions-0');
    for (let press = 0; press < 2; press++) await opened.page.keyboard.press('ArrowDown');
    assert.equal(await opened.byTest('composer').getAttribute('aria-activedescendant'), 'completions-2');
    await opened.page.keyboard.press('Tab');
    assert.equal(await value(opened), '@src/cart.ts#Cart.cartTotal ');
    for (const [letters, mention] of [
      ['quant', '@abcdefabcdef0 '],
      ['unco', '@git-changes '],
      ['prob', '@problems '],
      ['term', '@terminal '],
      ['src', '@src/cart.ts '],
      ['my', '@"my files/a.ts" '],
    ] as const) {
      await opened.byTest('composer').fill('');
      await opened.page.keyboard.type(`看@${letters}`);
      await opened.byTest('completion-option').first().waitFor();
      await until(async () => (await list(opened), true));
      await opened.page.keyboard.press('Enter');
      assert.equal(await value(opened), `看${mention}`);
    }
    await opened.byTest('composer').fill('');
    await opened.page.keyboard.type('@web');
    await opened.byTest('completion-option').getByText('Web page').waitFor();
    await opened.page.keyboard.press('Enter');
    await opened.page.keyboard.type('example.org/x');
    await opened.byTest('completion-option').getByText('Fetch this page as text').waitFor();
    await opened.page.keyboard.press('Enter');
    assert.equal(await value(opened), '@https://example.org/x ');
    assert.deepEqual(agent.of('task/create'), []);
  });

  it('offers the commands of files beside its own, and sends the one that is picked', async () => {
    const agent = full();
    const opened = await open(agent);
    await opened.byTest('composer').focus();
    await opened.page.keyboard.type('/s');
    await opened.byTest('completion-option').getByText('/ship <version>').waitFor();
    assert.deepEqual(Object.keys(await list(opened)), ['Lathe', 'Commands from files', 'Modes']);
    await opened.page.keyboard.type('hip');
    await opened.page.keyboard.press('Enter');
    assert.equal(await value(opened), '/ship ');
    await opened.page.keyboard.type('1.2');
    await opened.page.keyboard.press('Enter');
    assert.equal((await agent.called('task/create')).text, '/ship 1.2');
  });

  it('shows what goes with the message, to take away again; adds what is in view', async () => {
    const agent = full();
    const opened = await open(agent);
    await opened
      .byTest('composer')
      .fill('Mend @src/a/very/long/folder/name/of/a/file.ts:3 and @problems, thanks @jane');
    assert.deepEqual(await chips(opened), ['src/a/very/long/folder/name/of/a/file.ts:3', 'problems']);
    await opened.page
      .getByRole('button', { name: 'Remove src/a/very/long/folder/name/of/a/file.ts:3' })
      .click();
    assert.equal(await value(opened), 'Mend and @problems, thanks @jane');
    await opened.byTest('add-in-view').click();
    assert.equal(await value(opened), 'Mend and @problems, thanks @jane @src/cart.ts:3-9 ');
    assert.equal(await opened.byTest('add-in-view').count(), 0);
    await agent.notify('editor/inView', { file: 'src/other.ts' });
    await opened.page.getByRole('button', { name: 'Add src/other.ts to the message' }).waitFor();
  });

  it('takes dropped texts and pictures, refuses what is neither, and keeps them over a reload', async () => {
    const agent = new ScriptedAgent();
    const opened = await open(agent);
    await opened.byTest('composer').focus();
    const drop = async (name: string, type: string, bytes: number[]): Promise<void> => {
      await opened.page.evaluate(`{
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], '${name}', { type: '${type}' }));
        document.querySelector('[data-testid=composer]').dispatchEvent(
          new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }`);
    };
    await drop('a.bin', '', [1, 0, 2]);
    await opened.byTest('error').getByText('a.bin was not attached: it is neither').waitFor();
    await drop('notes.txt', 'text/plain', [104, 105]);
    await opened.byTest('chip').waitFor();
    await drop('a.png', 'image/png', [1, 2, 3]);
    await opened.byTest('thumbnail').waitFor();
    await opened.page.reload();
    await opened.byTest('thumbnail').waitFor();
    assert.deepEqual(await chips(opened), ['notes.txt']);
    await opened.byTest('send').click();
    assert.deepEqual(await agent.called('task/create'), {
      text: '',
      mode: 'code',
      images: [{ mediaType: 'image/png', data: 'AQID' }],
      attachments: [{ name: 'notes.txt', text: 'hi' }],
    });
    await until(async () => (await opened.byTest('chip').count()) === 0);
  });

  it('has the draft rewritten: with a sign, a way to cancel, and a way back', async () => {
    const agent = new ScriptedAgent();
    let answer: (value: unknown) => void = () => undefined;
    agent.answers.set('text/write', () => new Promise((resolve) => (answer = resolve)));
    const opened = await open(agent);
    const state = async (): Promise<string | null> =>
      await opened.byTest('improvement').getAttribute('data-state');
    assert.equal(await opened.byTest('improve').isDisabled(), true);
    await opened.byTest('composer').fill('fix it');
    await opened.byTest('improve').click();
    const { id, ...asked } = await agent.called('text/write');
    assert.deepEqual(asked, { purpose: 'better_prompt', text: 'fix it' });
    assert.equal(await state(), 'working');
    await opened.byTest('cancel-improvement').click();
    assert.deepEqual(await agent.called('text/cancel'), { id });
    answer({ text: 'too late' });
    await opened.byTest('improve').click();
    await agent.called('text/write', 2);
    answer({ text: 'Fix the total in @src/cart.ts.' });
    await until(async () => (await state()) === 'done');
    assert.equal(await value(opened), 'Fix the total in @src/cart.ts.');
    await opened.byTest('undo-improvement').click();
    assert.equal(await value(opened), 'fix it');
    assert.equal(await state(), 'none');
    await opened.byTest('improve').click();
    await agent.called('text/write', 3);
    await opened.byTest('composer').fill('fix it, and the tests');
    answer({ text: 'Other words' });
    await until(async () => (await state()) === 'kept');
    assert.equal(await value(opened), 'fix it, and the tests');
    agent.answers.set('text/write', () => {
      throw new Refusal({ code: 'unavailable', message: { key: 'error.textEmpty' } });
    });
    await opened.byTest('improve').click();
    await opened.byTest('error').waitFor();
    assert.deepEqual([await value(opened), await state()], ['fix it, and the tests', 'none']);
  });

  it('recalls what was sent before what is loaded', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    const steps: Fact[] = [started('task-1')];
    for (let index = 0; index < 60; index++)
      steps.push(
        { type: 'user_message', text: `Question ${index}` },
        ...answered(`r${index}`, [text('Long words. '.repeat(4000))]),
      );
    steps.push({ type: 'task_finished', reason: 'answered' });
    await agent.say('task-1', ...steps);
    const opened = await open(agent);
    await opened.byTest('task-line').waitFor();
    const pages = agent.of('task/page').length;
    await opened.byTest('composer').focus();
    for (let index = 59; index >= 0; index--) {
      await opened.page.keyboard.press('ArrowUp');
      await until(async () => (await value(opened)) === `Question ${index}`);
    }
    assert.ok(agent.of('task/page').length > pages);
    await opened.page.keyboard.press('ArrowUp');
    await opened.page.keyboard.type('!');
    assert.equal(await value(opened), 'Question 0!');
  });

  it('shows what went with a message, and what could not', async () => {
    const agent = new ScriptedAgent();
    agent.taskId = 'task-1';
    await agent.say(
      'task-1',
      started('task-1'),
      {
        type: 'user_message',
        text: 'See @src/cart.ts and @gone.ts',
        attachments: [{ name: 'notes.txt', text: 'hi' }],
      },
      {
        type: 'mentions_read',
        of: 2,
        mentions: [
          { mention: '@src/cart.ts', kind: 'file', outcome: 'part', content: [] },
          {
            mention: '@gone.ts',
            kind: 'file',
            outcome: 'failed',
            content: [],
            problem: { key: 'mention.missing', args: { mention: '@gone.ts' } },
          },
        ],
      },
      ...answered('r1', [text('Yes.')]),
      { type: 'task_finished', reason: 'answered' },
    );
    const opened = await open(agent);
    const sent = opened.byTest('sent-context');
    await sent.waitFor();
    assert.deepEqual(
      await sent
        .locator('li')
        .evaluateAll((all) => all.map((one) => (one as unknown as { title: string }).title)),
      [
        'src/cart.ts: a part of it was sent',
        '@gone.ts: there is no such file or folder here, so only the words were sent.',
        'notes.txt',
      ],
    );
  });

  for (const theme of [
    'light',
    'dark',
    'high-contrast',
    'high-contrast-light',
  ] as const satisfies readonly ThemeName[])
    it(`has no violation that axe finds, at 300 pixels (${theme})`, async () => {
      const agent = full();
      const opened = await open(agent, { theme, width: 300, height: 640 });
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const check = async (name: string): Promise<void> => {
        if (PICTURES !== undefined) {
          mkdirSync(PICTURES, { recursive: true });
          await opened.page.screenshot({ path: join(PICTURES, `composer-${name}-${theme}.png`) });
        }
        await opened.page.evaluate(axe);
        const found = await opened.page.evaluate(
          `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
        );
        assert.deepEqual(found, [], name);
      };
      await opened.byTest('composer').focus();
      await opened.page.keyboard.type('@');
      await until(async () => Object.values(await list(opened)).flat().length === 11);
      await check('picker');
      await opened.byTest('composer').fill('@car');
      await until(async () => Object.keys(await list(opened)).includes('Definitions'));
      await check('ranked');
      await opened.byTest('composer').fill('/');
      await opened.byTest('completion-option').getByText('/ship').waitFor();
      await check('commands');
      agent.answers.set('text/write', () => new Promise(() => undefined));
      await opened
        .byTest('composer')
        .fill(
          'Mend @src/features/checkout/components/cart/CartTotalWithDiscounts.ts and @problems in @git-changes ',
        );
      await opened.byTest('improve').click();
      await opened.byTest('cancel-improvement').waitFor();
      await check('chips');
    });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (await holds()) return;
    await delay(25);
  }
  assert.fail('it never came to be');
}
