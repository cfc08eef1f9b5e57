import type { EditorProblem } from '../../host/Host.ts';
import { message } from '../../../shared/strings.ts';
import { clipStart } from '../../tools/textFile.ts';
import { MentionProblem, mentioned, type MentionSources, type Reading } from './MentionSources.ts';
import { inWorkspace } from './readGit.ts';

const MOST_PROBLEMS = 100;
const LONGEST_PROBLEM = 500;
/** Characters of a terminal: its end says what happened last. */
const LONGEST_TERMINAL = 20_000;

/** What the editor finds wrong in the workspace. @throws MentionProblem without an editor */
export async function readProblems(
  written: string,
  budget: number,
  sources: MentionSources,
): Promise<Reading> {
  const { host, root, gate, deny } = sources;
  if (!host.editor?.problems) throw noEditor(written);
  const all = await host.editor.problems();
  const known = all.flatMap((problem) => {
    const path = inWorkspace(root, problem.path);
    // Words about a file that may not be read would tell of its content.
    return path === undefined || gate.withholds(path, { deny, secrets: false }) ? [] : [{ ...problem, path }];
  });
  const sorted = known.toSorted(
    (a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
  );
  const lines: string[] = [];
  let left = budget;
  for (const line of sorted.slice(0, MOST_PROBLEMS).map(lineOf)) {
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const more = sorted.length - lines.length;
  const notes = [
    ...(more > 0 ? [`(${more} more, the least grave, are not shown.)`] : []),
    ...(sorted.length === 0 ? ['The editor finds no errors and no warnings in the workspace now.'] : []),
  ];
  return {
    kind: 'problems',
    outcome: more > 0 ? 'part' : 'whole',
    content: [mentioned('problems', { count: String(sorted.length) }, [...lines, ...notes].join('\n'))],
  };
}

/** The end of what the terminal in front shows. @throws MentionProblem without one */
export async function readTerminal(
  written: string,
  budget: number,
  { host }: MentionSources,
): Promise<Reading> {
  if (!host.editor?.terminalText) throw noEditor(written);
  const terminal = await host.editor.terminalText();
  const text = (terminal?.text ?? '').replace(/\r\n?/g, '\n').trimEnd();
  if (!terminal || text.trim() === '')
    throw new MentionProblem(
      'No terminal is open, or it shows nothing.',
      message('mention.noTerminal', { mention: written }),
    );
  const end = clipStart(text, Math.min(budget, LONGEST_TERMINAL));
  const cut = text.length - end.length;
  const note = cut > 0 ? `(Its end; ${cut} characters before it are not shown.)\n` : '';
  return {
    kind: 'terminal',
    outcome: cut > 0 ? 'part' : 'whole',
    content: [mentioned('terminal', { name: terminal.name }, note + end)],
  };
}

function rank({ severity }: EditorProblem): number {
  return severity === 'error' ? 0 : 1;
}

function lineOf({ path, line, column, severity, source, message: words }: EditorProblem): string {
  const from = source === '' ? '' : ` (${source})`;
  const text = words.replace(/\s+/g, ' ').trim();
  const shown = text.length > LONGEST_PROBLEM ? `${text.slice(0, LONGEST_PROBLEM - 1)}…` : text;
  return `${path}:${line}:${column} ${severity}${from}: ${shown}`;
}

function noEditor(written: string): MentionProblem {
  return new MentionProblem(
    'This task runs without an editor, which alone knows it. Find it out with the project’s own checks.',
    message('mention.noEditor', { mention: written }),
  );
}
