import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import type { CommandFacts } from '../approval/commandFacts.ts';
import { CommandOutput } from './CommandOutput.ts';
import { runInSandbox, type CommandEnd } from './runInSandbox.ts';
import type { ResolvedPath, TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  command: z.string().min(1),
  cwd: z.string().optional(),
  timeout: z.number().nonnegative().optional(),
});

interface CommandPlan {
  command: string;
  folder: ResolvedPath;
  /** Seconds; 0 for none. */
  timeout: number;
  facts: CommandFacts | undefined;
}

/** Characters of a command that a system takes as one argument. */
const LONGEST = 100_000;
const LONGEST_ON_WINDOWS = 8000;
/** Milliseconds past which a timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class ExecuteCommandTool extends BaseTool<'execute_command', typeof schema, CommandPlan> {
  readonly name = 'execute_command';
  readonly schema = schema;
  override readonly verbatim = ['command'] as const;

  override isAvailable({ host }: Pick<TaskContext, 'host'>): boolean {
    return host.terminal !== undefined;
  }

  describe({ settings }: DescribeArguments): ToolDescription {
    const limit = settings.commandTimeoutSeconds === 0 ? 'none' : String(settings.commandTimeoutSeconds);
    return {
      purpose:
        'Run a shell command: tests, builds, git and the like. Not for reading, searching or editing files. It has no input: no prompts, editors or pagers. Long output is cut in the middle, and the whole of it is kept in a file.',
      parameters: {
        command: 'as you would type it',
        cwd: 'optional folder to run in; default: the workspace root',
        timeout: `optional, seconds after which it is stopped; default: ${limit}`,
      },
      example: '<execute_command>\n<command>npm test</command>\n</execute_command>',
    };
  }

  view({ command = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'execute', subject: command, locations: [] };
  }

  async prepare(
    { command, cwd, timeout }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<CommandPlan>> {
    if (!context.host.terminal)
      throw new ToolError(
        'Commands cannot be run here. Do what you can without, and tell the person which command to run.',
      );
    refuseUnusable(command, context);
    const folder = await context.resolve(cwd === undefined || cwd.trim() === '' ? '.' : cwd, 'list');
    const status = await context.host.files.status(folder.real);
    if (!status)
      throw new ToolError(
        `The folder '${folder.shown}' to run in does not exist. Check cwd with list_files.`,
      );
    if (status.type !== 'folder')
      throw new ToolError(`'${folder.shown}' to run in is not a folder. Check cwd with list_files.`);
    const facts = await context.commands?.look(command, folder);
    return {
      actions: [
        {
          ...{ type: 'command', command, cwd: folder.real, insideWorkspace: folder.insideWorkspace },
          ...(facts ? { judged: facts.judged } : {}),
          ...(facts?.sandboxed === undefined ? {} : { sandboxed: facts.sandboxed }),
          ...(facts?.afterUntrusted === true ? { afterUntrusted: true } : {}),
        },
      ],
      plan: { command, folder, timeout: timeout ?? context.settings.commandTimeoutSeconds, facts },
      details: { type: 'command', command, cwd: folder.shown, output: '' },
    };
  }

  async execute(
    { command, folder, timeout, facts }: CommandPlan,
    context: TaskContext,
    progress: ToolProgress,
  ): Promise<ToolResponse> {
    const { terminal } = context.host;
    if (!terminal) throw new ToolError('Commands cannot be run here.');
    const { commandMaximumLines: lines, commandMaximumCharacters: characters } = context.settings;
    const fromWeb = facts !== undefined && bringsWeb(facts);
    const output = await CommandOutput.create({
      folder: context.artifactsFolder,
      name: `${fromWeb ? 'web' : 'command'}-${randomUUID().slice(0, 8)}.txt`,
      lines,
      characters,
    });
    const clock = timeout > 0 ? AbortSignal.timeout(Math.min(timeout * 1000, LONGEST_TIMER)) : undefined;
    const signal = clock ? AbortSignal.any([context.signal, clock]) : context.signal;
    const onOutput = (text: string): void => {
      output.add(text);
      progress.output(text);
    };
    try {
      const sandboxed = facts?.sandboxed !== undefined;
      const result: CommandEnd = sandboxed
        ? await runInSandbox({ command, folder, facts }, context, { onOutput, signal })
        : await terminal.run({
            command,
            cwd: folder.real,
            callId: context.callId,
            onOutput,
            signal,
            background: context.background,
          });
      const timedOut = clock?.aborted === true && !context.signal.aborted;
      const stopped = context.signal.aborted;
      const end = endOf(result, { timedOut, stopped, timeout });
      const inBackground = result.background === true;
      const kept = await output.finish(inBackground);
      result.ended?.then(
        (later) => output.close(`[${endOf(later, { timedOut: false, stopped: false, timeout })}]`),
        () => output.close('[How it ended is not known.]'),
      );
      return {
        content: [
          `Working directory: ${folder.shown}`,
          ...(sandboxed ? [sandboxNote(facts, result)] : []),
          end,
          kept.note,
          kept.text === '' ? 'No output.' : `Output${inBackground ? ' so far' : ''}:\n${kept.text}`,
        ]
          .filter((line) => line !== '')
          .join('\n'),
        ...(fromWeb ? { origin: 'web' } : {}),
        details: {
          type: 'command',
          command,
          cwd: folder.shown,
          output: kept.tail,
          // What was ended by us did not end well, whatever its shell says.
          ...(result.exitCode === undefined || timedOut || stopped ? {} : { exitCode: result.exitCode }),
          ...(result.signal === undefined ? {} : { signal: result.signal }),
          ...(inBackground ? { background: true } : {}),
          ...(sandboxed ? { sandboxed } : {}),
          ...(result.setAside ? { setAside: result.setAside } : {}),
          ...(timedOut ? { timedOut } : {}),
          ...(stopped ? { stopped } : {}),
        },
      };
    } catch (error) {
      await output.finish(false);
      throw hasNotStarted(error)
        ? new ToolError(
            `The command could not be started in '${folder.shown}' (${error.message}). Check that the folder is still there, or tell the person.`,
            { cause: error },
          )
        : error;
    }
  }
}

/** Whether it may show what comes from elsewhere: a program that is there to fetch it, and a network. */
function bringsWeb({ judged, sandboxed, network }: CommandFacts): boolean {
  return (sandboxed === undefined || network) && judged.dangers.some(({ key }) => key === 'danger.network');
}

