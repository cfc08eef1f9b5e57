import * as z from 'zod';
import type { TodoItem, ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { TaskContext } from './TaskContext.ts';
import { todoList } from './todoList.ts';

const schema = z.object({ todos: z.string() });

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
    return Promise.resolve({ actions: [], plan: todoList(todos) });
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
