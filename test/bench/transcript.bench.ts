// The sidebar with a short task and with long ones: how long they take to open and to be searched, what is sent for that, and whether
// it stays smooth while they stream and scroll.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { TaskStore } from '../../src/core/TaskStore.ts';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import type { Fact, JournalEntry } from '../../src/shared/events.ts';
import {
  answered,
  call,
  fileView,
  finished,
  model,
  ScriptedAgent,
  started,
  text,
} from '../frontends/webviewAgent.ts';
import { WebviewHarness, type Sidebar } from '../frontends/webviewHarness.ts';
import { figure, percentile, printTable } from './support/measure.ts';

const DELTAS = 200;
const paragraph = 'The loop begins at one, so that the first item is never counted. '.repeat(4);

/** Each turn: a message, an answer with markdown, and a read; `size` characters of answer. */
function journal(turns: number, size: number): Fact[] {
  const answer = `${paragraph}\n\n- one\n- two\n\n\`\`\`ts\nconst total = 1;\n\`\`\`\n\n`.padEnd(
    size,
    paragraph,
  );
  const steps: Fact[] = [started('task-1')];
  for (let turn = 0; turn < turns; turn++)
    steps.push(
      { type: 'user_message', text: `Question ${turn}` },
      ...answered(`r${turn}`, [text(answer), call(`c${turn}`, 'read_file', { path: 'src/cart.ts' })]),
      finished(`c${turn}`, 'read_file', fileView('read', 'src/cart.ts')),
    );
  return steps;
}

interface Tasks {
  count: number;
  longest: number;
}

const watchTasks = `window.longTasks = []; new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(duration); }).observe({ type: 'longtask', buffered: true });`;

async function longTasks({ frame }: Sidebar): Promise<Tasks> {
  const found = await frame.evaluate<number[]>('window.longTasks.splice(0)');
  return { count: found.length, longest: Math.max(0, ...found) };
}

async function frames({ frame }: Sidebar, action: string): Promise<number[]> {
  return await frame.evaluate<number[]>(`new Promise((resolve) => {
    const times = []; let last = performance.now(); let step = 0;
    const log = document.querySelector('[data-testid="transcript"]');
    const next = (now) => { times.push(now - last); last = now; ${action} if (++step < 120) requestAnimationFrame(next); else resolve(times); };
    requestAnimationFrame(next);
  })`);
}

async function heap({ context, page }: Sidebar): Promise<number> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Milliseconds that a search of the history takes over this one task, and the longest that it lets nothing else happen. */
async function searched(entries: readonly JournalEntry[]): Promise<{ took: number; blocked: number }> {
  const home = await mkdtemp(join(tmpdir(), 'lathe-bench-'));
  try {
    const store = new TaskStore(home, { info: () => undefined, warn: console.warn, error: console.error });
    const journal = await TaskJournal.create(store.folder('task-1'), entries);
    await journal.close();
    await store.list();
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const before = performance.now();
    const found = await store.search('question 7', 10);
    const took = performance.now() - before;
    delays.disable();
    if (found.length !== 1) throw new Error('the search found nothing');
    return { took, blocked: delays.max / 1e6 };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const said = ({ count, longest }: Tasks): string => (count === 0 ? '0' : `${count} (${figure(longest)} ms)`);
const harness = await WebviewHarness.start();
const rows: string[][] = [];
try {
  for (const [name, turns, size] of [
    ['50 messages', 25, 1000],
    ['5,000 messages', 2500, 1000],
    ['50 MB', 2500, 20_000],
  ] as const) {
    const agent = new ScriptedAgent();
    agent.running = true;
    agent.journals.set('task-1', []);
    await agent.say('task-1', ...journal(turns, size));
    const search = await searched(agent.journals.get('task-1') ?? []);
    const sidebar = await harness.open(agent);
    await sidebar.frame.evaluate(watchTasks);
    const heard = sidebar.heard;
    const before = performance.now();
    await agent.notify('editor/openTask', { taskId: 'task-1' });
    await sidebar.frame.locator(`[data-call="c${turns - 1}"]`).waitFor({ timeout: 120_000 });
    const opened = performance.now() - before;
    const sent = sidebar.heard - heard;
    await sidebar.page.waitForTimeout(500);
    const opening = await longTasks(sidebar);
    await agent.say('task-1', { type: 'request_started', requestId: 'last', model, hash: 'h' });
    const streaming = frames(sidebar, '');
    for (let delta = 0; delta < DELTAS; delta++)
      await agent.say('task-1', {
        delta: {
          type: 'block',
          requestId: 'last',
          delta: { type: 'text', block: 0, text: `word ${delta} ` },
        },
      });
    const streamed = await streaming;
    const whileStreaming = await longTasks(sidebar);
    const scrolled = await frames(sidebar, 'log.scrollTop -= 400;');
    const whileScrolling = await longTasks(sidebar);
    rows.push([
      name,
      `${figure(opened)} ms`,
      said(opening),
      `${figure(sent / 1000)} KB`,
      `${figure(percentile(streamed, 0.95))} ms`,
      said(whileStreaming),
      `${figure(percentile(scrolled, 0.95))} ms`,
      said(whileScrolling),
      `${figure(await heap(sidebar))} MB`,
      `${figure(search.took)} ms (${figure(search.blocked)} ms)`,
    ]);
    await sidebar.close();
  }
} finally {
  await harness.stop();
}
printTable(
  [
    ...['', 'opened', 'long tasks', 'sent', 'streaming p95', 'long tasks', 'scrolling p95', 'long tasks'],
    ...['memory', 'search (blocked)'],
  ],
  rows,
);
console.log(
  'goal: frames of 17 ms, no task over 50 ms while it streams or scrolls (the longest in brackets)',
);
