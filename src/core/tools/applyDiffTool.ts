import { z } from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { parseBlocks, SearchReplaceError } from '../diff/parseBlocks.ts';
import { applyBlocks } from '../diff/searchReplace.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ path: z.string().min(1), diff: z.string().min(1) });

export class ApplyDiffTool extends BaseTool<'apply_diff', typeof schema, EditPlan> {
  readonly name = 'apply_diff';
  readonly schema = schema;
  override readonly verbatim = ['diff'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Change parts of an existing file by search and replace. Read the file first; put all changes of a file into one call.',
      parameters: {
        path: 'file, relative to the workspace',
        diff: 'one or more blocks. SEARCH lines must stand in the file exactly once, as they are, indentation included; :start_line: (optional, the line of the file as read) tells equal places apart. Content lines that look like a marker get a backslash before them',
      },
      example:
        '<apply_diff>\n<path>src/sum.js</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:4\n-------\n  return a - b;\n=======\n  return a + b;\n>>>>>>> REPLACE\n</diff>\n</apply_diff>',
    };
  }

  view({ path = '', diff = '' }: Readonly<Record<string, string>>): ToolView {
    const line = /^:start_line:\s*(\d+)/m.exec(diff.slice(0, 200))?.[1];
    return {
      kind: 'edit',
      subject: path,
      locations: path === '' ? [] : [{ path, ...(line ? { line: Number(line) } : {}) }],
    };
  }

  async prepare(
    { path, diff }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<EditPlan>> {
    const file = await readForEdit(path, context);
    if (file.text === null)
      throw new ToolError(
        `There is no file '${file.path.shown}' to change. Create it with write_to_file, or check the path with list_files.`,
      );
    try {
      return prepareEdit(file, applyBlocks(file.text, parseBlocks(diff)));
    } catch (error) {
      if (error instanceof SearchReplaceError)
        throw new ToolError(`'${file.path.shown}' was not changed. ${error.message}`, { cause: error });
      throw error;
    }
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
