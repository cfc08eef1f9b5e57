import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandExplanation } from '../../src/shared/protocol.ts';
import { TestAgent } from '../support/TestAgent.ts';

describe('a command is explained before anyone runs it', () => {
  let cwd: string;
  let agent: TestAgent;

  beforeEach(async () => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-explain-')));
    agent = await TestAgent.start({ cwd, profile: { provider: 'tour' } });
  });
  afterEach(async () => {
    await agent.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const explain = (command: string): Promise<CommandExplanation> =>
    agent.agent.dispatcher.call('command/explain', { command });
  const keys = ({ verdict, why, parts }: CommandExplanation): unknown => ({
    verdict,
    why: why.map(({ key }) => key),
    parts: parts.map((part) => [part.source, part.verdict, part.why.map(({ key }) => key)]),
  });
  const deny = (command: string, where = cwd): void =>
    writeFileSync(
      join(agent.home, 'settings.json'),
      JSON.stringify({ approval: { deny: [{ type: 'command_prefix', prefix: command, workspace: where }] } }),
    );

  it('names each part of it, and why it asks', async () => {
    assert.deepEqual(keys(await explain('npm test && echo $HOME')), {
      verdict: 'ask',
      why: ['command.variable', 'command.notAllowed'],
      parts: [
        ['npm test', 'ask', ['command.notAllowed']],
        ['echo $HOME', 'ask', ['command.variable']],
      ],
    });
  });

  it('refuses what is denied here, wherever it stands, and not what is denied elsewhere', async () => {
    deny('git push');
    const denied = await explain('npm test && git push');
    assert.deepEqual(
      [denied.verdict, denied.why],
      ['deny', [{ key: 'command.denied', args: { rule: 'git push' } }]],
    );
    deny('git push', '/somewhere/else');
    assert.equal((await explain('npm test && git push')).verdict, 'ask');
  });

  it('says why what a rule allows asks all the same: nothing here can hold it', async () => {
    writeFileSync(
      join(agent.home, 'settings.json'),
      JSON.stringify({ approval: { allow: [{ type: 'command_prefix', prefix: 'ls', workspace: cwd }] } }),
    );
    const { verdict, why, sandboxed, parts } = await explain('ls src');
    assert.deepEqual(
      [verdict, why, sandboxed, parts.map((part) => part.verdict)],
      ['ask', [{ key: 'sandbox.platform' }], undefined, ['auto']],
    );
  });

  it('refuses what shows something else than it is, and shows it', async () => {
    assert.deepEqual((await explain('echo safe\u202Etxt.exe')).verdict, 'deny');
  });

  it('takes nothing that is no command', async () => {
    for (const params of [{}, { command: '' }, { command: 7 }, { command: 'x'.repeat(10_001) }]) {
      const answer = await agent.agent.dispatcher.dispatch('command/explain', params);
      assert.equal(answer.ok ? 'ok' : answer.error.code, 'invalid_params');
    }
  });
});
