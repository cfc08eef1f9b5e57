// `npm run gallery`: takes the pictures of docs/gallery/ and writes docs/gallery.md, with the package that `npm run package` made.
// A real VS Code opens the sample of `npm start`, once for each look: a theme, a width and a language. A person's way through the
// sidebar is walked in each, with a model that is played by a script; each picture shows one state in all looks, side by side.
// --all=<folder> takes every theme × width × language instead, a picture each, and leaves docs/ alone; --theme=, --width= and
// --language= (each a list with commas) choose among those.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { REPOSITORY, VsCode } from '../test/e2e/support/VsCode.ts';
import { ScriptedModel } from '../test/support/ScriptedModel.ts';
import { prepareWorkspace, stateNames, states, visit, type State } from './lib/galleryStates.ts';
import { debianPackages, findChromium } from './lib/debian.mjs';

const FOLDER = join(REPOSITORY, 'docs', 'gallery');
const HEIGHT = 760;

interface Look {
  theme: string;
  width: number;
  language: 'en' | 'zh-cn';
}

const themes = [
  'Dark Modern',
  'Light Modern',
  'Default High Contrast',
  'Default High Contrast Light',
] as const;
/** What docs/ shows: each theme once, both widths, both languages. */
const committed: readonly Look[] = [
  { theme: 'Dark Modern', width: 300, language: 'en' },
  { theme: 'Light Modern', width: 300, language: 'zh-cn' },
  { theme: 'Default High Contrast', width: 480, language: 'en' },
  { theme: 'Default High Contrast Light', width: 480, language: 'zh-cn' },
];

const option = { type: 'string' } as const;
const { values } = parseArgs({
  options: { all: option, theme: option, width: option, language: option },
});

function allLooks(): Look[] {
  const wanted = <T>(all: readonly T[], list: string | undefined): readonly T[] =>
    list === undefined ? all : all.filter((one) => list.split(',').includes(String(one)));
  return wanted(themes, values.theme).flatMap((theme) =>
    wanted([300, 620], values.width).flatMap((width) =>
      wanted(['en', 'zh-cn'] as const, values.language).map((language) => ({ theme, width, language })),
    ),
  );
}

/** Of one look: state → a picture of the sidebar, PNG in base64. */
type Pictures = Map<State, string>;

if (process.platform === 'linux') await debianPackages(['chromium', 'fonts-noto-cjk']);
if (values.all === undefined) await takeCommitted();
else await takeAll(values.all);

/** The pictures of docs/, and the page that shows them. */
async function takeCommitted(): Promise<void> {
  const taken: [Look, Pictures][] = [];
  for (const look of committed) taken.push([look, await walked(look)]);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await putTogether(taken);
  writeFileSync(join(REPOSITORY, 'docs', 'gallery.md'), page());
  const bytes = readdirSync(FOLDER).reduce((sum, name) => sum + statSync(join(FOLDER, name)).size, 0);
  process.stdout.write(`${FOLDER}: ${stateNames.length} pictures, ${Math.round(bytes / 1000)} KB\n`);
}

/** A picture of every state in every look. */
async function takeAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const look of allLooks()) {
    const pictures = await walked(look);
    const { theme, width, language } = look;
    for (const [state, picture] of pictures) {
      const name = [state, theme.replaceAll(' ', '-').toLowerCase(), width, language].join('.');
      writeFileSync(join(folder, `${name}.png`), picture, 'base64');
    }
  }
}

async function walked(look: Look): Promise<Pictures> {
  process.stdout.write(`${look.theme}, ${look.width} px, ${look.language}\n`);
  return await walk(look);
}

/** A person's way from the first start to a finished task. */
async function walk({ theme, width, language }: Look): Promise<Pictures> {
  const pictures: Pictures = new Map();
  const temporary = mkdtempSync(join(tmpdir(), 'lathe-gallery-'));
  // The folder's name stands in the pictures.
  const workspace = join(temporary, 'expenses');
  const home = join(temporary, 'home');
  cpSync(join(REPOSITORY, 'scripts', 'sample'), workspace, { recursive: true });
  prepareWorkspace(workspace, home);
  const model = await ScriptedModel.start([]);
  try {
    const code = await VsCode.start({
      workspace,
      // A spinner would leave a piece of itself in the output.
      env: { LATHE_HOME: home, npm_config_progress: 'false' },
      size: { width: Math.max(1100, width + 500), height: HEIGHT },
      settings: {
        'workbench.colorTheme': theme,
        'lathe.language': language,
        'remote.autoForwardPorts': false,
      },
    });
    try {
      const view = await code.openSidebar();
      await code.setSidebarWidth(width);
      const take = async (state: State): Promise<void> => {
        // What waits for a person takes no click in its first moments, and is drawn quietly until then.
        await code.page.waitForTimeout(700);
        const box = await code.page.locator('.part.sidebar').boundingBox();
        if (!box) throw new Error('The sidebar is not shown');
        pictures.set(state, (await code.page.screenshot({ clip: box })).toString('base64'));
      };
      await visit({ code, view, model, take, workspace }).catch(async (error: unknown) => {
        process.stderr.write(`${await code.screenshot('gallery')}\n`);
        throw error;
      });
    } finally {
      await code.stop();
    }
  } finally {
    await model.stop();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
  return pictures;
}

/** One picture a state, the looks beside each other. */
async function putTogether(all: readonly [Look, Pictures][]): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['LATHE_TEST_CHROMIUM'] ?? findChromium() ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const sheet = await browser.newPage();
    for (const state of stateNames) {
      const images = all.map(
        ([, pictures]) => `<img src="data:image/png;base64,${pictures.get(state) ?? ''}">`,
      );
      await sheet.setContent(
        `<body style="margin:0"><div style="display:inline-flex;gap:12px;align-items:start">${images.join('')}</div>`,
      );
      await sheet.locator('div').screenshot({ path: join(FOLDER, `${state}.png`) });
    }
  } finally {
    await browser.close();
  }
}

function page(): string {
  const pictures = Object.entries(states).map(
    ([state, words]) =>
      `## ${words.replace(/[.:].*$/, '')}\n\n${words}\n\n![${words}](gallery/${state}.png)\n`,
  );
  const shown = committed.map(({ theme, width, language }) => `${theme} at ${width} pixels (${language})`);
  return [
    '# The sidebar in pictures\n',
    `Each state in ${shown.join(', ')}. Taken in a real VS Code by \`npm run gallery\`, which also wrote this page.\n`,
    ...pictures,
  ].join('\n');
}
