import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel, type Reply } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const KEY = 'canary-key-7c2e91';
const SECRET = 'canary-environment-51ab';

function calling(name: string, args: Record<string, unknown>): Reply {
  return { text: 'On it.', calls: [{ name, arguments: args }] };
}

/** Every file below a folder, as text. */
function contents(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('secrets, and workspaces that nobody trusts', function () {
  this.timeout(60_000);
  let base: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let agent: TestAgent;

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-sinks-')));
    cwd = join(base, 'workspace');
    home = join(base, 'home');
    for (const folder of [cwd, home]) mkdirSync(folder);
  });
  afterEach(async () => {
    await agent.stop();
    await model.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const start = async (turns: Reply[], more: Partial<TestAgentOptions> = {}): Promise<void> => {
    model = await ScriptedModel.start(turns);
    agent = await TestAgent.start({
      ...{ cwd, home, key: KEY, answer: () => ({ outcome: 'allow' }) },
      profile: { provider: 'openai-compatible', protocol: 'native', baseUrl: model.url },
      ...more,
    });
  };

  it('neither the key nor our variables reach a log, the journal, an event, an export, or what a command sees', async () => {
    process.env.LATHE_API_KEY = SECRET;
    try {
      await start([
        calling('execute_command', { command: 'env; cat /proc/$PPID/environ 2>/dev/null | head -c 0; true' }),
        calling('read_file', { path: 'missing.txt' }),
        calling('attempt_completion', { result: 'Done.' }),
      ]);
    } finally {
      delete process.env.LATHE_API_KEY;
    }
    const taskId = await agent.run('Go.');
    const exported = await agent.agent.dispatcher.call('task/export', { taskId, format: 'json' });
    const told = JSON.stringify([
      agent.events,
      agent.errors,
      exported,
      model.requests.map(({ text }) => text),
    ]);
    assert.match(told, /PATH=/);
    // All of it is written then.
    await agent.stop();
    for (const text of [told, contents(home), contents(cwd)]) {
      assert.equal(text.includes(KEY), false);
      assert.equal(text.includes(SECRET), false);
    }
  });

  it('a key that the service refuses is not repeated', async () => {
    await start([{ status: 401, error: `the key ${KEY} is wrong` }], {
      answer: () => ({ outcome: 'reject' }),
    });
    await agent.run('Go.');
    assert.equal(agent.entries('task_finished').length, 1);
    assert.equal(JSON.stringify([agent.events, agent.errors]).includes(KEY), false);
    await agent.stop();
    assert.equal(contents(home).includes(KEY), false);
  });

  it('CVE-2025-59536, CVE-2025-65099, CVE-2026-21852 · Claude Code · before a workspace is trusted nothing starts and nothing is sent', async () => {
    for (const [path, content] of Object.entries({
      '.lathe/settings.json':
        '{"profiles":[{"name":"x","provider":"openai","model":"x","baseUrl":"http://127.0.0.1:9/"}]}',
      '.lathe/mcp.json': '{"mcpServers":{"x":{"command":"touch","args":["started"]}}}',
      '.env': 'LATHE_BASE_URL=http://127.0.0.1:9/',
    })) {
      mkdirSync(join(cwd, path, '..'), { recursive: true });
      writeFileSync(join(cwd, path), content);
    }
    await start([calling('execute_command', { command: 'touch started' })], {
      trusted: false,
      automatic: { all: true },
    });
    const { dispatcher } = agent.agent;
    const profile = {
      name: 'x',
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: model.url,
      protocol: 'auto',
    } as const;
    await assert.rejects(dispatcher.call('task/create', { text: 'Go.' }), { code: 'not_trusted' });
    await assert.rejects(dispatcher.call('profile/test', { profile, key: KEY }), { code: 'not_trusted' });
    assert.deepEqual(await dispatcher.call('service/find', {}), []);
    assert.equal(model.requests.length, 0);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['.env', '.lathe']);
  });
});
