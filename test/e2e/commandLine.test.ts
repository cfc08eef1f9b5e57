import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry, TaskDelta } from '../../src/shared/events.ts';
import { ScriptedModel, xmlCall, type Reply, type Turn } from '../support/ScriptedModel.ts';
import { TerminalProgram } from '../support/TerminalProgram.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const BUG = 'export const sum = (a, b) => a - b;\n';
const MENDED = 'export const sum = (a, b) => a + b;\n';
const DIFF =
  '<<<<<<< SEARCH\nexport const sum = (a, b) => a - b;\n=======\nexport const sum = (a, b) => a + b;\n>>>>>>> REPLACE';
const CHECK = `node -e "import('./sum.js').then(({ sum }) => process.exit(sum(2, 3) === 5 ? 0 : 1))"`;

interface Ended {
  code: number | null;
  output: string;
  status: string;
}

/** The program as packaged, in a process of its own, without a terminal. */
class Program {
  readonly process: ChildProcess;
  output = '';
  status = '';

  constructor(cwd: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
    this.process = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.status += text));
  }

  async ended(): Promise<Ended> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
    return { code: this.process.exitCode, output: this.output, status: this.status };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

describe('the command line, as packaged', () => {
  let folder: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel | undefined;
  let program: Program | undefined;
  let terminal: TerminalProgram | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lathe-run-'));
    cwd = join(folder, 'project');
    home = join(folder, 'home');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(cwd, 'sum.js'), BUG);
  });
  afterEach(async () => {
    if (program?.process.exitCode === null) program.process.kill('SIGKILL');
    if (terminal?.process.exitCode === null) terminal.process.kill('SIGKILL');
    await model?.stop();
    model = program = terminal = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(
    turns: Turn[],
    args: readonly string[],
    extra: NodeJS.ProcessEnv = {},
  ): Promise<Program> {
    await model?.stop();
    model = await ScriptedModel.start(turns);
    program = new Program(cwd, ['run', ...args], { ...environmentOf(model), ...extra });
    return program;
  }
  const environmentOf = (from: ScriptedModel | undefined): NodeJS.ProcessEnv => ({
    LATHE_PROVIDER: 'openai-compatible',
    LATHE_BASE_URL: from?.url,
    LATHE_API_KEY: 'test-key',
    LATHE_MODEL: 'scripted',
    LATHE_TOOL_PROTOCOL: 'xml',
    LATHE_HOME: home,
  });
  const source = (): string => readFileSync(join(cwd, 'sum.js'), 'utf8');
  const calling = (protocol: string, text: string, name: string, params: Record<string, string>): Reply =>
    protocol === 'xml'
      ? { text: `${text}\n${xmlCall(name, params)}` }
      : { text, calls: [{ name, arguments: params }] };

  for (const provider of ['openai-compatible', 'openai', 'anthropic'])
    for (const protocol of ['xml', 'native'])
      it(`reads, edits, runs and completes (${provider}, ${protocol})`, async () => {
        const run = await start(
          [
            calling(protocol, 'I look first.', 'read_file', { path: 'sum.js' }),
            calling(protocol, 'A minus.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
            calling(protocol, 'Now the check.', 'execute_command', { command: CHECK }),
            calling(protocol, '', 'attempt_completion', { result: 'sum adds now.' }),
          ],
          ['Mend sum', '--approve', 'all'],
          { LATHE_PROVIDER: provider, LATHE_TOOL_PROTOCOL: protocol },
        );
        const { code, output, status } = await run.ended();
        assert.deepEqual(
          [
            code,
            output,
            status
              .replace(/^> /gm, '')
              .split('\n')
              .filter((line) => /^[a-z_]+ /.test(line)),
          ],
          [
            0,
            'I look first.\nA minus.\nNow the check.\nsum adds now.\n',
            ['read_file sum.js', 'apply_diff sum.js', `execute_command ${CHECK}`],
          ],
        );
        assert.equal(source(), MENDED);
        assert.match(model?.requests[3]?.text ?? '', /Exit code: 0/);
      });

  it('takes modes and slash commands of the folder with --trust alone', async () => {
    mkdirSync(join(cwd, '.lathe', 'commands'), { recursive: true });
    writeFileSync(join(cwd, '.lathe', 'commands', 'mend.md'), '---\nmode: mender\n---\nMend $1.');
    writeFileSync(
      join(cwd, '.lathe', 'modes.yaml'),
      'customModes:\n  - slug: mender\n    name: Mender\n    roleDefinition: You mend.\n    groups: [read]\n',
    );
    const done = calling('xml', '', 'attempt_completion', { result: 'Done.' });
    const trusted = await start([done], ['/mend sum.js', '--trust']);
    assert.equal((await trusted.ended()).code, 0);
    const [known] = model?.requests ?? [];
    assert.ok(known?.text.includes('Mend sum.js.') && known.text.includes('You mend.'));
    await model?.stop();
    const plain = await start([done], ['/mend sum.js']);
    assert.equal((await plain.ended()).code, 0);
    const [unknown] = model?.requests ?? [];
    assert.ok(unknown?.text.includes('/mend sum.js') && !unknown.text.includes('Mend sum.js.'));
    await model?.stop();
    const { code, status } = await (await start([done], ['go', '--mode', 'mender'])).ended();
    assert.equal(code, 1);
    assert.match(status, /mender/);
  });

  it('lists definitions and answers questions, with the threads and grammars of the package', async () => {
    mkdirSync(join(cwd, 'src'));
    writeFileSync(
      join(cwd, 'src', 'tokens.py'),
      'class Tokens:\n    def expire_sessions(self):\n        pass\n',
    );
    const run = await start(
      [
        calling('xml', '', 'list_code_definition_names', { path: 'src' }),
        calling('xml', '', 'codebase_search', { query: 'when does a session expire?' }),
        calling('xml', '', 'attempt_completion', { result: 'In tokens.py.' }),
      ],
      ['Where do sessions expire?'],
    );
    assert.deepEqual((await run.ended()).code, 0);
    // As it stands in the request: JSON, with its breaks escaped.
    const told = model?.requests.map(({ text }) => text.replaceAll('\\n', '\n')) ?? [];
    assert.ok(
      told[1]?.includes('# src/tokens.py\n1-3 | class Tokens:\n2-3 |     def expire_sessions(self):"'),
    );
    // The index needs the SQLite of a newer Node; where it is missing, the tool is not offered, and the call is refused.
    const answer = isBuiltin('node:sqlite')
      ? '# src/tokens.py:1-3 class Tokens\n'
      : 'codebase_search cannot be used here';
    assert.ok(told[2]?.split('expire_sessions(self):"')[1]?.includes(answer));
  });

  it('refuses what nobody is there to approve, tells the model, and goes on', async () => {
    const run = await start(
      [
        calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF }),
        calling('xml', '', 'attempt_completion', { result: 'It may not be changed.' }),
      ],
      ['Mend sum', '--approve', 'reads'],
    );
    const { code, output } = await run.ended();
    assert.deepEqual([code, output, source()], [0, 'It may not be changed.\n', BUG]);
    assert.match(model?.requests[1]?.text ?? '', /nobody is there to give it/);
  });

  it('does nothing by itself under --approve ask', async () => {
    const run = await start(
      [reading, calling('xml', '', 'attempt_completion', { result: 'It may not be read.' })],
      ['Look', '--approve', 'ask'],
    );
    assert.equal((await run.ended()).code, 0);
    assert.match(model?.requests[1]?.text ?? '', /nobody is there to give it/);
    assert.doesNotMatch(model?.requests[1]?.text ?? '', /export const sum/);
  });

  it('edits, but runs no command where there is no sandbox, under --approve all-sandboxed', async () => {
    const run = await start(
      [
        calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF }),
        calling('xml', '', 'execute_command', { command: 'touch ran' }),
        calling('xml', '', 'attempt_completion', { result: 'Changed.' }),
      ],
      ['Mend sum', '--approve', 'all-sandboxed'],
      { LATHE_SANDBOX: 'off' },
    );
    assert.equal((await run.ended()).code, 0);
    assert.deepEqual([source(), readdirSync(cwd)], [MENDED, ['package.json', 'sum.js']]);
  });

  it('edits without asking, but runs nothing, under --approve edits', async () => {
    const run = await start(
      [
        calling('xml', '', 'apply_diff', { path: 'sum.js', diff: DIFF }),
        calling('xml', '', 'execute_command', { command: 'touch ran' }),
        calling('xml', '', 'attempt_completion', { result: 'Changed.' }),
      ],
      ['Mend sum', '--approve', 'edits'],
    );
    assert.equal((await run.ended()).code, 0);
    assert.deepEqual([source(), readdirSync(cwd)], [MENDED, ['package.json', 'sum.js']]);
  });

  it('ends with 1 and a way out when the key is wrong, and prints the key nowhere', async () => {
    const run = await start([{ status: 401, error: 'bad key' }], ['Mend sum'], {
      LATHE_API_KEY: 'sk-canary-123',
    });
    const { code, output, status } = await run.ended();
    assert.deepEqual([code, output], [1, '']);
    assert.match(status, /key/i);
    assert.doesNotMatch(output + status, /sk-canary-123/);
  });

  it('ends with 130 on Ctrl-C in the middle of a stream, and keeps the task', async () => {
    const run = await start([{ text: 'Slowly, '.repeat(50), delay: 50 }], ['Mend sum']);
    while (!run.output.includes('Slowly')) await once(run.process.stdout!, 'data');
    run.process.kill('SIGINT');
    assert.equal((await run.ended()).code, 130);
    const [task] = readdirSync(join(home, 'tasks'));
    assert.match(
      readdirSync(join(home, 'tasks', task!))
        .filter((name) => name.includes('journal'))
        .map((name) => readFileSync(join(home, 'tasks', task!, name), 'utf8'))
        .join(''),
      /"task_finished".*"cancelled"/,
    );
  });

  const journal = (output: string): { taskId: string; entry?: JournalEntry; delta?: TaskDelta }[] =>
    output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { taskId: string; entry?: JournalEntry; delta?: TaskDelta });
  const complete = calling('xml', '', 'attempt_completion', { result: 'Done.' });
  const reading = calling('xml', 'I look.', 'read_file', { path: 'sum.js' });

  it('prints every event as a line of JSON with --json, and shows the same journal afterwards', async () => {
    const run = await start([reading, complete], ['Look', '--json']);
    const { code, output } = await run.ended();
    const events = journal(output);
    const entries = events.flatMap(({ entry }) => (entry ? [entry] : []));
    assert.equal(code, 0);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, index) => entries[0]!.seq + index),
    );
    assert.deepEqual(entries.at(-1), {
      ...{ seq: entries.at(-1)?.seq, at: entries.at(-1)?.at },
      ...{ type: 'task_finished', reason: 'completed', result: 'Done.' },
    });
    const streamed = events.flatMap(({ delta }) =>
      delta?.type === 'block' && delta.delta.type === 'text' ? [delta.delta.text] : [],
    );
    assert.equal(streamed.join('').trim(), 'I look.');
    const [taskId = ''] = new Set(events.map((event) => event.taskId));

    const listed = await (program = new Program(cwd, ['tasks', '--json'], { LATHE_HOME: home })).ended();
    const [task, ...more] = listed.output.split('\n').filter((line) => line !== '');
    assert.deepEqual(more, []);
    const { id, state, title } = JSON.parse(task ?? '') as Record<string, string>;
    assert.deepEqual([id, state, title], [taskId, 'completed', 'Look']);
    const shown = await (program = new Program(cwd, ['show', taskId.slice(0, 6), '--json'], {
      LATHE_HOME: home,
    })).ended();
    const exported = JSON.parse(shown.output) as { entries: JournalEntry[] };
    assert.deepEqual(exported.entries.slice(-entries.length), entries);
    const read = await (program = new Program(cwd, ['show', 'last'], { LATHE_HOME: home })).ended();
    assert.match(read.output, /^# Look\n/);
    assert.match(read.output, /I look\.[^]*Done\./);
    const table = await (program = new Program(cwd, ['tasks'], { LATHE_HOME: home })).ended();
    assert.match(table.output, new RegExp(`^${taskId.slice(0, 8)}  \\S+ \\S+  completed .* Look\n$`));
  });

  for (const protocol of ['xml', 'native'])
    it(`replays what was done, here and from a file on another machine, and runs nothing (${protocol})`, async () => {
      const run = await start(
        [
          calling(protocol, 'A minus.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
          calling(protocol, 'Now the check.', 'execute_command', { command: 'touch ran' }),
          calling(protocol, '', 'attempt_completion', { result: 'sum adds now.' }),
        ],
        ['Mend sum', '--approve', 'all'],
        { LATHE_TOOL_PROTOCOL: protocol },
      );
      assert.equal((await run.ended()).code, 0);
      await model?.stop();
      const replayed = async (args: readonly string[], LATHE_HOME = home): Promise<Ended> =>
        await (program = new Program(cwd, ['replay', ...args], { LATHE_HOME })).ended();
      writeFileSync(join(cwd, 'sum.js'), BUG);
      rmSync(join(cwd, 'ran'));
      // Node's own notes of our code aside, which every start keeps.
      const files = (): string[] =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => !name.startsWith(join('home', 'cache')))
          .sort();
      const before = files();
      const { code, output, status } = await replayed(['last']);
      assert.deepEqual([code, status, files(), source()], [0, '', before, BUG]);
      assert.match(output, /^Replaying “Mend sum” /);
      assert.match(output, /\n {2}#\d+ +call +same +apply_diff\n/);
      assert.match(output, /\nThe same: 3 requests, 3 answers, 3 calls\.\n$/);

      const shown = await (program = new Program(cwd, ['show', 'last', '--json'], {
        LATHE_HOME: home,
      })).ended();
      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);
      const file = join(elsewhere, 'task.json');
      writeFileSync(file, shown.output);
      rmSync(cwd, { recursive: true });
      mkdirSync(cwd);
      const there = await replayed([file, '--json'], join(elsewhere, 'home'));
      const { steps } = JSON.parse(there.output) as { steps: { verdict: string }[] };
      assert.deepEqual([there.code, new Set(steps.map(({ verdict }) => verdict))], [0, new Set(['same'])]);
      writeFileSync(file, shown.output.replace('"text": "Mend sum"', '"text": "Break sum"'));
      const changed = await replayed([file]);
      assert.equal(changed.code, 1);
      assert.match(changed.output, /It differs at entry #\d+: the request does not render as it was sent/);
      const none = await replayed(['zzzz']);
      assert.deepEqual([none.code, none.output], [2, '']);
      const noFile = await replayed([join(elsewhere, 'none.jsonl')]);
      assert.deepEqual([noFile.code, noFile.output], [2, '']);
    });

  it('ends with 3 when the turns of --max-turns are used up, and goes on with --resume', async () => {
    const run = await start(
      [reading, calling('xml', '', 'list_files', { path: '.' }), complete],
      [...['Look', '--max-turns', '2']],
    );
    assert.equal((await run.ended()).code, 3);
    assert.equal(model?.requests.length, 2);
    const again = await (program = new Program(cwd, ['run', '--resume', 'last', 'Go on'], {
      ...{ LATHE_PROVIDER: 'openai-compatible', LATHE_BASE_URL: model.url, LATHE_API_KEY: 'test-key' },
      ...{ LATHE_MODEL: 'scripted', LATHE_TOOL_PROTOCOL: 'xml', LATHE_HOME: home },
    })).ended();
    assert.deepEqual([again.code, again.output], [0, 'Done.\n']);
    assert.match(model.requests[2]?.text ?? '', /I look\.[^]*Go on/);
    assert.equal(readdirSync(join(home, 'tasks')).length, 1);
  });

  it('ends with 3 when --max-cost is spent, or cannot be kept', async () => {
    const paid = (reply: Reply): Reply => ({ ...reply, usage: { input: 1000, output: 10, cost: 0.06 } });
    const run = await start([reading, reading, complete].map(paid), ['Look', '--max-cost', '0.1'], {
      LATHE_PROVIDER: 'openrouter',
    });
    const { code, status } = await run.ended();
    assert.deepEqual([code, model?.requests.length], [3, 2]);
    assert.match(status, /It has cost \$0\.1200, the limit is \$?0\.1/);
    await model?.stop();
    const unknown = await (await start([reading, complete], ['Look', '--max-cost', '5'])).ended();
    assert.deepEqual([unknown.code, model?.requests.length], [3, 1]);
    assert.match(unknown.status, /price of this model is not known/);
  });

  it('goes on with what Ctrl-C stopped, and says when there is nothing to go on with', async () => {
    const slow = await start([{ text: 'Slowly, '.repeat(50), delay: 50 }, complete], ['Mend sum']);
    while (!slow.output.includes('Slowly')) await once(slow.process.stdout!, 'data');
    slow.process.kill('SIGINT');
    assert.equal((await slow.ended()).code, 130);
    const environment = {
      ...{ LATHE_PROVIDER: 'openai-compatible', LATHE_BASE_URL: model?.url, LATHE_API_KEY: 'test-key' },
      ...{ LATHE_TOOL_PROTOCOL: 'xml', LATHE_HOME: home },
    };
    const resume = async (...args: string[]): Promise<Ended> =>
      await (program = new Program(
        cwd,
        ['run', '--model', 'scripted', '--resume', ...args],
        environment,
      )).ended();
    const nothing = await resume('last');
    assert.equal(nothing.code, 1);
    assert.match(nothing.status, /has come to its end/);
    const done = await resume('last', 'Go on');
    assert.deepEqual([done.code, done.output], [0, 'Done.\n']);
    assert.deepEqual(
      model?.requests.map(({ body }) => body.model),
      ['scripted', 'scripted'],
    );
    const none = await resume('zzzz');
    assert.equal(none.code, 1);
    assert.match(none.status, /There is no task zzzz/);
  });

  it('ends with 4 when a person would have to answer', async () => {
    const question = calling('xml', '', 'ask_followup_question', {
      question: 'Which one?',
      follow_up: '<suggest>this</suggest>',
    });
    const run = await start([question], ['Mend']);
    const { code, status } = await run.ended();
    assert.deepEqual([code, status.includes('Which one?')], [4, true]);
  });

  it('ends at once on a second Ctrl-C, with what ran, and what was open can be gone on with', async () => {
    const stubborn = `trap '' TERM; echo $$ > pid; echo sta''rted; while :; do sleep 1; done`;
    const run = await start(
      [calling('xml', '', 'execute_command', { command: stubborn }), complete],
      ['Run it', '--approve', 'all'],
    );
    while (!run.status.includes('started')) await once(run.process.stderr!, 'data');
    run.process.kill('SIGINT');
    while (!run.status.includes('Ctrl-C once more ends at once')) await once(run.process.stderr!, 'data');
    run.process.kill('SIGINT');
    assert.equal((await run.ended()).code, 130);
    assert.doesNotMatch(run.status, /Stopped, and kept/);
    const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
    while (isAlive(pid)) await sleep(20);
    const again = await (program = new Program(
      cwd,
      ['run', '--resume', 'last'],
      environmentOf(model),
    )).ended();
    assert.deepEqual([again.code, again.output], [0, 'Done.\n']);
    assert.match(model?.requests[1]?.text ?? '', /The process ended while this call ran/);
    const replayed = await (program = new Program(cwd, ['replay', 'last'], { LATHE_HOME: home })).ended();
    assert.deepEqual([replayed.code, replayed.status], [0, '']);
  });

  it('shows progress and asks at a terminal, and Ctrl-C stops there too and says how to go on', async () => {
    model = await ScriptedModel.start([
      calling('xml', 'A minus.', 'apply_diff', { path: 'sum.js', diff: DIFF }),
      calling('xml', '', 'execute_command', { command: 'touch ran' }),
      complete,
    ]);
    const person = new TerminalProgram(cwd, ['run', 'Mend sum'], environmentOf(model));
    terminal = person;
    await person.shows('Waiting for scripted…');
    await person.shows('apply_diff sum.js… 100 characters');
    await person.answer('Approve?', 'y');
    // Each line of progress is gone before anything else is written.
    assert.match(
      person.screen,
      /\r\u001b\[Kapply_diff sum\.js… 100 characters\r\u001b\[K[^…]*edit: \S+sum\.js\n/,
    );
    // The question stands behind the diff, not over its end.
    assert.ok(person.screen.includes('+export const sum = (a, b) => a + b;\n'));
    await person.shows('touch ran');
    await person.shows('Approve?');
    person.type('\u0003');
    assert.equal(await person.ended(), 130);
    assert.match(person.screen, /lathe run --resume [0-9a-f-]{36} "…" goes on/);
    assert.deepEqual([source(), readdirSync(cwd)], [MENDED, ['package.json', 'sum.js']]);
    const [taskId = ''] = readdirSync(join(home, 'tasks'));
    const resumed = ['run', '--resume', taskId, 'Leave it'];
    const again = await (program = new Program(cwd, resumed, environmentOf(model))).ended();
    assert.deepEqual([again.code, again.output], [0, 'Done.\n']);
  });

  describe('settings', () => {
    const file = (): string => join(home, 'headless.json');
    const write = (text: string): void => {
      mkdirSync(home);
      writeFileSync(file(), text);
    };

    it('are taken from headless.json, below the environment and the flags', async () => {
      write('{ "lathe.requestLimit": 1, "readMaximumLines": 10, "sandbox": "all" }');
      writeFileSync(
        join(cwd, 'long.txt'),
        Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(''),
      );
      const read = calling('xml', '', 'read_file', { path: 'long.txt' });
      const limited = await start([read, complete], ['Look']);
      assert.equal((await limited.ended()).code, 3);
      assert.equal(model?.requests.length, 1);
      await model.stop();
      const run = await start([read, complete], ['Look', '--max-turns', '2'], { LATHE_SANDBOX: 'off' });
      assert.equal((await run.ended()).code, 0);
      assert.match(model.requests[1]?.text ?? '', /line 9/);
      assert.doesNotMatch(model.requests[1]?.text ?? '', /line 10/);
    });

    const mistakes: [string, string, RegExp][] = [
      ['no JSON', '{ requestLimit: 1 }', /headless\.json is wrong:\n {2}.*JSON/],
      ['no object', '[]', /headless\.json is wrong:\n {2}.*expected (object|record)/],
      [
        'a setting that there is none of',
        '{ "requestLimits": 1 }',
        / {2}there is no setting requestLimits\n/,
      ],
      ['a value of another kind', '{ "tellTime": "yes" }', / {2}tellTime: .*boolean/],
      ['a number out of its range', '{ "lathe.retryLimit": 99 }', / {2}retryLimit: .*20/],
    ];
    for (const [what, text, words] of mistakes)
      it(`ends with 2 and says where it stands: ${what}`, async () => {
        write(text);
        const run = await start([complete], ['Look']);
        const { code, output, status } = await run.ended();
        assert.deepEqual([code, output, model?.requests.length], [2, '', 0]);
        assert.match(status, words);
        assert.ok(status.includes(file()));
      });

    it('ends with 2 and says where it stands to an editor that starts it, too', async () => {
      write('{ "tellTime": 1 }');
      program = new Program(cwd, ['acp'], { LATHE_HOME: home });
      const { code, output, status } = await program.ended();
      assert.deepEqual([code, output], [2, '']);
      assert.match(status, / {2}tellTime: .*boolean/);
    });

    it('name the model: a flag before the environment, and the environment before the file', async () => {
      model = await ScriptedModel.start([complete, complete, complete, complete]);
      const profile = { provider: 'ollama', baseUrl: model.url, protocol: 'xml' };
      const profiles = ['one', 'two'].map((name) => ({ ...profile, name, model: `model-${name}` }));
      mkdirSync(home);
      writeFileSync(join(home, 'settings.json'), JSON.stringify({ profiles, activeProfile: 'two' }));
      const { LATHE_HOME, ...provider } = environmentOf(model);
      for (const [args, more] of [
        [[], {}],
        [['--model', 'one'], {}],
        [[], provider],
        [['--model', 'other'], provider],
      ] as const) {
        program = new Program(cwd, ['run', 'Say so', ...args], { LATHE_HOME, ...more });
        assert.equal((await program.ended()).code, 0);
      }
      assert.deepEqual(
        model.requests.map(({ body }) => body.model),
        ['model-two', 'model-one', 'scripted', 'other'],
      );
    });

    it('ends with 2 for a word that a variable does not take', async () => {
      const run = await start([complete], ['Look'], { LATHE_SANDBOX: 'on' });
      const { code, status } = await run.ended();
      assert.equal(code, 2);
      assert.match(status, /^LATHE_SANDBOX is on\. It takes one of: automatic, all, off\n/);
    });
  });

  it('keeps what is done in the data folder of the platform', async () => {
    const run = await start([complete], ['Say so'], { LATHE_HOME: undefined, HOME: folder, APPDATA: folder });
    assert.equal((await run.ended()).code, 0);
    const data = { win32: 'lathe', darwin: 'Library/Application Support/lathe' }[process.platform as string];
    assert.equal(readdirSync(join(folder, data ?? '.local/share/lathe', 'tasks')).length, 1);
    const own = await start([complete], ['Say so'], {
      ...{ LATHE_HOME: undefined, HOME: folder, APPDATA: folder },
      XDG_DATA_HOME: join(folder, 'xdg'),
    });
    assert.equal((await own.ended()).code, 0);
    assert.equal(
      process.platform !== 'linux' || readdirSync(join(folder, 'xdg', 'lathe', 'tasks')).length === 1,
      true,
    );
  });

  it('works without HOME and without LATHE_HOME', async () => {
    const run = await start([calling('xml', '', 'attempt_completion', { result: 'Done.' })], ['Say so'], {
      LATHE_HOME: undefined,
      TMPDIR: folder,
    });
    const { code, output } = await run.ended();
    assert.deepEqual([code, output], [0, 'Done.\n']);
  });

  it('says what is wrong with a data folder that is a file', async () => {
    writeFileSync(home, '');
    const run = await start([], ['Say so']);
    const { code, output, status } = await run.ended();
    assert.deepEqual([code, output], [1, '']);
    assert.ok(status.includes(home), status);
    assert.doesNotMatch(status, /\n\s+at /);
  });

  it('ends when the reader of its output goes away', async () => {
    const run = await start([{ text: 'word '.repeat(2000), delay: 5 }], ['Talk']);
    await once(run.process.stdout!, 'data');
    run.process.stdout?.destroy();
    assert.equal((await run.ended()).code, 130);
  });

  const wrong: [string, readonly string[], NodeJS.ProcessEnv, RegExp][] = [
    ['an unknown command', ['walk'], {}, /There is no command 'walk'/],
    ['no task', ['run'], {}, /The task is missing/],
    [
      'an unknown level',
      ['run', 'x', '--approve', 'constructor'],
      {},
      /--approve takes one of: ask, reads, edits, all/,
    ],
    ['an unknown option', ['run', 'x', '--yolo'], {}, /--yolo/],
    ['a number of turns that is none', ['run', 'x', '--max-turns', 'many'], {}, /--max-turns takes a number/],
    ['a cost below zero', ['run', 'x', '--max-cost=-1'], {}, /--max-cost takes a number above zero/],
    ['an option of another command', ['tasks', '--resume', 'last'], {}, /tasks takes no --resume/],
    ['a mode for a task that has one', ['run', '--resume', 'last', '--mode', 'ask'], {}, /leave --mode away/],
    ['two tasks to show', ['show', 'one', 'two'], {}, /show takes one task/],
    ['no task to replay', ['replay'], {}, /replay takes one task/],
    ['an unknown provider', ['run', 'x'], { LATHE_PROVIDER: 'acme', LATHE_MODEL: 'm' }, /LATHE_PROVIDER/],
    ['no provider', ['run', 'x'], { LATHE_MODEL: 'm' }, /LATHE_PROVIDER is missing/],
    ['no model', ['run', 'x'], { LATHE_PROVIDER: 'anthropic' }, /LATHE_MODEL is missing/],
    [
      'an address that is none',
      ['run', 'x'],
      { LATHE_PROVIDER: 'openai', LATHE_MODEL: 'm', LATHE_BASE_URL: 'nowhere' },
      /LATHE_BASE_URL/,
    ],
    [
      'a protocol that is none',
      ['run', 'x'],
      { LATHE_PROVIDER: 'openai', LATHE_MODEL: 'm', LATHE_TOOL_PROTOCOL: 'smoke' },
      /LATHE_TOOL_PROTOCOL/,
    ],
  ];
  for (const [what, args, environment, words] of wrong)
    it(`ends with 2 and the usage for ${what}`, async () => {
      program = new Program(cwd, args, { LATHE_HOME: home, ...environment });
      const { code, output, status } = await program.ended();
      assert.deepEqual([code, output], [2, '']);
      assert.match(status, words);
      assert.match(status, /^Usage: lathe run/m);
    });
});
