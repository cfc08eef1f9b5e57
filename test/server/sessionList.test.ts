import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskJournal } from '../../src/core/task/TaskJournal.ts';
import type { ChatSession } from '../../src/shared/chat.ts';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { eventsOf, TestServer } from '../support/TestServer.ts';

describe('the list of sessions', () => {
  let cwd: string;
  let model: ScriptedModel;
  let server: TestServer;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-list-'));
    model = await ScriptedModel.start([{ text: 'One.' }, { text: 'Two.' }]);
    server = await TestServer.start({
      cwd,
      profile: { provider: 'openai-compatible', baseUrl: model.url, protocol: 'native' },
    });
    await eventsOf(await server.send('first', 'Say one'));
    await eventsOf(await server.send('second', 'Say two'));
  });
  afterEach(async () => {
    await server.stop();
    await model.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const listed = async (): Promise<(readonly [string, string, string])[]> =>
    ((await server.get('/api/chat/sessions')) as ChatSession[]).map(
      ({ id, title, status }) => [id, title, status] as const,
    );
  const folder = (id: string): string => join(server.tests.home, 'tasks', id);
  const lengthOf = (id: string): number => statSync(join(folder(id), 'journal.jsonl')).size;

  it('is of the journals as they are, whoever wrote, deleted or replaced them', async () => {
    assert.deepEqual(await listed(), [
      ['second', 'Say two', 'answered'],
      ['first', 'Say one', 'answered'],
    ]);

    for (const id of ['first', 'second']) await server.tests.agent.idle(id);

    // Another process gives one a name, and goes away.
    const { journal } = await TaskJournal.open(folder('first'));
    await journal.append({ type: 'title_changed', title: 'Renamed' });
    await journal.close();
    assert.deepEqual(
      (await listed()).find(([id]) => id === 'first'),
      ['first', 'Renamed', 'answered'],
    );

    rmSync(folder('second'), { recursive: true });
    assert.deepEqual(await listed(), [['first', 'Renamed', 'answered']]);

    // Another one by the name of the first, whose journal is as long.
    const bytes = lengthOf('first');
    const [started] = await TaskJournal.read(folder('first'));
    assert.ok(started);
    const replace = async (title: string): Promise<void> => {
      rmSync(folder('first'), { recursive: true });
      const named = { seq: 2, at: started.at, type: 'title_changed' as const, title };
      await (await TaskJournal.create(folder('first'), [started, named])).close();
    };
    await replace('');
    await replace('x'.repeat(bytes - lengthOf('first')));
    assert.equal(lengthOf('first'), bytes);
    assert.deepEqual(
      (await listed()).map(([id, title]) => [id, title.slice(0, 3)]),
      [['first', 'xxx']],
    );
  });

  it('reads a journal, and the summary beside it, once', async () => {
    const before = await listed();
    await server.tests.agent.idle('first');
    const kept = JSON.parse(readFileSync(join(folder('first'), 'summary.json'), 'utf8')) as {
      summary: { title: string };
    };
    kept.summary.title = 'Nobody reads this again';
    writeFileSync(join(folder('first'), 'summary.json'), JSON.stringify(kept));
    assert.deepEqual(await listed(), before);
    // Who begins has read nothing.
    cpSync(folder('first'), folder('copied'), { recursive: true });
    assert.ok((await listed()).some(([, title]) => title === 'Nobody reads this again'));
  });
});
