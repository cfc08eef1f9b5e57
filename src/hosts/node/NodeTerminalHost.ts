import { spawn, type ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommandRequest, CommandResult, TerminalHost } from '../../core/host/Host.ts';
import { ControlSequenceFilter } from '../../shared/ControlSequenceFilter.ts';
import { isKnownShell, shellCall } from './shellCall.ts';

/** Milliseconds that a process tree gets to end by itself before it is killed. */
const GRACE = 2000;
/** Milliseconds without output after a command's end that mean that there is none left. */
const DRAIN = 250;

/** Runs approved shell strings in our own shell process, each in a process group of its own. */
export class NodeTerminalHost implements TerminalHost {
  readonly #running = new Set<ChildProcess>();
  readonly #environment: NodeJS.ProcessEnv;
  readonly shell: string;

  /** `environment` is what commands see: the caller's, less what is secret. `shell`: the wanted one, where it is one. */
  constructor(environment: NodeJS.ProcessEnv, shell = '') {
    this.#environment = {
      ...environment,
      TERM: 'dumb',
      NO_COLOR: '1',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    };
    this.shell = isKnownShell(shell) ? shell : defaultShell(environment);
  }

  async run({ command, cwd, onOutput, signal, background }: CommandRequest): Promise<CommandResult> {
    signal.throwIfAborted();
    const call = shellCall(this.shell, command);
    const child = spawn(this.shell, call.arguments, {
      windowsVerbatimArguments: call.verbatim,
      cwd,
      env: this.#environment,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    endWithProcess(child);
    let pieces = 0;
    for (const stream of [child.stdout, child.stderr]) {
      const filter = new ControlSequenceFilter();
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        pieces++;
        onOutput(filter.push(text));
      });
    }
    const stop = () => void endTree(child);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const ended = new Promise<CommandResult>((resolve, reject) => {
        child.once('error', reject);
        // `exit`, not `close`: a grandchild that keeps the pipe open must not keep the call open. Output already
        // in the pipes is taken first.
        child.once('exit', (code, name) => {
          const result: CommandResult =
            name !== null ? { signal: name } : code !== null ? { exitCode: code } : {};
          const drained = Promise.race([closed(child), quiet(() => pieces)]);
          void drained.then(() => resolve(result));
        });
      });
      void ended.finally(() => this.#running.delete(child)).catch(() => undefined);
      return await Promise.race([ended, background.then((): CommandResult => ({ background: true, ended }))]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Ends everything that still runs, background commands too. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#running].map((child) => endTree(child)));
  }
}

const alive = new Set<ChildProcess>();

/** A command does not outlive this process, even where that ends at once and disposes of nothing. */
function endWithProcess(child: ChildProcess): void {
  if (alive.size === 0) process.on('exit', endAll);
  alive.add(child);
  const gone = (): void => {
    if (alive.delete(child) && alive.size === 0) process.off('exit', endAll);
  };
  child.once('exit', gone);
  child.once('error', gone);
}

function endAll(): void {
  for (const { pid } of alive) if (pid !== undefined) signalTree(pid, 'SIGKILL');
}

function defaultShell(environment: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return environment.ComSpec ?? 'cmd.exe';
  const { SHELL = '' } = environment;
  // An account that nobody signs in to has a program there that does nothing.
  return isKnownShell(SHELL) ? SHELL : '/bin/sh';
}

async function endTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = closed(child);
  signalTree(child.pid, 'SIGTERM');
  await Promise.race([ended, delay(GRACE)]);
  // Also when the shell itself is gone: others of its group may have ignored the first signal.
  signalTree(child.pid, 'SIGKILL');
}

function signalTree(pid: number, name: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
      // Without it only the shell itself can be ended.
      .once('error', () => process.kill(pid));
    return;
  }
  try {
    process.kill(-pid, name);
  } catch (error) {
    // ESRCH: the whole group has ended, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function closed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

/** Resolves when no more output has come for a moment; at the latest after some of these, for what prints without end. */
async function quiet(pieces: () => number): Promise<void> {
  for (let moment = 0; moment < 8; moment++) {
    const before = pieces();
    await delay(DRAIN);
    // On a busy machine the timer can be late: what has come meanwhile is taken before it is judged.
    await nextTurn();
    if (pieces() === before) return;
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
