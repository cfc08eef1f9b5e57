import type { ToolDetails } from '../../shared/tools.ts';
import type { ToolResponse } from './BaseTool.ts';
import { landEdit, type EditPlan } from './fileEdit.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

type DiffDetails = Extract<ToolDetails, { type: 'diff' }>;

/** Writes approved edits one after another; `edited` is the person's version of the only one. */
export async function landEdits(
  plan: readonly EditPlan[],
  context: TaskContext,
  edited: string | undefined,
): Promise<ToolResponse> {
  const steps = plan.map((edit) => async () => await landEdit(edit, context, edited));
  return await landAll(steps, context.signal);
}

/** Does one step after another. What has landed stays when one fails or all is stopped, and is told together with what has not. */
export async function landAll(
  steps: readonly (() => Promise<ToolResponse>)[],
  signal: AbortSignal,
): Promise<ToolResponse> {
  const landed: ToolResponse[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      signal.throwIfAborted();
      landed.push(await step());
    } catch (error) {
      if (index === 0) throw error;
      if (signal.aborted)
        return {
          ...allOf(landed),
          content: `${wordsOf(landed)}\nThe person stopped it there: the files after it were not changed.`,
          stopped: true,
        };
      if (!(error instanceof ToolError)) throw error;
      const failed = `${error.message} The files after it were not changed either.`;
      return { ...allOf(landed), content: `${wordsOf(landed)}\n${failed}`, failed: true };
    }
  }
  const [only] = landed;
  return landed.length === 1 && only ? only : allOf(landed);
}

function allOf(landed: readonly ToolResponse[]): ToolResponse {
  return { content: wordsOf(landed), details: together(landed.map(({ details }) => details)) };
}

function wordsOf(landed: readonly ToolResponse[]): string {
  return landed.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
}

/** The changes of several files as one: each hunk is headed by its file. */
export function together(details: readonly (ToolDetails | undefined)[]): DiffDetails {
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
