import * as vscode from 'vscode';
import type { Problem, ProblemHost } from '../../core/host/Host.ts';

/** Milliseconds until an editor has the text that is on the disk, until services say something of it, and after which they are done. */
const RELOAD = 3000;
const FIRST_WORD = 2000;
const QUIET = 300;
/** Files of a language of which nobody said anything: then nobody is waited for any more, until somebody does. */
const SILENT = 2;

/** Problems as the editor's language services give them. Files are opened for them, not shown. */
export class VsCodeProblems implements ProblemHost, vscode.Disposable {
  /** Of each document, the version that was last spoken of. */
  readonly #spoken = new Map<string, number>();
  readonly #silence = new Map<string, number>();
  readonly #said = new vscode.EventEmitter<string>();
  readonly #registrations: { dispose(): unknown }[];

  constructor() {
    this.#registrations = [
      this.#said,
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) {
          const document = openDocument(uri);
          if (!document) continue;
          this.#spoken.set(uri.toString(), document.version);
          this.#silence.delete(document.languageId);
          this.#said.fire(uri.toString());
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#spoken.delete(uri.toString())),
    ];
  }

  async of(path: string, text: string, signal: AbortSignal): Promise<Problem[]> {
    const uri = vscode.Uri.file(path);
    const document = await opened(uri);
    // What somebody types in is not what was asked about.
    if (!document || document.isDirty || !(await this.#holds(document, text, signal))) return [];
    await this.#spokenOf(document, signal);
    return vscode.languages.getDiagnostics(uri).flatMap((one) => problemOf(one) ?? []);
  }

  dispose(): void {
    for (const registration of this.#registrations) registration.dispose();
  }

  /** The editor reads a changed file again by itself, some time after it was written. */
  async #holds(document: vscode.TextDocument, text: string, signal: AbortSignal): Promise<boolean> {
    const wanted = plain(text);
    const holds = (): boolean => plain(document.getText()) === wanted;
    if (holds()) return true;
    await until(RELOAD, signal, (done) =>
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && holds()) done();
      }),
    );
    return holds();
  }

  async #spokenOf({ uri, languageId, version }: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const name = uri.toString();
    if (this.#spoken.get(name) !== version) {
      if ((this.#silence.get(languageId) ?? 0) >= SILENT) return;
      const heard = await until(FIRST_WORD, signal, (done) =>
        this.#said.event((said) => {
          if (said === name) done();
        }),
      );
      if (!heard) {
        this.#silence.set(languageId, (this.#silence.get(languageId) ?? 0) + 1);
        return;
      }
    }
    // Several services may have a word, each in its own time.
    for (let round = 0; round < 5; round++) {
      const more = await until(QUIET, signal, (done) =>
        this.#said.event((said) => {
          if (said === name) done();
        }),
      );
      if (!more) return;
    }
  }
}

/** True when `listen` said done; false when the time was over or the signal fired first. */
async function until(
  milliseconds: number,
  signal: AbortSignal,
  listen: (done: () => void) => vscode.Disposable,
): Promise<boolean> {
  if (signal.aborted) return false;
  return await new Promise((resolve) => {
    const end = (heard: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      listening.dispose();
      resolve(heard);
    };
    const stop = (): void => end(false);
    const timer = setTimeout(stop, milliseconds);
    const listening = listen(() => end(true));
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Undefined for what is no text, or is gone. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return openDocument(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch (error) {
    // The editor says in its own words why it does not open a file; there is nothing to find in it then.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const name = uri.toString();
  return vscode.workspace.textDocuments.find((one) => !one.isClosed && one.uri.toString() === name);
}

function problemOf(diagnostic: vscode.Diagnostic): Problem | undefined {
  const severities: Partial<Record<vscode.DiagnosticSeverity, Problem['severity']>> = {
    [vscode.DiagnosticSeverity.Error]: 'error',
    [vscode.DiagnosticSeverity.Warning]: 'warning',
  };
  const severity = severities[diagnostic.severity];
  if (severity === undefined) return undefined;
  const code = typeof diagnostic.code === 'object' ? diagnostic.code.value : diagnostic.code;
  return {
    line: diagnostic.range.start.line + 1,
    severity,
    message: diagnostic.message,
    source: [diagnostic.source, code].filter((part) => part !== undefined).join(' '),
  };
}

/** The editor knows one kind of line break, and no byte order mark. */
function plain(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
}
