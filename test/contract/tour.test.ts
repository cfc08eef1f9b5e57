import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../src/shared/approvals.ts';
import { ManualTimer } from '../support/model/ManualTimer.ts';
import { TestAgent, type TestAgentOptions } from '../support/TestAgent.ts';

const CHINESE = /[\u4e00-\u9fff]/;
const STEPS = [
  'list_files',
  'read_file',
  'search_files',
  'write_to_file',
  'execute_command',
  'attempt_completion',
];
const EMPTY_STEPS = [
  'list_files',
  'write_to_file',
  'read_file',
  'search_files',
  'execute_command',
  'attempt_completion',
];
const NEXT =
  'Next: add a key in Settings or choose a model that runs on this machine, then type a task of your own.';
const REPORT = `# A tour of Lathe

Written by the tour; delete it when you like.

- Entries seen in this workspace: 4
- File read: \`README.md\`
- Searched for \`Orchard\`: Found 2 matches in 2 files.
`;

for (const protocol of ['xml', 'native'] as const) {
  describe(`the tour, through the whole agent (${protocol})`, () => {
    let folders: string[];
    let agent: TestAgent | undefined;
    let taskId: string;
    beforeEach(() => (folders = []));
    afterEach(async () => {
      await agent?.stop();
      agent = undefined;
      for (const folder of folders) {
        chmodSync(folder, 0o755);
        rmSync(folder, { recursive: true, force: true });
      }
    });

    function workspace(files: Record<string, string | Buffer>): string {
      const folder = mkdtempSync(join(tmpdir(), 'lathe-tour-'));
      folders.push(folder);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(join(folder, path, '..'), { recursive: true });
        writeFileSync(join(folder, path), content);
      }
      return folder;
    }

    const orchard = (): string =>
      workspace({
        'README.md': '# Orchard\n\nCounts apples.\n',
        'src/apples.js': '// Orchard\nexport const apples = 1;\n',
        'z.bin': Buffer.from([0, 1, 2, 255]),
      });

    const options = (cwd: string): TestAgentOptions => ({
      cwd,
      profile: { provider: 'tour', model: 'tour', protocol },
      // As fast as it goes.
      timer: (_milliseconds, fire) => {
        const immediate = setImmediate(fire);
        return () => clearImmediate(immediate);
      },
    });

    async function tour(
      cwd: string,
      answer: TestAgentOptions['answer'] = () => ({ outcome: 'allow' }),
      text = 'Show me around',
      mode?: string,
    ): Promise<TestAgent> {
      await agent?.stop();
      agent = await TestAgent.start({ ...options(cwd), answer });
      taskId = await agent.run(text, mode);
      assert.deepEqual(agent.errors, []);
      return agent;
    }

    const calls = (tests: TestAgent): string[] => tests.results().map(({ tool }) => tool);
    const outcomes = (tests: TestAgent): Record<string, string> =>
      Object.fromEntries(tests.results().map(({ tool, outcome }) => [tool, outcome]));
    const ended = (tests: TestAgent): unknown[] =>
      tests.entries('task_finished').map(({ reason, result }) => ({ reason, result }));
    /** What the model said and sent, without the ids that are made anew each time. */
    const turns = (tests: TestAgent): unknown =>
      tests
        .entries('assistant_message')
        .map(({ content }) =>
          content.map((block) =>
            block.type === 'text'
              ? block.text
              : { tool: block.name, params: block.nativeArgs ?? block.params },
          ),
        );
    const rejecting =
      (what: 'edit' | 'command', feedback?: string) =>
      (request: ApprovalRequest): { outcome: 'allow' | 'reject'; feedback?: string } =>
        request.reason === 'tool' && request.actions.some(({ type }) => type === what)
          ? { outcome: 'reject', ...(feedback === undefined ? {} : { feedback }) }
          : { outcome: 'allow' };

    it('reads, searches, writes, runs and completes on what is really there, and says that it is a tour', async () => {
      const cwd = orchard();
      const asked: string[] = [];
      const tests = await tour(cwd, (request) => {
        asked.push(
          request.reason === 'tool' ? request.actions.map(({ type }) => type).join() : request.reason,
        );
        return { outcome: 'allow' };
      });
      assert.deepEqual(calls(tests), STEPS);
      assert.deepEqual(new Set(Object.values(outcomes(tests))), new Set(['done']));
      assert.deepEqual(asked, ['edit', 'command']);
      assert.equal(readFileSync(join(cwd, 'lathe-tour.md'), 'utf8'), REPORT);
      assert.match(tests.results()[4]!.text, /Exit code: 0\nOutput:\nHello from Lathe/);
      assert.deepEqual(ended(tests), [
        { reason: 'completed', result: `The tour is over: 5 steps were done, 0 rejected. ${NEXT}` },
      ]);
      assert.match(JSON.stringify(turns(tests)), /no real model, only fixed steps/);
      for (const { usage } of tests.entries('request_finished')) assert.equal(usage?.cost, 0);
    });

    it('does the same in the same workspace', async () => {
      const first = turns(await tour(orchard()));
      const second = turns(await tour(orchard()));
      assert.deepEqual(second, first);
    });

    it('can be taken again where it was taken before, and on in the same task', async () => {
      const cwd = orchard();
      await tour(cwd);
      const tests = await tour(cwd);
      assert.deepEqual(calls(tests), STEPS);
      await tests.agent.dispatcher.call('task/send', { taskId, text: '再来一次' });
      await tests.ended(2);
      assert.deepEqual(calls(tests), [...STEPS, ...STEPS]);
      const [, result] = tests.entries('task_finished').map((entry) => entry.result ?? '');
      assert.match(result!, CHINESE);
    });

    it('writes the first file where there is none, then reads that', async () => {
      const cwd = workspace({});
      mkdirSync(join(cwd, 'empty'));
      const tests = await tour(cwd);
      assert.deepEqual(calls(tests), EMPTY_STEPS);
      assert.deepEqual(new Set(Object.values(outcomes(tests))), new Set(['done']));
      assert.match(tests.results()[3]!.text, /^(\[search_files for 'Lathe'\] Result:\n)?Found \d+ match/);
    });

    it('goes on with what is left where there is nothing and nothing may be written', async () => {
      const tests = await tour(workspace({}), rejecting('edit'));
      assert.deepEqual(outcomes(tests), {
        list_files: 'done',
        write_to_file: 'rejected',
        execute_command: 'done',
        attempt_completion: 'done',
      });
      assert.deepEqual(ended(tests), [
        { reason: 'completed', result: `The tour is over: 2 steps were done, 1 rejected. ${NEXT}` },
      ]);
    });

    it('where only binaries are, says no more than it saw', async () => {
      const tests = await tour(workspace({ 'picture.bin': Buffer.from([0, 1, 2, 255]) }));
      assert.deepEqual(calls(tests), STEPS);
      assert.equal(tests.entries('task_finished')[0]!.reason, 'completed');
      assert.match(tests.results()[2]!.text, /^(\[search_files for 'picture'\] Result:\n)?No match/);
    });

    it('takes a no to its edit, with or without words', async () => {
      for (const feedback of [undefined, 'not in my workspace']) {
        const cwd = orchard();
        const tests = await tour(cwd, rejecting('edit', feedback));
        assert.deepEqual(calls(tests), STEPS);
        assert.deepEqual(outcomes(tests).write_to_file, 'rejected');
        assert.equal(existsSync(join(cwd, 'lathe-tour.md')), false);
        assert.match(JSON.stringify(turns(tests)), /Fine, the file stays unwritten/);
        assert.deepEqual(ended(tests), [
          { reason: 'completed', result: `The tour is over: 4 steps were done, 1 rejected. ${NEXT}` },
        ]);
      }
    });

    it('takes a no to its command', async () => {
      const tests = await tour(orchard(), rejecting('command', 'nothing runs here'));
      assert.deepEqual(calls(tests), STEPS);
      assert.equal(outcomes(tests).execute_command, 'rejected');
      assert.deepEqual(ended(tests), [
        { reason: 'completed', result: `The tour is over: 4 steps were done, 1 rejected. ${NEXT}` },
      ]);
    });

    it('an unwritable file is told as a failure', async () => {
      const cwd = orchard();
      // A folder in its place: no permission of the file system's is needed for it to fail.
      mkdirSync(join(cwd, 'lathe-tour.md'));
      const tests = await tour(cwd);
      assert.deepEqual(calls(tests), STEPS);
      assert.equal(outcomes(tests).write_to_file, 'failed');
      assert.match(JSON.stringify(turns(tests)), /That did not work, and the card says why/);
      assert.deepEqual(ended(tests), [
        { reason: 'completed', result: `The tour is over: 4 steps were done, 0 rejected, 1 failed. ${NEXT}` },
      ]);
    });

    it('a mode that forbids the edit and the command is told as such', async () => {
      const tests = await tour(orchard(), undefined, 'Show me around', 'ask');
      assert.deepEqual(calls(tests), STEPS);
      assert.deepEqual(
        [outcomes(tests).write_to_file, outcomes(tests).execute_command],
        ['failed', 'failed'],
      );
      assert.equal(tests.entries('task_finished')[0]!.reason, 'completed');
    });

    it('speaks Chinese to who writes Chinese', async () => {
      const cwd = orchard();
      const tests = await tour(cwd, undefined, '带我看看');
      assert.deepEqual(calls(tests), STEPS);
      assert.match(readFileSync(join(cwd, 'lathe-tour.md'), 'utf8'), CHINESE);
      for (const { content } of tests.entries('assistant_message'))
        for (const block of content) if (block.type === 'text') assert.match(block.text, CHINESE);
    });

    it('stops in the middle of a sentence', async () => {
      const time = new ManualTimer();
      agent = await TestAgent.start({ ...options(orchard()), timer: time.timer });
      ({ taskId } = await agent.agent.dispatcher.call('task/create', { text: 'Show me around' }));
      // Two pieces of it are out.
      await time.fire(12);
      await time.fire(12);
      await agent.agent.dispatcher.call('task/cancel', { taskId });
      await agent.ended(1);
      assert.deepEqual(ended(agent), [{ reason: 'cancelled', result: undefined }]);
      assert.deepEqual(turns(agent), [['This is Lathe’s tour: no rea']]);
      assert.deepEqual(agent.results(), []);
      assert.deepEqual(time.running, []);
    });
  });
}
