import * as vscode from 'vscode';
import type { Agent } from '../../core/Agent.ts';
import { ProtocolError } from '../../core/Dispatcher.ts';
import { LONGEST_COMPOSED } from '../../shared/editor.ts';
import { message, translate, type StringKey } from '../../shared/strings.ts';
import { rootOf } from './editorRequests.ts';
import { registerCommand, type CommandVoice } from './registerCommand.ts';
import { VIEW_ID, type Sidebar } from './Sidebar.ts';
import { folderOf, linesOf, mentioned, problemsOf, subjectOf, type Subject } from './subjects.ts';
import { terminalSelection } from './terminalSelection.ts';

export interface ContextCommandOptions extends CommandVoice {
  sidebar: Sidebar;
  agent: () => Promise<Agent>;
  cwd: () => string | undefined;
}

export const FIX_PROBLEMS = 'lathe.fixProblems';
export const EXPLAIN_PROBLEMS = 'lathe.explainProblems';

/** What the menus of editor, explorer, problems and terminal do with what the person points at. */
export function contextCommands(options: ContextCommandOptions): vscode.Disposable[] {
  const about = (name: string, run: (subject: Subject) => Promise<void>): vscode.Disposable =>
    registerCommand(options, name, async (...given) => {
      const subject = subjectOf(given);
      if (!subject) throw new ProtocolError('not_found', message('vscode.nothingMeant'));
      await run(subject);
    });
  const selected = (name: string, run: (subject: Subject) => Promise<void>): vscode.Disposable =>
    registerCommand(options, name, async () => {
      await run({ type: 'text', text: await terminalSelection(), language: '' });
    });
  const problems = (name: string, run: (subject: Subject) => Promise<void>): vscode.Disposable =>
    registerCommand(options, name, async (uri, diagnostics) => {
      const [first, ...others] = diagnostics as vscode.Diagnostic[];
      if (!(uri instanceof vscode.Uri) || !first)
        throw new ProtocolError('not_found', message('vscode.nothingMeant'));
      const range = others.reduce((all, one) => all.union(one.range), first.range);
      await run(linesOf(uri, range, [first, ...others]));
    });
  const add = async (subject: Subject): Promise<void> => await addToContext(options, subject);
  const explain = async (subject: Subject): Promise<void> =>
    await start(
      options,
      subject,
      'ask',
      problemsOf(subject) === '' ? 'vscode.explain' : 'vscode.explainProblems',
    );
  const fix = async (subject: Subject): Promise<void> =>
    await start(options, subject, 'code', problemsOf(subject) === '' ? 'vscode.fix' : 'vscode.fixProblems');
  const fresh = async (subject: Subject): Promise<void> => {
    await compose(options, `${mentioned(subject, options.cwd())}\n`, true);
  };
  return [
    about('lathe.addToContext', add),
    about('lathe.explain', explain),
    about('lathe.fix', fix),
    about('lathe.newTaskWith', fresh),
    selected('lathe.addTerminalToContext', add),
    selected(
      'lathe.explainTerminal',
      async (subject) => await start(options, subject, 'ask', 'vscode.explainOutput'),
    ),
    selected(
      'lathe.fixTerminal',
      async (subject) => await start(options, subject, 'code', 'vscode.fixOutput'),
    ),
    selected('lathe.newTaskWithTerminal', fresh),
    problems(EXPLAIN_PROBLEMS, explain),
    problems(FIX_PROBLEMS, fix),
  ];
}

/** Into the composer of the task that is open, as that task names its files. */
async function addToContext(options: ContextCommandOptions, subject: Subject): Promise<void> {
  const root = await rootOf(options, options.sidebar.openTask);
  const problems = problemsOf(subject);
  const mention = mentioned(subject, root);
  // Problems were pointed at together with lines; those of a whole file are there to be asked for.
  await compose(
    options,
    subject.type === 'lines' && problems !== '' ? `${mention}\n${problems}` : mention,
    false,
  );
}

async function compose({ sidebar }: ContextCommandOptions, text: string, newTask: boolean): Promise<void> {
  await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
  sidebar.compose(text.slice(0, LONGEST_COMPOSED), newTask);
}

/** A task of its own, in the folder that it is about. Where none can start, its words are left in the composer. */
async function start(
  options: ContextCommandOptions,
  subject: Subject,
  mode: string,
  key: StringKey,
): Promise<void> {
  const { sidebar, agent, locale, cwd } = options;
  const folder = folderOf(subject) ?? cwd();
  const args = { subject: mentioned(subject, folder), problems: problemsOf(subject) };
  const text = translate(locale(), message(key, args)).trim();
  await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
  try {
    const { dispatcher } = await agent();
    const given = { text, mode, ...(folder === undefined ? {} : { cwd: folder }) };
    const { taskId } = await dispatcher.call('task/create', given);
    sidebar.open(taskId);
  } catch (error) {
    if (error instanceof ProtocolError) sidebar.compose(text.slice(0, LONGEST_COMPOSED), true);
    throw error;
  }
}
