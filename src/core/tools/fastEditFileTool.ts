import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { prepareFastEdit } from './fastEdit.ts';
import { landEdit, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';

const schema = z.object({
  target_file: z.string().min(1),
  instructions: z.string(),
  code_edit: z.string().min(1),
});

export class FastEditFileTool extends BaseTool<'fast_edit_file', typeof schema, EditPlan> {
  readonly name = 'fast_edit_file';
  readonly schema = schema;
  override readonly verbatim = ['instructions', 'code_edit'] as const;

  override isAvailable({ settings }: Pick<TaskContext, 'settings'>): boolean {
    return settings.fastApplyProfile !== '';
  }

  describe(): ToolDescription {
    return {
      purpose:
        'Change a file, or create one, by writing only the lines that change; a faster model merges them. Read the file first; put all changes of a file into one call.',
      parameters: {
        target_file: 'file, relative to the workspace',
        instructions: 'one sentence: what the edit does',
        code_edit:
          'the new lines with a few lines around them, and a comment such as // ... existing code ... for every stretch that stays. What is left out without it is deleted',
      },
      example:
        '<fast_edit_file>\n<target_file>src/sum.js</target_file>\n<instructions>Make sum add.</instructions>\n<code_edit>\n// ... existing code ...\nexport function sum(a, b) {\n  return a + b;\n}\n// ... existing code ...\n</code_edit>\n</fast_edit_file>',
    };
  }

  view({ target_file: path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(params: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<EditPlan>> {
    return await prepareFastEdit(params, context);
  }

  async execute(
    plan: EditPlan,
    context: TaskContext,
    _progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse> {
    return await landEdit(plan, context, edited);
  }
}
