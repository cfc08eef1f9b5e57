import type { ApprovalPolicy, ApprovalRule } from '../shared/approvals.ts';
import type { CommandExplanation } from '../shared/protocol.ts';
import type { Message } from '../shared/strings.ts';
import { decide } from './approval/decide.ts';

export interface ExplainOptions {
  policy: ApprovalPolicy;
  /** The folder in which it would run; undefined when none is open. */
  cwd: string | undefined;
  /** As a person would name it: `bash`, `zsh`, `pwsh`, `cmd.exe`. */
  shell: string;
  /** Our own data folder: no command may write there. */
  home: string;
}

/** What would become of a command here, and why, part by part. The grammars are loaded when this is first asked. */
export async function explainCommand(
  command: string,
  { policy, cwd, shell, home }: ExplainOptions,
): Promise<CommandExplanation> {
  const [{ judgeCommand }, { loadGrammars, shellOf }, { escapeHidden }, { NOWHERE }] = await Promise.all([
    import('./approval/commands/judgeCommand.ts'),
    import('./approval/commands/grammars.ts'),
    import('./approval/commands/characters.ts'),
    import('./approval/commands/paths.ts'),
  ]);
  const places =
    cwd?.startsWith('/') === true ? { workspace: cwd, cwd, absolute: true, homes: [home] } : NOWHERE;
  const judged = judgeCommand(
    command,
    {
      allow: commandsOf(policy.allow, cwd),
      deny: commandsOf(policy.deny, cwd),
      shell: shellOf(shell),
      places,
    },
    await loadGrammars(),
  );
  const workspace = cwd ?? NOWHERE.workspace;
  const action = { type: 'command', command, cwd: workspace, insideWorkspace: true } as const;
  const decided = decide(action, policy, { workspace });
  const verdict = stricter(judged.verdict, decided.verdict === 'allow' ? 'auto' : decided.verdict);
  return {
    verdict,
    why: distinct([
      ...(judged.verdict === verdict ? judged.why : []),
      // What holds for every command says nothing beside what holds for this one.
      ...(judged.verdict === verdict && judged.why.length > 0 ? [] : decided.why),
    ]),
    parts: judged.parts.map((part) => ({
      source: escapeHidden(part.source).trimEnd(),
      verdict: part.verdict,
      why: part.why,
    })),
  };
}

/** The commands of the rules that hold in this folder. */
function commandsOf(rules: readonly ApprovalRule[], cwd: string | undefined): string[] {
  return rules.flatMap((rule) => (rule.type === 'command' && rule.cwd === cwd ? [rule.command] : []));
}

function stricter(
  first: CommandExplanation['verdict'],
  second: CommandExplanation['verdict'],
): CommandExplanation['verdict'] {
  const order = ['deny', 'ask', 'auto'] as const;
  return order.find((verdict) => verdict === first || verdict === second) ?? 'deny';
}

function distinct(messages: readonly Message[]): Message[] {
  return [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
}
