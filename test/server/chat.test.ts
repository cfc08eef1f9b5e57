import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { ChatMessage, ChatSession } from '../../src/shared/chat.ts';
import { ScriptedModel, type Turn } from '../support/ScriptedModel.ts';
import {
  eventsOf,
  readEvents,
  TestServer,
  type SentEvent,
  type TestServerOptions,
} from '../support/TestServer.ts';

const write = (path: string, content: string) => ({ name: 'write_to_file', arguments: { path, content } });

describe('the chat over HTTP', () => {
  let cwd: string;
  let model: ScriptedModel;
  let server: TestServer;
  const sockets: WebSocket[] = [];

  async function start(turns: Turn[], options: Partial<TestServerOptions> = {}): Promise<void> {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-http-'));
    model = await ScriptedModel.start(turns);
    server = await TestServer.start({
      cwd,
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native' },
      ...options,
    });
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await server.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** What a WebSocket of the session says, in order; `next` waits for one of that type. */
  async function watch(session: string) {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/chat/ws?session_id=${session}`);
    sockets.push(socket);
    const heard: Record<string, unknown>[] = [];
    socket.on('message', (data: Buffer) =>
      heard.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>),
    );
    await once(socket, 'open');
    const next = async (type: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const found = heard.find((said) => said.type === type);
        if (found) return found;
        await once(socket, 'message');
      }
    };
    return { socket, heard, next, say: (said: object) => socket.send(JSON.stringify(said)) };
  }

  const messages = async (session: string): Promise<ChatMessage[]> =>
    (await server.get(`/api/chat/sessions/${session}/messages`)) as ChatMessage[];

  it('asks over the WebSocket what changes something, and does it after a yes', async () => {
    await start([{ text: 'I write it.', calls: [write('new.txt', 'hello\n')] }, { text: 'Written.' }]);
    const client = await watch('one');
    const response = await server.send('one', 'Write new.txt');
    const request = await client.next('approval_request');
    assert.equal(existsSync(join(cwd, 'new.txt')), false);
    assert.deepEqual(
      { tool: request.tool, session: request.session_id, reason: request.reason },
      { tool: 'write_to_file', session: 'one', reason: 'tool' },
    );
    client.say({ type: 'approval_response', approval_id: request.approval_id, outcome: 'allow' });
    const events = await eventsOf(response);
    assert.equal(readFileSync(join(cwd, 'new.txt'), 'utf8'), 'hello\n');
    assert.equal(textOf(events), 'I write it.\n\nWritten.');
    await client.next('turn_end');
    assert.deepEqual(
      client.heard.map(({ type }) => type),
      ['approval_request', 'approval_resolved', 'tool_start', 'tool_complete', 'turn_end'],
    );
    const [, answer] = await messages('one');
    assert.equal(answer?.content, 'I write it.\n\nWritten.');
    assert.deepEqual(
      answer.tool_calls.map(({ name, status }) => ({ name, status })),
      [{ name: 'write_to_file', status: 'success' }],
    );
  });

  it('tells a tool by the name that the model used', async () => {
    const call = { name: 'write_file', arguments: { path: 'log.txt', content: 'two\n', mode: 'append' } };
    await start([{ calls: [call] }, { text: 'Added.' }], { automatic: { edit: true } });
    writeFileSync(join(cwd, 'log.txt'), 'one\n');
    const client = await watch('one');
    await eventsOf(await server.send('one', 'Add a line'));
    await client.next('turn_end');
    assert.deepEqual(
      client.heard.slice(0, 2).map(({ type, tool }) => [type, tool]),
      [
        ['tool_start', 'write_file'],
        ['tool_complete', 'write_file'],
      ],
    );
    assert.equal((await messages('one'))[1]?.tool_calls[0]?.name, 'write_file');
    assert.equal(readFileSync(join(cwd, 'log.txt'), 'utf8'), 'one\ntwo\n');
  });

  it('refuses what asks where nobody watches, and does not hang', async () => {
    await start([{ calls: [write('new.txt', 'hello\n')] }, { text: 'It was refused.' }]);
    const events = await eventsOf(await server.send('one', 'Write new.txt'));
    assert.equal(events.at(-1)?.event, 'done');
    assert.equal(existsSync(join(cwd, 'new.txt')), false);
    const [, answer] = await messages('one');
    assert.equal(answer?.tool_calls[0]?.status, 'error');
    assert.match(String(answer.tool_calls[0].error), /[Nn]obody/);
  });

  it('tells a rejection with its reason to the model and to the client', async () => {
    await start([{ calls: [write('new.txt', 'hello\n')] }, { text: 'As you like.' }]);
    const client = await watch('one');
    const response = await server.send('one', 'Write new.txt');
    const { approval_id } = await client.next('approval_request');
    client.say({ type: 'approval_response', approval_id, outcome: 'reject', feedback: 'not in this folder' });
    await eventsOf(response);
    const error = await client.next('tool_error');
    assert.equal(error.outcome, 'rejected');
    assert.match(String(error.error), /not in this folder/);
    assert.match(model.requests[1]!.text, /not in this folder/);
  });

  it('loses nothing of a client that goes away, which goes on where it was', async () => {
    const pieces = Array.from({ length: 40 }, (_, index) => `piece ${index} `);
    await start([{ text: pieces, delay: 5 }]);
    const gone = new AbortController();
    const first = await server.send('one', 'Count', {}, gone.signal);
    const seen = [];
    for await (const event of readEvents(first)) {
      seen.push(event);
      if (seen.length === 5) break;
    }
    gone.abort();
    const last = String(seen.at(-1)?.id);
    const rest = await eventsOf(await fetch(`${server.url}/api/chat/sessions/one/events?since=${last}`));
    assert.equal(textOf([...seen, ...rest]), pieces.join(''));
    assert.deepEqual(
      [...seen, ...rest].filter(({ event }) => event !== 'message').map(({ event }) => event),
      ['start', 'done'],
    );
    // Long after its end too, and from its beginning.
    const again = await eventsOf(await fetch(`${server.url}/api/chat/sessions/one/events`));
    assert.deepEqual(
      again.map(({ event, data }) => [event, (data as { content?: string }).content]),
      [
        ['start', undefined],
        ['message', pieces.join('')],
        ['done', undefined],
      ],
    );
    assert.equal(model.requests.length, 1);
  });

  it('answers an older message from its rows', async () => {
    await start([{ text: 'First answer.' }, { text: 'Second answer.' }]);
    const first = await eventsOf(await server.send('one', 'First'));
    await eventsOf(await server.send('one', 'Second'));
    const id = (first[0]?.data as { message_id: string }).message_id;
    const events = await eventsOf(await fetch(`${server.url}/api/chat/sessions/one/events?since=${id}:6`));
    assert.deepEqual(
      events.map(({ data }) => data),
      [{ content: 'answer.' }, first.at(-1)?.data],
    );
    const unknown = await fetch(`${server.url}/api/chat/sessions/one/events?since=999`);
    assert.deepEqual(
      [unknown.status, await unknown.json()],
      [404, { error: 'the session has no such message' }],
    );
  });

  it('takes a message while a turn runs: each has its own answer', async () => {
    await start([
      { text: 'I look. ', delay: 20, calls: [{ name: 'list_files', arguments: { path: '.' } }] },
      { text: 'Both done.' },
    ]);
    const first = await server.send('one', 'First');
    const reading = readEvents(first);
    await reading.next();
    await reading.next();
    const second = await server.send('one', 'Second');
    const [one, two] = await Promise.all([rest(reading), eventsOf(second)]);
    assert.equal(one.at(-1)?.event, 'done');
    assert.deepEqual([two[0]?.event, two.at(-1)?.event], ['start', 'done']);
    assert.equal(textOf(two), 'Both done.');
    assert.deepEqual(
      (await messages('one')).map(({ role, content }) => [role, content]),
      [
        ['user', 'First'],
        ['assistant', 'I look. '],
        ['user', 'Second'],
        ['assistant', 'Both done.'],
      ],
    );
  });

  it('takes two first messages of one session at once', async () => {
    await start([{ text: 'One. ' }, { text: 'Two. ' }]);
    const answers = await Promise.all([
      server.send('one', 'A').then(eventsOf),
      server.send('one', 'B').then(eventsOf),
    ]);
    for (const events of answers)
      assert.deepEqual([events[0]?.event, events.at(-1)?.event], ['start', 'done']);
    assert.deepEqual(
      (await messages('one')).filter(({ role }) => role === 'user').map(({ content }) => content),
      ['A', 'B'],
    );
  });

  it('bounds what waits in one session', async () => {
    await start([{ text: ['a ', 'b ', 'c'], delay: 400 }, { text: 'Rest.' }], { limits: { queue: 2 } });
    const first = await server.send('one', 'First');
    const waiting = [server.send('one', 'Second'), server.send('one', 'Third')];
    await server.tests.until(
      () => server.server.sessions.size === 1 && model.requests.length === 1,
      'a request to the model',
    );
    await server.tests.until(() => server.server.sessions.queued('one') === 2, 'two messages that wait');
    const refused = await server.send('one', 'Fourth');
    assert.deepEqual(
      [refused.status, ((await refused.json()) as { error: string }).error.slice(0, 42)],
      [409, '2 messages wait in this session already. S'],
    );
    for (const response of [first, ...(await Promise.all(waiting))])
      assert.equal((await eventsOf(response)).at(-1)?.event, 'done');
  });

  it('says why a turn failed, once', async () => {
    await start([{ status: 401, error: 'no such key' }]);
    const events = await eventsOf(await server.send('one', 'Hello'));
    assert.deepEqual(
      events.map(({ event }) => event),
      ['start', 'error'],
    );
    assert.match((events[1]?.data as { error: string }).error, /no such key|key/i);
    assert.deepEqual(
      (await messages('one')).map(({ role }) => role),
      ['user', 'assistant'],
    );
  });

  it('stops on a word of the WebSocket', async () => {
    await start([{ text: Array.from({ length: 4000 }, () => 'word '), delay: 5 }]);
    const client = await watch('one');
    const reading = readEvents(await server.send('one', 'Talk'));
    await reading.next();
    await reading.next();
    client.say({ type: 'cancel' });
    const end = (await rest(reading)).at(-1);
    assert.deepEqual([end?.event, (end?.data as { reason?: string }).reason], ['done', 'cancelled']);
  });

  it('lists sessions, newest first, and the state of a subtask at its call', async () => {
    await start(
      [
        { calls: [{ name: 'new_task', arguments: { mode: 'ask', message: 'Look into it' } }] },
        { text: 'Looked.' },
        { text: 'All done.' },
      ],
      { automatic: { switchMode: true } },
    );
    await eventsOf(await server.send('one', 'Delegate'));
    const sessions = (await server.get('/api/chat/sessions')) as ChatSession[];
    assert.deepEqual(
      sessions.map(({ id, title, status }) => ({ id, title, status })),
      [{ id: 'one', title: 'Delegate', status: 'answered' }],
    );
    const [, answer] = await messages('one');
    const spawned = answer?.tool_calls.find(({ name }) => name === 'new_task')?.spawn_task;
    assert.deepEqual(spawned && { ...spawned, id: typeof spawned.id }, {
      ...{ id: 'string', title: 'Look into it', mode: 'ask', status: spawned?.status },
    });
    assert.ok(['answered', 'completed'].includes(String(spawned?.status)));
  });

  it('makes the same rows again from the journals', async () => {
    await start([
      { text: 'A look. ', calls: [{ name: 'list_files', arguments: { path: '.' } }] },
      { calls: [{ name: 'read_file', arguments: { path: 'missing.txt' } }] },
      { text: 'Done.' },
    ]);
    await eventsOf(await server.send('one', 'Look'));
    const before = [await server.database.read('one'), await messages('one')];
    assert.equal(await server.server.sessions.rebuild(), 1);
    assert.deepEqual([await server.database.read('one'), await messages('one')], before);
  });

  it('gives attachments to the model: pictures as pictures, text as text', async () => {
    await start([{ text: 'Seen.' }], {});
    const attachments = [
      { name: 'notes.md', mime_type: 'text/markdown', data: Buffer.from('# Notes\nüber').toString('base64') },
    ];
    await eventsOf(await server.send('one', 'Look at this', { attachments }));
    assert.match(model.requests[0]!.text, /# Notes\\nüber/);
    const bad = await server.send('two', 'Look', {
      attachments: [{ name: 'x', mime_type: 'text/plain', data: '!!' }],
    });
    assert.deepEqual(
      [bad.status, ((await bad.json()) as { error: string }).error],
      [400, 'The data of the attachment x is not base64.'],
    );
  });

  /** What the `message` events say together. */
  function textOf(events: readonly SentEvent[]): string {
    return events.map(({ data }) => (data as { content?: string }).content ?? '').join('');
  }

  async function rest<T>(reading: AsyncGenerator<T>): Promise<T[]> {
    const events: T[] = [];
    for await (const event of reading) events.push(event);
    return events;
  }
});
