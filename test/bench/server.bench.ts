// lathe serve: from the model's piece to the client's event with 1, 50 and 200 answers at once, sessions a second, and writes of the
// database a call. The server is the packaged one, in a process of its own; model and clients share this one, and its clock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteChatDatabase } from '../../src/services/chatDatabase/SqliteChatDatabase.ts';
import { ScriptedModel, type Turn } from '../support/ScriptedModel.ts';
import { ServedFolder } from '../support/ServedFolder.ts';
import { numberedPieces, streamSessions } from '../support/streamSessions.ts';
import { eventsOf, TestServer } from '../support/TestServer.ts';
import { figure, percentile, printTable } from './support/measure.ts';

const PIECES = 100;
/** Milliseconds between two pieces of one answer: a model of 20 tokens a second. */
const PAUSE = 50;
/** Pieces at the beginning of each answer that are counted apart: then all sessions begin at once. */
const BEGINNING = 20;
/** Milliseconds over which the sessions begin; those that all begin at once send their pieces in step from then on. */
const SPREAD = 1500;
const GOAL = '≤ 5 with 200';

const cwd = mkdtempSync(join(tmpdir(), 'lathe-bench-'));
const home = mkdtempSync(join(tmpdir(), 'lathe-bench-home-'));
const model = await ScriptedModel.start([]);
const served = await ServedFolder.start(cwd, {
  LATHE_PROVIDER: 'openai-compatible',
  LATHE_BASE_URL: model.url,
  LATHE_API_KEY: 'bench',
  LATHE_MODEL: 'scripted',
  LATHE_TOOL_PROTOCOL: 'native',
  LATHE_HOME: home,
});

let sessions = 0;
/** New names for so many sessions, and their answers for the model. */
function begin(count: number, pieces: number, pause: number): string[] {
  model.turns.push(...Array.from({ length: count }, () => numberedPieces(pieces, pause)));
  return Array.from({ length: count }, () => `session-${sessions++}`);
}

await streamSessions(served.url, begin(5, 10, 5), 10); // the first ones load the modules
console.log(`From the model’s piece to the client’s event, ms; a piece every ${PAUSE} ms in each answer`);
const rows: string[][] = [];
for (const [count, over] of [
  [1, 0],
  [50, SPREAD],
  [200, SPREAD],
  [200, 0],
] as const) {
  const answers = await streamSessions(served.url, begin(count, PIECES, PAUSE), PIECES, over);
  const wrong = answers.filter(({ problem }) => problem !== undefined).length;
  const early = answers.flatMap(({ delays }) => delays.slice(0, BEGINNING));
  const steady = answers.flatMap(({ delays }) => delays.slice(BEGINNING));
  rows.push([
    count > 1 && over === 0 ? `${count}, in step` : String(count),
    ...[0.5, 0.99].map((share) => figure(percentile(steady, share))),
    ...[0.5, 0.99].map((share) => figure(percentile(early, share))),
    String(wrong),
    figure(served.memory() / 1024 / 1024),
  ]);
}
printTable(
  ['answers at once', 'p50', 'p99', 'p50 of the beginning', 'p99 of the beginning', 'wrong', 'MB'],
  rows,
);
console.log(`goal of p99: ${GOAL}`);

const SHORT = 200;
const AT_ONCE = 20;
const names = begin(SHORT, 1, 0);
const since = performance.now();
for (let index = 0; index < SHORT; index += AT_ONCE)
  await streamSessions(served.url, names.slice(index, index + AT_ONCE), 1);
console.log(
  `\nSessions a second, of one short answer each, ${AT_ONCE} at once: ${figure((SHORT * 1000) / (performance.now() - since))}`,
);
await served.stop();
await model.stop();

const CALLS = 50;
let transactions = 0;
let written = 0;
class CountingDatabase extends SqliteChatDatabase {
  override async write(changes: Parameters<SqliteChatDatabase['write']>[0]): Promise<void> {
    transactions++;
    for (const { messages, toolConversations } of changes)
      written += messages.length + toolConversations.length;
    await super.write(changes);
  }
}
const turns: Turn[] = Array.from({ length: CALLS }, (_, index) => ({
  calls: [
    { name: 'list_files', arguments: { path: index % 2 === 0 ? '.' : './', recursive: index % 3 === 0 } },
  ],
}));
const calling = await ScriptedModel.start([...turns, { text: 'Done.' }]);
const server = await TestServer.start({
  cwd,
  home,
  profile: { provider: 'openai-compatible', baseUrl: calling.url, protocol: 'native' },
  settings: { requestLimit: CALLS + 10 },
  database: new CountingDatabase(join(home, 'counted.db')),
});
await eventsOf(await server.send('calls', 'Call'));
const listed = (await server.get('/api/chat/sessions/calls/messages')) as { tool_calls: unknown[] }[];
const calls = listed.flatMap(({ tool_calls }) => tool_calls).length;
console.log(
  `\nThe database, a turn of ${calls} calls, a call: ${figure(written / calls)} rows in ${figure(transactions / calls)} transactions`,
);
await server.stop();
await calling.stop();
rmSync(cwd, { recursive: true, force: true });
rmSync(home, { recursive: true, force: true });
