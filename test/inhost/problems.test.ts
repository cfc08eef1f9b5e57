import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { folder, Lathe } from './support/Lathe.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('problems that an edit introduced', () => {
  let lathe: Lathe;
  let language: vscode.Disposable;

  /** A language service of the test's own: every BAD is an error, every ODD a warning. */
  function startLanguage(): vscode.Disposable {
    const problems = vscode.languages.createDiagnosticCollection('lathe-test');
    const look = (document: vscode.TextDocument): void => {
      if (!document.uri.path.includes('/problems/')) return;
      const found = document
        .getText()
        .split('\n')
        .flatMap((text, line) => {
          const word = /BAD|ODD/.exec(text)?.[0];
          if (word === undefined) return [];
          const severity =
            word === 'BAD' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
          const one = new vscode.Diagnostic(new vscode.Range(line, 0, line, 3), `${text} is wrong`, severity);
          one.source = 'test';
          one.code = 7;
          return [one];
        });
      problems.set(document.uri, found);
    };
    for (const document of vscode.workspace.textDocuments) look(document);
    return vscode.Disposable.from(
      problems,
      vscode.workspace.onDidOpenTextDocument(look),
      vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
    );
  }

  before(async () => {
    lathe = await Lathe.start();
    mkdirSync(join(folder(), 'problems'), { recursive: true });
    language = startLanguage();
  });
  after(async () => {
    language.dispose();
    await lathe.stop();
    rmSync(join(folder(), 'problems'), { recursive: true, force: true });
  });

  it('come back with its result; those that were there do not', async () => {
    const path = join(folder(), 'problems', 'one.txt');
    writeFileSync(path, 'BAD old\nfine\nlast\n');
    const diff = '<<<<<<< SEARCH\nfine\n=======\nnew line\nODD new\nBAD new\n>>>>>>> REPLACE';
    const task = await lathe.task('Edit', [
      { text: xmlCall('apply_diff', { path: 'problems/one.txt', diff }) },
      done,
    ]);
    await lathe.answer(task, { outcome: 'allow' });
    assert.equal(await lathe.ended(task), 'completed');
    assert.equal(readFileSync(path, 'utf8'), 'BAD old\nnew line\nODD new\nBAD new\nlast\n');
    assert.equal(
      lathe.results(task)[0]?.text,
      "[apply_diff for 'problems/one.txt'] Result:\nChanged 'problems/one.txt': 3 lines added, 1 removed.\nThe editor finds 2 new problems in 'problems/one.txt' since this edit. Mend what it caused:\n- line 4, error: BAD new is wrong (test 7)\n- line 3, warning: ODD new is wrong (test 7)",
    );
  });

  it('of a new file are all of its own; an edit that brings none says nothing', async () => {
    const task = await lathe.task('Write', [
      { text: xmlCall('write_to_file', { path: 'problems/two.txt', content: 'BAD first\n' }) },
      { text: xmlCall('write_to_file', { path: 'problems/two.txt', content: 'BAD first\nfine\n' }) },
      done,
    ]);
    await lathe.answer(task, { outcome: 'allow' });
    await lathe.answer(task, { outcome: 'allow' });
    assert.equal(await lathe.ended(task), 'completed');
    const [first, second] = lathe.results(task);
    assert.match(
      first?.text ?? '',
      /1 new problem in 'problems\/two\.txt'[^]*line 1, error: BAD first is wrong/,
    );
    assert.doesNotMatch(second?.text ?? '', /problem in/);
  });
});
