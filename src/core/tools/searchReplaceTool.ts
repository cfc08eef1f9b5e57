import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { replaceLiteral } from '../diff/literal.ts';
import { arrivingReplacement } from './arrivingEdits.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareChange, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';

const schema = z.object({
  file_path: z.string().min(1),
  old_string: z.string().min(1),
  new_string: z.string(),
});

export class SearchReplaceTool extends BaseTool<'search_replace', typeof schema, EditPlan> {
  readonly name = 'search_replace';
  readonly schema = schema;
  override readonly arriving = arrivingReplacement;
  override readonly verbatim = ['old_string', 'new_string'] as const;

  describe(): ToolDescription {
    return {
      purpose: 'Replace one piece of text in a file. Read the file first.',
      parameters: {
        file_path: 'file, relative to the workspace',
        old_string:
          'text that stands in the file exactly once, character by character, with lines around it that make it unique',
        new_string: 'what stands there instead',
      },
      example:
        '<search_replace>\n<file_path>src/sum.js</file_path>\n<old_string>return a - b;</old_string>\n<new_string>return a + b;</new_string>\n</search_replace>',
    };
  }

  view({ file_path: path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { file_path, old_string, new_string }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<EditPlan>> {
    return await prepareChange(file_path, context, (text) => replaceLiteral(text, old_string, new_string));
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
