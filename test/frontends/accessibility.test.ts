import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ARMING_TIME } from '../../webview-ui/src/answerKinds.ts';
import { ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { scenes } from './webviewScenes.ts';
import { themes, type ThemeName } from './webviewThemes.ts';

const WIDTH = 300;
const otherThemes = (Object.keys(themes) as ThemeName[]).filter((theme) => theme !== 'dark');
type Options = Parameters<WebviewHarness['open']>[1];

/** What cannot be read, reached or seen of each scene; nothing is the right answer. */
describe('every state of the sidebar can be read and reached by everyone', function () {
  this.timeout(420_000);
  let axe: string;
  let plain: WebviewHarness;
  let longer: WebviewHarness;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    plain = await WebviewHarness.start();
    longer = await WebviewHarness.start({ longer: true });
  });
  after(async () => {
    await plain.stop();
    await longer.stop();
  });

  /** Shows each scene and gives what is found wrong in it. */
  async function look(
    harness: WebviewHarness,
    options: Options,
    find: (sidebar: Sidebar) => Promise<unknown[]>,
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const { name, prepare, act } of scenes) {
      const agent = new ScriptedAgent();
      await prepare(agent);
      const sidebar = await harness.open(agent, { width: WIDTH, ...options });
      try {
        await sidebar.page.waitForTimeout(ARMING_TIME);
        await act?.(sidebar);
        const wrong = [...(await find(sidebar)), ...sidebar.complaints];
        if (wrong.length > 0) found.push({ name, wrong });
      } finally {
        await sidebar.close();
      }
    }
    return found;
  }

  async function violations({ page }: Sidebar, run: object): Promise<string[]> {
    return await page.evaluate<string[]>(
      `axe.run(${JSON.stringify(run)}).then(({ violations }) => violations.map(({ id, nodes }) =>
        id + ': ' + nodes.map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? '')).join(' | ')))`,
    );
  }

  it('axe finds nothing in it, in any theme and language; forced colours and reduced motion leave nothing behind', async () => {
    const found = await look(plain, { theme: 'dark' }, async (sidebar) => {
      const { page, agent } = sidebar;
      await page.evaluate(axe);
      const wrong = await violations(sidebar, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
      });
      await agent.notify('editor/locale', { locale: 'zh-cn' });
      // Structure is the same in every theme; what differs is contrast.
      for (const theme of otherThemes) {
        await sidebar.useTheme(theme);
        const seen = await violations(sidebar, { runOnly: { type: 'rule', values: ['color-contrast'] } });
        wrong.push(...seen.map((one) => `${theme}: ${one}`));
      }
      await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
      wrong.push(...(await unseen(sidebar)), ...(await moving(sidebar)));
      return wrong;
    });
    assert.deepEqual(found, []);
  });

  it('its layout holds with sentences two fifths longer, at the narrowest', async () => {
    assert.deepEqual(await look(longer, {}, beyondThePanel), []);
  });
});

/** A colour of the page's own is gone where colours are forced: a border, words or an icon must be left of whatever can be used. */
async function unseen({ page }: Sidebar): Promise<string[]> {
  return await page.evaluate<
    string[]
  >(`[...document.querySelectorAll('button, input, select')].filter((element) => {
    const { appearance, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
    // What the browser itself draws, it draws in forced colours too.
    if (['radio', 'checkbox'].includes(element.type) && appearance !== 'none') return false;
    const bordered = borderTopStyle !== 'none' && borderTopColor !== backgroundColor;
    return element.getClientRects().length > 0 && !bordered && element.innerText?.trim() === '' &&
      element.querySelector('.codicon') === null;
  }).map((element) => 'forced colours: ' + element.outerHTML.slice(0, 160))`);
}

/** What moves though it should not. */
async function moving({ page }: Sidebar): Promise<string[]> {
  return await page.evaluate<string[]>(`document.getAnimations().filter(({ effect, playState }) =>
    playState === 'running' && effect.getComputedTiming().activeDuration > 0)
    .map(({ animationName }) => 'moves: ' + animationName)`);
}

/** What sticks out at the side, where nothing scrolls: nobody can read it. */
async function beyondThePanel({ page }: Sidebar): Promise<unknown[]> {
  return await page.evaluate<unknown[]>(`(() => {
    const found = [];
    const width = document.documentElement.scrollWidth;
    if (width !== ${WIDTH}) found.push('the page is ' + width + ' pixels wide');
    const clipped = (element) => {
      for (let parent = element.parentElement; parent; parent = parent.parentElement)
        if (getComputedStyle(parent).overflowX !== 'visible' && parent !== document.body) return true;
      return false;
    };
    for (const element of document.querySelectorAll('#root *')) {
      const { left, right, width } = element.getBoundingClientRect();
      if (width > 1 && (right > ${WIDTH} + 0.5 || left < -0.5) && !clipped(element))
        found.push(Math.round(left) + '–' + Math.round(right) + ': ' + element.outerHTML.slice(0, 160));
    }
    for (const button of document.querySelectorAll('.button, .icon-button'))
      if (button.scrollWidth > button.clientWidth + 1) found.push('cut: ' + button.outerHTML.slice(0, 160));
    return found;
  })()`);
}
