import * as vscode from 'vscode';
import type { CommandRequest, CommandResult, TerminalHost } from '../../core/host/Host.ts';
import { ControlSequenceFilter } from '../ControlSequenceFilter.ts';

/** Milliseconds to wait for the shell to report for duty; then our own process runs the command. */
const INTEGRATION_PATIENCE = 8000;
/** Milliseconds between Ctrl+C and closing the terminal, which ends its whole tree. */
const GRACE = 2000;
/** Milliseconds to wait for the exit code after the output has ended. */
const EXIT_PATIENCE = 3000;

/**
 * Runs approved commands in the editor's terminal, where the person sees them and can type. Where shell integration does not come up
 * (an unknown shell, a broken profile) the command runs in our own process instead, and later ones go there at once.
 */
export class VsCodeTerminalHost implements TerminalHost, vscode.Disposable {
  readonly #fallback: TerminalHost;
  readonly #idle = new Map<string, vscode.Terminal[]>();
  #integrationFailed = false;
  #last: vscode.Terminal | undefined;

  constructor(fallback: TerminalHost) {
    this.#fallback = fallback;
  }

  async run(request: CommandRequest): Promise<CommandResult> {
    // A terminal reads line by line: several lines would run as several commands.
    if (this.#integrationFailed || /[\r\n]/.test(request.command)) return await this.#fallback.run(request);
    const terminal = this.#take(request.cwd);
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
    this.#last = terminal;
    return await this.#execute(request, terminal, integration);
  }

  /** Brings the terminal of the last command to the front, because the person asked. */
  show(): void {
    this.#last?.show(false);
  }

  dispose(): void {
    for (const terminals of this.#idle.values()) for (const terminal of terminals) terminal.dispose();
  }

  async #execute(
    request: CommandRequest,
    terminal: vscode.Terminal,
    integration: vscode.TerminalShellIntegration,
  ): Promise<CommandResult> {
    const { command, cwd, onOutput, signal, background } = request;
    const closed = new Promise<CommandResult>((resolve) => {
      const subscription = vscode.window.onDidCloseTerminal((one) => {
        if (one !== terminal) return;
        subscription.dispose();
        resolve(signal.aborted ? { signal: 'SIGTERM' } : {});
      });
    });
    const execution = integration.executeCommand(command);
    const exited = new Promise<number | undefined>((resolve) => {
      const subscription = vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.execution !== execution) return;
        subscription.dispose();
        resolve(event.exitCode);
      });
    });
    const ended = (async (): Promise<CommandResult> => {
      const filter = new ControlSequenceFilter();
      for await (const chunk of execution.read()) onOutput(filter.push(chunk));
      const exitCode = await Promise.race([exited, delay(EXIT_PATIENCE)]);
      return signal.aborted ? { signal: 'SIGINT' } : exitCode === undefined ? {} : { exitCode };
    })();
    const stop = (): void => void this.#stop(terminal, ended);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const result = await Promise.race([
        ended,
        closed,
        background.then((): CommandResult => ({ background: true })),
      ]);
      if (result.background !== true && terminal.exitStatus === undefined && !signal.aborted)
        this.#giveBack(cwd, terminal);
      return result;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Ctrl+C, as a person would; what does not listen goes down with its terminal. */
  async #stop(terminal: vscode.Terminal, ended: Promise<unknown>): Promise<void> {
    terminal.sendText('\u0003', false);
    await Promise.race([ended, delay(GRACE)]);
    terminal.dispose();
  }

  /** A terminal that waits in this folder, else a new one. It is not shown: the output is on the card. */
  #take(cwd: string): vscode.Terminal {
    const idle = this.#idle.get(cwd) ?? [];
    for (let terminal = idle.pop(); terminal; terminal = idle.pop()) {
      const where = terminal.shellIntegration?.cwd?.fsPath;
      if (terminal.exitStatus === undefined && where === cwd) return terminal;
      terminal.dispose();
    }
    return vscode.window.createTerminal({
      name: 'Lathe',
      cwd,
      iconPath: new vscode.ThemeIcon('terminal'),
      env: { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' },
      isTransient: true,
    });
  }

  #giveBack(cwd: string, terminal: vscode.Terminal): void {
    const idle = this.#idle.get(cwd);
    if (idle) idle.push(terminal);
    else this.#idle.set(cwd, [terminal]);
  }
}

function integrationOf(
  terminal: vscode.Terminal,
  signal: AbortSignal,
): Promise<vscode.TerminalShellIntegration | undefined> {
  if (terminal.shellIntegration) return Promise.resolve(terminal.shellIntegration);
  return new Promise((resolve) => {
    const finish = (integration: vscode.TerminalShellIntegration | undefined): void => {
      clearTimeout(timer);
      subscription.dispose();
      signal.removeEventListener('abort', stop);
      resolve(integration);
    };
    const stop = (): void => finish(undefined);
    const timer = setTimeout(stop, INTEGRATION_PATIENCE);
    const subscription = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal === terminal) finish(event.shellIntegration);
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

function delay(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}
