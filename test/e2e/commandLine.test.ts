import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModel, xmlCall, type Reply, type Turn } from '../support/ScriptedModel.ts';

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

describe('the command line, as packaged', () => {
  let folder: string;
  let cwd: string;
  let home: string;
  let model: ScriptedModel | undefined;
  let program: Program | undefined;

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
    await model?.stop();
    model = program = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(
    turns: Turn[],
    args: readonly string[],
    extra: NodeJS.ProcessEnv = {},
  ): Promise<Program> {
    model = await ScriptedModel.start(turns);
    program = new Program(cwd, ['run', ...args], {
      LATHE_PROVIDER: 'openai-compatible',
      LATHE_BASE_URL: model.url,
      LATHE_API_KEY: 'test-key',
      LATHE_MODEL: 'scripted',
      LATHE_TOOL_PROTOCOL: 'xml',
      LATHE_HOME: home,
      ...extra,
    });
    return program;
  }
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
