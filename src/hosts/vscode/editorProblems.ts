import * as vscode from 'vscode';
import type { EditorProblem } from '../../core/host/Host.ts';

/** Errors and warnings of files, as the problems view has them; hints and remarks are not meant. */
export function editorProblems(): EditorProblem[] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) =>
      uri.scheme === 'file' ? diagnostics.flatMap((one) => problemOf(uri, one)) : [],
    );
}

function problemOf(
  uri: vscode.Uri,
  { range, severity, source, code, message }: vscode.Diagnostic,
): EditorProblem[] {
  const isError = severity === vscode.DiagnosticSeverity.Error;
  if (!isError && severity !== vscode.DiagnosticSeverity.Warning) return [];
  const number = typeof code === 'object' ? code.value : code;
  return [
    {
      path: uri.fsPath,
      line: range.start.line + 1,
      column: range.start.character + 1,
      severity: isError ? 'error' : 'warning',
      source: [source, number].filter((part) => part !== undefined && part !== '').join(' '),
      message,
    },
  ];
}
