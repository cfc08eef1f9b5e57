// `lathe acp` beside the least agent on the same SDK, in turns on the same machine: from the start of the process to the answer of
// `initialize`, to that of `session/new`, the memory of the process tree then, and updates of one long answer. Each start is a new
// process; one before them has filled the disk's cache, and ours of what Node compiled.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedModel, xmlCall } from '../support/ScriptedModel.ts';
import { AgentProcess } from './support/AgentProcess.ts';
import { figure, median, printTable } from './support/measure.ts';

const STARTS = 11;
const CHUNKS = 10_000;
const GOAL = '≤ 1.3';
const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'lathe-bench-acp-'));
const cwd = join(folder, 'project');
mkdirSync(cwd);

const words = Array.from({ length: CHUNKS }, (_, chunk) => `word ${chunk} `);
const model = await ScriptedModel.start([
  { text: [...words, xmlCall('attempt_completion', { result: 'Done.' })] },
]);
const environment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  LATHE_PROVIDER: 'openai-compatible',
  LATHE_BASE_URL: model.url,
  LATHE_MODEL: 'scripted',
  LATHE_TOOL_PROTOCOL: 'xml',
  LATHE_HOME: join(folder, 'home'),
};
const agents = {
  plain: [join(import.meta.dirname, 'support', 'plainAgent.mjs')],
  lathe: [join(ROOT, 'dist', 'main.js'), 'acp'],
};
type Name = keyof typeof agents;

interface Start {
  initialize: number;
  session: number;
  memory: number;
}

async function start(name: Name): Promise<Start> {
  const begun = performance.now();
  const agent = new AgentProcess(agents[name], environment);
  await agent.initialize();
  const initialized = performance.now();
  await agent.newSession(cwd);
  const opened = performance.now();
  // What goes on behind the answer is counted too.
  await sleep(1000);
  const memory = agent.memory() ?? NaN;
  await agent.stop();
  return { initialize: initialized - begun, session: opened - initialized, memory };
}

/** Updates a second of one turn. */
async function throughput(name: Name): Promise<number> {
  const agent = new AgentProcess(agents[name], environment);
  await agent.initialize();
  const sessionId = await agent.newSession(cwd);
  const text = name === 'plain' ? String(CHUNKS) : 'At length, please.';
  await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  const taken = performance.now() - (agent.firstChunk ?? NaN);
  await agent.stop();
  return (agent.chunks / taken) * 1000;
}

try {
  const starts: Record<Name, Start[]> = { plain: [], lathe: [] };
  for (let round = -1; round < STARTS; round++)
    for (const name of ['plain', 'lathe'] as const) {
      const taken = await start(name);
      if (round >= 0) starts[name].push(taken);
    }
  const row = (title: string, goal: string, of: (start: Start) => number): string[] => {
    const [plain, ours] = [median(starts.plain.map(of)), median(starts.lathe.map(of))];
    return [title, figure(plain), figure(ours), figure(ours / plain), goal];
  };
  console.log(`Median of ${STARTS} starts`);
  printTable(
    ['', 'the least agent', 'lathe acp', 'ratio', 'goal'],
    [
      row('until initialize is answered, ms', GOAL, ({ initialize }) => initialize),
      row('then session/new, ms', '≤ 100 ms', ({ session }) => session),
      row('both, ms', '', ({ initialize, session }) => initialize + session),
      row('memory of the process tree (PSS), MB', GOAL, ({ memory }) => memory),
    ],
  );
  const [plain, ours] = [await throughput('plain'), await throughput('lathe')];
  console.log(`\nOne prompt with ${CHUNKS} pieces of text, updates a second`);
  printTable(
    ['', 'updates a second'],
    [
      ['the least agent, from a loop', figure(plain)],
      ['lathe acp, from a model’s stream', figure(ours)],
    ],
  );
} finally {
  await model.stop();
  rmSync(folder, { recursive: true, force: true });
}
