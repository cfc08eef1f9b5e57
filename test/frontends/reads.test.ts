import assert from 'node:assert/strict';
import type { Fact } from '../../src/shared/events.ts';
import { answered, call, fileView, finished, ScriptedAgent } from './webviewAgent.ts';
import { WebviewHarness, type Sidebar } from './webviewHarness.ts';
import { manyReads, readApproval } from './webviewTasks.ts';

const yes = { outcome: 'allow', optionId: 'once', by: 'person' };

describe('several reads that ask', function () {
  this.timeout(60_000);
  let harness: WebviewHarness;
  let sidebar: Sidebar | undefined;

  before(async () => {
    harness = await WebviewHarness.start();
  });
  afterEach(async () => {
    await sidebar?.close();
    sidebar = undefined;
  });
  after(async () => {
    await harness.stop();
  });

  /** The first of them asks; the person says yes to all. */
  async function agreed(): Promise<{ agent: ScriptedAgent; sidebar: Sidebar }> {
    const agent = new ScriptedAgent();
    await manyReads(agent);
    sidebar = await harness.open(agent);
    await sidebar.byTest('approval').getByText('Look into this?').waitFor();
    const all = sidebar.byTest('approve-reads');
    await sidebar.page.evaluate(`document.querySelector('[data-testid="approve-reads"]').click()`);
    assert.deepEqual(agent.of('approval/respond'), [], 'no click counts in the first moments');
    assert.equal(await all.innerText(), 'Approve all 3 reads');
    await sidebar.byTest('composer').fill('only these');
    await all.click();
    assert.deepEqual(await agent.called('approval/respond'), {
      taskId: 'task-1',
      approvalId: 'a1',
      decision: { ...yes, feedback: 'only these' },
    });
    await agent.say('task-1', ...answer('a1', 'c1', 'list_files', 'src'));
    return { agent, sidebar };
  }

  const answer = (approvalId: string, callId: string, tool: string, path: string): Fact[] => [
    { type: 'approval_resolved', approvalId, decision: { outcome: 'allow', by: 'person' } },
    finished(callId, tool, fileView('read', path)),
  ];

  it('are approved at once; what is no read of that message asks on its own', async () => {
    const { agent, sidebar: opened } = await agreed();
    await opened.byTest('composer').fill('a thought of its own');
    await agent.say('task-1', readApproval('a2', 'c2', 'src/cart.ts'));
    assert.deepEqual(await agent.called('approval/respond', 2), {
      taskId: 'task-1',
      approvalId: 'a2',
      decision: yes,
    });
    assert.equal(await opened.byTest('composer').inputValue(), 'a thought of its own');
    await agent.say('task-1', ...answer('a2', 'c2', 'read_file', 'src/cart.ts'));

    // The third turns out to be something that must be weighed.
    const { request, ...asked } = readApproval('a3', 'c3', '.env');
    await agent.say('task-1', { ...asked, request: { ...request, dangerous: true } as typeof request });
    await opened.byTest('approval').getByText('.env').waitFor();
    assert.equal(await opened.byTest('approve-reads').count(), 0);
    assert.equal(agent.of('approval/respond').length, 2);
  });

  it('of a later message are not answered by that, even where its calls have the same names', async () => {
    const { agent, sidebar: opened } = await agreed();
    await agent.say('task-1', ...answer('a2', 'c2', 'read_file', 'src/cart.ts'));
    await agent.say('task-1', ...answered('r2', [call('c3', 'read_file', { path: 'src/other.ts' })]));
    await agent.say('task-1', readApproval('a3', 'c3', 'src/other.ts'));
    await opened.byTest('approval').getByText('src/other.ts').waitFor();
    assert.equal(await opened.byTest('approve-reads').count(), 0);
    assert.equal(agent.of('approval/respond').length, 1);
  });
});
