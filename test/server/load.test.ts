import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { percentile } from '../bench/support/measure.ts';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { ServedFolder } from '../support/ServedFolder.ts';
import { numberedPieces, streamSessions } from '../support/streamSessions.ts';
import { eventsOf } from '../support/TestServer.ts';

const SESSIONS = 200;
const ROUNDS = 4;
const PIECES = 25;
const SOCKETS = 1000;
/** Megabytes of objects that the server may hold: it ends with an error where each session leaves something behind. */
const HEAP = 200;

describe('the server under load, as packaged', function () {
  this.timeout(180_000);
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let served: ServedFolder;

  before(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-load-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    model = await ScriptedModel.start([]);
    served = await ServedFolder.start(cwd, {
      LATHE_PROVIDER: 'openai-compatible',
      LATHE_BASE_URL: model.url,
      LATHE_API_KEY: 'test-key',
      LATHE_MODEL: 'scripted',
      LATHE_TOOL_PROTOCOL: 'native',
      LATHE_HOME: home,
      NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    });
  });
  after(async () => {
    await served.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });

  it(`streams ${SESSIONS} answers at once, ${ROUNDS} times, beside ${SOCKETS} idle WebSockets: nothing lost, nothing out of order`, async () => {
    const sockets = await Promise.all(
      Array.from({ length: SOCKETS }, async (_, index) => {
        const socket = new WebSocket(
          `${served.url.replace('http', 'ws')}/api/chat/ws?session_id=idle-${index % 50}`,
        );
        await once(socket, 'open');
        return socket;
      }),
    );
    const heard: string[] = [];
    for (const socket of sockets) socket.on('message', (data: Buffer) => heard.push(data.toString('utf8')));
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const names = Array.from({ length: SESSIONS }, (_, index) => `session-${round * SESSIONS + index}`);
      model.turns.push(...names.map(() => numberedPieces(PIECES, 40)));
      const sessions = await streamSessions(served.url, names, PIECES);
      assert.deepEqual(
        sessions.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
        [],
      );
      delays.push(...sessions.flatMap((session) => session.delays));
    }
    assert.equal(delays.length, ROUNDS * SESSIONS * PIECES);
    // For whoever reads the run: a slow machine fails nothing.
    const [middle, late] = [0.5, 0.99].map((share) => percentile(delays, share).toFixed(1));
    const megabytes = Math.round(served.memory() / 1024 / 1024);
    console.log(`      piece to event: ${middle} ms, at p99 ${late} ms; ${megabytes} MB`);
    // What others do is nothing to those that watch another session.
    assert.deepEqual(heard, []);
    assert.equal(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length, SOCKETS);
    for (const socket of sockets) socket.terminate();
    const listed = (await (await fetch(`${served.url}/api/chat/sessions`)).json()) as unknown[];
    assert.equal(listed.length, ROUNDS * SESSIONS);
  });

  it('is not held up by a client that does not read, which gets everything in the end', async () => {
    const piece = 'x'.repeat(20_000);
    model.turns.push({ text: Array.from({ length: 400 }, () => piece) });
    const watching = new WebSocket(`${served.url.replace('http', 'ws')}/api/chat/ws?session_id=slow`);
    await once(watching, 'open');
    const ended = once(watching, 'message');
    const sent = request(`${served.url}/api/chat/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      agent: false,
    });
    sent.end(JSON.stringify({ session_id: 'slow', message: 'Go on', attachments: null }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.pause();
    // The turn ends while the client has read next to nothing of its answer.
    const [said] = (await ended) as [Buffer];
    assert.deepEqual(JSON.parse(said.toString('utf8')), { type: 'turn_end', reason: 'answered' });
    watching.terminate();
    const events = await eventsOf(new Response(asStream(response)));
    assert.equal(events.at(-1)?.event, 'done');
    const text = events.map(({ data }) => (data as { content?: string }).content ?? '').join('');
    assert.equal(text, piece.repeat(400));
  });
});

function asStream(response: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}
