// Takes a picture of each scene: npx tsx test/frontends/gallery.ts <folder>
//   --longer: with sentences two fifths longer  --forced: with forced colours
//   --scene=a,b  --theme=dark,light  --width=300,900  --language=en,zh-cn  --font=<a font that has Chinese>
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { locales } from '../../src/shared/strings.ts';
import { ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness } from './webviewHarness.ts';
import { scenes } from './webviewScenes.ts';
import { themes, type ThemeName } from './webviewThemes.ts';

const option = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scene: option,
    theme: option,
    width: option,
    language: option,
    font: option,
    longer: flag,
    forced: flag,
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Say into which folder the pictures go.');
mkdirSync(folder, { recursive: true });

const chosen = <T extends string>(all: readonly T[], wanted: string | undefined): readonly T[] =>
  wanted === undefined ? all : all.filter((one) => wanted.split(',').includes(one));
const widths = (values.width ?? '300,900').split(',').map(Number);
const font = values.font === undefined ? undefined : readFileSync(values.font).toString('base64');

const harness = await WebviewHarness.start({ longer: values.longer });
try {
  for (const theme of chosen(Object.keys(themes) as ThemeName[], values.theme))
    for (const locale of chosen(locales, values.language))
      for (const width of widths)
        for (const scene of scenes.filter(({ name }) => values.scene?.split(',').includes(name) ?? true)) {
          const agent = new ScriptedAgent();
          agent.locale = locale;
          await scene.prepare(agent);
          const sidebar = await harness.open(agent, {
            theme,
            width,
            height: 720,
            forcedColors: values.forced,
          });
          if (font !== undefined) await sidebar.useFont(font);
          // What waits for a person takes no click in its first moments.
          await sidebar.page.waitForTimeout(400);
          await scene.act?.(sidebar);
          await sidebar.page.waitForTimeout(200);
          const name = `${scene.name}-${theme}-${width}-${locale}`;
          await sidebar.page.screenshot({ path: join(folder, `${name}.png`) });
          const overflow = await sidebar.page.evaluate('document.documentElement.scrollWidth > innerWidth');
          if (overflow === true) console.log(`${name}: wider than the panel`);
          for (const complaint of sidebar.complaints) console.log(`${name}: ${complaint}`);
          await sidebar.close();
        }
} finally {
  await harness.stop();
}
