import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProtocolError } from '../../src/core/Dispatcher.ts';
import type { JournalEntry } from '../../src/shared/events.ts';
import { ScriptedModel, xmlCall, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const done = (result: string): Turn => ({ text: xmlCall('attempt_completion', { result }) });
const withoutTime = (entries: readonly JournalEntry[]): object[] =>
  entries.map((entry) => ({ ...entry, at: 0 }));

describe('what a person does with tasks', () => {
  let cwd: string;
  let model: ScriptedModel;
  let agent: TestAgent;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-tasks-'));
  });
  afterEach(async () => {
    await agent.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  async function start(turns: Turn[], options: Partial<TestAgentOptions> = {}): Promise<void> {
    model = await ScriptedModel.start(turns);
    agent = await TestAgent.start({
      cwd,
      ...options,
      profile: { provider: 'openai-compatible', baseUrl: model.url },
    });
  }
  const call: TestAgent['agent']['dispatcher']['call'] = (method, params) =>
    agent.agent.dispatcher.call(method, params);
  const history = async (taskId: string): Promise<JournalEntry[]> =>
    (await call('task/subscribe', { taskId })).entries;
  const refused = (code: string) => (error: unknown) => error instanceof ProtocolError && error.code === code;

  it('goes on from an earlier message in a branch, and leaves the task as it was', async () => {
    await start([done('one'), done('two'), done('other two')]);
    const taskId = await agent.run('First');
    await call('task/send', { taskId, text: 'Second' });
    await agent.ended(2);
    const before = await history(taskId);
    const second = before.find((entry) => entry.type === 'user_message' && entry.text === 'Second');
    assert.ok(second);

    const branch = await call('task/branch', { taskId, seq: second.seq, text: 'Another second' });
    await agent.ended(3);
    assert.deepEqual(await history(taskId), before);
    const [started, ...rest] = await history(branch.taskId);
    assert.deepEqual(
      { ...started, at: 0 },
      { ...before[0], at: 0, taskId: branch.taskId, branchOf: { taskId, seq: second.seq } },
    );
    assert.deepEqual(rest.slice(0, second.seq - 2), before.slice(1, second.seq - 1));
    assert.deepEqual(
      rest.flatMap((entry) =>
        entry.type === 'user_message' && entry.automatic !== true
          ? [entry.text]
          : entry.type === 'task_finished'
            ? [entry.result]
            : [],
      ),
      ['First', 'one', 'Another second', 'other two'],
    );
    const sent = model.requests[2]?.text ?? '';
    assert.ok(sent.includes('First') && sent.includes('Another second') && !sent.includes('"Second'));
    // The branch is on the disk whole: another process opens it.
    const other = await TestAgent.start({ cwd, home: agent.home, profile: { provider: 'tour' } });
    const opened = await other.agent.dispatcher.call('task/subscribe', { taskId: branch.taskId });
    await other.stop();
    assert.deepEqual(opened.entries, [started, ...rest]);
  });

  it('branches from nothing but a message of the person', async () => {
    await start([done('one')]);
    const taskId = await agent.run('First');
    for (const seq of [1, 3, 99])
      await assert.rejects(call('task/branch', { taskId, seq, text: 'x' }), refused('not_found'));
    assert.equal((await call('task/list', {})).length, 1);
  });

  it('renames, deletes and restores', async () => {
    await start([done('one')]);
    const taskId = await agent.run('A long request');
    await call('task/rename', { taskId, title: '  Shorter ' });
    const listed = await call('task/list', {});
    assert.equal(listed[0]?.title, 'Shorter');
    const before = await history(taskId);
    await call('task/delete', { taskId });
    assert.deepEqual(await call('task/list', {}), []);
    await assert.rejects(history(taskId), refused('not_found'));
    await call('task/restore', { taskId });
    assert.deepEqual(await call('task/list', {}), listed);
    assert.deepEqual(await history(taskId), before);
    await assert.rejects(call('task/restore', { taskId }), refused('not_found'));
    await assert.rejects(call('task/rename', { taskId, title: '  ' }), refused('invalid_params'));
  });

  it('finds tasks by what was said in them', async () => {
    await start([done('The parser was at fault.'), done('Nothing.')]);
    const parser = await agent.run('Why does it FAIL?');
    await call('task/create', { text: 'Say nothing' });
    await agent.ended(2);
    assert.deepEqual(await call('task/search', { query: 'fault fail' }), [
      { taskId: parser, excerpt: 'The parser was at fault.' },
    ]);
    assert.deepEqual(await call('task/search', { query: 'fault absent' }), []);
    assert.equal((await call('task/search', { query: 'nothing' })).length, 1);
  });

  it('exports as markdown and as JSON', async () => {
    await start(
      [
        { text: `I look.\n${xmlCall('write_to_file', { path: 'a.md', content: '```\ncode\n```' })}` },
        done('Done.'),
      ],
      { automatic: { edit: true } },
    );
    const taskId = await agent.run('Ünïcode: write / it');
    const markdown = await call('task/export', { taskId, format: 'markdown' });
    assert.match(markdown.name, /^\d{4}-\d\d-\d\d-ünïcode-write-it\.md$/);
    for (const part of [
      '# Ünïcode: write / it',
      '## Person',
      'I look.',
      '**write_to_file**',
      '### write_to_file: done',
      '*completed*',
    ])
      assert.ok(markdown.text.includes(part), part);
    const json = await call('task/export', { taskId, format: 'json' });
    assert.match(json.name, /\.json$/);
    assert.deepEqual(JSON.parse(json.text), {
      format: 'lathe-task',
      version: 1,
      entries: await history(taskId),
    });
    assert.equal(readFileSync(join(cwd, 'a.md'), 'utf8'), '```\ncode\n```\n');
  });

  it('takes a message back out of the queue, and only the one that is meant', async () => {
    await start([{ text: 'word '.repeat(40), delay: 20 }, done('end')]);
    const { taskId } = await call('task/create', { text: 'Talk' });
    await agent.until(() => agent.entries('request_started').length === 1, 'the request');
    const picture = { mediaType: 'image/png', data: 'AAAA' };
    await call('task/send', { taskId, text: 'one', images: [picture] });
    await call('task/send', { taskId, text: 'two' });
    await assert.rejects(call('task/unqueue', { taskId, index: 0, text: 'two' }), refused('not_found'));
    assert.deepEqual(await call('task/unqueue', { taskId, index: 0, text: 'one' }), {
      text: 'one',
      images: [picture],
    });
    await agent.ended(1);
    assert.deepEqual(
      agent
        .entries('user_message')
        .filter(({ automatic }) => automatic !== true)
        .map(({ text }) => text),
      ['Talk', 'two'],
    );
    await assert.rejects(call('task/unqueue', { taskId, index: 0, text: 'two' }), refused('not_found'));
  });

  it('keeps the tasks in memory that were used last, and reads the others from the disk again', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    await start([...names.map(done), done('again')], { keptAtRest: 2 });
    const page = async (taskId: string): Promise<JournalEntry[]> =>
      (await call('task/page', { taskId, before: 1000, bytes: 1_000_000 })).entries;
    const tasks: string[] = [];
    for (const name of names) {
      const { taskId } = await call('task/create', { text: `Task ${name}` });
      await agent.ended(tasks.push(taskId));
      // The first is asked for again each time: it is never the one that was not used.
      await page(tasks[0]!);
    }
    const before = await page(tasks[0]!);
    // What is in memory does not need its journal; what is read again does.
    const journal = (index: number): string => join(agent.home, 'tasks', tasks[index]!, 'journal.jsonl');
    rmSync(journal(0));
    assert.deepEqual(await page(tasks[0]!), before);
    rmSync(journal(1));
    await assert.rejects(page(tasks[1]!), refused('not_found'));
    // One that went from memory goes on as if it had not.
    await call('task/send', { taskId: tasks[2]!, text: 'Once more' });
    await agent.ended(6);
    const entries = await page(tasks[2]!);
    assert.deepEqual(
      entries.flatMap((entry) =>
        entry.type === 'user_message' && entry.automatic !== true ? [entry.text] : [],
      ),
      ['Task c', 'Once more'],
    );
  });

  it('gives the end of a long task, and the rest in pages', async () => {
    await start(Array.from({ length: 6 }, (_, index) => done(`${index} ${'x'.repeat(2000)}`)));
    const taskId = await agent.run('0');
    for (let message = 1; message < 6; message++) {
      await call('task/send', { taskId, text: String(message) });
      await agent.ended(message + 1);
    }
    const whole = await history(taskId);
    let { base, entries } = await call('task/subscribe', { taskId, bytes: 6000 });
    assert.ok(base && base.lastSeq > 0 && entries.length < whole.length);
    assert.deepEqual([base.taskId, base.title, base.cwd], [taskId, '0', cwd]);
    let pages = 1;
    while (base.lastSeq > 0) {
      const page = await call('task/page', { taskId, before: entries[0]?.seq ?? 0, bytes: 6000 });
      entries = [...page.entries, ...entries];
      base = page.base;
      pages++;
    }
    assert.deepEqual(withoutTime(entries), withoutTime(whole));
    assert.ok(pages > 2, `${pages} pages`);
    assert.equal((await call('task/subscribe', { taskId, bytes: 10_000_000 })).base, undefined);
  });
});
