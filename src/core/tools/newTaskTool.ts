import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import type { TaskContext, WantedSubtask } from './TaskContext.ts';
import { todoList } from './todoList.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  mode: z.string().trim().min(1),
  message: z.string().trim().min(1),
  todos: z.string().optional(),
});

/** Hands a part of the work to a task of its own, and waits for what it comes to. */
export class NewTaskTool extends BaseTool<'new_task', typeof schema, WantedSubtask> {
  readonly name = 'new_task';
  readonly schema = schema;
  override readonly verbatim = ['message', 'todos'] as const;

  describe({ modes }: DescribeArguments): ToolDescription {
    return {
      purpose:
        'Give a part of the work to a subtask in the mode that suits it, and get its result. It sees nothing of this conversation. Calls after it in the same message are skipped.',
      parameters: {
        mode: `one of: ${modes.map(({ slug }) => slug).join(', ')}`,
        message: 'all that it must know: what to do, where, what is settled, and what its result should say',
        todos: 'optional, its first todo list: one step a line, [ ] open, [-] under way, [x] done',
      },
      example:
        '<new_task>\n<mode>debug</mode>\n<message>\nFind out why test/sum.test.js fails; do not change files. Result: cause, path:line.\n</message>\n</new_task>',
    };
  }

  view({ message = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'think', subject: titleOf(message), locations: [] };
  }

  prepare(
    { mode, message, todos }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<WantedSubtask>> {
    const { refusal } = context.subtasks;
    if (refusal !== undefined) throw new ToolError(refusal);
    const modes = context.modes.list();
    if (!modes.some(({ slug }) => slug === mode))
      throw new ToolError(
        `There is no mode '${mode.slice(0, 80)}'. The modes are: ${modes.map(({ slug }) => slug).join(', ')}.`,
      );
    const steps = todoList(todos ?? '');
    return Promise.resolve({
      // It can do what its mode can: the same yes as for going on in that mode.
      actions: [{ type: 'switch_mode', mode }],
      details: { type: 'subtask', mode, message },
      plan: { mode, message, ...(steps.length > 0 ? { todos: steps } : {}) },
    });
  }

  async execute(wanted: WantedSubtask, context: TaskContext): Promise<ToolResponse> {
    return await context.subtasks.run(wanted);
  }
}

function titleOf(message: string): string {
  return message.trim().split('\n', 1)[0] ?? '';
}
