import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import type { ChatMessage } from '../../src/shared/chat.ts';
import { ScriptedModel, type ReceivedRequest, type Reply } from '../support/ScriptedModel.ts';
import { ServerProcess } from '../support/ServerProcess.ts';
import { TestPostgres } from '../support/TestPostgres.ts';
import { eventsOf, type SentEvent } from '../support/TestServer.ts';

describe('servers that share their sessions', function () {
  this.timeout(180_000);
  let postgres: TestPostgres;
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let servers: ServerProcess[];
  let database: string;

  before(async () => {
    postgres = await TestPostgres.start();
  });
  after(async () => await postgres.stop());
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-servers-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    model = await ScriptedModel.start([]);
    database = await postgres.database();
    servers = [];
  });
  afterEach(async function () {
    if (this.currentTest?.isFailed()) for (const { log } of servers) console.error(log);
    await Promise.all(servers.map(async (server) => await server.stop()));
    await model.stop();
    for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true });
  });

  const start = async (count: number): Promise<ServerProcess[]> => {
    servers = await Promise.all(
      Array.from(
        { length: count },
        async () => await ServerProcess.start({ cwd, home, model: model.url, database }),
      ),
    );
    return servers;
  };
  /** The same answer to every request: by what it asks. */
  const always = (answer: (request: ReceivedRequest) => Reply): void => {
    model.turns.push(...Array.from({ length: 200 }, () => answer));
  };

  it('go on with what another began, and show the same', async () => {
    always(() => ({ text: 'An answer of several words.' }));
    const [one, two] = await start(2);
    assert.ok(one && two);
    const watcher = await two.watch('shared');
    const first = await eventsOf(await one.send('shared', 'hello'));
    assert.deepEqual(
      first.map(({ event }) => event).filter((event) => event !== 'message'),
      ['start', 'done'],
    );
    assert.equal(textOf(first), 'An answer of several words.');
    await watcher.heard('turn_end');
    const second = await eventsOf(await two.send('shared', 'and again'));
    assert.equal(textOf(second), 'An answer of several words.');
    const messages = await one.messages('shared');
    assert.deepEqual(await two.messages('shared'), messages);
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      [
        ['user', 'hello'],
        ['assistant', 'An answer of several words.'],
        ['user', 'and again'],
        ['assistant', 'An answer of several words.'],
      ],
    );
    watcher.close();
  });

  it('see what asks wherever it runs, and when the one that runs it is killed another one says what is known, and goes on', async () => {
    const began = join(cwd, 'began');
    const end = join(cwd, 'end');
    const command = `echo once >> ${began}; while [ ! -e ${end} ]; do sleep 0.1; done`;
    model.turns.push(
      { text: 'I run it. ', calls: [{ name: 'execute_command', arguments: { command } }] },
      { text: 'Nobody knows how that ended.' },
    );
    const [one, two] = await start(2);
    assert.ok(one && two);
    try {
      const watchers = [await one.watch('killed'), await two.watch('killed')] as const;
      const stream = await one.send('killed', 'run it');
      const asked = await Promise.all(
        watchers.map(async (watcher) => await watcher.heard('approval_request')),
      );
      assert.deepEqual(asked[0], asked[1]);
      const runner = await runnerOf('killed', [one, two]);
      const other = runner === one ? two : one;
      const others = watchers[runner === one ? 1 : 0];
      // Answered where it does not run.
      others.say({ type: 'approval_response', approval_id: asked[0]?.approval_id, outcome: 'allow' });
      await others.heard('approval_resolved');
      await until(() => existsSync(began), 'the command');
      assert.deepEqual(
        (await other.messages('killed')).at(-1)?.tool_calls.map(({ status }) => status),
        ['running'],
      );
      for (const server of [one, two]) {
        const listed = (await server.rpc('task/list', {})).body as { id: string; state: string }[];
        assert.deepEqual(
          listed.map(({ id, state }) => [id, state]),
          [['killed', 'running']],
        );
      }
      const heard = runner === one ? eventsUntilCut(stream) : undefined;
      await runner.kill();
      const before = await heard;
      const since = before?.at(-1)?.id ?? '';

      // The client of the one that is gone goes on at the other.
      const rest = await eventsOf(
        await fetch(`${other.url}/api/chat/sessions/killed/events${since === '' ? '' : `?since=${since}`}`),
      );
      assert.equal(textOf(before ?? []) + textOf(rest), 'I run it. \n\nNobody knows how that ended.');
      assert.equal(rest.at(-1)?.event, 'done');
      const unknown = await others.heard('tool_error');
      assert.equal(unknown.outcome, 'unknown');
      await others.heard('turn_end');

      const [, answer] = await other.messages('killed');
      assert.deepEqual(
        answer?.tool_calls.map(({ name, result, error, status, duration }) => ({
          ...{ name, result, error, status },
          duration: typeof duration,
        })),
        [{ name: 'execute_command', result: null, error: null, status: 'unknown', duration: 'number' }],
      );
      assert.deepEqual(
        await postgres.query(
          'SELECT result, error, duration_ms IS NULL AS open, (SELECT count(*)::int FROM tool_conversations) AS rows FROM tool_conversations',
          database,
        ),
        [{ result: null, error: null, open: false, rows: 1 }],
      );
      // Nothing twice: neither the command nor a request.
      assert.equal(readFileSync(began, 'utf8'), 'once\n');
      assert.equal(model.requests.length, 2);
      assert.match(model.requests[1]?.text ?? '', /unknown|not known|whether/i);
      for (const watcher of watchers) watcher.close();
    } finally {
      writeFileSync(end, '');
    }
  });

  it('run twenty sessions at once, and each of them once', async () => {
    always(({ text }) => ({ text: `An answer to ${/session-\d+/.exec(text)?.[0] ?? 'nobody'}.`, delay: 5 }));
    const [one, two] = await start(2);
    assert.ok(one && two);
    const sessions = Array.from({ length: 20 }, (_, index) => `session-${index}`);
    const answers = await Promise.all(
      sessions.map(async (session, index) => {
        const server = index % 2 === 0 ? one : two;
        return await eventsOf(await server.send(session, `hello from ${session}`));
      }),
    );
    for (const [index, events] of answers.entries()) {
      assert.equal(events.at(-1)?.event, 'done', JSON.stringify(events));
      assert.equal(textOf(events), `An answer to session-${index}.`);
    }
    assert.equal(model.requests.length, 20);
    for (const [index, session] of sessions.entries()) {
      const other = index % 2 === 0 ? two : one;
      const messages: readonly ChatMessage[] = await other.messages(session);
      assert.deepEqual(
        messages.map(({ role, content }) => [role, content]),
        [
          ['user', `hello from ${session}`],
          ['assistant', `An answer to ${session}.`],
        ],
      );
    }
    await until(async () => (await left()) === 0, 'the end of all jobs');
  });

  it('take messages and a stop for a turn that runs elsewhere', async () => {
    const end = join(cwd, 'end');
    const wait = (name: string): Reply => ({
      calls: [
        {
          name: 'execute_command',
          arguments: { command: `touch ${join(cwd, name)}; while [ ! -e ${end} ]; do sleep 0.1; done` },
        },
      ],
    });
    model.turns.push(wait('joined'), { text: 'Both are answered.' }, wait('stopped'));
    const [one, two] = await start(2);
    assert.ok(one && two);
    try {
      const watcher = await one.watch('joined');
      const first = await one.send('joined', 'the first');
      const asked = await watcher.heard('approval_request');
      watcher.say({ type: 'approval_response', approval_id: asked.approval_id, outcome: 'allow' });
      await until(() => existsSync(join(cwd, 'joined')), 'the command');
      const runner = await runnerOf('joined', [one, two]);
      const second = (runner === one ? two : one).send('joined', 'the second');
      // Kept for the turn is not yet with it: what comes behind the command's end is a turn of its own.
      await until(async () => (await queuedIn('joined', runner)).length === 1, 'the second message');
      writeFileSync(end, '');
      const answers = await Promise.all([eventsOf(first), eventsOf(await second)]);
      assert.deepEqual(
        answers.map((events) => [textOf(events), events.at(-1)?.event]),
        [
          ['', 'done'],
          ['Both are answered.', 'done'],
        ],
      );
      assert.deepEqual(
        (await one.messages('joined')).map(({ role, content }) => [role, content]),
        [
          ['user', 'the first'],
          ['assistant', ''],
          ['user', 'the second'],
          ['assistant', 'Both are answered.'],
        ],
      );

      rmSync(end);
      const watchers = [await one.watch('stopped'), await two.watch('stopped')] as const;
      const stream = await two.send('stopped', 'wait');
      const request = await watchers[0].heard('approval_request');
      watchers[0].say({ type: 'approval_response', approval_id: request.approval_id, outcome: 'allow' });
      await until(() => existsSync(join(cwd, 'stopped')), 'the command');
      const busy = await runnerOf('stopped', [one, two]);
      watchers[busy === one ? 1 : 0].say({ type: 'cancel' });
      const ends = await Promise.all(watchers.map(async (each) => await each.heard('turn_end')));
      assert.deepEqual(ends, [
        { type: 'turn_end', reason: 'cancelled' },
        { type: 'turn_end', reason: 'cancelled' },
      ]);
      const events = await eventsOf(stream);
      assert.deepEqual(
        [events.at(-1)?.event, (events.at(-1)?.data as { reason?: string }).reason],
        ['done', 'cancelled'],
      );
      for (const each of [watcher, ...watchers]) each.close();
    } finally {
      writeFileSync(end, '');
    }
  });

  it('show text that another one streams from its beginning, to a client that comes in the middle', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word ${index}, `).join('');
    model.turns.push({ text: words, delay: 40 });
    const [one, two] = await start(2);
    assert.ok(one && two);
    const stream = eventsOf(await one.send('streamed', 'speak'));
    await until(() => model.answering > 0, 'the answer');
    const runner = await runnerOf('streamed', [one, two]);
    const other = runner === one ? two : one;
    const late = await eventsOf(await fetch(`${other.url}/api/chat/sessions/streamed/events`));
    assert.ok(late.filter(({ event }) => event === 'message').length > 2, 'it came in pieces');
    assert.equal(textOf(late), words);
    assert.equal(textOf(await stream), words);
    assert.deepEqual(late.at(-1), (await stream).at(-1));
  });

  it('tell the end of a turn that runs elsewhere to a client whose session has left their memory meanwhile', async () => {
    const end = join(cwd, 'end');
    const command = `touch ${join(cwd, 'began')}; while [ ! -e ${end} ]; do sleep 0.1; done`;
    always(({ text }) =>
      text.includes('run it') && !text.includes('Exit code')
        ? { calls: [{ name: 'execute_command', arguments: { command } }] }
        : { text: 'It has ended.' },
    );
    const [one, two] = await start(2);
    assert.ok(one && two);
    try {
      const watcher = await one.watch('followed');
      const stream = await one.send('followed', 'run it');
      const asked = await watcher.heard('approval_request');
      watcher.say({ type: 'approval_response', approval_id: asked.approval_id, outcome: 'allow' });
      await until(() => existsSync(join(cwd, 'began')), 'the command');
      watcher.close();
      const runner = await runnerOf('followed', [one, two]);
      const other = runner === one ? two : one;
      const following = eventsOf(await fetch(`${other.url}/api/chat/sessions/followed/events`));
      // As many as are kept at rest, and more.
      const others = Array.from({ length: 210 }, (_, index) => `other-${index}`);
      await eventsOf(await other.send('pattern', 'hello'));
      const [started, ...rest] = await TaskJournal.read(join(home, 'tasks', 'pattern'));
      assert.ok(started?.type === 'task_started');
      for (const taskId of others)
        await (
          await TaskJournal.create(join(home, 'tasks', taskId), [{ ...started, taskId }, ...rest])
        ).close();
      for (const session of others) assert.equal((await other.messages(session)).length, 2);
      writeFileSync(end, '');
      for (const events of await Promise.all([following, eventsOf(stream)]))
        assert.deepEqual([textOf(events), events.at(-1)?.event], ['It has ended.', 'done']);
    } finally {
      writeFileSync(end, '');
    }
  });

  it('go on when the database was restarted in the middle of a turn, and miss nothing', async () => {
    const end = join(cwd, 'end');
    const began = join(cwd, 'began');
    const command = `echo once >> ${began}; while [ ! -e ${end} ]; do sleep 0.1; done; echo the end`;
    model.turns.push(
      { calls: [{ name: 'execute_command', arguments: { command } }] },
      { text: 'It has ended.' },
      { text: 'And again.' },
    );
    const [one, two] = await start(2);
    assert.ok(one && two);
    try {
      // Who watches at one server is there for what asks at the other, from when the WebSocket is open.
      let open = false;
      const release = await postgres.lock('lathe_presence', database);
      const opening = two.watch('restarted').finally(() => (open = true));
      await until(async () => await postgres.isWaitedFor(database), 'word of who watches');
      assert.equal(open, false);
      await release();
      const watcher = await opening;
      const stream = await one.send('restarted', 'run it');
      const asked = await watcher.heard('approval_request');
      watcher.say({ type: 'approval_response', approval_id: asked.approval_id, outcome: 'allow' });
      await until(() => existsSync(began), 'the command');
      await postgres.pause();
      // What ends now cannot be written down before somebody can say who may.
      writeFileSync(end, '');
      await postgres.resume();
      const events = await eventsOf(stream);
      assert.deepEqual([textOf(events), events.at(-1)?.event], ['It has ended.', 'done']);
      assert.equal(textOf(await eventsOf(await two.send('restarted', 'again'))), 'And again.');
      for (const server of [one, two])
        assert.deepEqual(
          (await server.messages('restarted')).map(({ role, content, tool_calls }) => [
            ...[role, content],
            tool_calls.map(({ status }) => status),
          ]),
          [
            ['user', 'run it', []],
            ['assistant', 'It has ended.', ['success']],
            ['user', 'again', []],
            ['assistant', 'And again.', []],
          ],
        );
      assert.equal(readFileSync(began, 'utf8'), 'once\n');
      assert.equal(model.requests.length, 3);
      watcher.close();
    } finally {
      writeFileSync(end, '');
    }
  });

  it('give what they run to another one when they are stopped', async () => {
    const slow: Reply = {
      text: 'This is said slowly, and nobody hears the end of it. '.repeat(20),
      delay: 100,
    };
    model.turns.push(slow, { text: 'Said by another.' });
    const [one, two] = await start(2);
    assert.ok(one && two);
    const stream = await one.send('stopping', 'speak');
    await until(() => model.answering > 0, 'the answer');
    const runner = await runnerOf('stopping', [one, two]);
    await runner.stop();
    await stream.body?.cancel().catch(() => undefined);
    const other = runner === one ? two : one;
    await until(async () => (await other.messages('stopping')).length === 2, 'the answer of the other');
    assert.deepEqual(
      (await other.messages('stopping')).map(({ role, content }) => [role, content]),
      [
        ['user', 'speak'],
        ['assistant', 'Said by another.'],
      ],
    );
    assert.equal(model.requests.length, 2);
  });

  it('say at the start what is wrong with the database', async () => {
    const refused = ServerProcess.spawn({
      cwd,
      home,
      model: model.url,
      database: postgres.url('postgres', 'wrong'),
    });
    const missing = ServerProcess.spawn({
      cwd,
      home,
      model: model.url,
      database: 'postgres://u:secret@127.0.0.1:1/d',
    });
    assert.deepEqual([await refused.ended(), await missing.ended()], [1, 1]);
    assert.match(
      refused.log,
      /^The database postgres:\/\/127\.0\.0\.1:\d+\/postgres cannot be used: password authentication failed .* --database/,
    );
    assert.match(
      missing.log,
      /^The database postgres:\/\/127\.0\.0\.1:1\/d cannot be used: connect ECONNREFUSED/,
    );
    assert.doesNotMatch(missing.log + refused.log, /secret|wrong/);
  });

  it('have their rows made again from the journals', async () => {
    always(() => ({ text: 'An answer.' }));
    const [one] = await start(1);
    assert.ok(one);
    await eventsOf(await one.send('kept', 'hello'));
    const messages = await one.messages('kept');
    await one.stop();
    await postgres.query('DELETE FROM messages', database);
    const rebuilt = ServerProcess.spawn({ cwd, home, model: model.url, database, command: 'rebuild' });
    assert.equal(await rebuilt.ended(), 0, rebuilt.log);
    const rows = await postgres.query<{ role: string; content: string }>(
      'SELECT role, content FROM messages ORDER BY id',
      database,
    );
    assert.deepEqual(
      rows,
      messages.map(({ role, content }) => ({ role, content })),
    );
  });

  /** The server that runs the session's turn. */
  async function runnerOf(session: string, among: readonly ServerProcess[]): Promise<ServerProcess> {
    const [row] = await postgres.query<{ name: string }>(
      `SELECT a.application_name AS name FROM lathe_turns t JOIN pg_stat_activity a
       ON a.application_name LIKE 'lathe ' || t.server_id || ' %' WHERE t.task_id = '${session}'`,
      database,
    );
    const runner = among.find(({ pid }) => row?.name.split(' ')[2] === String(pid));
    if (!runner) throw new Error(`nobody runs ${session}`);
    return runner;
  }

  /** Turns that run, or are to. */
  async function left(): Promise<number> {
    return (await postgres.query('SELECT 1 FROM lathe_turns', database)).length;
  }

  /** Messages that the server that runs the session's turn has for its next request. */
  async function queuedIn(session: string, runner: ServerProcess): Promise<readonly string[]> {
    const { body } = await runner.rpc('task/subscribe', { taskId: session });
    return (body as { queued: string[] }).queued;
  }
});

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await condition()) return;
    await delay(20);
  }
  throw new Error(`never came: ${what}`);
}

/** The events of a stream whose connection breaks. */
async function eventsUntilCut(response: Response): Promise<SentEvent[]> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    if (response.body)
      for await (const chunk of response.body) text += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch {
    // It broke: what came counts.
  }
  return await eventsOf(new Response(text.slice(0, text.lastIndexOf('\n\n') + 2)));
}

function textOf(events: readonly { event: string; data: unknown }[]): string {
  return events
    .filter(({ event }) => event === 'message')
    .map(({ data }) => (data as { content: string }).content)
    .join('');
}
