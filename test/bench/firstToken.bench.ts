// From the moment the model sends a piece of text until Chromium has drawn it in the sidebar of a real VS Code: the first of an answer,
// and pieces in the middle of a long one. Both clocks are this machine's.
import { Sidebar } from '../e2e/support/Sidebar.ts';
import { Workspace } from '../e2e/support/Workspace.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { median, percentile, printTable } from './support/measure.ts';

const ANSWERS = 20;
const PIECES = 60;
const DONE = xmlCall('attempt_completion', { result: 'Said.' });
const FRAME_MS = 1000 / 60;

interface Seen {
  /** What the piece says: its kind, then the time at which it was sent. */
  mark: string;
  drawn: number;
}

/** Runs in the page: notes when the frame is over in which a piece appeared. */
const WATCH = `(() => {
  const found = new Map();
  const look = () => {
    for (const [mark] of document.body.textContent.matchAll(/(?:first|later)\\d{13}/g)) {
      if (found.has(mark)) continue;
      found.set(mark, 0);
      // The frame that holds the change begins with the callback; the task behind it runs when that frame is drawn.
      requestAnimationFrame(() => setTimeout(() => found.set(mark, Date.now())));
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  window.seen = () => [...found].map(([mark, drawn]) => ({ mark, drawn }));
})()`;

function* longAnswer(): Iterable<string> {
  for (let piece = 0; piece < PIECES; piece++) yield `later${Date.now()} and more\n\n`;
}

const workspace = Workspace.ofSample();
const sidebar = await Sidebar.open({
  workspace: workspace.folder,
  provider: 'openai-compatible',
  protocol: 'xml',
});
try {
  const body = sidebar.view.locator('body');
  await sidebar.task('Talk.', [{ text: `Ready.\n${DONE}` }]);
  await sidebar.completion();
  await body.evaluate(WATCH);

  for (let answer = 0; answer < ANSWERS; answer++) {
    sidebar.answer([() => ({ text: `first${Date.now()} answer ${answer}\n\n${DONE}`, chunk: 40 })]);
    await sidebar.send('And now?');
    await sidebar.view.getByText(`answer ${answer}`, { exact: false }).first().waitFor();
    await sidebar.state('completed');
  }
  sidebar.answer([{ text: longAnswer(), delay: 50 }]);
  await sidebar.send('At length, please.');
  await sidebar.view
    .getByText('later')
    .nth(PIECES - 1)
    .waitFor({ timeout: 60_000 });
  await sidebar.code.page.waitForTimeout(500);

  const seen: Seen[] = await body.evaluate('window.seen()');
  const row = (title: string, kind: string): string[] => {
    const times = seen
      .filter(({ mark }) => mark.startsWith(kind))
      .map(({ mark, drawn }) => drawn - Number(mark.slice(kind.length)));
    return [
      title,
      String(times.length),
      ...[median(times), percentile(times, 0.95)].flatMap((time) => [
        String(time),
        (time / FRAME_MS).toFixed(1),
      ]),
    ];
  };
  printTable(
    ['', 'pieces', 'median ms', 'frames', 'p95 ms', 'frames'],
    [row('first of an answer', 'first'), row('in a long answer', 'later')],
  );
  console.log('goal: 2 frames or less; drawing itself, and the wait for the frame, are counted');
} finally {
  await sidebar.close();
  workspace.remove();
}
