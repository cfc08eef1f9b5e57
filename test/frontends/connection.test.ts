import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import { PageConnection, type EditorHandlers } from '../../src/frontends/page/PageConnection.ts';
import type { JournalEntry, TaskEvent } from '../../src/shared/events.ts';
import type { ServerMessage } from '../../src/shared/wire.ts';
import { ScriptedModel, xmlCall } from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';

const nothing = (): Promise<Record<string, never>> => Promise.resolve({});

describe('the line between the sidebar and the agent', () => {
  let cwd: string;
  let model: ScriptedModel;
  let agent: TestAgent;
  let connection: PageConnection;
  let posted: ServerMessage[];
  let logged: string[];
  let openFile: () => Promise<Record<string, never>>;
  let openSettings: () => Promise<Record<string, never>>;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-line-'));
    model = await ScriptedModel.start([]);
    agent = await TestAgent.start({
      cwd,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
      answer: () => undefined,
    });
    posted = [];
    logged = [];
    openFile = nothing;
    openSettings = nothing;
    const editor: EditorHandlers = {
      'editor/ready': () => Promise.resolve({ locale: 'en', trusted: true, version: '1.2.3' }),
      'editor/opened': nothing,
      'editor/focused': nothing,
      'editor/keepDrafts': nothing,
      'editor/openFile': () => openFile(),
      'editor/openDiff': nothing,
      'editor/openCheckpointDiff': nothing,
      'editor/showTerminal': nothing,
      'editor/openExternal': nothing,
      'editor/openSettings': () => openSettings(),
      'editor/about': () => Promise.reject(new Error('nobody asks')),
      'editor/show': nothing,
      'editor/findPaths': () => Promise.resolve({ paths: [] }),
      'editor/findSymbols': () => Promise.resolve({ symbols: [] }),
      'editor/mentionable': () => Promise.resolve({ problems: { count: 0, files: 0 } }),
      'editor/surroundings': nothing,
      'editor/saveText': () => Promise.resolve({ saved: false }),
    };
    connection = new PageConnection({
      agent: () => Promise.resolve(agent.agent),
      editor,
      folders: () => [cwd],
      post: (message) => posted.push(message),
      logger: {
        info: () => undefined,
        warn: (text) => logged.push(text),
        error: (text) => logged.push(text),
      },
    });
  });
  afterEach(async () => {
    connection.dispose();
    await agent.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const ask = async (
    id: number,
    method: string,
    params: unknown = {},
  ): Promise<ServerMessage | undefined> => {
    await connection.receive({ type: 'request', id, method, params });
    return posted.find((message) => message.type !== 'notification' && message.id === id);
  };
  const told = (): string[] =>
    posted.flatMap((message) => (message.type === 'notification' ? [message.name] : []));
  const errorOf = (message: ServerMessage | undefined): unknown =>
    message?.type === 'error' ? [message.error.code, message.error.message.key] : message;

  it('drops what is no request, says nothing to it, and writes it down', async () => {
    for (const junk of [
      undefined,
      null,
      'task/list',
      [],
      { type: 'request' },
      { type: 'request', id: 'x', method: 'task/list', params: {} },
      { type: 'response', id: 1, result: {} },
    ])
      await connection.receive(junk);
    assert.deepEqual(posted, []);
    assert.equal(logged.length, 7);
  });

  it('answers every request once: with a result, or with an error in words', async () => {
    assert.deepEqual(await ask(1, 'task/list'), { type: 'response', id: 1, result: [] });
    assert.deepEqual(errorOf(await ask(2, 'task/explode')), ['not_found', 'error.unknownMethod']);
    assert.deepEqual(errorOf(await ask(3, 'toString')), ['not_found', 'error.unknownMethod']);
    assert.deepEqual(errorOf(await ask(4, 'task/cancel', { taskId: '../../etc' })), [
      'invalid_params',
      'error.invalidRequest',
    ]);
    assert.deepEqual(errorOf(await ask(5, 'editor/openFile', { path: 7 })), [
      'invalid_params',
      'error.invalidRequest',
    ]);
    assert.equal(posted.length, 5);
  });

  it('turns a failure of the editor into an error, and goes on', async () => {
    openFile = () => Promise.reject(new Error('boom'));
    assert.deepEqual(await ask(1, 'editor/openFile', { path: 'a' }), {
      type: 'error',
      id: 1,
      error: { code: 'internal', message: { key: 'error.internal', args: { reason: 'boom' } } },
    });
    assert.equal(logged.length, 1);
    assert.deepEqual(await ask(2, 'task/list'), { type: 'response', id: 2, result: [] });
  });

  it('says nothing unasked before the page is ready, then what had to wait, behind the answer', async () => {
    await ask(1, 'task/list');
    connection.notify('editor/command', { command: 'approve' });
    connection.notifyWhenReady('editor/command', { command: 'history' });
    await agent.agent.dispatcher.call('mode/set', { mode: 'ask' });
    assert.deepEqual(told(), []);
    await ask(2, 'editor/ready');
    assert.deepEqual(posted.slice(1), [
      { type: 'response', id: 2, result: { locale: 'en', trusted: true, version: '1.2.3' } },
      { type: 'notification', name: 'editor/command', params: { command: 'history' } },
    ]);
    await agent.agent.dispatcher.call('mode/set', { mode: 'code' });
    assert.deepEqual(posted.at(-1), { type: 'notification', name: 'mode/changed', params: { mode: 'code' } });
  });

  it('tells a page the events of the tasks that this page subscribed to, and no other', async () => {
    model.turns.push(...[1, 2, 3].map(() => ({ text: xmlCall('attempt_completion', { result: 'done' }) })));
    await ask(1, 'editor/ready');
    const first = await agent.run('First');
    await ask(2, 'task/list');
    assert.ok(!told().includes('task/events'));
    await ask(3, 'task/subscribe', { taskId: first });
    await ask(4, 'task/send', { taskId: first, text: 'Again' });
    await agent.ended(2);
    const entries = posted.flatMap((message) =>
      message.type === 'notification' && message.name === 'task/events'
        ? (message.params as { events: TaskEvent[] }).events
        : [],
    );
    assert.ok(entries.some((event) => event.kind === 'entry' && event.entry.type === 'task_finished'));
    // Another loading of the page has subscribed to nothing yet.
    await ask(5, 'editor/ready');
    posted.length = 0;
    await ask(6, 'task/send', { taskId: first, text: 'And again' });
    await agent.ended(3);
    assert.ok(!told().includes('task/events'));
  });

  it('tells a page a change without what it told before, however long the task', async () => {
    const sizes = (taskId: string): ((method: string, params: object) => Promise<number>) => {
      let id = 1;
      return async (method, params) => {
        posted.length = 0;
        await ask(id++, method, { taskId, ...params });
        return JSON.stringify(posted).length;
      };
    };
    const toldOf = async (taskId: string, messages: number): Promise<{ first: number; change: number }> => {
      const journal = await TaskJournal.create(join(agent.home, 'tasks', taskId), [
        { seq: 1, at: 1, type: 'task_started', version: 1, taskId, cwd, mode: 'code' },
        ...Array.from({ length: messages }, (_, index): JournalEntry => {
          const text = `${index} ${'x'.repeat(1000)}`;
          return { seq: index + 2, at: 1, type: 'user_message', text };
        }),
      ]);
      await journal.close();
      const size = sizes(taskId);
      const first = await size('task/subscribe', { bytes: 50_000 });
      return { first, change: await size('task/rename', { title: 'Another' }) };
    };
    await ask(0, 'editor/ready');
    const [short, long] = [await toldOf('short', 100), await toldOf('long', 5000)];
    assert.ok(long.first < 120_000, String(long.first));
    assert.ok(short.change > 0 && long.change < short.change + 200, `${short.change}, ${long.change}`);
  });

  it('gives a page no answer to what the page before it has asked', async () => {
    let answer: (value: Record<string, never>) => void = () => undefined;
    openSettings = () => new Promise((resolve) => (answer = resolve));
    const asked = connection.receive({ type: 'request', id: 1, method: 'editor/openSettings', params: {} });
    connection.forgetPage();
    answer({});
    await asked;
    assert.deepEqual(posted, []);
  });

  it('lets a page start tasks in the open folders and nowhere else', async () => {
    const refused = await ask(1, 'task/create', { text: 'Look', cwd: '/' });
    assert.deepEqual(errorOf(refused), ['unavailable', 'error.otherWorkspace']);
    assert.deepEqual(await agent.agent.dispatcher.call('task/list', {}), []);
    assert.equal((await ask(2, 'task/create', { text: 'Look', cwd }))?.type, 'response');
  });

  it('takes a yes of the page, but never its words for a file, nor another’s name', async () => {
    model.turns.push(
      { text: xmlCall('write_to_file', { path: 'a.txt', content: 'proposed' }) },
      { text: xmlCall('attempt_completion', { result: 'done' }) },
    );
    const { taskId } = await agent.agent.dispatcher.call('task/create', { text: 'Write' });
    await agent.until(() => agent.entries('approval_requested').length > 0, 'the request');
    const approvalId = agent.entries('approval_requested')[0]!.request.id;
    const decision = {
      outcome: 'allow',
      by: 'policy',
      edited: { [join(cwd, 'a.txt')]: 'slipped in' },
    };
    assert.deepEqual(await ask(1, 'approval/respond', { taskId, approvalId, decision }), {
      type: 'response',
      id: 1,
      result: { accepted: true },
    });
    await agent.ended(1);
    assert.deepEqual(
      agent.entries('approval_resolved').map((entry) => entry.decision),
      [{ outcome: 'allow', by: 'person' }],
    );
    assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8'), 'proposed\n');
  });

  it('lets no page make everything automatic', async () => {
    await ask(1, 'approval/setAutomatic', { all: true });
    assert.equal((await agent.agent.dispatcher.call('approval/policy', {})).auto.all, false);
  });
});
