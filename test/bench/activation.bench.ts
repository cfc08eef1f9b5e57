// How long VS Code says that the packaged extension took to load and to activate, each time in a VS Code of its own.
import { VsCode } from '../e2e/support/VsCode.ts';
import { Workspace } from '../e2e/support/Workspace.ts';
import { median, printTable } from './support/measure.ts';

const RUNS = 3;
/** The columns of VS Code's own table of startup times that follow the extension's name. */
const ROW = /lathe\.lathe\s*\|\s*\w+\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|\s*(\d+)/;

const workspace = Workspace.ofSample();
const times: number[][] = [];
try {
  for (let run = 0; run < RUNS; run++) {
    const code = await VsCode.start({ workspace: workspace.folder });
    try {
      // The view activates it: without, nothing is loaded at all.
      await code.openSidebar();
      await code.palette('Developer: Startup Performance');
      await code.page.locator('.tab.active', { hasText: 'Startup Performance' }).waitFor({ timeout: 60_000 });
      await code.page.keyboard.press('ControlOrMeta+F');
      await code.page.locator('.find-widget textarea').first().fill('lathe.lathe');
      const line = code.page.locator('.view-line', { hasText: 'lathe.lathe' }).first();
      const text = (await line.innerText({ timeout: 60_000 })).replaceAll('\u00a0', ' ');
      times.push((ROW.exec(text) ?? []).slice(1).map(Number));
    } finally {
      await code.stop();
    }
  }
} finally {
  workspace.remove();
}
const column = (at: number): number[] => times.map((row) => row[at] ?? Number.NaN);
console.log('Activation in VS Code, as it measures it itself; ms');
printTable(
  ['what', 'runs', 'median', 'goal'],
  [
    ['loading the code', column(0).join(', '), String(median(column(0))), ''],
    ['activate(), our own code', column(1).join(', '), String(median(column(1))), '50'],
    ['until it is done', column(2).join(', '), String(median(column(2))), ''],
  ],
);
