// How long VS Code says that the packaged extension took to activate, each time in a VS Code of its own.
import { VsCode } from '../e2e/support/VsCode.ts';
import { Workspace } from '../e2e/support/Workspace.ts';
import { median } from './support/measure.ts';

const RUNS = 3;

const workspace = Workspace.ofSample();
const times: number[] = [];
try {
  for (let run = 0; run < RUNS; run++) {
    const code = await VsCode.start({ workspace: workspace.folder });
    try {
      // The view activates it: without, nothing is loaded at all.
      await code.openSidebar();
      await code.palette('Developer: Show Running Extensions');
      const row = code.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: /^\s*Lathe/ });
      const text = await row.filter({ hasText: /Activation: \d+ms/ }).innerText({ timeout: 60_000 });
      times.push(Number(/Activation: (\d+)ms/.exec(text)?.[1]));
    } finally {
      await code.stop();
    }
  }
} finally {
  workspace.remove();
}
console.log(`Activation in VS Code, loading included: ${times.join(', ')} ms; median ${median(times)} ms`);
console.log('goal: 50 ms or less of our own code, after loading');
