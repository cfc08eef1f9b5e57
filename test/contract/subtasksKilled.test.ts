import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { SubtaskBench } from '../support/SubtaskBench.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';

const call = (name: string, params: Record<string, string>): Reply => ({ text: xmlCall(name, params) });
const root = join(import.meta.dirname, '..', '..');

describe('a parent and its subtask whose process is killed with -9', function () {
  this.timeout(240_000);
  let bench: SubtaskBench;
  let folder: string;
  let program: string;

  before(async () => {
    // In the repository, so that packages are found; bundled, since it is started many times.
    folder = mkdtempSync(join(root, 'node_modules', '.cache-subtasks-'));
    program = join(folder, 'process.mjs');
    await build({
      entryPoints: [join(root, 'test', 'support', 'subtaskProcess.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => await bench.stop());

  async function started(): Promise<SubtaskBench> {
    return await SubtaskBench.start({
      parent: [
        call('new_task', { mode: 'ask', message: 'script:child', todos: '[ ] Look' }),
        call('attempt_completion', { result: 'the parent is done' }),
      ],
      child: [call('list_files', { path: '.' }), call('attempt_completion', { result: 'the child is done' })],
    });
  }

  /** What a process did before it was killed, or came to the end. */
  async function run(at: number, goOn?: string): Promise<'killed' | number> {
    const args = [program, bench.home, bench.cwd, bench.model.url, String(at), ...(goOn ? [goOn] : [])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (signal === 'SIGKILL') return 'killed';
    assert.equal(code, 0);
    return Number(output);
  }

  const unfinished = async (id: string): Promise<boolean> =>
    (await bench.entries(id, 'task_finished')).length === 0;
  const tasks = (): string[] =>
    readdirSync(join(bench.home, 'tasks')).filter((id) =>
      existsSync(join(bench.home, 'tasks', id, 'journal.jsonl')),
    );

  /** One child, which was asked once and came to its end once; its result once, in the parent; and the parent's own end. */
  async function assertReturned(where: string): Promise<void> {
    const child = tasks().filter((id) => id !== 'root');
    assert.equal(child.length, 1, where);
    assert.deepEqual(await bench.results('root'), [['done', 'the child is done']], where);
    const ends = await Promise.all(
      ['root', child[0] ?? ''].map(async (id) =>
        (await bench.entries(id, 'task_finished')).map(({ reason, result }) => [reason, result]),
      ),
    );
    assert.deepEqual(
      ends,
      [[['completed', 'the parent is done']], [['completed', 'the child is done']]],
      where,
    );
    assert.equal((await bench.entries('root', 'subtask_started')).length, 1, where);
    assert.deepEqual(
      (await bench.entries(child[0] ?? '', 'todos_updated')).map(({ todos }) => todos.length),
      [1],
      where,
    );
  }

  it('behind every write: whoever goes on with either in another process gets the result, once', async () => {
    bench = await started();
    const writes = await run(0);
    assert.ok(typeof writes === 'number' && writes > 20, String(writes));
    await assertReturned('not killed');
    for (let at = 1; at <= writes; at++) {
      await bench.stop();
      bench = await started();
      assert.equal(await run(at), 'killed', `write ${at}`);
      // Before the person's message is on the disk there is nothing to go on with, and nobody was told that there is.
      if (!tasks().includes('root') || (await bench.entries('root', 'user_message')).length === 0) continue;
      // Every third is killed once more a few writes later. By the parent, or by the child where one is open.
      if (at % 3 === 0 && (await unfinished('root'))) await run((at % 7) + 1, 'root');
      if (await unfinished('root')) {
        const agent = await bench.agent();
        const child = tasks().find((id) => id !== 'root');
        const taskId = at % 2 === 0 && child !== undefined && (await unfinished(child)) ? child : 'root';
        await agent.agent.dispatcher.call('task/resume', { taskId });
        await agent.until(() => agent.ends.includes('root'), `the end, killed behind write ${at}`);
      }
      await assertReturned(`killed behind write ${at}`);
    }
  });
});
