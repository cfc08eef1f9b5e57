import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { usualLineEnd } from '../diff/lines.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
import { clip } from './textFile.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  path: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  content: z.string().min(1),
});

/** Where rules are read from, ours and those of other agents, a mode's own folder included. */
const PLACE = /^(\.(lathe|kilocode|roo)\/rules(-[\w-]+)?|\.clinerules)\/(?!.*(^|\/)\.\.?(\/|$)).+\.(md|txt)$/;

export class NewRuleTool extends BaseTool<'new_rule', typeof schema, EditPlan> {
  readonly name = 'new_rule';
  readonly schema = schema;
  override readonly verbatim = ['content'] as const;

  describe(): ToolDescription {
    return {
      purpose: 'Write a rule of this project: a file that every task here is given to read.',
      parameters: {
        path: 'the file, in .lathe/rules',
        content: 'the whole rule, in Markdown',
      },
      example:
        '<new_rule>\n<path>.lathe/rules/tests.md</path>\n<content>\nRun npm test before a task is done.\n</content>\n</new_rule>',
    };
  }

  view(params: Readonly<Record<string, string>>): ToolView {
    const path = placeOf(params);
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(params: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<EditPlan>> {
    const path = placeOf(params);
    if (path === '')
      throw new ToolError(
        "new_rule could not be run. Missing required parameter 'path'. Send the call again with every required parameter.",
      );
    if (!PLACE.test(path))
      throw new ToolError(
        `'${clip(path, 200)}' is no place for a rule. Send a path like .lathe/rules/name.md, or use write_to_file for other files.`,
      );
    const file = await readForEdit(path, context);
    const end = usualLineEnd(file.text ?? '');
    const text = params.content.replaceAll('\r\n', '\n').replace(/\n*$/, '\n').replaceAll('\n', end);
    return prepareEdit(file, text);
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

/** The file, or the one that a rule of this name has. */
function placeOf({ path = '', name = '' }: { path?: string | undefined; name?: string | undefined }): string {
  if (path !== '') return path.replace(/^\.\//, '');
  if (name === '') return '';
  return `.lathe/rules/${/\.(md|txt)$/.test(name) ? name : `${name}.md`}`;
}
