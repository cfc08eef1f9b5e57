import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ChatMessage, ChatSession } from '../../src/shared/chat.ts';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { ServedFolder } from '../support/ServedFolder.ts';
import { eventsOf, readEvents, type SentEvent } from '../support/TestServer.ts';

describe('lathe serve, as packaged', () => {
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let served: ServedFolder | undefined;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-serve-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    model = await ScriptedModel.start([]);
  });
  afterEach(async () => {
    await served?.stop('SIGKILL');
    served = undefined;
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });

  async function start(args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): Promise<ServedFolder> {
    served = await ServedFolder.start(
      cwd,
      {
        LATHE_PROVIDER: 'openai-compatible',
        LATHE_BASE_URL: model.url,
        LATHE_API_KEY: 'test-key',
        LATHE_MODEL: 'scripted',
        LATHE_TOOL_PROTOCOL: 'native',
        LATHE_HOME: home,
        ...more,
      },
      args,
    );
    return served;
  }

  async function send(message: string): Promise<Response> {
    return await fetch(`${served?.url}/api/chat/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'one', message, attachments: null }),
    });
  }

  async function get<T>(path: string): Promise<T> {
    return (await (await fetch(`${served?.url}${path}`)).json()) as T;
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    it(`goes on where ${signal} ended it, and says so`, async () => {
      model.turns.push(
        { text: 'I look. ', calls: [{ name: 'list_files', arguments: { path: '.' } }] },
        { text: Array.from({ length: 2000 }, (_, index) => `word ${index} `), delay: 20 },
        { text: 'All seen.' },
      );
      await start();
      const reading = readEvents(await send('Look around'));
      const seen: SentEvent[] = [];
      while (!/word 3/.test(textOf(seen))) {
        const next = await reading.next();
        assert.ok(next.done !== true, 'the stream ended');
        seen.push(next.value);
      }
      const ended = served?.stop(signal);
      // The client sees its stream end without a `done`: it knows that there is more to come.
      const rest = await drained(reading);
      assert.deepEqual(
        rest.filter(({ event }) => event !== 'message'),
        [],
      );
      if (signal === 'SIGTERM') assert.equal(await ended, 0);
      await ended;

      await start();
      const last = [...seen, ...rest].at(-1)?.id ?? '';
      const after = await eventsOf(await fetch(`${served?.url}/api/chat/sessions/one/events?since=${last}`));
      assert.equal(after.at(-1)?.event, 'error');
      assert.match((after.at(-1)?.data as { error: string }).error, /ended in the middle/);
      assert.deepEqual(
        (await get<ChatSession[]>('/api/chat/sessions')).map(({ id, status }) => ({ id, status })),
        [{ id: 'one', status: 'interrupted' }],
      );

      const again = await eventsOf(await send('Go on'));
      assert.equal(textOf(again), 'All seen.');
      const messages = await get<ChatMessage[]>('/api/chat/sessions/one/messages');
      assert.deepEqual(
        messages.map(({ role, content }) => [role, content.slice(0, 8)]),
        [
          ['user', 'Look aro'],
          ['assistant', 'I look. '],
          ['user', 'Go on'],
          ['assistant', 'All seen'],
        ],
      );
    });

  it('makes the tables again by a command, the same', async () => {
    model.turns.push({ calls: [{ name: 'list_files', arguments: { path: '.' } }] }, { text: 'Seen.' });
    const path = join(home, 'own.db');
    await start(['--database', path]);
    await eventsOf(await send('Look'));
    await served?.stop();
    const rows = (): unknown[] => {
      const database = new DatabaseSync(path, { readOnly: true });
      const tables = ['sessions', 'messages', 'tool_conversations'].map((table) =>
        database.prepare(`SELECT * FROM ${table}`).all(),
      );
      database.close();
      return tables;
    };
    const before = rows();
    const spoilt = new DatabaseSync(path);
    spoilt.exec("DELETE FROM messages WHERE id > 2; UPDATE tool_conversations SET result = 'another'");
    spoilt.close();
    const rebuilt = await ServedFolder.run(cwd, ['rebuild', '--database', path], { LATHE_HOME: home });
    assert.deepEqual(rebuilt, { code: 0, status: '1 session is in the database again.\n' });
    assert.deepEqual(rows(), before);
  });

  it('says what is wrong before it listens', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const noDatabase = join(home, 'no.db');
    writeFileSync(
      noDatabase,
      'this is no database, but a text of some length that somebody wrote\n'.repeat(20),
    );
    const said = async (...args: string[]) =>
      await ServedFolder.run(cwd, ['serve', ...args], { LATHE_HOME: home });
    try {
      assert.match((await said('--port', String(port))).status, /EADDRINUSE/);
      assert.match((await said('--port', '0', '--database', noDatabase)).status, /no\.db: .*not a database/);
      const wrong = await Promise.all([
        said('--port', '70000'),
        said('--port', 'x'),
        said('more'),
        said('--json'),
      ]);
      assert.deepEqual(
        wrong.map(({ code, status }) => [code, status.split('\n')[0]]),
        [
          [2, "--port is a number up to 65535, not '70000'."],
          [2, "--port is a number up to 65535, not 'x'."],
          [2, "serve takes no 'more'."],
          [2, 'serve takes no --json.'],
        ],
      );
    } finally {
      taken.close();
    }
  });

  it('asks for a token where others can reach it, and makes one up', async () => {
    await start(['--host', '0.0.0.0']);
    const token = /Token for clients: (\S+)/.exec(await served!.said(/Token for clients: \S+/))?.[1] ?? '';
    assert.ok(token.length >= 32);
    const { port } = new URL(served!.url);
    const asked = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/api/chat/sessions`, { headers })).status;
    assert.deepEqual([await asked({}), await asked({ authorization: `Bearer ${token}` })], [401, 200]);
  });

  function textOf(events: readonly SentEvent[]): string {
    return events.map(({ data }) => (data as { content?: string }).content ?? '').join('');
  }

  /** What still comes, until the stream ends or its connection does. */
  async function drained(reading: AsyncGenerator<SentEvent>): Promise<SentEvent[]> {
    const events: SentEvent[] = [];
    try {
      for await (const event of reading) events.push(event);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    return events;
  }
});
