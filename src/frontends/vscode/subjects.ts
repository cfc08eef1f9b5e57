import * as vscode from 'vscode';
import { mentionOf } from '../../shared/mention.ts';
import { pathIn } from './workspacePath.ts';

/** Characters of a text that goes into a message whole, because no path names it. */
const LONGEST_TEXT = 20_000;
/** Paths and problems that one message names at most. */
const MOST_PATHS = 50;
const MOST_PROBLEMS = 50;

/** Something in the editor that a person pointed at. */
export type Subject =
  | { type: 'files'; uris: readonly vscode.Uri[] }
  | { type: 'lines'; uri: vscode.Uri; first: number; last: number; problems: readonly vscode.Diagnostic[] }
  /** What no path names: an unsaved document, the other side of a diff, output of a terminal. */
  | { type: 'text'; text: string; language: string };

/** What a command of a context menu is about: the explorer gives all that is selected there, an editor means its selection. */
export function subjectOf(given: readonly unknown[]): Subject | undefined {
  const [first, all] = given;
  if (Array.isArray(all)) {
    const uris = all.filter((one) => one instanceof vscode.Uri);
    if (uris.length > 0) return { type: 'files', uris };
  }
  const editor = vscode.window.activeTextEditor;
  // A tab's menu may be about another document than the one in front.
  if (first instanceof vscode.Uri && editor?.document.uri.toString() !== first.toString())
    return { type: 'files', uris: [first] };
  return editor && subjectOfEditor(editor);
}

function subjectOfEditor({ document, selection }: vscode.TextEditor): Subject {
  const { uri, languageId } = document;
  if (uri.scheme !== 'file') {
    const text = document.getText(selection.isEmpty ? undefined : selection);
    return { type: 'text', text, language: languageId };
  }
  if (selection.isEmpty) return { type: 'files', uris: [uri] };
  const problems = vscode.languages
    .getDiagnostics(uri)
    .filter(({ range }) => range.intersection(selection) !== undefined);
  return linesOf(uri, selection, problems);
}

export function linesOf(
  uri: vscode.Uri,
  range: vscode.Range,
  problems: readonly vscode.Diagnostic[],
): Subject {
  const { start, end } = range;
  // A selection of whole lines ends before the first character of the next one, which is not meant.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { type: 'lines', uri, first: start.line + 1, last, problems };
}

/** The folder of the workspace that it lies in; undefined for what lies in none. */
export function folderOf(subject: Subject): string | undefined {
  const uri = subject.type === 'files' ? subject.uris[0] : subject.type === 'lines' ? subject.uri : undefined;
  if (uri?.scheme !== 'file') return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
}

/** As it stands in a message: paths relative to `root` with their lines, or the text itself. */
export function mentioned(subject: Subject, root: string | undefined): string {
  switch (subject.type) {
    case 'files':
      return subject.uris
        .slice(0, MOST_PATHS)
        .map((uri) => mentionOf(shown(uri, root)))
        .join(' ');
    case 'lines':
      return mentionOf(shown(subject.uri, root), subject);
    case 'text':
      return fenced(subject.text, subject.language);
  }
}

/** The problems that are part of it, one a line; empty where there are none. */
export function problemsOf(subject: Subject): string {
  const problems =
    subject.type === 'lines'
      ? subject.problems
      : subject.type === 'files'
        ? subject.uris.flatMap((uri) => vscode.languages.getDiagnostics(uri)).filter(isWrong)
        : [];
  return problems.slice(0, MOST_PROBLEMS).map(problemLine).join('\n');
}

function isWrong({ severity }: vscode.Diagnostic): boolean {
  return severity === vscode.DiagnosticSeverity.Error || severity === vscode.DiagnosticSeverity.Warning;
}

function problemLine({ range, source, code, message }: vscode.Diagnostic): string {
  const number = typeof code === 'object' ? code.value : code;
  const from = [source, number].filter((part) => part !== undefined && part !== '').join(' ');
  const origin = from === '' ? '' : ` (${from})`;
  return `- ${range.start.line + 1}:${range.start.character + 1}${origin} ${message.replace(/\s*\n\s*/g, ' ')}`;
}

function shown(uri: vscode.Uri, root: string | undefined): string {
  if (uri.scheme !== 'file') return uri.toString(true);
  return (root === undefined ? undefined : pathIn(root, uri)) ?? uri.fsPath;
}

/** In a fence that is longer than any in the text. Of a long text the end: in output it says what went wrong. */
function fenced(text: string, language: string): string {
  const kept = text.length > LONGEST_TEXT ? `…${text.slice(-LONGEST_TEXT)}` : text;
  const longest = Math.max(2, ...[...kept.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${kept.replace(/\n+$/, '')}\n${fence}`;
}
