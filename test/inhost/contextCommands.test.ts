import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { keptDraftsSchema } from '../../src/shared/editor.ts';
import { xmlCall, type Reply } from '../support/ScriptedModel.ts';
import { folder, Lathe, until } from './support/Lathe.ts';

const done: Reply = { text: xmlCall('attempt_completion', { result: 'done' }) };

describe('menus of editor, explorer, problems and terminal', () => {
  let lathe: Lathe;
  let uri: vscode.Uri;
  const problems = vscode.languages.createDiagnosticCollection('test');

  before(async () => {
    lathe = await Lathe.start();
    mkdirSync(join(folder(), 'menus'), { recursive: true });
    uri = vscode.Uri.file(join(folder(), 'menus', 'sum.js'));
    writeFileSync(uri.fsPath, 'one\ntwo\nthree\nfour\n');
    await vscode.commands.executeCommand('lathe.newTask');
    await until(() => lathe.extension.sidebar.openTask === undefined, 'the empty page');
  });
  after(async () => {
    problems.dispose();
    await lathe.stop();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(join(folder(), 'menus'), { recursive: true, force: true });
  });
  afterEach(() => problems.clear());

  /** What stands in the composer of the open task, or of a new one. */
  const draft = (): string => {
    const { context, sidebar } = lathe.extension;
    const kept = keptDraftsSchema.safeParse(context.workspaceState.get('lathe.drafts'));
    return kept.data?.drafts[sidebar.openTask ?? 'new'] ?? '';
  };

  /** What a command puts into the composer, behind what stood there. */
  async function composed(command: string, ...given: unknown[]): Promise<string> {
    const before = draft();
    await vscode.commands.executeCommand(command, ...given);
    await until(() => draft() !== before, `words of ${command} in the composer`);
    assert.ok(draft().startsWith(before));
    return draft().slice(before.length).replace(/^\n/, '');
  }

  /** The task that a command starts: the person's message, its mode and folder. */
  async function started(
    command: string,
    ...given: unknown[]
  ): Promise<{ text: string; mode: string; cwd: string }> {
    lathe.model.turns.length = lathe.model.requests.length;
    lathe.model.turns.push(done, done);
    const before = lathe.extension.sidebar.openTask;
    await vscode.commands.executeCommand(command, ...given);
    const { sidebar } = lathe.extension;
    await until(() => sidebar.openTask !== undefined && sidebar.openTask !== before, 'the task in the page');
    const taskId = sidebar.openTask ?? '';
    await lathe.ended(taskId);
    const tasks = await lathe.parts.agent.dispatcher.call('task/list', {});
    const { mode = '', cwd = '' } = tasks.find(({ id }) => id === taskId) ?? {};
    return { text: lathe.entries(taskId, 'user_message')[0]?.text ?? '', mode, cwd };
  }

  async function select(start: [number, number], end: [number, number]): Promise<vscode.TextEditor> {
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    editor.selection = new vscode.Selection(...start, ...end);
    return editor;
  }

  function problem(
    line: number,
    words: string,
    severity = vscode.DiagnosticSeverity.Error,
  ): vscode.Diagnostic {
    const made = new vscode.Diagnostic(new vscode.Range(line, 0, line, 3), words, severity);
    made.source = 'checker';
    made.code = 42;
    return made;
  }

  it('put the selected lines into the composer, and not the one that the selection only touches', async () => {
    await select([1, 1], [3, 0]);
    assert.equal(await composed('lathe.addToContext', uri), '@menus/sum.js:2-3');
    await select([1, 0], [1, 3]);
    assert.equal(await composed('lathe.addToContext'), '@menus/sum.js:2');
    await select([2, 0], [2, 0]);
    assert.equal(await composed('lathe.addToContext'), '@menus/sum.js');
  });

  it('put all that is selected in the explorer into the composer, names with spaces in quotes', async () => {
    const spaced = vscode.Uri.file(join(folder(), 'menus', 'my notes.md'));
    const outside = vscode.Uri.file('/somewhere/else.txt');
    const words = await composed('lathe.addToContext', uri, [uri, spaced, outside]);
    assert.equal(words, '@menus/sum.js @"menus/my notes.md" @/somewhere/else.txt');
  });

  it('put the text of what is on no disk into the composer, in a fence that it cannot leave', async () => {
    const content = 'see:\n```js\nrun()\n```\n';
    const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
    await vscode.window.showTextDocument(document);
    assert.equal(
      await composed('lathe.addToContext', document.uri),
      '````markdown\nsee:\n```js\nrun()\n```\n````',
    );
  });

  it('put the selected lines with their problems into the composer', async () => {
    problems.set(uri, [problem(1, 'two is wrong'), problem(3, 'four is wrong')]);
    await select([0, 0], [2, 2]);
    assert.equal(await composed('lathe.addToContext'), '@menus/sum.js:1-3\n- 2:1 (checker 42) two is wrong');
  });

  it('explain starts a task that changes nothing', async () => {
    await select([0, 0], [1, 3]);
    assert.deepEqual(await started('lathe.explain', uri), {
      text: 'Explain this:\n\n@menus/sum.js:1-2',
      mode: 'ask',
      cwd: folder(),
    });
  });

  it('fix starts a task with the file’s problems, hints left out', async () => {
    problems.set(uri, [
      problem(0, 'first'),
      problem(2, 'over\n  two lines', vscode.DiagnosticSeverity.Warning),
      problem(3, 'never used', vscode.DiagnosticSeverity.Hint),
    ]);
    assert.deepEqual(await started('lathe.fix', uri, [uri]), {
      text: 'Fix these problems in @menus/sum.js:\n\n- 1:1 (checker 42) first\n- 3:1 (checker 42) over two lines',
      mode: 'code',
      cwd: folder(),
    });
  });

  it('new task opens an empty one with the thing in its composer', async () => {
    await started('lathe.explain', uri, [uri]);
    await vscode.commands.executeCommand('lathe.newTaskWith', uri, [uri]);
    await until(() => lathe.extension.sidebar.openTask === undefined, 'the empty page');
    await until(() => draft().endsWith('\n@menus/sum.js\n'), 'the file in the composer');
  });

  it('the quick fixes of a problem start tasks with the problem, file and lines', async () => {
    problems.set(uri, [problem(1, 'two is wrong')]);
    await select([1, 0], [1, 0]);
    const offered = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      new vscode.Range(1, 1, 1, 1),
    );
    const ours = offered.filter(({ title }) => title.endsWith('with Lathe'));
    assert.deepEqual(
      ours.map(({ title, kind, isPreferred }) => [title, kind?.value, isPreferred ?? false]),
      [
        ['Fix with Lathe', 'quickfix', false],
        ['Explain with Lathe', 'quickfix', false],
      ],
    );
    const [fix, explain] = ours.map(({ command }) => command);
    assert.ok(fix && explain);
    const given = (command: vscode.Command): [string, ...unknown[]] => [
      command.command,
      ...((command.arguments ?? []) as unknown[]),
    ];
    assert.deepEqual(await started(...given(fix)), {
      text: 'Fix these problems in @menus/sum.js:2:\n\n- 2:1 (checker 42) two is wrong',
      mode: 'code',
      cwd: folder(),
    });
    const { text, mode } = await started(...given(explain));
    assert.match(text, /^Explain these problems in @menus\/sum\.js:2, [^]*two is wrong$/);
    assert.equal(mode, 'ask');
  });

  it('offer no quick fix where nothing is wrong', async () => {
    problems.set(uri, [problem(1, 'never used', vscode.DiagnosticSeverity.Hint)]);
    const offered = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      new vscode.Range(0, 0, 3, 0),
    );
    assert.deepEqual(
      offered.filter(({ title }) => title.endsWith('with Lathe')),
      [],
    );
  });

  it('take what is selected in the terminal, and leave the clipboard as it was', async () => {
    await vscode.env.clipboard.writeText('kept');
    const terminal = vscode.window.createTerminal({
      name: 'shown',
      shellPath: '/bin/sh',
      env: { PS1: '$ ' },
    });
    try {
      // A slow shell prints its prompt before what it was told already: the line must be one of its own all the same.
      terminal.sendText('printf "\\nit %s\\n" broke');
      await until(async () => {
        terminal.show();
        await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
        await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
        return /^it broke/m.test(await vscode.env.clipboard.readText());
      }, 'the output in the terminal');
      await vscode.env.clipboard.writeText('kept');
      const { text, mode } = await started('lathe.explainTerminal');
      assert.match(text, /^Explain this output of my terminal:\n\n```\n[^]*\nit broke\n[^]*```$/);
      assert.equal(mode, 'ask');
      assert.equal(await vscode.env.clipboard.readText(), 'kept');
      assert.match(await composed('lathe.addTerminalToContext'), /^```\n[^]*\nit broke\n[^]*```$/);
    } finally {
      terminal.dispose();
    }
  });

  it('leave their words in the composer where no task can start', async () => {
    const { dispatcher } = lathe.parts.agent;
    const { profiles } = await dispatcher.call('profile/list', {});
    for (const { name } of profiles) await dispatcher.call('profile/delete', { name });
    try {
      await vscode.commands.executeCommand('lathe.newTask');
      await until(() => lathe.extension.sidebar.openTask === undefined, 'the empty page');
      await vscode.commands.executeCommand('lathe.explain', uri, [uri]);
      await until(() => draft().endsWith('Explain this:\n\n@menus/sum.js'), 'the words in the composer');
      assert.equal(lathe.extension.sidebar.openTask, undefined);
    } finally {
      for (const { hasKey, ...profile } of profiles) await dispatcher.call('profile/save', { profile });
    }
  });
});
