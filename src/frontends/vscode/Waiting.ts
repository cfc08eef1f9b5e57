import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../shared/approvals.ts';
import type { TaskEvent } from '../../shared/events.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

/** What waits for the person over all tasks: for keys (`when` contexts), the view's badge, and the status bar. */
export class Waiting implements vscode.Disposable {
  readonly #requests = new Map<string, ApprovalRequest>();
  readonly #item = vscode.window.createStatusBarItem('lathe.waiting', vscode.StatusBarAlignment.Right, 100);
  readonly #locale: () => Locale;
  readonly #changed: (requests: ApprovalRequest[]) => void;

  constructor(locale: () => Locale, changed: (requests: ApprovalRequest[]) => void) {
    this.#locale = locale;
    this.#changed = changed;
    this.#item.command = 'lathe.focus';
  }

  hear(events: readonly TaskEvent[]): void {
    let changed = false;
    for (const event of events) {
      if (event.kind !== 'entry') continue;
      if (event.entry.type === 'approval_requested') {
        this.#requests.set(event.entry.request.id, event.entry.request);
        changed = true;
      } else if (event.entry.type === 'approval_resolved') {
        changed = this.#requests.delete(event.entry.approvalId) || changed;
      }
    }
    if (changed) this.#show();
  }

  dispose(): void {
    this.#item.dispose();
  }

  #show(): void {
    const requests = [...this.#requests.values()];
    const asked = requests.filter(({ reason }) => reason === 'tool');
    const dangerous = asked.some((request) => request.reason === 'tool' && request.dangerous);
    void vscode.commands.executeCommand('setContext', 'lathe.approvalWaiting', asked.length > 0);
    void vscode.commands.executeCommand('setContext', 'lathe.approvalDangerous', dangerous);
    if (requests.length === 0) this.#item.hide();
    else {
      const words = translate(this.#locale(), message('vscode.waiting'));
      this.#item.text = `$(bell-dot) ${words}`;
      this.#item.accessibilityInformation = { label: words };
      this.#item.show();
    }
    this.#changed(requests);
  }
}
