import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { searchAndReplace, type Replacement } from '../diff/searchAndReplace.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareChange, type EditPlan } from './fileEdit.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const flags = {
  use_regex: z.boolean().optional(),
  ignore_case: z.boolean().optional(),
  start_line: z.number().int().positive().optional(),
  end_line: z.number().int().positive().optional(),
};
const operationSchema = z.object({ search: z.string().min(1), replace: z.string(), ...flags });
const schema = z.object({
  path: z.string().min(1),
  search: z.string().min(1).optional(),
  replace: z.string().optional(),
  ...flags,
  operations: z.array(operationSchema).min(1).optional(),
});
type Operation = z.infer<typeof operationSchema>;

interface ReplacePlan extends EditPlan {
  /** Places that are replaced. */
  count: number;
}

export class SearchAndReplaceTool extends BaseTool<'search_and_replace', typeof schema, ReplacePlan> {
  readonly name = 'search_and_replace';
  readonly schema = schema;
  override readonly verbatim = ['search', 'replace', 'operations'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Replace text or a pattern wherever it stands in a file, or between two of its lines. To change one place, use apply_diff.',
      parameters: {
        path: 'file, relative to the workspace',
        search: 'the text as it stands, or with use_regex a JavaScript regular expression',
        replace: 'what stands there instead; with use_regex $1 is the first group',
        use_regex: 'optional: true when search is an expression',
        ignore_case: 'optional: true to ignore case',
        start_line: 'optional: first line, 1-based',
        end_line: 'optional: last line, included',
      },
      example:
        '<search_and_replace>\n<path>src/sum.js</path>\n<search>total</search>\n<replace>sum</replace>\n</search_and_replace>',
    };
  }

  view({ path = '', start_line: line }: Readonly<Record<string, string>>): ToolView {
    const number = Number(line);
    const at = Number.isInteger(number) && number > 0 ? { line: number } : {};
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path, ...at }] };
  }

  async prepare(params: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<ReplacePlan>> {
    const replacements = replacementsOf(params);
    let count = 0;
    const preparation = await prepareChange(params.path, context, (text) => {
      const result = searchAndReplace(text, replacements);
      count = result.count;
      return result.text;
    });
    return { ...preparation, plan: { ...preparation.plan, count } };
  }

  async execute(
    plan: ReplacePlan,
    context: TaskContext,
    _progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse> {
    const response = await landEdit(plan, context, edited);
    const places = `Replaced at ${plan.count} ${plan.count === 1 ? 'place' : 'places'}.`;
    return typeof response.content === 'string'
      ? { ...response, content: `${places} ${response.content}` }
      : response;
  }
}

/** A list of operations replaces one place each, unless an operation says by its flags that it means a pattern or a range. */
function replacementsOf({ operations, search, replace, ...rest }: z.infer<typeof schema>): Replacement[] {
  if (operations !== undefined) return operations.map((one) => ({ ...one, once: !hasFlags(one) }));
  if (search === undefined || replace === undefined)
    throw new ToolError(
      `search_and_replace could not be run. Missing required parameter '${search === undefined ? 'search' : 'replace'}'. Send the call again with every required parameter.`,
    );
  return [{ search, replace, ...rest }];
}

function hasFlags({ use_regex, ignore_case, start_line, end_line }: Operation): boolean {
  return use_regex === true || ignore_case === true || start_line !== undefined || end_line !== undefined;
}
