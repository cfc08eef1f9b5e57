import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScriptedModel, xmlCall } from '../support/ScriptedModel.ts';
import { TestAgent } from '../support/TestAgent.ts';

const TESTS = dirname(import.meta.dirname);

/** What went wrong in agents before this one, and the test that would see it here: a file, and words of its title. */
const known: readonly [string, string, string][] = [
  ['1 a parameter past 100 KB is lost', 'parser/AssistantMessageParser', 'keeps a parameter of 300 KB whole'],
  ['2 half a call is run', 'contract/turn', 'never runs a call that the stream cut'],
  ['3 a way around fileRegex', 'tools/editRestriction', 'no other file is touched'],
  ['4 CRLF and BOM lost', 'tools/applyDiffTool', 'keeps byte order mark, line ends'],
  ['4 $& expanded', 'unit/diffLiteral', 'nothing of the replacement expanded'],
  [
    '5 the first of several places is edited',
    'unit/diffSearchReplace',
    'names the places when there are several',
  ],
  [
    '6 an error shown as no result',
    'tools/searchFilesTool',
    'tells an error of the expression from no result',
  ],
  ['7 allowed by the beginning of a word', 'data/commands.jsonl', '"cmd": "git statusx"'],
  ['7 redirections unseen', 'data/commands.jsonl', '"class": "redir"'],
  [
    '7 allowed on error',
    'contract/approval-agent',
    'a broken ignore file: no name is told, every file is refused',
  ],
  ['8 two tasks meet in a tool', 'tools/toolCalls', 'keeps nothing between calls'],
  ['9 listed files are read', 'contract/peerDefects', 'what surrounds a message is told without'],
  ['10 entities decoded in code', 'parser/AssistantMessageParser', 'content is verbatim: entities'],
  ['11 content of servers dropped', 'tools/mcpTools', 'carries every kind of content to the model'],
  ['12 the focus is stolen', 'e2e/keyboard', 'every character lands in the editor in which a person types'],
  [
    '13 a subtask does not return',
    'contract/subtasksRandom',
    'return each result once to the call that waits',
  ],
  [
    '14 the whole state at each change',
    'frontends/connection',
    'tells a page a change without what it told before',
  ],
  [
    '15 a call made of a parameter',
    'parser/AssistantMessageParser',
    'documents its own end and another call',
  ],
  ['16 ignore rules above the workspace', 'tools/searchFilesTool', 'not of the folders above it'],
  ['17 counts of what is kept', 'tools/searchFilesTool', 'counts all there are'],
];

describe('defects of agents before this one', function () {
  this.timeout(60_000);
  let base: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel;
  let agent: TestAgent;

  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-peers-')));
    [cwd, home] = [join(base, 'workspace'), join(base, 'home')];
    for (const folder of [cwd, home]) mkdirSync(folder);
    model = await ScriptedModel.start([]);
    agent = await TestAgent.start({
      ...{ cwd, home },
      profile: { provider: 'openai-compatible', baseUrl: model.url },
    });
  });
  afterEach(async () => {
    await agent.stop();
    await model.stop();
    rmSync(base, { recursive: true, force: true });
  });

  for (const [defect, file, title] of known)
    it(`${defect}: has its test`, () => {
      assert.ok(
        readFileSync(join(TESTS, file.includes('.') ? file : `${file}.test.ts`), 'utf8').includes(title),
      );
    });

  it('what surrounds a message is told without reading what it lists (9)', async () => {
    // Nobody writes to a pipe: whoever reads it waits for ever.
    const pipes = Array.from({ length: 20 }, (_, index) => `pipe-${index}.ts`);
    execFileSync('mkfifo', pipes, { cwd });
    for (let index = 0; index < 2000; index++) writeFileSync(join(cwd, `file-${index}.ts`), '');
    model.turns.push({ text: xmlCall('attempt_completion', { result: 'done' }) });
    await agent.run('Look around');
    assert.ok(model.requests[0]?.text.includes('pipe-0.ts') || model.requests[0]?.text.includes('file-0.ts'));
  });
});
