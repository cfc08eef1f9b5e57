import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { CutLine } from '../support/CutLine.ts';
import { xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { ready, send, WebChatHarness } from './webChatHarness.ts';

/** Where pictures of all states go; none are taken without it. */
const pictures = process.env.LATHE_TEST_PICTURES;
const turns: Turn[] = [
  {
    text: `I read it first, then **write**.\n\n${xmlCall('read_file', { path: 'a.ts' })}`,
  },
  {
    text: `Like \`this\`:\n\n\`\`\`ts\nconst b = f('x') + 1; // so\n\`\`\`\n\n${xmlCall('write_to_file', {
      path: 'a.ts',
      content: "import { f } from './f.ts';\n\nexport const a = f('two') + 2;\n",
    })}`,
  },
  { text: xmlCall('execute_command', { command: 'ls -la && echo done' }) },
  { text: xmlCall('attempt_completion', { result: 'See [the page](https://example.com/) and `a.ts`.' }) },
];
const looks = [
  { name: 'light', media: { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' } },
  { name: 'dark', media: { colorScheme: 'dark', contrast: 'no-preference', forcedColors: 'none' } },
  { name: 'light-contrast', media: { colorScheme: 'light', contrast: 'more', forcedColors: 'none' } },
  { name: 'dark-contrast', media: { colorScheme: 'dark', contrast: 'more', forcedColors: 'none' } },
  { name: 'forced', media: { colorScheme: 'dark', contrast: 'more', forcedColors: 'active' } },
] as const;

describe('the web chat can be read and reached by everyone', function () {
  this.timeout(300_000);
  let harness: WebChatHarness;
  let axe: string;
  const wrong: string[] = [];

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    harness = await WebChatHarness.start();
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  after(async () => {
    await harness.stop();
  });

  async function violations(page: Page, run: object): Promise<string[]> {
    return await page.evaluate<string[]>(
      `axe.run(${JSON.stringify(run)}).then(({ violations }) => violations.map(({ id, nodes }) =>
        id + ': ' + nodes.map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? '')).join(' | ')))`,
    );
  }

  /** The state that is shown, in every look, narrow and wide. */
  async function look(page: Page, state: string): Promise<void> {
    if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
    const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
    const add = (where: string, found: string[]): void =>
      void wrong.push(...found.map((one) => `${state}, ${where}: ${one}`));
    for (const width of [300, 1200]) {
      await page.setViewportSize({ width, height: 760 });
      add(`${width}`, await violations(page, { runOnly: rules }));
      const broad = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (broad > width) add(`${width}`, [`it is ${broad} pixels wide`]);
      for (const { name, media } of looks) {
        await page.emulateMedia(media);
        // The system's own colours are the person's.
        if (name !== 'forced')
          add(
            `${width} ${name}`,
            await violations(page, { runOnly: { type: 'rule', values: ['color-contrast'] } }),
          );
        else add(`${width} forced`, await unseen(page));
        if (pictures !== undefined)
          await page.screenshot({ path: join(pictures, `${state}-${width}-${name}.png`) });
      }
      await page.emulateMedia(looks[0].media);
    }
  }

  it('axe finds nothing in any state, light, dark, of high contrast and in forced colours, at 300 pixels and wide', async () => {
    const chat = await harness.serve(turns, {
      token: 't',
      files: { 'a.ts': 'export const a = 1;\n' },
    });
    const line = await CutLine.to(chat.server.url);
    try {
      const page = await chat.tab({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(line.url);
      await page.getByTestId('token').fill('no');
      await page.getByTestId('token').press('Enter');
      await page.getByTestId('token-wrong').waitFor();
      await look(page, 'token');
      await page.getByTestId('token').fill('t');
      await page.getByTestId('token').press('Enter');
      await ready(page);
      await page.getByTestId('empty').waitFor();
      await look(page, 'empty');
      await send(page, 'Make it two');
      await page.getByTestId('approval').waitFor();
      await page.locator('[data-testid="approve"]:not([aria-disabled="true"])').waitFor();
      await look(page, 'diff');
      await page.getByTestId('change').click();
      await page.locator('[data-testid="change-approve"]:not([aria-disabled="true"])').waitFor();
      await page.getByTestId('change-text').pressSequentially('// mine\n');
      await look(page, 'change');
      await page.getByTestId('change-text').press('Escape');
      line.cut();
      await page.getByTestId('disconnected').waitFor();
      await look(page, 'disconnected');
      line.mend();
      await page.getByTestId('disconnected').waitFor({ state: 'detached' });
      // Somebody else answers, and what was written of it here is given back.
      const { tests } = chat.server;
      const { taskId, id: approvalId } = tests.entries('approval_requested')[0]!.request;
      const decision = { outcome: 'allow', by: 'person' } as const;
      await tests.agent.dispatcher.call('approval/respond', { taskId, approvalId, decision });
      await page.locator('[data-testid="approval"][data-tool="execute_command"]').waitFor();
      await page.locator('[data-testid="approve"]:not([aria-disabled="true"])').waitFor();
      await page.getByTestId('unused-change').locator('summary').click();
      await look(page, 'unused');
      await page.getByTestId('dismiss-unused').click();
      await page.getByTestId('unused-change').waitFor({ state: 'detached' });
      await look(page, 'command');
      await page.getByTestId('approve').click();
      await page.getByText('See the page').waitFor();
      await look(page, 'done');
      await page.getByTestId('web-history').click();
      await page.getByTestId('history-item').first().waitFor();
      await look(page, 'history');
      await page.getByTestId('web-mcp').click();
      await page.getByTestId('mcp').waitFor();
      await look(page, 'mcp');
      await page.getByTestId('web-settings').click();
      await page.getByTestId('settings').waitFor();
      await look(page, 'settings');
      await page.getByTestId('add-profile').click();
      await page.getByTestId('profile-model').waitFor();
      await look(page, 'model');
      await page.getByTestId('web-settings').click();
      await page.getByTestId('web-settings').click();
      await page.getByTestId('open-about').click();
      await page.getByTestId('facts').waitFor();
      await look(page, 'about');
      assert.deepEqual(wrong, []);
    } finally {
      await line.stop();
      await chat.stop();
    }
  });
});

/** Words in the colour of the ground that the system draws behind them. */
async function unseen(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const ground = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll('button, a, label, p, h1, h2, li, summary')]
      .filter((element) => element.getClientRects().length > 0 && element.innerText.trim() !== '' &&
        getComputedStyle(element).color === ground)
      .map((element) => 'unseen: ' + element.outerHTML.slice(0, 160));
  })()`);
}
