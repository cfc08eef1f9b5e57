// `npm run screenshot`: takes assets/screenshot.png, the picture of the README, with the package that `npm run package` made.
// A real VS Code opens the sample of `npm start`, and the agent works on its real bug: the tests really fail, the files are
// really read. Only the model is played, by a script, so that the picture is the same every time and needs no key.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../test/e2e/support/VsCode.ts';
import { Sidebar } from '../test/e2e/support/Sidebar.ts';
import type { Reply, Turn } from '../test/support/ScriptedModel.ts';

const PICTURE = join(REPOSITORY, 'assets', 'screenshot.png');
/** Small enough to be read at the width of a README, drawn at twice the resolution. */
const SIZE = { width: 1100, height: 800 };
const SIDEBAR = 400;
const SETTINGS = {
  'workbench.colorTheme': 'Dark Modern',
  'workbench.layoutControl.enabled': false,
  'editor.minimap.enabled': false,
  'diffEditor.wordWrap': 'on',
  // Of a file this short it would be one grey block.
  'workbench.colorCustomizations': { 'scrollbarSlider.background': '#00000000' },
  // Paths and ports of the machine that takes the picture are nobody's business.
  'breadcrumbs.enabled': false,
  'remote.autoForwardPorts': false,
};

const todos = (third: string): string =>
  `[x] Run the tests\n[x] Find the cause\n[${third}] Mend it\n[ ] Run the tests again`;
const replies: Reply[] = [
  {
    text: 'I run the tests first, to see what fails.',
    calls: [{ name: 'execute_command', arguments: { command: 'npm test' } }],
  },
  {
    text: 'The totals are right, but their order is not: `travel` should come before `food`. Where are they sorted?',
    calls: [{ name: 'search_files', arguments: { path: '.', regex: '\\.sort\\(', file_pattern: '*.js' } }],
  },
  { calls: [{ name: 'read_file', arguments: { path: 'src/summary.js' } }] },
  {
    text: '`summarize` promises the most expensive category first, and sorts the other way round.',
    calls: [
      { name: 'update_todo_list', arguments: { todos: todos('-') } },
      {
        name: 'apply_diff',
        arguments: {
          path: 'src/summary.js',
          diff: [
            '<<<<<<< SEARCH',
            '    .sort((a, b) => a.total - b.total);',
            '=======',
            '    .sort((a, b) => b.total - a.total);',
            '>>>>>>> REPLACE',
          ].join('\n'),
        },
      },
    ],
  },
];
/** Tokens are counted as most models would: about four characters each. */
const turns = replies.map((reply): Turn => ({ body }) => ({
  ...reply,
  usage: { input: tokensIn(body), output: tokensIn(reply) },
}));

function tokensIn(value: unknown): number {
  return Math.round(JSON.stringify(value).length / 4);
}

const temporary = mkdtempSync(join(tmpdir(), 'lathe-screenshot-'));
try {
  // The folder's name stands in the title bar.
  const workspace = join(temporary, 'expenses');
  cpSync(join(REPOSITORY, 'scripts', 'sample'), workspace, { recursive: true });
  const sidebar = await Sidebar.open({
    ...{ workspace, size: SIZE, settings: SETTINGS },
    ...{ provider: 'openai-compatible', protocol: 'native' },
  });
  try {
    const { page } = sidebar.code;
    await sidebar.code.setSidebarWidth(SIDEBAR);
    await sidebar.task('npm test fails. Find out why and fix it.', turns);
    await sidebar.approve('execute_command');
    await sidebar.waiting('apply_diff');
    // The editor opens the proposal, then colours it.
    await page
      .locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .char-insert')
      .first()
      .waitFor();
    await page.locator('.statusbar-item', { hasText: /Analyzing|Initializing/ }).waitFor({ state: 'hidden' });
    await page.mouse.move(SIZE.width - 200, SIZE.height / 2);
    const devtools = await page.context().newCDPSession(page);
    const clip = { x: 0, y: 0, ...SIZE, scale: 2 };
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', clip });
    writeFileSync(PICTURE, data, 'base64');
    process.stdout.write(`${PICTURE}\n`);
  } finally {
    await sidebar.close();
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
