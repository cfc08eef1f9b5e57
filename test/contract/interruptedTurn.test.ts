import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '../../src/shared/events.ts';
import { ScriptedModel, xmlCall, type ReceivedRequest, type Reply } from '../support/ScriptedModel.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const looks: Reply = { text: xmlCall('list_files', { path: '.' }) };
const cases: [ends: string, mode: string, script: Reply[]][] = [
  ['in an answer', 'ask', [looks, { text: 'There is nothing.' }]],
  ['in a refusal', 'code', [looks, { text: 'I will not.', finish: 'content_filter' }]],
  ['in a refusal without a word', 'code', [{ finish: 'content_filter' }]],
  [
    'in an answer behind a reminder',
    'code',
    [{ text: 'Hello.' }, looks, { text: 'Hm.' }, { text: 'So it is.' }],
  ],
  ['behind an answer that was too long', 'ask', [{ text: 'I be', finish: 'length' }, { text: 'I begin.' }]],
  ['in a completion', 'code', [looks, { text: xmlCall('attempt_completion', { result: 'Done.' }) }]],
];

describe('a turn whose process ended', function () {
  this.timeout(120_000);
  let cwd: string;
  let model: ScriptedModel;
  const homes: string[] = [];

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'lathe-turn-'));
  });
  afterEach(async () => {
    await model.stop();
    for (const folder of [cwd, ...homes.splice(0)]) rmSync(folder, { recursive: true, force: true });
  });

  const agentOver = async (from?: string): Promise<TestAgent> => {
    const home = mkdtempSync(join(tmpdir(), 'lathe-home-'));
    homes.push(home);
    if (from !== undefined) cpSync(from, home, { recursive: true });
    const profile: TestAgentOptions['profile'] = { provider: 'openai-compatible', baseUrl: model.url };
    return await TestAgent.start({ cwd, home, profile });
  };
  const linesOf = (agent: TestAgent, taskId: string): [path: string, lines: string[]] => {
    const path = join(agent.home, 'tasks', taskId, 'journal.jsonl');
    return [path, readFileSync(path, 'utf8').trimEnd().split('\n')];
  };
  for (const [ends, mode, script] of cases)
    it(`behind any line comes to the same end, and asks for no answer that it has: ${ends}`, async () => {
      const answer = ({ body }: ReceivedRequest): Reply => {
        const said = (body.messages as { role: string }[]).filter(({ role }) => role === 'assistant').length;
        return script[said] ?? { status: 400, error: `there is no answer ${said}` };
      };
      model = await ScriptedModel.start(Array<typeof answer>(500).fill(answer));
      const whole = await agentOver();
      const taskId = await whole.run('Look', mode);
      const [, lines] = linesOf(whole, taskId);
      const expected = said(lines);
      await whole.stop();
      const asked = lines.findIndex((line) => line.includes('"user_message"'));
      for (let kept = asked + 1; kept < lines.length; kept++) {
        // This line and the one before it are one write.
        if (lines[kept]?.includes('"assistant_message"')) continue;
        const agent = await agentOver(whole.home);
        const [path] = linesOf(agent, taskId);
        writeFileSync(path, `${lines.slice(0, kept).join('\n')}\n`);
        await agent.agent.dispatcher.call('task/resume', { taskId });
        await agent.ended(1);
        await agent.stop();
        assert.deepEqual(said(linesOf(agent, taskId)[1]), expected, `cut behind line ${kept}`);
      }
    });
});

/** What the two said to each other, and how it ended. */
function said(lines: readonly string[]): unknown[] {
  return lines
    .slice(1)
    .map((line) => (JSON.parse(line) as { entry: JournalEntry }).entry)
    .flatMap((entry): unknown[] => {
      switch (entry.type) {
        case 'user_message':
          return entry.text === '' ? [] : [['user', entry.text]];
        case 'request_finished':
          return [['answered', entry.stopReason]];
        case 'assistant_message':
          return [
            ['assistant', ...entry.content.map((block) => (block.type === 'text' ? block.text : block.name))],
          ];
        case 'task_finished':
          return [['end', entry.reason, entry.result]];
        default:
          return [];
      }
    });
}