/** What the model must know to understand how it ended. */
function sandboxNote(facts: CommandFacts, { setAside }: CommandEnd): string {
  const network = facts.network ? '' : 'no network, ';
  const note = `Ran in a sandbox: ${network}an empty home folder, and protected files read-only.`;
  if (!setAside) return note;
  const files = setAside.paths.slice(0, 20).join(', ');
  return `${note} It made protected files, which were moved out of the workspace to ${setAside.folder}: ${files}. If they are needed, write them with write_to_file, which asks the person.`;
}

function refuseUnusable(command: string, { host }: TaskContext): void {
  if (command.trim() === '') throw new ToolError('The command is empty. Send the command to run.');
  if (command.includes('\0'))
    throw new ToolError(
      'The command holds a NUL character, which no shell takes. Write it as an escape instead.',
    );
  if (/^cmd(\.exe)?$/i.test(host.system.shell) && /[\r\n]/.test(command.trim()))
    throw new ToolError(
      'cmd.exe runs the first line of a command and no other. Send one line, its parts joined with &&, or write a script to a file and run that.',
    );
  const most = host.system.platform === 'win32' ? LONGEST_ON_WINDOWS : LONGEST;
  if (command.length > most)
    throw new ToolError(
      `The command is ${command.length} characters long; the limit is ${most}. Write a script to a file and run that.`,
    );
}

function hasNotStarted(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

function endOf(
  result: { exitCode?: number; signal?: string; background?: boolean },
  { timedOut, stopped, timeout }: { timedOut: boolean; stopped: boolean; timeout: number },
): string {
  if (result.background === true)
    return 'The person sent it to the background: it runs on. Its output goes on in the file named below, and at its end how it ended.';
  if (stopped) return 'The person stopped it before it ended.';
  if (timedOut) return `Stopped after ${timeout} seconds, before it ended.`;
  if (result.signal !== undefined) return `Ended by signal ${result.signal}.`;
  return result.exitCode === undefined ? 'Exit code: not known.' : `Exit code: ${result.exitCode}`;
}
