import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel } from '../support/ScriptedModel.ts';
import { ServerProcess } from '../support/ServerProcess.ts';
import { TestPostgres } from '../support/TestPostgres.ts';
import { eventsOf } from '../support/TestServer.ts';

describe('a proposal, where servers share their sessions', function () {
  this.timeout(180_000);
  let postgres: TestPostgres;
  const folders: string[] = [];
  const servers: ServerProcess[] = [];
  let model: ScriptedModel;

  before(async () => {
    postgres = await TestPostgres.start();
    model = await ScriptedModel.start([]);
  });
  after(async function () {
    if (this.test?.parent?.tests.some((test) => test.isFailed()))
      for (const { log } of servers) console.error(log);
    await Promise.all(servers.map(async (server) => await server.stop()));
    await model.stop();
    await postgres.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('is read and changed at each of them, whichever runs the turn', async () => {
    const [cwd, home] = ['lathe-servers-', 'lathe-home-'].map((name) => mkdtempSync(join(tmpdir(), name)));
    assert.ok(cwd !== undefined && home !== undefined);
    folders.push(cwd, home);
    // Longer than what one notification of the database holds.
    const proposed = 'a line of the file\n'.repeat(2000);
    model.turns.push(
      { calls: [{ name: 'write_to_file', arguments: { path: 'a.txt', content: proposed } }] },
      { text: 'As you have it.' },
    );
    const database = await postgres.database();
    const starting = Array.from(
      { length: 2 },
      async () => await ServerProcess.start({ cwd, home, model: model.url, database }),
    );
    servers.push(...(await Promise.all(starting)));
    const [one, two] = servers;
    assert.ok(one && two);
    writeFileSync(join(cwd, 'a.txt'), 'before\n');
    const watcher = await one.watch('changed');
    const stream = await two.send('changed', 'write it');
    const { approval_id: approvalId } = await watcher.heard('approval_request');
    const asked = { taskId: 'changed', approvalId };
    const proposals = await Promise.all(
      [one, two].map(async (server) => await rpc(server, 'approval/proposal', asked)),
    );
    assert.deepEqual(proposals, Array(2).fill({ path: 'a.txt', text: proposed }));
    const decision = { outcome: 'allow' };
    const text = `${proposed}and one more\n`;
    const answers = await Promise.all(
      [one, two].map(async (server) => await rpc(server, 'approval/respond', { ...asked, decision, text })),
    );
    // The first answer counts, and it is the same one.
    assert.deepEqual(answers.filter((answer) => 'accepted' in answer && answer.accepted === true).length, 1);
    await eventsOf(stream);
    assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8'), text);
    assert.match(JSON.stringify(model.requests[1]?.body), /\+and one more/);
    watcher.close();
  });
});

async function rpc(server: ServerProcess, method: string, params: object): Promise<object> {
  const response = await fetch(`${server.url}/rpc/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return (await response.json()) as object;
}
