import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decoded, parseNative, parseXml, withContext, type TestContext } from '../support/testContext.ts';

/** A command that runs this JavaScript on Node, whatever the shell's own tools. */
function node(script: string): string {
  return `'${process.execPath}' -e '${script.replaceAll("'", `'\\''`)}'`;
}

/** Whether a process is there that has not ended (a zombie has). */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'ENOENT'))
      return false;
    throw error;
  }
}

async function until(what: () => boolean): Promise<void> {
  for (let wait = 0; wait < 400; wait++) {
    if (what()) return;
    await sleep(20);
  }
  assert.fail(`never: ${what.toString()}`);
}

const no = { answer: { allowed: false } };
const artifactsOf = (context: TestContext): string[] => readdirSync(context.artifacts);

describe('execute_command', () => {
  const create = withContext();

  it('takes the same call in XML and natively, every character of the command', () => {
    const command = 'grep -n "a &amp;&amp; b" <in.txt >out.txt && echo $HOME | sed s/x/&/';
    const xml = parseXml(
      `<execute_command>\n<command>${command}</command>\n<cwd></cwd>\n<timeout> 5 </timeout>\n</execute_command>`,
    );
    const native = parseNative('execute_command', { command, cwd: null, timeout: '5' });
    assert.deepEqual(decoded(xml), { command, timeout: 5 });
    assert.deepEqual(decoded(native), decoded(xml));
  });

  it('asks with the command and its folder, and reports both, the exit code and the output', async () => {
    const context = await create({ files: { 'sub/a.txt': 'here\n' } });
    const command = 'cat a.txt; echo oops >&2; exit 3';
    const { prepared, response } = await context.xml('execute_command', { command, cwd: 'sub' });
    assert.deepEqual(prepared, {
      actions: [{ type: 'command', command, cwd: join(context.root, 'sub'), insideWorkspace: true }],
      plan: prepared?.plan,
      details: { type: 'command', command, cwd: 'sub', output: '' },
    });
    assert.equal(response?.failed, undefined);
    assert.deepEqual(response?.details, {
      type: 'command',
      command,
      cwd: 'sub',
      exitCode: 3,
      output: 'here\noops\n',
    });
    assert.equal(response.content, 'Working directory: sub\nExit code: 3\nOutput:\nhere\noops\n');
    assert.deepEqual(artifactsOf(context), []);
  });

  it('says when there is no output', async () => {
    const context = await create();
    const { text } = await context.native('execute_command', { command: 'true', cwd: '', timeout: 0 });
    assert.equal(text, 'Working directory: .\nExit code: 0\nNo output.');
  });

  it('streams the output while it runs', async () => {
    const context = await create();
    const seen: string[] = [];
    const { text } = await context.xml(
      'execute_command',
      { command: `echo first; while [ ! -e go ]; do sleep 0.02; done; echo second` },
      {
        onOutput: (chunk) => {
          seen.push(chunk);
          if (seen.join('') === 'first\n') context.write('go', '');
        },
      },
    );
    assert.equal(seen.join(''), 'first\nsecond\n');
    assert.match(text!, /Output:\nfirst\nsecond\n$/);
  });

  it('has no input to wait for', async () => {
    const context = await create();
    const { text } = await context.xml('execute_command', { command: 'cat; read line || echo closed' });
    assert.match(text!, /Exit code: 0\nOutput:\nclosed\n$/);
  });

  it('keeps head and tail of long output within the limits, and the whole in a file', async () => {
    const context = await create();
    const script = 'for (let i = 1; i <= 30000; i++) console.log(`line ${i} ${"x".repeat(20)}`)';
    const { text, response } = await context.xml('execute_command', { command: node(script) });
    const output = text!.slice(text!.indexOf('Output:\n') + 8);
    assert.ok(output.length <= 50_200, String(output.length));
    assert.ok(output.split('\n').length <= 502, String(output.split('\n').length));
    assert.match(output.slice(0, 60), /^line 1 x{20}\nline 2 /);
    assert.match(output.slice(-60), /\nline 30000 x{20}\n$/);
    const [head = '', tail = ''] = output.split(/\n\[….*…\]\n/);
    const left = Number(/(\d+) lines \(/.exec(output)?.[1]);
    assert.equal(head.split('\n').length + left + tail.trimEnd().split('\n').length, 30_000);
    const [file = ''] = artifactsOf(context);
    const path = join(context.artifacts, file);
    assert.equal(readFileSync(path, 'utf8').split('\n').length, 30_001);
    assert.ok(
      text!.includes(`The whole output (30000 lines) is in ${path}; read a range of it with read_file`),
    );
    const read = await context.xml('read_file', { path, start_line: '15000', end_line: '15000' });
    assert.match(read.text!, /15000 \| line 15000 x/);
    assert.ok(response?.details?.type === 'command' && response.details.output.length <= 8000);
  });

  it('keeps a single line without end within the limits, no character cut in two', async () => {
    const context = await create();
    const { text } = await context.xml('execute_command', {
      command: node('process.stdout.write("a" + "\u{1f600}".repeat(200000))'),
    });
    assert.ok(text!.length < 51_000);
    assert.match(text!, /left out …\]/);
    assert.equal(/\p{Surrogate}|\ufffd/u.test(text!), false);
  });

  it('keeps the limits of the settings', async () => {
    const context = await create({ settings: { commandMaximumLines: 20, commandMaximumCharacters: 1000 } });
    const { text } = await context.xml('execute_command', { command: 'seq 1 100' });
    assert.match(
      text!,
      /Output:\n1\n2\n3\n4\n\[… 80 lines \(\d+ characters\) left out …\]\n85\n[^]*\n100\n$/,
    );
    const exact = await context.xml('execute_command', { command: 'seq 1 20' });
    assert.match(exact.text!, /Output:\n1\n[^]*\n20\n$/);
    assert.doesNotMatch(exact.text!, /left out/);
  });

  it('does not fill the disk with output', async function () {
    this.timeout(60_000);
    const context = await create();
    const script =
      'const piece = "y".repeat(1023) + "\\n"; let left = 90 * 1024; const go = () => { while (left-- > 0) if (!process.stdout.write(piece)) return process.stdout.once("drain", go); }; go()';
    const { text } = await context.xml('execute_command', { command: node(script) });
    const [file = ''] = artifactsOf(context);
    const size = readFileSync(join(context.artifacts, file)).length;
    assert.ok(size <= 64 * 1024 * 1024, String(size));
    assert.match(text!, /Exit code: 0\nThe first 64 MB of the output .* are in /);
  });

  it('shows bytes that are no text as such, and no control sequences', async () => {
    const context = await create();
    const command = node(
      'process.stdout.write(Buffer.from("a\\xff\\0b\\x07 \\x1b[31mred\\x1b[0m \\x1b]0;title\\x07done\\r\\n10%\\r20%\\r\\n", "latin1"))',
    );
    const { text } = await context.xml('execute_command', { command });
    assert.match(text!, /Output:\na\ufffdb red done\n10%\n20%\n$/);
  });

  it('goes on after a control sequence that never ends', async () => {
    const context = await create();
    const command = node(
      'process.stdout.write("before \\x1b]0;no end\\n" + "line\\n".repeat(3000) + "after\\n")',
    );
    const { text } = await context.xml('execute_command', { command });
    assert.match(text!, /before [^]*line\nafter\n$/);
  });

  it('puts characters together that come in two pieces', async () => {
    const context = await create();
    const script =
      'const [head, tail] = [Buffer.from("gr\\u00fc\\u{1f600}").subarray(0, 6), Buffer.from("gr\\u00fc\\u{1f600}").subarray(6)]; process.stdout.write(head); setTimeout(() => process.stdout.write(tail), 100)';
    const { text } = await context.xml('execute_command', { command: node(script) });
    assert.match(text!, /Output:\ngrü😀$/);
  });

  it('stops at its timeout, and never calls that a success', async () => {
    const context = await create({ settings: { commandTimeoutSeconds: 30 } });
    for (const command of ['sleep 30', 'trap "exit 0" TERM; sleep 30 & wait; exit 0']) {
      const { response, text } = await context.native('execute_command', { command, timeout: 0.3 });
      assert.match(text!, /^Working directory: \.\nStopped after 0\.3 seconds, before it ended\./);
      assert.ok(response?.details?.type === 'command' && response.details.timedOut === true);
      assert.equal(response.details.exitCode, undefined);
    }
    // Longer than a timer can count must not mean at once.
    const { text } = await context.native('execute_command', {
      command: 'sleep 0.1; echo done',
      timeout: 1e9,
    });
    assert.match(text!, /Exit code: 0\nOutput:\ndone/);
  });

  it('names the signal that ended it', async () => {
    const context = await create();
    const { text, response } = await context.xml('execute_command', { command: 'kill -9 $$' });
    assert.match(text!, /Ended by signal SIGKILL\./);
    assert.ok(response?.details?.type === 'command' && response.details.signal === 'SIGKILL');
    assert.equal(response.details.exitCode, undefined);
  });

  it('ends the whole tree of processes when it is stopped', async () => {
    const context = await create();
    const stop = new AbortController();
    let output = '';
    const { text, response } = await context.xml(
      'execute_command',
      { command: `sh -c 'trap "" TERM; sleep 60 & echo $!; wait; sleep 60' & echo $!; wait` },
      {
        signal: stop.signal,
        onOutput: (chunk) => {
          output += chunk;
          if (/^\d+\n\d+\n$/.test(output)) stop.abort();
        },
      },
    );
    assert.match(text!, /The person stopped it before it ended\.\nOutput:\n\d+\n\d+\n$/);
    assert.ok(response?.details?.type === 'command' && response.details.stopped === true);
    assert.equal(response.details.exitCode, undefined);
    const pids = output.trim().split('\n').map(Number);
    await until(() => !pids.some(isAlive));
  });

  it('does not begin when it is stopped while it is asked', async () => {
    const context = await create();
    const stop = new AbortController();
    const call = context.xml(
      'execute_command',
      { command: 'touch ran' },
      { signal: stop.signal, whileAsked: () => stop.abort() },
    );
    await assert.rejects(call, { name: 'AbortError' });
    assert.ok(!existsSync(join(context.root, 'ran')));
  });

  it('runs on in the background, and its output goes on in the file', async () => {
    const context = await create();
    let send: () => void = () => undefined;
    const background = new Promise<void>((resolve) => (send = resolve));
    const command = 'echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; touch ended';
    const { text, response } = await context.xml(
      'execute_command',
      { command, timeout: '60' },
      { background, onOutput: () => send() },
    );
    const path = join(context.artifacts, artifactsOf(context)[0] ?? '');
    assert.equal(
      text,
      `Working directory: .\nThe person sent it to the background: it runs on. Its output goes on in the file named below, and at its end how it ended.\nThe output is written to ${path}; read a range of it with read_file if you need it.\nOutput so far:\nfirst\n`,
    );
    assert.ok(response?.details?.type === 'command' && response.details.background === true);
    context.write('go', '');
    await until(() => existsSync(join(context.root, 'ended')));
    await until(() => readFileSync(path, 'utf8') === 'first\nsecond\n[Exit code: 0]\n');
  });

  it('what was kept is searched as it is read', async () => {
    const context = await create();
    const { text } = await context.native('execute_command', { command: 'seq 1 5000' });
    const path = / is in (\S+);/.exec(text!)?.[1] ?? '';
    const found = await context.native('search_files', { path, regex: '^404$' });
    assert.match(found.text!, /404 \| 404/);
  });

  it('takes cmd.exe at its word: several lines are refused, since it would run the first', async () => {
    const on = (shell: string): Promise<TestContext> =>
      create({ host: { system: { platform: 'win32', shell, home: '/home' } } });
    const command = 'echo one\necho two';
    const cmd = await (await on('cmd.exe')).native('execute_command', { command }, no);
    assert.match(cmd.error ?? '', /runs the first line.*Send one line, its parts joined with &&/);
    for (const [shell, words] of [
      ['cmd.exe', 'echo one && echo two\n'],
      ['pwsh.exe', command],
    ] as const)
      assert.equal((await (await on(shell)).native('execute_command', { command: words }, no)).denied, true);
  });

  it('returns when the command has ended, though something it began holds its output', async () => {
    const context = await create();
    const { text } = await context.xml('execute_command', { command: 'sleep 20 & echo $!' });
    assert.match(text!, /Exit code: 0\nOutput:\n\d+\n$/);
    process.kill(Number(/Output:\n(\d+)/.exec(text!)?.[1]));
  });

  it('keeps what two tasks print apart (8)', async () => {
    const [one, two] = [await create(), await create()];
    const outcomes = await Promise.all(
      [one, two].map((context, index) =>
        context.xml('execute_command', {
          command: `for i in 1 2 3; do echo task ${index}; sleep 0.05; done`,
        }),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ text }) => text?.split('Output:\n')[1]),
      ['task 0\n'.repeat(3), 'task 1\n'.repeat(3)],
    );
  });

  it('does not show our own secrets to commands', async () => {
    process.env.LATHE_API_KEY = 'secret-of-ours';
    try {
      const context = await create();
      const { text } = await context.xml('execute_command', { command: 'env' });
      assert.doesNotMatch(text!, /secret-of-ours/);
    } finally {
      delete process.env.LATHE_API_KEY;
    }
  });

  it('asks about a folder outside as such', async () => {
    const context = await create();
    mkdirSync(join(context.root, '..', 'outside'));
    const { prepared, text } = await context.xml('execute_command', { command: 'pwd', cwd: '../outside' });
    const cwd = join(context.root, '..', 'outside');
    assert.deepEqual(prepared?.actions, [{ type: 'command', command: 'pwd', cwd, insideWorkspace: false }]);
    assert.ok(text!.endsWith(`Output:\n${cwd}\n`));
  });

  it('refuses what cannot run, with the way out, before anyone is asked', async () => {
    const context = await create({ files: { 'a.txt': 'x' } });
    const cases: [Record<string, unknown>, RegExp][] = [
      [{}, /Missing required parameter 'command'/],
      [{ command: '' }, /command/],
      [{ command: '  \n ' }, /The command is empty/],
      [{ command: 5 }, /'command'/],
      [{ command: ['ls', '-l'] }, /'command'/],
      [{ command: 'echo a\0b' }, /holds a NUL character/],
      [{ command: `echo ${'x'.repeat(200_000)}` }, /200005 characters long.*Write a script to a file/],
      [
        { command: 'ls', cwd: 'missing' },
        /The folder 'missing' to run in does not exist\. Check cwd with list_files/,
      ],
      [{ command: 'ls', cwd: 'a.txt' }, /'a\.txt' to run in is not a folder/],
      [{ command: 'ls', cwd: 'a\0' }, /control or invisible characters/],
      [{ command: 'ls', cwd: 7 }, /'cwd'/],
      [{ command: 'ls', timeout: -1 }, /'timeout'/],
      [{ command: 'ls', timeout: 'soon' }, /'timeout'/],
    ];
    for (const [args, expected] of cases) {
      const { error, prepared } = await context.native('execute_command', args);
      assert.match(error ?? 'no error', expected, JSON.stringify(args).slice(0, 100));
      assert.equal(prepared, undefined);
      assert.ok(error!.length < 1200);
    }
    assert.deepEqual(artifactsOf(context), []);
  });

  it('says when its folder went away while it was asked', async () => {
    const context = await create({ files: { 'sub/a.txt': '' } });
    const { error } = await context.xml(
      'execute_command',
      { command: 'ls', cwd: 'sub' },
      { whileAsked: () => rmSync(join(context.root, 'sub'), { recursive: true }) },
    );
    assert.match(error ?? '', /could not be started in 'sub'.*Check that the folder is still there/);
    assert.deepEqual(artifactsOf(context), []);
  });
});
