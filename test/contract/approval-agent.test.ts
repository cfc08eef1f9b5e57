import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EditorHost } from '../../src/core/host/Host.ts';
import type { ApprovalRequest, ApprovalRule } from '../../src/shared/approvals.ts';
import { ScriptedModel, type Reply, type Turn } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

/** Stands in every file that nobody may see; it must never reach the model. */
const CANARY = 'canary-5f1d';

function calling(name: string, args: Record<string, unknown>): Reply {
  return { text: 'On it.', calls: [{ name, arguments: args }] };
}

const done = calling('attempt_completion', { result: 'Done.' });
const searching = calling('search_files', { path: '.', regex: 'canary|plain' });

describe('what a whole agent lets through', () => {
  let base: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel | undefined;
  let agent: TestAgent | undefined;

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-whole-')));
    cwd = join(base, 'workspace');
    home = join(base, 'home');
    mkdirSync(join(cwd, 'src'), { recursive: true });
    mkdirSync(home);
    writeFileSync(join(cwd, 'src', 'plain.txt'), 'plain\n');
    writeFileSync(join(cwd, '.env'), `KEY=${CANARY}\n`);
  });
  afterEach(async () => {
    await agent?.stop();
    await model?.stop();
    agent = model = undefined;
    rmSync(base, { recursive: true, force: true });
  });

  async function run(turns: Turn[], options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    model = await ScriptedModel.start(turns);
    agent = await TestAgent.start({
      cwd,
      home,
      profile: { provider: 'openai-compatible', protocol: 'native', baseUrl: model.url },
      ...options,
    });
    await agent.run('Go.');
    return agent;
  }

  function sent(): string {
    return model?.requests.map(({ text }) => text).join('\n') ?? '';
  }

  it('a search over everything shows no secret; the file by its name asks', async () => {
    const asked: ApprovalRequest[] = [];
    const tests = await run([searching, calling('search_files', { path: '.env', regex: 'KEY' }), done], {
      answer: (request) => {
        asked.push(request);
        return { outcome: 'reject' };
      },
    });
    assert.doesNotMatch(sent(), new RegExp(CANARY));
    assert.match(tests.results()[0]?.text ?? '', /Found 1 match in 1 file\.\n\n# src\/plain\.txt/);
    assert.deepEqual(
      asked.map((request) => request.reason === 'tool' && [request.dangerous, request.why, request.options]),
      [
        [
          true,
          [{ key: 'why.secret', args: { path: join(cwd, '.env') } }],
          [
            { id: 'allow_once', kind: 'allow_once' },
            { id: 'reject_once', kind: 'reject_once' },
            {
              id: 'reject_always_file',
              kind: 'reject_always',
              rule: { type: 'file', access: 'read', path: join(cwd, '.env') },
            },
          ],
        ],
      ],
    );
  });

  it('agreed to by name or by a standing yes, it is shown', async () => {
    const tests = await run([calling('search_files', { path: '.env', regex: 'KEY' }), done], {
      answer: () => ({ outcome: 'allow' }),
    });
    assert.match(tests.results()[0]?.text ?? '', new RegExp(CANARY));
    await tests.stop();
    await model?.stop();
    const standing = await run([searching, done], { automatic: { all: true } });
    assert.match(standing.results()[0]?.text ?? '', new RegExp(CANARY));
  });

  it('"never" is kept, and holds for searches and under the standing yes', async () => {
    const plain = join(cwd, 'src', 'plain.txt');
    const rule: ApprovalRule = { type: 'file', access: 'read', path: plain };
    const tests = await run([calling('read_file', { path: 'src/plain.txt' }), done], {
      automatic: { read: false },
      answer: () => ({ outcome: 'reject', optionId: 'reject_always_file' }),
    });
    assert.deepEqual((await tests.agent.dispatcher.call('approval/policy', {})).deny, [rule]);
    await tests.stop();
    await model?.stop();
    const again = await run([calling('read_file', { path: 'src/../src/plain.txt' }), searching, done], {
      automatic: { all: true },
    });
    const [read, search] = again.results();
    assert.match(read?.text ?? '', /rules deny it/);
    assert.doesNotMatch(search?.text ?? '', /plain\.txt/);
  });

  it('what was kept of its own long output is read without asking', async () => {
    const command = `node -e "for (let i = 0; i < 3000; i++) console.log('line ' + i)"`;
    const tests = await run(
      [
        calling('execute_command', { command }),
        ({ text }) => {
          const path = /[^\s"'`\\]+\/artifacts\/[^\s"'`\\,;:)]+[\w]/.exec(text)?.[0] ?? 'not found';
          return calling('read_file', { path, start_line: 1500, end_line: 1501 });
        },
        done,
      ],
      {
        answer: (request) =>
          request.reason === 'tool' && request.tool === 'execute_command'
            ? { outcome: 'allow' }
            : { outcome: 'reject' },
      },
    );
    const read = tests.results()[1];
    assert.deepEqual([read?.tool, read?.outcome], ['read_file', 'done'], read?.text);
    assert.match(read?.text ?? '', /line 1499/);
  });

  it('nobody there: what asks is refused and nothing is written', async () => {
    const tests = await run([calling('write_to_file', { path: 'new.txt', content: 'x' }), done]);
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['write_to_file', 'rejected'],
        ['attempt_completion', 'done'],
      ],
    );
  });

  it('names that are hidden are not told, neither of the root nor of the editor', async () => {
    writeFileSync(join(cwd, '.latheignore'), 'hidden-*\n');
    mkdirSync(join(cwd, 'hidden-folder'));
    const editor: EditorHost = {
      openDiff: () => Promise.reject(new Error('no diff is opened here')),
      facts: () =>
        Promise.resolve({
          visibleFiles: ['hidden-a.ts', 'src/b.ts'],
          openTabs: ['src/hidden-c.ts', 'src/d.ts'],
        }),
    };
    await run([done], { editor });
    assert.match(sent(), /src\/b\.ts[^]*src\/d\.ts/);
    assert.doesNotMatch(sent(), /hidden-/);
  });

  it('a broken ignore file: no name is told, every file is refused, the turn goes on', async () => {
    writeFileSync(join(cwd, '.latheignore'), '[broken\n');
    const tests = await run([calling('read_file', { path: 'src/plain.txt' }), searching, done]);
    assert.deepEqual(
      tests.results().map(({ tool, outcome }) => [tool, outcome]),
      [
        ['read_file', 'failed'],
        ['search_files', 'failed'],
        ['attempt_completion', 'done'],
      ],
    );
    assert.match(tests.results()[0]?.text ?? '', /\.latheignore, line 1: '\[' is never closed/);
    assert.doesNotMatch(sent(), /Workspace root/);
  });
});
