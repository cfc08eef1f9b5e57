import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { SearchReplaceError } from '../diff/parseBlocks.ts';
import { parsePatch, type FilePatch } from '../diff/parsePatch.ts';
import { pathsOfPatch } from '../../shared/viewOfCall.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landDeletion } from './fileDeletion.ts';
import { landEdit } from './fileEdit.ts';
import { PatchedFiles, type PatchPlan } from './PatchedFiles.ts';
import { landAll } from './severalEdits.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ patch: z.string().min(1) });

export class ApplyPatchTool extends BaseTool<'apply_patch', typeof schema, PatchPlan> {
  readonly name = 'apply_patch';
  readonly schema = schema;
  override readonly verbatim = ['patch'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Add, change, move and delete files by one patch. Read the files first; either all of it fits or nothing is changed.',
      parameters: {
        patch:
          '*** Begin Patch, then files, then *** End Patch. A file is *** Add File: path with + before each line, *** Delete File: path, or *** Update File: path (then optionally *** Move to: path) with hunks. A hunk is @@ and a line that stands above it (a function, a class), then lines with a space before those that stay, - before those that go, + before new ones; three lines around each change. *** End of File behind a hunk that reaches the end',
      },
      example:
        '<apply_patch>\n<patch>\n*** Begin Patch\n*** Update File: src/sum.js\n@@ export function sum(a, b) {\n-  return a - b;\n+  return a + b;\n }\n*** End Patch\n</patch>\n</apply_patch>',
    };
  }

  view({ patch = '' }: Readonly<Record<string, string>>): ToolView {
    const paths = pathsOfPatch(patch);
    return { kind: 'edit', subject: paths.join(', '), locations: paths.map((path) => ({ path })) };
  }

  async prepare({ patch }: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<PatchPlan>> {
    const files = new PatchedFiles(context);
    for (const file of filesOf(patch)) await files.apply(file);
    return files.preparation();
  }

  async execute(
    { edits, deletions }: PatchPlan,
    context: TaskContext,
    _progress: ToolProgress,
    edited?: string,
  ): Promise<ToolResponse> {
    return await landAll(
      [
        ...edits.map((edit) => async () => await landEdit(edit, context, edited)),
        ...deletions.map((deletion) => async () => await landDeletion(deletion, context)),
      ],
      context.signal,
    );
  }
}

function filesOf(patch: string): FilePatch[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (error instanceof SearchReplaceError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}
