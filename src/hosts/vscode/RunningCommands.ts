import * as vscode from 'vscode';

/** Commands that run in the editor's terminals, as their shells tell it. */
export class RunningCommands implements vscode.Disposable {
  readonly #running = new Map<vscode.TerminalShellExecution, vscode.Terminal>();
  readonly #subscriptions: vscode.Disposable[] = [
    vscode.window.onDidStartTerminalShellExecution(
      ({ execution, terminal }) => void this.#running.set(execution, terminal),
    ),
    vscode.window.onDidEndTerminalShellExecution(({ execution }) => void this.#running.delete(execution)),
    vscode.window.onDidCloseTerminal((closed) => {
      for (const [execution, terminal] of this.#running)
        if (terminal === closed) this.#running.delete(execution);
    }),
  ];

  /** Those in terminals that are `ours`: what a person types into their own may hold secrets. */
  list(ours: (terminal: vscode.Terminal) => boolean): { name: string; command: string }[] {
    return [...this.#running]
      .filter(([, terminal]) => ours(terminal))
      .map(([{ commandLine }, { name }]) => ({ name, command: commandLine.value }));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
