import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { parseBlocks, type SearchReplaceBlock } from '../diff/parseBlocks.ts';
import { applyBlocks } from '../diff/searchReplace.ts';
import { arrivingBlocks } from './arrivingEdits.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { fileDiffsOf, type FileDiff } from './diffArgs.ts';
import { prepareChange, type EditPlan } from './fileEdit.ts';
import { landEdits, together } from './severalEdits.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const pieceSchema = z.object({ content: z.string(), start_line: z.number().int().positive().optional() });
const schema = z.object({
  path: z.string().min(1).optional(),
  diff: z.string().min(1).optional(),
  args: z
    .array(z.object({ path: z.string().min(1), diff: z.array(pieceSchema).min(1) }))
    .min(1)
    .optional(),
});

/** One edit a file. */
type DiffPlan = EditPlan[];

export class ApplyDiffTool extends BaseTool<'apply_diff', typeof schema, DiffPlan> {
  readonly name = 'apply_diff';
  readonly schema = schema;
  override readonly arriving = arrivingBlocks;
  override readonly verbatim = ['diff', 'args'] as const;

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

  view({ path = '', diff = '', args = '' }: Readonly<Record<string, string>>): ToolView {
    const line = /^:start_line:\s*(\d+)/m.exec(diff.slice(0, 200))?.[1];
    const nested = [...args.matchAll(/<file>\s*<path>([^<]+)<\/path>/g)].map((match) =>
      (match[1] ?? '').trim(),
    );
    const paths = path === '' ? nested : [path];
    return {
      kind: 'edit',
      subject: paths.join(', '),
      locations: paths.map((one) => ({ path: one, ...(line ? { line: Number(line) } : {}) })),
    };
  }

  override fromXml({ args, ...flat }: Readonly<Record<string, string>>): Record<string, unknown> {
    return args === undefined || args.trim() === ''
      ? super.fromXml(flat)
      : { ...super.fromXml(flat), args: fileDiffsOf(args) };
  }

  async prepare(params: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<DiffPlan>> {
    const preparations: Preparation<EditPlan>[] = [];
    for (const { path, diff } of filesOf(params)) {
      const change = (text: string): string => applyBlocks(text, diff.flatMap(blocksOf));
      preparations.push(await prepareChange(path, context, change));
    }
    const [only] = preparations;
    const plan = preparations.map((one) => one.plan);
    if (preparations.length === 1 && only) return { ...only, plan };
    const real = plan.map(({ file }) => file.path.real);
    const twice = plan.find(({ file }, index) => real.indexOf(file.path.real) !== index);
    if (twice)
      throw new ToolError(`'${twice.file.path.shown}' is named twice. Put all blocks of a file together.`);
    return {
      actions: preparations.flatMap((one) => one.actions),
      plan,
      details: together(preparations.map((one) => one.details)),
    };
  }

  async execute(
    plan: DiffPlan,
    context: TaskContext,
    _progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse> {
    return await landEdits(plan, context, edited);
  }
}

function filesOf({ path, diff, args }: z.infer<typeof schema>): FileDiff[] {
  if (args !== undefined) return args;
  const missing = path === undefined ? 'path' : diff === undefined ? 'diff' : undefined;
  if (missing !== undefined || path === undefined || diff === undefined)
    throw new ToolError(
      `apply_diff could not be run. Missing required parameter '${missing ?? ''}'. Send the call again with every required parameter.`,
    );
  return [{ path, diff: [{ content: diff }] }];
}

/** A start line beside the blocks is that of the first. */
function blocksOf({ content, start_line: startLine }: FileDiff['diff'][number]): SearchReplaceBlock[] {
  const blocks = parseBlocks(content);
  const [first] = blocks;
  if (first && startLine !== undefined) first.startLine ??= startLine;
  return blocks;
}
