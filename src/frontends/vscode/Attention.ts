import * as vscode from 'vscode';
import type { FinishReason } from '../../shared/events.ts';
import { message, translate, type Locale, type StringKey } from '../../shared/strings.ts';
import { editorSettings } from './editorSettings.ts';

/** What is used of the editor's window. */
export interface AttentionWindow {
  /** Whether the person has it in front. */
  isFocused: () => boolean;
  show: (words: string, button: string) => Thenable<string | undefined>;
  open: (taskId: string) => Thenable<unknown>;
}

type News = 'asked' | 'done' | 'stopped';

const words: Record<News, StringKey> = {
  asked: 'vscode.waiting',
  done: 'vscode.taskDone',
  stopped: 'vscode.taskStopped',
};

/**
 * Tells a person whose window is not in front what they would see if it were: that something waits, that a task has come to its end.
 * One word of each kind a task, until the window is in front again. Nothing can be answered here: what waits must be read first.
 */
export class Attention implements vscode.Disposable {
  readonly #locale: () => Locale;
  readonly #window: AttentionWindow;
  readonly #told = new Set<string>();
  readonly #listening: vscode.Disposable;

  constructor(locale: () => Locale, window: AttentionWindow = editorWindow) {
    this.#locale = locale;
    this.#window = window;
    this.#listening = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) this.#told.clear();
    });
  }

  asked(taskId: string): void {
    this.#tell(taskId, 'asked');
  }

  finished(taskId: string, reason: FinishReason): void {
    const news = newsOf(reason);
    if (news) this.#tell(taskId, news);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #tell(taskId: string, news: News): void {
    if (this.#window.isFocused()) {
      this.#told.clear();
      return;
    }
    const known = `${news} ${taskId}`;
    if (this.#told.has(known) || !editorSettings().notifications) return;
    this.#told.add(known);
    const say = (key: StringKey): string => translate(this.#locale(), message(key));
    const button = say('vscode.show');
    void this.#window.show(say(words[news]), button).then(async (chosen) => {
      if (chosen === button) await this.#window.open(taskId);
    });
  }
}

function newsOf(reason: FinishReason): News | undefined {
  switch (reason) {
    case 'completed':
    case 'answered':
      return 'done';
    case 'question':
      return 'asked';
    case 'failed':
    case 'refusal':
    case 'max_turn_requests':
      return 'stopped';
    case 'cancelled':
      // The person did that.
      return undefined;
  }
}

const editorWindow: AttentionWindow = {
  isFocused: () => vscode.window.state.focused,
  show: async (text, button) => await vscode.window.showInformationMessage(text, button),
  open: async (taskId) => await vscode.commands.executeCommand('lathe.focus', taskId),
};
