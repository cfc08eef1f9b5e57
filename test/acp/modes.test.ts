import type { AvailableCommand, SessionUpdate } from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtInModes } from '../../src/shared/modes.ts';
import { AcpBench, done, refusal } from './support/AcpBench.ts';
import type { AcpClient } from './support/AcpClient.ts';

const modes = (...slugs: string[]): string =>
  `customModes:\n${slugs.map((slug) => `  - slug: ${slug}\n    name: ${slug}\n    roleDefinition: You are ${slug}.\n    groups: [read]\n`).join('')}`;
const builtIn = builtInModes.map(({ slug }) => slug);

describe('ACP: modes and commands of files', () => {
  let bench: AcpBench;
  beforeEach(() => {
    bench = new AcpBench();
    write(join(bench.home, 'modes.yaml'), modes('mine'));
    write(join(bench.home, 'commands/hello.md'), '---\ndescription: Say hello\n---\nGreet $ARGUMENTS.');
    write(join(bench.cwd, '.roomodes'), modes('theirs'));
    write(
      join(bench.cwd, '.roo/commands/review.md'),
      '---\nargument-hint: <path>\nmode: theirs\n---\nReview $1.',
    );
  });
  afterEach(async () => {
    await bench.stop();
  });

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const open = async (client: AcpClient) =>
    await client.agent.request('session/new', { cwd: bench.cwd, mcpServers: [] });
  const told = (client: AcpClient, sessionId: string): AvailableCommand[] =>
    client
      .updates(sessionId)
      .flatMap((update: SessionUpdate) =>
        update.sessionUpdate === 'available_commands_update' ? [update.availableCommands] : [],
      )
      .at(-1) ?? [];

  it('those of the folder count with --trust alone', async () => {
    const client = await bench.start([]);
    const session = await open(client);
    assert.deepEqual(
      session.modes?.availableModes.map(({ id }) => id),
      [...builtIn, 'mine'],
    );
    await client.until(() => told(client, session.sessionId).length > 0, 'the commands');
    assert.deepEqual(told(client, session.sessionId), [{ name: 'hello', description: 'Say hello' }]);
    const refused = await refusal(
      client.agent.request('session/set_mode', { sessionId: session.sessionId, modeId: 'theirs' }),
    );
    assert.equal(refused.code, -32602);
  });

  it('are offered, told again when a file is saved, and expanded', async () => {
    const client = await bench.start([done()], { args: ['--trust'] });
    const { sessionId, modes: state } = await open(client);
    assert.deepEqual(
      state?.availableModes.map(({ id }) => id),
      [...builtIn, 'mine', 'theirs'],
    );
    await client.until(() => told(client, sessionId).length === 2, 'the commands');
    assert.deepEqual(told(client, sessionId), [
      { name: 'hello', description: 'Say hello' },
      { name: 'review', description: 'review', input: { hint: '<path>' } },
    ]);

    write(join(bench.cwd, '.roo/commands/late.md'), 'Late.');
    await client.until(() => told(client, sessionId).length === 3, 'the new command');
    write(join(bench.cwd, '.roomodes'), modes('theirs', 'late'));
    const offered = (): string =>
      JSON.stringify(
        client.updates(sessionId).findLast(({ sessionUpdate }) => sessionUpdate === 'config_option_update') ??
          {},
      );
    await client.until(() => offered().includes('"late"'), 'the new mode');
    await client.agent.request('session/set_mode', { sessionId, modeId: 'late' });

    assert.equal(await client.prompt(sessionId, '/review src/a.js'), 'end_turn');
    const sent = bench.model.requests[0]?.text ?? '';
    assert.ok(sent.includes('Review src/a.js.'));
    assert.ok(sent.includes('You are theirs.'), 'the command’s own mode');
    assert.ok(
      client
        .updates(sessionId)
        .some(
          (update) => update.sessionUpdate === 'current_mode_update' && update.currentModeId === 'theirs',
        ),
    );
  });
});
