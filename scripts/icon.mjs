// Draws assets/icon.png, the extension's icon, from assets/icon.svg: the same spindle, light on a dark plate.
// Run it by hand after a change of the drawing: node scripts/icon.mjs
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { debianPackages, findChromium } from './lib/debian.mjs';

const SIZE = 256;
const assets = join(dirname(import.meta.dirname), 'assets');

if (process.platform === 'linux') await debianPackages(['chromium']);
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<style>
    body { margin: 0; background: transparent; }
    div { box-sizing: border-box; width: ${SIZE}px; height: ${SIZE}px; padding: 28px; border-radius: 56px; color: #ffd9a0;
      background: linear-gradient(160deg, #37474f, #14222b); }
    svg { width: 100%; height: 100%; }
  </style><div>${readFileSync(join(assets, 'icon.svg'), 'utf8')}</div>`);
  await page.screenshot({ path: join(assets, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
