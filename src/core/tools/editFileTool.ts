import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { replaceLiteral } from '../diff/literal.ts';
import { arrivingReplacement } from './arrivingEdits.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { prepareFastEdit } from './fastEdit.ts';
import { landEdit, prepareChange, prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  file_path: z.string().min(1).optional(),
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  expected_replacements: z.number().int().positive().optional(),
  target_file: z.string().min(1).optional(),
  instructions: z.string().optional(),
  code_edit: z.string().optional(),
});
type Parameters = z.infer<typeof schema>;

export class EditFileTool extends BaseTool<'edit_file', typeof schema, EditPlan> {
  readonly name = 'edit_file';
  readonly schema = schema;
  override readonly arriving = arrivingReplacement;
  override readonly verbatim = ['old_string', 'new_string', 'instructions', 'code_edit'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Replace text in a file, or create a file. Read the file first; to replace a whole file, use write_to_file.',
      parameters: {
        file_path: 'file, relative to the workspace',
        old_string:
          'text as it stands in the file, with lines around it that make it unique; empty to create the file',
        new_string: 'what stands there instead',
        expected_replacements: 'optional: how many places are replaced; 1 without it',
      },
      example:
        '<edit_file>\n<file_path>src/sum.js</file_path>\n<old_string>return a - b;</old_string>\n<new_string>return a + b;</new_string>\n</edit_file>',
    };
  }

  view({ file_path = '', target_file = '' }: Readonly<Record<string, string>>): ToolView {
    const path = file_path === '' ? target_file : file_path;
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(params: Parameters, context: TaskContext): Promise<Preparation<EditPlan>> {
    const { target_file, code_edit } = params;
    const { file_path: path, old_string: old, new_string: next, expected_replacements: expected } = params;
    if (path === undefined && target_file !== undefined && code_edit !== undefined && context.fastApply)
      return await prepareFastEdit(
        { target_file, instructions: params.instructions ?? '', code_edit },
        context,
      );
    if (path === undefined && (target_file !== undefined || code_edit !== undefined))
      throw new ToolError(
        context.fastApply
          ? 'edit_file could not be run. It takes target_file, instructions and code_edit, or file_path, old_string and new_string. Send all of them.'
          : 'edit_file with target_file and code_edit needs a fast-apply model, and none is set up here. Send file_path, old_string and new_string.',
      );
    if (path === undefined || old === undefined || next === undefined) {
      const missing = path === undefined ? 'file_path' : old === undefined ? 'old_string' : 'new_string';
      throw new ToolError(
        `edit_file could not be run. Missing required parameter '${missing}'. Send the call again with every required parameter.`,
      );
    }
    if (old === '') return await prepareNew(path, next, context);
    return await prepareChange(path, context, (text) =>
      replaceLiteral(text, old, next, { tolerant: true, ...(expected === undefined ? {} : { expected }) }),
    );
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

async function prepareNew(path: string, text: string, context: TaskContext): Promise<Preparation<EditPlan>> {
  const file = await readForEdit(path, context);
  if (file.text !== null && file.text !== '')
    throw new ToolError(
      `'${file.path.shown}' exists already, and an empty old_string creates a file. Send the text that shall be replaced, or the whole file with write_to_file.`,
    );
  // XML content is written on lines of its own: its last line break belongs to the tags.
  const final = context.origin === 'xml' && text !== '' && !text.endsWith('\n') ? '\n' : '';
  return prepareEdit(file, text + final);
}
