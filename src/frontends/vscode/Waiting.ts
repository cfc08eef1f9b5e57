import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../shared/approvals.ts';
import type { TaskEvent } from '../../shared/events.ts';
import type { NotificationName, NotificationParams } from '../../shared/protocol.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { Attention } from './Attention.ts';

/**
 * What waits for the person: over all tasks for the view's badge and the status bar, in the open task for the keys
 * (`when` contexts).
 */
export class Waiting implements vscode.Disposable {
  readonly #requests = new Map<string, Map<string, ApprovalRequest>>();
  readonly #running = new Set<string>();
  /** Subtask → the task that waits for it. */
  readonly #parents = new Map<string, string>();
  readonly #elsewhere = new Set<string>();
  readonly #item = vscode.window.createStatusBarItem('lathe.waiting', vscode.StatusBarAlignment.Right, 100);
  readonly #locale: () => Locale;
  readonly #changed: (count: number) => void;
  readonly #attention: Attention;
  #open: string | undefined;

  /** `changed` hears how many requests wait; `attention` gets that of a person who looks elsewhere. */
  constructor(locale: () => Locale, changed: (count: number) => void, attention = new Attention(locale)) {
    this.#locale = locale;
    this.#attention = attention;
    this.#changed = changed;
    this.#item.name = 'Lathe';
  }

  /** Takes what the agent tells. */
  hear<N extends NotificationName>(name: N, params: NotificationParams<N>): void {
    let changed = false;
    if (name === 'task/events' && 'events' in params) {
      if (params.parent !== undefined) this.#parents.set(params.taskId, params.parent);
      for (const event of params.events) changed = this.#hear(params.taskId, event) || changed;
    }
    // What another window runs waits there.
    if (name === 'task/elsewhere' && 'taskId' in params) {
      if ('writer' in params) this.#elsewhere.add(params.taskId);
      else this.#elsewhere.delete(params.taskId);
      changed = this.#over(params.taskId);
    }
    if (changed) this.#show();
  }

  /** Which task is open in the view. */
  opened(taskId: string | undefined): void {
    this.#open = taskId;
    this.#show();
  }

  dispose(): void {
    this.#item.dispose();
    this.#attention.dispose();
  }

  #hear(taskId: string, event: TaskEvent): boolean {
    // A turn that ended waits for nothing, however it ended.
    if (event.kind === 'delta') return event.delta.type === 'turn_failed' && this.#over(taskId);
    if (this.#elsewhere.has(taskId)) return false;
    switch (event.entry.type) {
      case 'request_started':
        if (this.#running.has(taskId) || event.entry.purpose === 'condense') return false;
        this.#running.add(taskId);
        return true;
      case 'approval_requested': {
        const { request } = event.entry;
        const known = this.#requests.get(taskId);
        if (known) known.set(request.id, request);
        else this.#requests.set(taskId, new Map([[request.id, request]]));
        this.#attention.asked(taskId);
        return true;
      }
      case 'approval_resolved': {
        const known = this.#requests.get(taskId);
        const removed = known?.delete(event.entry.approvalId) ?? false;
        if (known?.size === 0) this.#requests.delete(taskId);
        return removed;
      }
      case 'task_finished':
        // A subtask's end is its parent's to go on with.
        if (!this.#parents.has(taskId)) this.#attention.finished(taskId, event.entry.reason);
        return this.#over(taskId);
      default:
        return false;
    }
  }

  /** It is open in the view, or below what is: there its requests are answered too. */
  #isOpen(taskId: string): boolean {
    for (let id: string | undefined = taskId; id !== undefined; id = this.#parents.get(id))
      if (id === this.#open) return true;
    return false;
  }

  #over(taskId: string): boolean {
    const ran = this.#running.delete(taskId);
    return this.#requests.delete(taskId) || ran;
  }

  #show(): void {
    const here = [...this.#requests].flatMap(([taskId, requests]) =>
      this.#isOpen(taskId) ? [...requests.values()] : [],
    );
    const answerable = here.filter(({ reason }) => reason !== 'question');
    const dangerous = here.some((request) => request.reason === 'tool' && request.dangerous);
    setContext('lathe.approvalWaiting', answerable.length > 0);
    setContext('lathe.approvalDangerous', dangerous);
    setContext('lathe.running', this.#open !== undefined && this.#running.has(this.#open));
    const count = [...this.#requests.values()].reduce((sum, { size }) => sum + size, 0);
    const [first] = this.#requests.keys();
    if (first === undefined) this.#item.hide();
    else {
      const words = translate(this.#locale(), message('vscode.waiting'));
      this.#item.text = `$(bell-dot) ${words}`;
      this.#item.accessibilityInformation = { label: words };
      // A click shows what waits: in the task that is open, if there is something.
      const task = here.length > 0 && this.#open !== undefined ? this.#open : first;
      this.#item.command = { command: 'lathe.focus', title: words, arguments: [task] };
      this.#item.show();
    }
    this.#changed(count);
  }
}

function setContext(name: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', name, value);
}
