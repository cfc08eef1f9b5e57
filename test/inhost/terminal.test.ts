import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { CommandRequest, CommandResult } from '../../src/core/host/Host.ts';
import { NodeTerminalHost } from '../../src/hosts/node/NodeTerminalHost.ts';
import { VsCodeTerminalHost } from '../../src/hosts/vscode/VsCodeTerminalHost.ts';

describe('commands in the terminal of the editor', function () {
  this.timeout(60_000);
  let folder: string;
  /** Commands that did not run in the editor's terminal. */
  let elsewhere: string[];
  let processes: NodeTerminalHost;
  let host: VsCodeTerminalHost;
  let problems: unknown[];

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-terminal-')));
    elsewhere = [];
    problems = [];
    processes = new NodeTerminalHost(process.env);
    host = new VsCodeTerminalHost(
      {
        run: async (request) => {
          elsewhere.push(request.command);
          return await processes.run(request);
        },
      },
      (error) => problems.push(error),
    );
  });
  afterEach(async () => {
    assert.deepEqual(problems, []);
    host.dispose();
    await processes.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  function start(
    command: string,
    options: Partial<CommandRequest> = {},
  ): { output: () => string; result: Promise<CommandResult> } {
    let output = '';
    const result = host.run({
      command,
      cwd: folder,
      onOutput: (text) => (output += text),
      signal: new AbortController().signal,
      background: new Promise(() => undefined),
      ...options,
    });
    return { output: () => output, result };
  }

  async function run(
    command: string,
    options: Partial<CommandRequest> = {},
  ): Promise<{ output: string; result: CommandResult }> {
    const { output, result } = start(command, options);
    return { result: await result, output: output() };
  }

  it('gives the output and the exit code, and nothing of the terminal around them', async () => {
    assert.deepEqual(await run(`printf 'one\\ntwo\\n'; exit_code() { return 3; }; exit_code`), {
      output: 'one\ntwo\n',
      result: { exitCode: 3 },
    });
    assert.deepEqual(await run(`printf '\\033[31mred\\033[0m\\n'`), {
      output: 'red\n',
      result: { exitCode: 0 },
    });
    assert.deepEqual(elsewhere, []);
  });

  it('runs in its folder, also after a command that changed the folder of its shell', async () => {
    assert.deepEqual(await run('pwd'), { output: `${folder}\n`, result: { exitCode: 0 } });
    await run('cd /');
    assert.deepEqual(await run('pwd'), { output: `${folder}\n`, result: { exitCode: 0 } });
    assert.deepEqual(elsewhere, []);
  });

  it('keeps every line of a long output, in order', async () => {
    const { output, result } = await run('seq 1 30000');
    assert.deepEqual(result, { exitCode: 0 });
    const lines = output.split('\n');
    assert.equal(lines.length, 30_001);
    assert.deepEqual(
      lines.slice(0, -1).findIndex((line, index) => line !== String(index + 1)),
      -1,
    );
    assert.deepEqual(elsewhere, []);
  });

  it('stops a command that listens, and one that does not, with all that they started', async () => {
    for (const command of [
      `sh -c 'echo $$ > pid; sleep 300'`,
      `bash -c 'trap "" INT TERM HUP; echo $$ > pid; while :; do sleep 1; done'`,
    ]) {
      const stop = new AbortController();
      const { result } = start(command, { signal: stop.signal });
      const pid = await numberIn(join(folder, 'pid'));
      stop.abort();
      assert.deepEqual(await result, { signal: 'SIGINT' });
      await gone(pid);
      rmSync(join(folder, 'pid'));
    }
    assert.deepEqual(elsewhere, []);
  });

  it('does not start what was stopped before its shell was there', async () => {
    const stop = new AbortController();
    const { result } = start('touch started', { signal: stop.signal });
    stop.abort();
    await assert.rejects(result, { name: 'AbortError' });
    await sleep(1000);
    assert.equal(await exists(join(folder, 'started')), false);
  });

  it('lets a command run on in the background, and runs others beside it', async () => {
    let toBackground = (): void => undefined;
    const background = new Promise<void>((resolve) => (toBackground = resolve));
    const first = start(`echo $$ > pid; until [ -e go ]; do sleep 0.1; done; echo went`, { background });
    await numberIn(join(folder, 'pid'));
    toBackground();
    const { ended, ...result } = await first.result;
    assert.deepEqual(result, { background: true });
    assert.deepEqual(await run('echo beside'), { output: 'beside\n', result: { exitCode: 0 } });
    await run('touch go');
    await until(() => first.output().includes('went'));
    assert.equal(first.output(), 'went\n');
    assert.deepEqual(await ended, { exitCode: 0 });
    assert.deepEqual(elsewhere, []);
  });

  it('says nothing of an exit code when the terminal is closed under the command', async () => {
    const before = new Set(vscode.window.terminals);
    const { result } = start('echo $$ > pid; sleep 300');
    await numberIn(join(folder, 'pid'));
    for (const terminal of vscode.window.terminals) if (!before.has(terminal)) terminal.dispose();
    assert.equal((await result).exitCode, undefined);
  });

  it('runs a command of several lines as one', async () => {
    assert.deepEqual(await run('for i in 1 2; do\n  echo $i\ndone\nfalse'), {
      output: '1\n2\n',
      result: { exitCode: 1 },
    });
  });

  it('gives the exit code of a command that ends its own shell, and keeps the terminal', async () => {
    await run('true');
    const before = vscode.window.terminals.length;
    for (const [command, exitCode] of [
      ['echo bye; exit 4', 4],
      ['if true; then exit 5; fi', 5],
      ['exec sh -c "exit 6"', 6],
    ] as const)
      assert.deepEqual((await run(command)).result, { exitCode }, command);
    assert.equal(vscode.window.terminals.length, before);
    // A word that only looks like it is left where it is.
    elsewhere.length = 0;
    assert.deepEqual(await run('echo exit 7'), { output: 'exit 7\n', result: { exitCode: 0 } });
    assert.deepEqual(elsewhere, []);
  });

  it('takes the end of its shell for the end of the command', async () => {
    const { output, result } = await run('eval "echo bye; exi""t 4"');
    // An interactive shell says itself that it ends.
    assert.match(output, /^bye\n(exit\n)?$/);
    assert.ok(result.exitCode === undefined || result.exitCode === 4, JSON.stringify(result));
  });

  it('gives commands no key of ours', async () => {
    process.env['LATHE_API_KEY'] = 'canary';
    try {
      assert.deepEqual(await run('echo "[$LATHE_API_KEY][$LATHE_HOME]"'), {
        output: '[][]\n',
        result: { exitCode: 0 },
      });
    } finally {
      delete process.env['LATHE_API_KEY'];
    }
  });

  it('leaves an idle terminal to the person who works in it', async () => {
    const before = new Set(vscode.window.terminals);
    await run('true');
    const ours = vscode.window.terminals.find((terminal) => !before.has(terminal));
    ours?.shellIntegration?.executeCommand('read -r answer; echo "[$answer]" > answer');
    await sleep(500);
    assert.deepEqual(await run('echo ours'), { output: 'ours\n', result: { exitCode: 0 } });
    ours?.sendText('typed');
    await until(() => textIn(join(folder, 'answer')) === '[typed]\n');
    ours?.dispose();
  });

  it('leaves the focus where it is', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'typing here' });
    const editor = await vscode.window.showTextDocument(document);
    await run('true');
    assert.equal(vscode.window.activeTextEditor, editor);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});

async function exists(path: string): Promise<boolean> {
  return await vscode.workspace.fs.stat(vscode.Uri.file(path)).then(
    () => true,
    () => false,
  );
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    if (condition()) return;
    await sleep(50);
  }
  assert.fail('It did not happen');
}

async function numberIn(path: string): Promise<number> {
  await until(() => textIn(path).endsWith('\n'));
  return Number(textIn(path));
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

async function gone(pid: number): Promise<void> {
  await until(() => {
    try {
      process.kill(pid, 0);
      return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'ENOENT'))
        return true;
      throw error;
    }
  });
}
