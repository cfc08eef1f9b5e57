import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ScriptedModel, type ReceivedRequest, type Reply } from '../support/ScriptedModel.ts';
import { ServerProcess } from '../support/ServerProcess.ts';
import { TestPostgres } from '../support/TestPostgres.ts';
import { eventsOf } from '../support/TestServer.ts';

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
  afterEach(async () => {
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
});

function textOf(events: readonly { event: string; data: unknown }[]): string {
  return events
    .filter(({ event }) => event === 'message')
    .map(({ data }) => (data as { content: string }).content)
    .join('');
}
void [existsSync, writeFileSync, delay];
