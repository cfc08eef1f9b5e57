import type { SessionUpdate } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../services/mcp/hubBench.ts';
import { xmlCall } from '../support/ScriptedModel.ts';
import { acpFactory, type FactoryAgent, type FactorySession } from './support/acpFactory.ts';
import { AcpBench, BUG, done, EDIT, MENDED, run } from './support/AcpBench.ts';
import { MAIN } from './support/clientPackages.ts';

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; !condition();) {
    assert.ok(Date.now() < end, 'it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('ACP: the published client acp-factory, made with an older SDK', function () {
  this.timeout(60_000);
  let bench: AcpBench;
  const agents: FactoryAgent[] = [];
  beforeEach(() => {
    bench = new AcpBench();
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) {
      await agent.close();
      await until(() => !agent.isRunning());
    }
    await bench.stop();
  });

  async function start(
    turns: Parameters<AcpBench['script']>[0],
    ...options: Parameters<Awaited<ReturnType<typeof acpFactory>>['spawn']>[1][]
  ): Promise<FactoryAgent> {
    await bench.script(turns);
    const factory = await acpFactory();
    factory.register('lathe', {
      command: process.execPath,
      args: [MAIN, 'acp'],
      env: bench.environment({ HOME: join(bench.folder, 'nobody') }),
    });
    const agent = await factory.spawn('lathe', options[0] ?? { permissionMode: 'auto-approve' });
    agents.push(agent);
    return agent;
  }
  async function turn(session: FactorySession, text: string): Promise<SessionUpdate[]> {
    const updates: SessionUpdate[] = [];
    for await (const update of session.prompt(text)) updates.push(update);
    return updates;
  }
  /** Whether what a call is in the end is among what was told. */
  const ended = (updates: readonly SessionUpdate[], status: string): boolean =>
    updates.some((update) => update.sessionUpdate === 'tool_call_update' && update.status === status);

  it('acp-factory: a session in a mode, its updates as they come, approvals by itself', async () => {
    const todos = xmlCall('update_todo_list', { todos: '[-] mend' });
    const agent = await start([{ reasoning: 'Hm.', text: todos }, EDIT, done()]);
    assert.equal(agent.capabilities.loadSession, true);
    const session = await agent.createSession(bench.cwd, { mode: 'debug' });
    assert.deepEqual(session.modes, ['code', 'architect', 'ask', 'debug', 'orchestrator', 'review']);
    const updates = await turn(session, 'mend it');
    const kinds = new Set(updates.map(({ sessionUpdate }) => sessionUpdate));
    for (const kind of ['agent_thought_chunk', 'plan', 'agent_message_chunk', 'tool_call'] as const)
      assert.ok(kinds.has(kind), kind);
    assert.equal(ended(updates, 'completed'), true);
    assert.equal(readFileSync(bench.file, 'utf8'), MENDED);
    await session.setMode('ask');
    await bench.script([done('In words.')]);
    await turn(session, 'explain');
    assert.match(JSON.stringify(bench.model.requests.at(-1)?.body), /Ask/);
  });

  it('acp-factory: denied by itself', async () => {
    const agent = await start([EDIT, done('Not done.')], { permissionMode: 'auto-deny' });
    const updates = await turn(await agent.createSession(bench.cwd), 'mend it');
    assert.equal(ended(updates, 'failed'), true);
    assert.equal(readFileSync(bench.file, 'utf8'), BUG);
  });

  it('acp-factory: cancelled while a command runs, and the session goes on', async () => {
    const agent = await start([run('echo $$ > running; exec sleep 60'), done('Still here.')]);
    const session = await agent.createSession(bench.cwd);
    const file = join(bench.cwd, 'running');
    const updates = turn(session, 'run it');
    await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
    const pid = Number(readFileSync(file, 'utf8'));
    await session.cancel();
    assert.equal(ended(await updates, 'completed'), false);
    assert.equal(isAlive(pid), false);
    await turn(session, 'and now?');
    assert.equal(bench.model.requests.length, 2);
  });

  it('acp-factory: a session is loaded by the next program, with its history', async () => {
    const first = await start([done('The first.')]);
    const begun = await first.createSession(bench.cwd);
    await turn(begun, 'begin');
    await first.close();
    const second = await start([done('The second.')]);
    const updates = await turn(await second.loadSession(begun.id, bench.cwd), 'go on');
    const said = (kind: string): string =>
      updates
        .map((update) =>
          update.sessionUpdate === kind && 'content' in update && !Array.isArray(update.content)
            ? JSON.stringify(update.content)
            : '',
        )
        .join('');
    assert.match(said('user_message_chunk'), /begin/);
    assert.match(said('agent_message_chunk'), /The first\./);
    assert.match(bench.model.requests.at(-1)?.text ?? '', /begin.*The first\..*go on/);
  });
});
