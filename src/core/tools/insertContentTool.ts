import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { insertionOf, spliced } from '../diff/insertion.ts';
import { TextLines } from '../diff/lines.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  path: z.string().min(1),
  line: z.number().int().nonnegative(),
  content: z.string().min(1),
});

export class InsertContentTool extends BaseTool<'insert_content', typeof schema, EditPlan> {
  readonly name = 'insert_content';
  readonly schema = schema;
  override readonly verbatim = ['content'] as const;

  describe(): ToolDescription {
    return {
      purpose: 'Insert lines into a file; nothing of it is replaced.',
      parameters: {
        path: 'file, relative to the workspace',
        line: 'line before which they are inserted, 1-based; 0 appends at the end',
        content: 'the lines, as they are, with their indentation',
      },
      example:
        "<insert_content>\n<path>src/sum.js</path>\n<line>1</line>\n<content>\nimport { add } from './add.js';\n</content>\n</insert_content>",
    };
  }

  view({ path = '', line }: Readonly<Record<string, string>>): ToolView {
    const number = Number(line);
    const at = Number.isInteger(number) && number > 0 ? { line: number } : {};
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path, ...at }] };
  }

  async prepare(
    { path, line, content }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<EditPlan>> {
    const file = await readForEdit(path, context);
    const text = file.text ?? '';
    const lines = new TextLines(text);
    if (line > lines.count + 1)
      throw new ToolError(
        file.text === null
          ? `There is no file '${file.path.shown}'. To create it, send line 0; or check the path with list_files.`
          : `'${file.path.shown}' has ${lines.count} lines, so there is no line ${line} to insert before. Send a line that is there, or 0 to append.`,
      );
    const added = content.replace(/\r?\n$/, '').split(/\r?\n/);
    const splice = insertionOf(lines, line === 0 ? lines.count : line - 1, added);
    return prepareEdit(file, spliced(text, [splice]));
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
