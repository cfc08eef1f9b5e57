import { readlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { CommandRequest, CommandResult, TerminalHost } from '../../core/host/Host.ts';
import { ControlSequenceFilter } from '../../shared/ControlSequenceFilter.ts';
import { PromptWatch } from './PromptWatch.ts';
import { endProcesses, processesOfTerminal, type TerminalProcess } from './terminalProcesses.ts';

/** Milliseconds to wait for the shell to report for duty; then our own process runs the command. */
const INTEGRATION_PATIENCE = 8000;
/** Milliseconds between Ctrl+C and closing the terminal. */
const GRACE = 2000;
/** Milliseconds to wait for the exit code after the output has ended. */
const EXIT_PATIENCE = 3000;
/** Milliseconds in which a shell tells its new folder. */
const SETTLE = 300;
/**
 * Several lines, which a terminal would read as several commands; and what ends the shell itself, whose exit code the editor does not
 * always tell, and of which it warns the person.
 */
const NOT_FOR_A_TERMINAL = /[\r\n]|(?:^|[;&|({]|\b(?:then|do|else)\b)\s*(?:exit|exec|logout)\b/;
/** Calls whose terminals can still be shown. */
const MOST_SHOWN = 100;

/** How a command ended: its exit code, where the shell told it, and whether the shell is still there for another. */
interface CommandEnd {
  exitCode: number | undefined;
  shellLives: boolean;
}

/**
 * Runs approved commands in the editor's terminal, where the person sees them and can type. Where shell integration does not come up
 * (an unknown shell, a broken profile) the command runs in our own process instead, and later ones go there at once.
 */
export class VsCodeTerminalHost implements TerminalHost, vscode.Disposable {
  readonly #fallback: TerminalHost;
  readonly #report: (error: unknown) => void;
  /** Terminals that wait for the next command, by the folder that they were made in. */
  readonly #idle = new Map<string, Set<vscode.Terminal>>();
  readonly #all = new Set<vscode.Terminal>();
  readonly #byCall = new Map<string, vscode.Terminal>();
  readonly #subscriptions: vscode.Disposable[];
  #integrationFailed = false;
  #last: vscode.Terminal | undefined;

  /** `report` hears what went wrong while a command was being ended. */
  constructor(fallback: TerminalHost, report: (error: unknown) => void) {
    this.#fallback = fallback;
    this.#report = report;
    this.#subscriptions = [
      vscode.window.onDidCloseTerminal((terminal) => this.#forget(terminal)),
      // The person works in an idle terminal: it is theirs from now on.
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#notIdle(terminal)),
    ];
  }

  async run(request: CommandRequest): Promise<CommandResult> {
    if (this.#integrationFailed || NOT_FOR_A_TERMINAL.test(request.command))
      return await this.#fallback.run(request);
    request.signal.throwIfAborted();
    const terminal = await this.#take(request.cwd);
    const integration = await integrationOf(terminal, request.signal);
    if (request.signal.aborted) {
      terminal.dispose();
      request.signal.throwIfAborted();
    }
    if (!integration) {
      this.#integrationFailed = true;
      terminal.dispose();
      return await this.#fallback.run(request);
    }
    this.#remember(request.callId, terminal);
    return await this.#execute(request, terminal, integration);
  }

  /** Brings a call's terminal to the front, because the person asked; the last one where it is gone. */
  show(callId: string): void {
    (this.#byCall.get(callId) ?? this.#last)?.show(false);
  }

  /** Whether it is one of ours. */
  has(terminal: vscode.Terminal): boolean {
    return this.#all.has(terminal);
  }

  /** Closes every terminal of ours, those in the background too. */
  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const terminal of this.#all) terminal.dispose();
    this.#all.clear();
    this.#idle.clear();
  }

  async #execute(
    { command, cwd, onOutput, signal, background }: CommandRequest,
    terminal: vscode.Terminal,
    integration: vscode.TerminalShellIntegration,
  ): Promise<CommandResult> {
    const subscriptions: vscode.Disposable[] = [];
    const closed = new Promise<CommandEnd>((resolve) => {
      subscriptions.push(
        vscode.window.onDidCloseTerminal((one) => {
          if (one === terminal) resolve({ exitCode: one.exitStatus?.code, shellLives: false });
        }),
      );
    });
    const execution = integration.executeCommand(command);
    const exited = new Promise<number | undefined>((resolve) => {
      subscriptions.push(
        vscode.window.onDidEndTerminalShellExecution((event) => {
          if (event.execution === execution) resolve(event.exitCode);
        }),
      );
    });
    const ended = (async (): Promise<CommandEnd> => {
      const filter = new ControlSequenceFilter();
      const prompt = new PromptWatch();
      for await (const chunk of execution.read()) {
        onOutput(filter.push(prompt.push(chunk)));
        if (prompt.seen) break;
      }
      onOutput(filter.push(prompt.rest()));
      // A new prompt without an end: the command ended its shell, and the editor started another in its place.
      return { exitCode: await Promise.race([exited, delay(EXIT_PATIENCE)]), shellLives: !prompt.seen };
    })();
    const over = Promise.race([ended, closed]);
    void over
      .finally(() => {
        for (const subscription of subscriptions) subscription.dispose();
      })
      .catch(() => undefined);
    let stopped: Promise<void> | undefined;
    const stop = (): void => {
      stopped = this.#stop(terminal, over).catch(this.#report);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const end = await Promise.race([over, background.then(() => 'background' as const)]);
      if (end === 'background') return { background: true, ended: over.then(resultOf) };
      if (signal.aborted) {
        await stopped;
        return { signal: 'SIGINT' };
      }
      if (end.shellLives && terminal.exitStatus === undefined) this.#giveBack(cwd, terminal);
      else terminal.dispose();
      return resultOf(end);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Ctrl+C, as a person would; what does not listen goes down with its terminal, and what survives that is killed. */
  async #stop(terminal: vscode.Terminal, over: Promise<unknown>): Promise<void> {
    const shell = await terminal.processId;
    const found = async (): Promise<TerminalProcess[]> =>
      shell === undefined ? [] : await processesOfTerminal(shell);
    // Looked up before anything ends: who loses a parent can no longer be told by it.
    const before = await found();
    terminal.sendText('\u0003', false);
    await Promise.race([over, delay(GRACE)]);
    const left = [...before, ...(await found())];
    terminal.dispose();
    await endProcesses(left, GRACE);
  }

  /** A terminal that waits in this folder, else a new one. It is not shown: the output is on the card. */
  async #take(cwd: string): Promise<vscode.Terminal> {
    for (const idle of this.#idle.get(cwd) ?? []) {
      this.#notIdle(idle);
      if (idle.exitStatus === undefined && (await folderOf(idle)) === cwd) return idle;
      idle.dispose();
    }
    const terminal = vscode.window.createTerminal({
      name: 'Lathe',
      cwd,
      iconPath: new vscode.ThemeIcon('terminal'),
      env: { ...withoutOurs(), PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' },
      isTransient: true,
    });
    this.#all.add(terminal);
    return terminal;
  }

  #giveBack(cwd: string, terminal: vscode.Terminal): void {
    const idle = this.#idle.get(cwd);
    if (idle) idle.add(terminal);
    else this.#idle.set(cwd, new Set([terminal]));
  }

  #notIdle(terminal: vscode.Terminal): void {
    for (const idle of this.#idle.values()) idle.delete(terminal);
  }

  #remember(callId: string | undefined, terminal: vscode.Terminal): void {
    this.#last = terminal;
    if (callId === undefined) return;
    this.#byCall.set(callId, terminal);
    const oldest = this.#byCall.keys().next();
    if (this.#byCall.size > MOST_SHOWN && oldest.done !== true) this.#byCall.delete(oldest.value);
  }

  #forget(terminal: vscode.Terminal): void {
    this.#all.delete(terminal);
    this.#notIdle(terminal);
    for (const [callId, one] of this.#byCall) if (one === terminal) this.#byCall.delete(callId);
    if (this.#last === terminal) this.#last = undefined;
  }
}

/** The folder that a waiting shell is in now. The last command may have changed it, and the shell says so a moment after its end. */
async function folderOf(terminal: vscode.Terminal): Promise<string | undefined> {
  const shell = process.platform === 'linux' ? await terminal.processId : undefined;
  try {
    if (shell !== undefined) return await readlink(`/proc/${shell}/cwd`);
  } catch (error) {
    // It has ended, or belongs to somebody else: what the editor knows has to do.
    if (!(error instanceof Error)) throw error;
  }
  await delay(SETTLE);
  return terminal.shellIntegration?.cwd?.fsPath;
}

function resultOf({ exitCode }: CommandEnd): CommandResult {
  return exitCode === undefined ? {} : { exitCode };
}

/** Commands see none of our own variables: one of them can be a key. */
function withoutOurs(): Record<string, null> {
  const ours = Object.keys(process.env).filter((name) => name.startsWith('LATHE_'));
  return Object.fromEntries(ours.map((name) => [name, null]));
}

function integrationOf(
  terminal: vscode.Terminal,
  signal: AbortSignal,
): Promise<vscode.TerminalShellIntegration | undefined> {
  if (terminal.shellIntegration) return Promise.resolve(terminal.shellIntegration);
  return new Promise((resolve) => {
    const finish = (integration: vscode.TerminalShellIntegration | undefined): void => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
      signal.removeEventListener('abort', stop);
      resolve(integration);
    };
    const stop = (): void => finish(undefined);
    const timer = setTimeout(stop, INTEGRATION_PATIENCE);
    const subscriptions = [
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) finish(event.shellIntegration);
      }),
      vscode.window.onDidCloseTerminal((one) => {
        if (one === terminal) stop();
      }),
    ];
    signal.addEventListener('abort', stop, { once: true });
  });
}

function delay(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}
