// `npm run gallery`: takes the pictures of docs/gallery/ and writes docs/gallery.md, with the package that `npm run package` made.
// A real VS Code opens the sample of `npm start`, once for each look: a theme, a width and a language. A person's way through the
// sidebar is walked in each, with a model that is played by a script; each picture shows one state in all looks, side by side.
// --all=<folder> takes every theme × width × language instead, a picture each, and leaves docs/ alone; --theme=, --width= and
// --language= (each a list with commas) choose among those.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type FrameLocator } from 'playwright-core';
import { REPOSITORY, VsCode } from '../test/e2e/support/VsCode.ts';
import { ScriptedModel, type Reply } from '../test/support/ScriptedModel.ts';
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

const states = {
  'first-start': 'The first start: what was found, a key, or the tour.',
  'profile-form': 'A model is added.',
  empty: 'Before a task.',
  mentions: 'A file is mentioned.',
  commands: 'What a slash offers.',
  running: 'The model answers; what it read is folded into a line.',
  'approve-command': 'A command waits for a yes.',
  'approve-edit': 'An edit waits for a yes; it is open in the editor too.',
  question: 'The model asks.',
  error: 'A request failed: what happened, and the way out.',
  finished: 'The task is done.',
  'task-line': 'The task unfolds: what was asked, what it took, and what can be done with it.',
  history: 'The tasks of this workspace.',
  settings: 'Settings: models, and what goes without asking.',
  rules: 'What is always allowed and denied, and the verdict on a command.',
  about: 'About Lathe.',
} as const;
type State = keyof typeof states;
const stateNames = Object.keys(states) as State[];

/** Of one look: state → a picture of the sidebar, PNG in base64. */
type Pictures = Map<State, string>;

const call = (text: string, name: string, args: Record<string, unknown>): Reply => ({
  text,
  calls: [{ name, arguments: args }],
});
const diff = [
  '<<<<<<< SEARCH',
  '    .sort((a, b) => a.total - b.total);',
  '=======',
  '    .sort((a, b) => b.total - a.total);',
  '>>>>>>> REPLACE',
].join('\n');
const follow_up = [{ text: 'Yes, most expensive first' }, { text: 'No, by name' }];
const slow = 'The totals are right, but their order is not: **travel** should come before **food**. ';

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
  cpSync(join(REPOSITORY, 'scripts', 'sample'), workspace, { recursive: true });
  const model = await ScriptedModel.start([]);
  try {
    const code = await VsCode.start({
      workspace,
      // A spinner would leave a piece of itself in the output.
      env: { LATHE_HOME: join(temporary, 'home'), npm_config_progress: 'false' },
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
      await visit(code, view, model, take).catch(async (error: unknown) => {
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

async function visit(
  code: VsCode,
  view: FrameLocator,
  model: ScriptedModel,
  take: (state: State) => Promise<void>,
): Promise<void> {
  const at = (id: string) => view.getByTestId(id);
  const answer = (...turns: ScriptedModel['turns']): void => {
    model.turns.length = model.requests.length;
    model.turns.push(...turns);
  };
  const send = async (text: string): Promise<void> => {
    await at('composer').fill(text);
    await at('composer').press('Enter');
  };
  const waiting = async (tool: string): Promise<void> =>
    view.locator(`[data-testid="approval"][data-tool="${tool}"]`).waitFor();

  await at('tour').waitFor();
  await take('first-start');
  await at('add-key').click();
  await at('profile-provider').selectOption('openai-compatible');
  await at('profile-model').fill('qwen3-coder');
  await at('profile-url').fill(model.url);
  await view.locator('select:has(option[value="native"])').selectOption('native');
  await take('profile-form');
  await at('profile-save').click();
  await at('profile').waitFor();
  await code.palette('Lathe: New Task');
  await at('empty').waitFor();
  await at('model-picker').getByText('qwen3-coder').waitFor();
  await take('empty');
  await at('composer').pressSequentially('Explain @summ');
  await at('completion-option').first().waitFor();
  await take('mentions');
  await at('composer').fill('');
  await at('composer').pressSequentially('/');
  await at('completion-option').first().waitFor();
  await take('commands');
  await at('composer').fill('');

  answer(
    call('I read the code first.', 'read_file', { path: 'src/summary.js' }),
    call('', 'search_files', { path: '.', regex: 'summarize', file_pattern: '*.js' }),
    { text: slow.repeat(8), delay: 40 },
  );
  await send('Which order has the summary?');
  await view.getByText('should come before').first().waitFor();
  await code.page.waitForTimeout(1500);
  await take('running');
  await at('stop').click();
  await view.locator('[data-testid="task-line"][data-state="cancelled"]').waitFor();

  await code.palette('Lathe: New Task');
  await at('empty').waitFor();
  answer(
    call('I run the tests, to see what fails.', 'execute_command', { command: 'npm test' }),
    call('The order is wrong.', 'apply_diff', { path: 'src/summary.js', diff }),
    call('', 'ask_followup_question', { question: 'Should the **most expensive** come first?', follow_up }),
    { status: 401, error: 'no such key' },
    call('', 'attempt_completion', {
      result: 'The summary is sorted by total, the most expensive category first. `npm test` passes.',
    }),
  );
  await send('npm test fails. Find out why and fix it.');
  await waiting('execute_command');
  await take('approve-command');
  await at('approve').click();
  await waiting('apply_diff');
  await view.locator('.diff .hljs-title, .diff .hljs-keyword, .diff .hljs-number').first().waitFor();
  await take('approve-edit');
  await at('approve').click();
  await at('suggestion').first().waitFor();
  await take('question');
  await at('suggestion').first().click();
  await at('problem').waitFor();
  await take('error');
  await at('problem').getByTestId('approve').click();
  await at('completion').waitFor();
  await take('finished');
  await view.locator('.task-title').click();
  await at('export-json').waitFor();
  await take('task-line');
  await view.locator('.task-title').click();
  await code.palette('Lathe: History');
  await at('history').waitFor();
  await take('history');
  await at('back').click();
  await code.palette('Lathe: Settings');
  await at('settings').waitFor();
  await take('settings');
  await at('explain-command').fill('npm test && echo $HOME > out.txt');
  await at('explain-command').press('Enter');
  await at('explained').waitFor();
  await at('open-about').scrollIntoViewIfNeeded();
  await take('rules');
  await at('open-about').click();
  await at('facts').waitFor();
  await take('about');
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
