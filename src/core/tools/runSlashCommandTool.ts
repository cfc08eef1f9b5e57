import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { withArguments } from '../commands/parseCommand.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { readActions } from './fetchInstructionsTool.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ command: z.string().trim().min(1), args: z.string().optional() });

/** Commands that a description names; the others can be called all the same. */
const NAMED = 30;

/** An experiment: the model carries out a command that a file defines. It changes nothing by itself, the mode neither. */
export class RunSlashCommandTool extends BaseTool<'run_slash_command', typeof schema, string> {
  readonly name = 'run_slash_command';
  readonly schema = schema;
  override readonly verbatim = ['args'] as const;

  describe({ commands = [] }: DescribeArguments): ToolDescription {
    const rows = commands
      .slice(0, NAMED)
      .map(({ name, description }) => (description === undefined ? name : `${name} (${description})`));
    return {
      purpose:
        'Get the words of a slash command that this project or the person defined, to carry them out, when the task is what the command is for.',
      parameters: {
        command: rows.length === 0 ? 'its name, without the slash' : `one of: ${rows.join('; ')}`,
        args: 'optional, what is written behind the name',
      },
      example:
        '<run_slash_command>\n<command>review</command>\n<args>src/cart.ts</args>\n</run_slash_command>',
    };
  }

  view({ command = '', args = '' }: Readonly<Record<string, string>>): ToolView {
    return {
      kind: 'other',
      subject: command === '' ? '' : `/${nameOf(command)} ${args}`.trim(),
      locations: [],
    };
  }

  async prepare(
    { command, args = '' }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<string>> {
    const name = nameOf(command);
    const found = await context.instructions.command(name);
    if (!found)
      throw new ToolError(
        `There is no command '/${name.slice(0, 80)}'. Call one that is listed with run_slash_command, or go on without.`,
      );
    const { mode, text, path } = found;
    const inOtherMode =
      mode !== undefined && mode !== context.mode.slug
        ? `\n\nThe command is meant for ${mode} mode. Call switch_mode first if it needs what ${context.mode.name} mode does not allow.`
        : '';
    return {
      actions: await readActions(path, context),
      plan: `The command /${name} stands for this:\n\n${withArguments(text, args.trim())}${inOtherMode}`,
    };
  }

  execute(plan: string): Promise<ToolResponse> {
    return Promise.resolve({ content: plan });
  }
}

function nameOf(command: string): string {
  return command.trim().replace(/^\//, '').replace(/\.md$/, '');
}
