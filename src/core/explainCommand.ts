import { realpath } from 'node:fs/promises';
import type { Action, ApprovalPolicy } from '../shared/approvals.ts';
import { builtInModes, type ModeConfig } from '../shared/modes.ts';
import type { CommandExplanation } from '../shared/protocol.ts';
import type { EditorSettings } from '../shared/settings.ts';
import { message } from '../shared/strings.ts';
import { commandFacts } from './approval/commandFacts.ts';
import { decide } from './approval/decide.ts';
import { judgeInThread } from './approval/commands/judgeInThread.ts';
import { FileGate } from './context/FileGate.ts';
import { ProtocolError } from './Dispatcher.ts';
import type { Host } from './host/Host.ts';

export interface ExplainOptions {
  host: Host;
  policy: ApprovalPolicy;
  settings: EditorSettings;
  /** The folder in which it would run; undefined when none is open. */
  cwd: string | undefined;
  /** Our own data folder: no command may write there. */
  home: string;
}

/** Milliseconds after which nobody waits for the verdict any more. */
const LONGEST = 30_000;

/**
 * What would become of a command here if the model called for it now: the same look and the same decision as then. Runs nothing.
 * @throws ProtocolError without a folder to run it in
 */
export async function explainCommand(
  command: string,
  { host, policy, settings, cwd, home }: ExplainOptions,
): Promise<CommandExplanation> {
  if (cwd === undefined) throw new ProtocolError('unavailable', message('error.noWorkspace'));
  const signal = AbortSignal.timeout(LONGEST);
  const gate = new FileGate({ root: cwd, homes: [home], files: host.files });
  // Which files may be read depends on no mode.
  const [mode] = builtInModes as readonly [ModeConfig, ...ModeConfig[]];
  const folder = await gate.resolve('.', 'list', mode, signal);
  const { judged, sandboxed } = await commandFacts({
    ...{ command, folder, policy, settings, host },
    root: folder.real,
    workspace: cwd,
    afterUntrusted: false,
    homes: [await realpath(home)],
    resolve: async (path) => await gate.resolve(path, 'read', mode, signal),
    judge: async (text, rules) => await judgeInThread(text, rules, signal),
  });
  const action: Action = {
    type: 'command',
    ...{ command, cwd: folder.real, insideWorkspace: true, judged },
    ...(sandboxed === undefined ? {} : { sandboxed }),
  };
  const { verdict, why } = decide(action, policy, { workspace: cwd });
  return {
    verdict: verdict === 'allow' ? 'auto' : verdict,
    why: verdict === 'allow' && judged.verdict === 'auto' ? judged.why : why,
    parts: judged.parts,
    more: judged.more,
    ...(sandboxed === undefined ? {} : { sandboxed }),
  };
}
