import { TextLines, usualLineEnd } from '../diff/lines.ts';
import { replacedLines } from '../diff/replacedLines.ts';
import { translate } from '../../shared/strings.ts';
import type { Preparation } from './BaseTool.ts';
import { prepareEdit, readForEdit, type EditPlan } from './fileEdit.ts';
import { omissionIn } from './omission.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

/** An edit as a sketch: the lines that change, with comments in place of those that stay. */
export interface SketchedEdit {
  target_file: string;
  instructions: string;
  code_edit: string;
}

const OTHERWISE =
  'Nothing was changed. Call search_replace with file_path, old_string and new_string for each place instead.';

/**
 * The edit that the fast-apply model makes of a sketch. A protected file is never sent to it, nor one outside of the workspace: nobody
 * has been asked yet. @throws ToolError when there is no such model, when it fails, or when its answer cannot be the whole file
 */
export async function prepareFastEdit(
  { target_file: path, instructions, code_edit: update }: SketchedEdit,
  context: TaskContext,
): Promise<Preparation<EditPlan>> {
  const file = await readForEdit(path, context);
  const { shown, insideWorkspace, protected: guarded } = file.path;
  if (file.text === null || file.text.trim() === '') {
    const omitted = omissionIn(update.split('\n'), '');
    if (omitted !== undefined)
      throw new ToolError(
        `There is nothing in '${shown}' yet, but code_edit leaves out code: '${omitted.trim().slice(0, 100)}'. Send the whole file.`,
      );
    return prepareEdit(file, update === '' || update.endsWith('\n') ? update : `${update}\n`);
  }
  if (!context.fastApply) throw new ToolError(`There is no fast-apply model set up here. ${OTHERWISE}`);
  if (guarded || !insideWorkspace)
    throw new ToolError(
      `'${shown}' is ${guarded ? 'protected' : 'outside of the workspace'}, so it is not sent to the fast-apply model. ${OTHERWISE}`,
    );
  const code = file.text.replaceAll('\r\n', '\n');
  const result = await context.fastApply({ instructions, code, update }, context.signal);
  if ('failed' in result) {
    const why = { cut: 'its answer was cut', empty: 'its answer was empty', error: 'the request failed' }[
      result.failed
    ];
    const detail = result.error ? ` (${translate('en', result.error.message)})` : '';
    throw new ToolError(
      `The fast-apply model could not be used for '${shown}': ${why}${detail}. ${OTHERWISE}`,
    );
  }
  const omitted = omissionIn(result.text.split('\n'), code);
  if (omitted !== undefined)
    throw new ToolError(
      `The fast-apply model left out code of '${shown}': '${omitted.trim().slice(0, 100)}'. ${OTHERWISE}`,
    );
  return prepareEdit(file, inFileHabits(file.text, result.text));
}

/** The merged text with the line ends of the file: lines that stayed keep theirs, and the last line is ended as it was. */
function inFileHabits(before: string, merged: string): string {
  const lines = new TextLines(before);
  const after = merged.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
  const old = lines.taken(0, lines.count);
  return replacedLines(
    old,
    old.map(({ text }) => text),
    after,
    0,
    () => usualLineEnd(before),
  );
}
