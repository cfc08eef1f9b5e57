import * as vscode from 'vscode';
import { message, translate, type Locale } from '../../shared/strings.ts';
import { EXPLAIN_PROBLEMS, FIX_PROBLEMS } from './contextCommands.ts';

/** Quick fixes for problems: in the light bulb, on hovering, and in the menu of the problems view, which has no other place for us. */
export class ProblemActions implements vscode.CodeActionProvider {
  static readonly metadata: vscode.CodeActionProviderMetadata = {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  };
  readonly #locale: () => Locale;

  constructor(locale: () => Locale) {
    this.#locale = locale;
  }

  /** Registered for files: what is on no disk cannot be mended there. */
  static register(locale: () => Locale): vscode.Disposable {
    const files = { scheme: 'file' };
    return vscode.languages.registerCodeActionsProvider(
      files,
      new ProblemActions(locale),
      ProblemActions.metadata,
    );
  }

  provideCodeActions(
    { uri }: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics, only }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (only && !only.contains(vscode.CodeActionKind.QuickFix)) return [];
    const wrong = diagnostics.filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint);
    if (wrong.length === 0) return [];
    const action = (
      key: 'vscode.fixWithLathe' | 'vscode.explainWithLathe',
      command: string,
    ): vscode.CodeAction => {
      const title = translate(this.#locale(), message(key));
      const offered = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      offered.command = { title, command, arguments: [uri, wrong] };
      // `diagnostics` is what it mends once it is done: here it only begins.
      return offered;
    };
    return [action('vscode.fixWithLathe', FIX_PROBLEMS), action('vscode.explainWithLathe', EXPLAIN_PROBLEMS)];
  }
}
