import * as z from 'zod';
import type { TodoItem, ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ todos: z.string() });
/** More steps are no plan that a person can follow. */
const MOST_STEPS = 200;
const ITEM = /^\s*(?:[-*]|\d+\.)?\s*\[([ xX~-])\]\s+(.+?)\s*$/;

export class UpdateTodoListTool extends BaseTool<'update_todo_list', typeof schema, TodoItem[]> {
  readonly name = 'update_todo_list';
  readonly schema = schema;
  override readonly verbatim = ['todos'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Keep the list of steps that the person sees, for tasks of three steps or more. Send the whole list each time something changed.',
      parameters: { todos: 'one step a line: [ ] open, [-] under way, [x] done' },
      example:
        '<update_todo_list>\n<todos>\n[x] Find the failing test\n[-] Mend the cause\n[ ] Run all tests\n</todos>\n</update_todo_list>',
    };
  }

  view(): ToolView {
    return { kind: 'think', subject: '', locations: [] };
  }

  prepare({ todos }: z.infer<typeof schema>): Promise<Preparation<TodoItem[]>> {
    const lines = todos.split('\n').filter((line) => line.trim() !== '');
    if (lines.length > MOST_STEPS)
      throw new ToolError(
        `The list has ${lines.length} steps; it holds up to ${MOST_STEPS}. Put small steps together.`,
      );
    const items = lines.map((line): TodoItem => {
      const match = ITEM.exec(line);
      if (!match)
        throw new ToolError(
          `This line is no step: '${line.trim().slice(0, 100)}'. Write each step as [ ] text, [-] text or [x] text.`,
        );
      const mark = (match[1] ?? ' ').toLowerCase();
      return {
        text: match[2] ?? '',
        status: mark === 'x' ? 'completed' : mark === ' ' ? 'pending' : 'in_progress',
      };
    });
    return Promise.resolve({ actions: [], plan: items });
  }

  async execute(items: TodoItem[], context: TaskContext): Promise<ToolResponse> {
    await context.todos.update(items);
    return {
      content:
        items.length === 0
          ? 'The list is empty now.'
          : `The list has ${items.length} ${items.length === 1 ? 'step' : 'steps'} now.`,
    };
  }
}
