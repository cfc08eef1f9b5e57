import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ScriptedModel,
  xmlCall,
  type ReceivedRequest,
  type Reply,
  type Turn,
} from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'Done.' }) };
const read = (path: string): Reply => ({ text: xmlCall('read_file', { path }) });
const TOLD = 'Changed since you read them';

/** The blocks about what surrounds the messages, in order. */
function blocks({ body }: ReceivedRequest): string[] {
  const all = (body.messages as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  return all.flatMap(
    (text) => text.replaceAll('\\n', '\n').match(/<environment>[^]*?<\/environment>/g) ?? [],
  );
}

function told(request: ReceivedRequest | undefined): string[] {
  assert.ok(request);
  return blocks(request).filter((block) => block.includes(TOLD));
}

describe('files that change behind the model’s back', () => {
  let cwd: string;
  let home: string;
  let model: ScriptedModel | undefined;
  let agent: TestAgent | undefined;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-fresh-'));
    home = mkdtempSync(join(tmpdir(), 'lathe-fresh-home-'));
    for (const name of ['a', 'b', 'c']) writeFileSync(join(cwd, `${name}.txt`), `${name} one\n`);
  });
  afterEach(async () => {
    await agent?.stop();
    await model?.stop();
    agent = model = undefined;
    rmSync(cwd, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });

  async function open(): Promise<TestAgent> {
    assert.ok(model);
    return await TestAgent.start({
      cwd,
      home,
      profile: { provider: 'openai-compatible', protocol: 'xml', baseUrl: model.url },
      automatic: { all: true },
    });
  }

  async function start(turns: Turn[]): Promise<TestAgent> {
    model = await ScriptedModel.start(turns);
    agent = await open();
    return agent;
  }

  it('are told with the next message, once, and are not edited unread', async () => {
    const tests = await start([
      read('a.txt'),
      done,
      { text: xmlCall('write_to_file', { path: 'a.txt', content: 'a mine\n' }) },
      read('a.txt'),
      { text: xmlCall('write_to_file', { path: 'a.txt', content: 'a mine\n' }) },
      done,
    ]);
    const taskId = await tests.run('Read.');
    writeFileSync(join(cwd, 'a.txt'), 'a theirs\n');
    writeFileSync(join(cwd, 'b.txt'), 'b was never read\n');
    await tests.agent.dispatcher.call('task/send', { taskId, text: 'I changed it. Go on.' });
    await tests.ended(2);
    assert.deepEqual(told(model!.requests[1]), []);
    assert.deepEqual(told(model!.requests[2]), [
      `<environment>\n${TOLD} (read them again before you rely on them):\n  a.txt\n</environment>`,
    ]);
    assert.equal(told(model!.requests.at(-1)).length, 1);
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['read_file', 'done'],
        ['attempt_completion', 'done'],
        ['write_to_file', 'failed'],
        ['read_file', 'done'],
        ['write_to_file', 'done'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.match(tests.results()[2]!.text, /changed on disk since it was read/);
    assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8'), 'a mine\n');
  });

  it('are told in the middle of a turn too, each change, and what the model did itself is not', async () => {
    const tests = await start([
      read('a.txt'),
      read('b.txt'),
      read('c.txt'),
      { text: xmlCall('execute_command', { command: 'echo two > a.txt' }) },
      { text: xmlCall('write_to_file', { path: 'b.txt', content: 'b two\n' }) },
      { text: xmlCall('execute_command', { command: 'echo three > a.txt' }) },
      { text: xmlCall('delete_file', { path: 'b.txt' }) },
      { text: xmlCall('execute_command', { command: 'rm c.txt' }) },
      done,
    ]);
    await tests.run('Go.');
    const said = told(model!.requests.at(-1)).map((block) => block.split('\n').slice(2, -1));
    assert.deepEqual(said, [['  a.txt'], ['  a.txt'], ['  c.txt (gone)']]);
    assert.deepEqual(
      tests
        .entries('user_message')
        .flatMap(({ changedFiles }) => changedFiles?.map(({ hash }) => hash === null) ?? []),
      [false, false, true],
    );
  });

  it('are told after a restart, and not again what was told before it', async () => {
    const tests = await start([read('a.txt'), read('b.txt'), done, done, done]);
    const taskId = await tests.run('Read.');
    writeFileSync(join(cwd, 'a.txt'), 'a theirs\n');
    await tests.agent.dispatcher.call('task/send', { taskId, text: 'Go on.' });
    await tests.ended(2);
    await tests.stop();
    writeFileSync(join(cwd, 'b.txt'), 'b theirs\n');
    agent = await open();
    await agent.agent.dispatcher.call('task/send', { taskId, text: 'And on.' });
    await agent.ended(1);
    const said = told(model!.requests.at(-1)).map((block) => block.split('\n').slice(2, -1));
    assert.deepEqual(said, [['  a.txt'], ['  b.txt']]);
  });
});
