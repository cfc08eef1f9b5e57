import { ControlSequenceFilter } from '../../shared/ControlSequenceFilter.ts';
import { translate } from '../../shared/strings.ts';
import { SandboxError, type SandboxedResult } from '../../services/sandbox/Sandbox.ts';
import type { CommandFacts } from '../approval/commandFacts.ts';
import { AT_ONCE } from '../approval/sandboxStanding.ts';
import type { CommandResult } from '../host/Host.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

export type CommandEnd = CommandResult & Pick<SandboxedResult, 'setAside'>;

interface SandboxedRun {
  command: string;
  folder: ResolvedPath;
  facts: CommandFacts;
}

/** Runs a command in the sandbox: its programs without a shell, or the whole by one. @throws ToolError where nothing was run */
export async function runInSandbox(
  { command, folder, facts }: SandboxedRun,
  { host, commands, background }: TaskContext,
  { onOutput, signal }: { onOutput: (text: string) => void; signal: AbortSignal },
): Promise<CommandEnd> {
  const { sandbox } = host;
  if (!sandbox || !commands) throw new ToolError('There is no sandbox here to run the command in.');
  const { steps, sandboxed } = facts;
  const isShell = sandboxed === 'shell';
  const kind = {
    writable: isShell || steps.some(({ changes }) => changes),
    git: isShell || steps.some(({ argv }) => argv[0] === 'git'),
  };
  const workspace = await commands.root();
  const shell = (await sandbox.findProgram('bash', workspace)) ?? '/bin/sh';
  const filters = new Map<object, ControlSequenceFilter>();
  try {
    return await sandbox.run({
      ...(isShell
        ? { steps: [{ argv: [shell, '-c', command], redirects: [], joint: undefined }] }
        : { steps }),
      ...{ workspace, cwd: folder.real, writable: kind.writable, network: facts.network },
      ...{ classify: commands.standing(kind), absent: AT_ONCE, signal, background },
      onOutput: (text, source) => {
        const filter = filters.get(source) ?? new ControlSequenceFilter();
        filters.set(source, filter);
        onOutput(filter.push(text));
      },
    });
  } catch (error) {
    if (error instanceof SandboxError)
      throw new ToolError(
        `Nothing was run: ${translate('en', error.words)} Send the command again: the person is asked then.`,
        { cause: error },
      );
    // Stopped by the person or by its time: the call says which.
    if (signal.aborted) return {};
    throw error;
  }
}
