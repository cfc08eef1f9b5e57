import * as z from 'zod';
import type { ToolDetails, ToolView } from '../../shared/tools.ts';
import { parseBlocks, SearchReplaceError, type SearchReplaceBlock } from '../diff/parseBlocks.ts';
import { applyBlocks } from '../diff/searchReplace.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { fileDiffsOf, type FileDiff } from './diffArgs.ts';
import { landEdit, prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
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
type DiffDetails = Extract<ToolDetails, { type: 'diff' }>;

export class ApplyDiffTool extends BaseTool<'apply_diff', typeof schema, DiffPlan> {
  readonly name = 'apply_diff';
  readonly schema = schema;
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
    for (const { path, diff } of filesOf(params)) preparations.push(await prepareFile(path, diff, context));
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
    const landed: ToolResponse[] = [];
    for (const [index, edit] of plan.entries()) {
      try {
        landed.push(await landEdit(edit, context, edited));
      } catch (error) {
        // What has landed stays, and must be told together with what has not.
        if (index === 0 || !(error instanceof ToolError)) throw error;
        const failed = `${error.message} The files after it were not changed either.`;
        return { ...allOf(landed), content: `${wordsOf(landed)}\n${failed}`, failed: true };
      }
    }
    const [only] = landed;
    return landed.length === 1 && only ? only : allOf(landed);
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

async function prepareFile(
  path: string,
  diff: FileDiff['diff'],
  context: TaskContext,
): Promise<Preparation<EditPlan>> {
  const file = await readForEdit(path, context);
  if (file.text === null)
    throw new ToolError(
      `There is no file '${file.path.shown}' to change. Create it with write_to_file, or check the path with list_files.`,
    );
  try {
    return prepareEdit(file, applyBlocks(file.text, diff.flatMap(blocksOf)));
  } catch (error) {
    if (error instanceof SearchReplaceError)
      throw new ToolError(`'${file.path.shown}' was not changed. ${error.message}`, { cause: error });
    throw error;
  }
}

/** A start line beside the blocks is that of the first. */
function blocksOf({ content, start_line: startLine }: FileDiff['diff'][number]): SearchReplaceBlock[] {
  const blocks = parseBlocks(content);
  const [first] = blocks;
  if (first && startLine !== undefined) first.startLine ??= startLine;
  return blocks;
}

function allOf(landed: readonly ToolResponse[]): ToolResponse {
  return { content: wordsOf(landed), details: together(landed.map(({ details }) => details)) };
}

function wordsOf(landed: readonly ToolResponse[]): string {
  return landed.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
}

/** The changes of several files as one: each hunk is headed by its file. */
function together(details: readonly (ToolDetails | undefined)[]): DiffDetails {
  const diffs = details.filter((one): one is DiffDetails => one?.type === 'diff');
  const sum = (count: (one: DiffDetails) => number): number =>
    diffs.reduce((total, one) => total + count(one), 0);
  return {
    type: 'diff',
    path: diffs[0]?.path ?? '',
    patch: diffs
      .map(({ path, patch }) => patch.replace(/^@@ .* @@$/gm, (hunk) => `${hunk} ${path}`))
      .join('\n'),
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
    created: false,
    cut: diffs.some(({ cut }) => cut),
  };
}
