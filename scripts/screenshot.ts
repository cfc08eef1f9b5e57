// `npm run screenshot`: takes assets/screenshot.png, the picture of the README. The package of `npm run package` must be
// there. A real VS Code opens the sample, Lathe's tour runs, and its proposal waits for approval in the diff editor.
import { join } from 'node:path';
import { VsCode, REPOSITORY } from '../test/e2e/support/VsCode.ts';
import { Workspace } from '../test/e2e/support/Workspace.ts';

const SIDEBAR = 400;
const PICTURE = join(REPOSITORY, 'assets', 'screenshot.png');

const workspace = Workspace.ofSample();
try {
  const code = await VsCode.start({
    workspace: workspace.folder,
    settings: { 'workbench.colorTheme': 'Dark Modern' },
  });
  try {
    const view = await code.openSidebar();
    await code.setSidebarWidth(SIDEBAR);
    await view.getByTestId('tour').click();
    await view.getByTestId('approve').waitFor();
    // The editor opens the proposal, then colours it.
    await code.page
      .locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .char-insert')
      .first()
      .waitFor();
    await code.page.screenshot({ path: PICTURE, animations: 'disabled', caret: 'hide' });
    process.stdout.write(`${PICTURE}\n`);
  } finally {
    await code.stop();
  }
} finally {
  workspace.remove();
}
