import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { usualLineEnd } from '../diff/lines.ts';
import { arrivingFile } from './arrivingEdits.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import { landEdit, prepareEdit, readForEdit, type EditedFile, type EditPlan } from './fileEdit.ts';
import { omissionIn } from './omission.ts';
import type { TaskContext, ToolProgress } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({
  path: z.string().min(1),
  content: z.string(),
  line_count: z.number().int().nonnegative().optional(),
  mode: z.enum(['overwrite', 'append']).optional(),
});

const parameters = {
  path: 'file, relative to the workspace',
  content:
    'the whole text of the file, nothing left out, as it is: no escaping, no line numbers, no code fence',
  line_count: 'optional: how many lines content has, so that a cut is noticed',
};

export class WriteToFileTool extends BaseTool<'write_to_file', typeof schema, EditPlan> {
  readonly name = 'write_to_file';
  readonly schema = schema;
  override readonly arriving = arrivingFile;
  override readonly verbatim = ['content'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Create a file, or replace a whole one; folders are made as needed. To change part of a file, use apply_diff.',
      parameters: { ...parameters, mode: 'optional: append adds content at the end of the file instead' },
      xmlParameters: parameters,
      example:
        '<write_to_file>\n<path>src/greet.js</path>\n<content>\nexport const greet = (name) => `Hello ${name}`;\n</content>\n</write_to_file>',
    };
  }

  view({ path = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'edit', subject: path, locations: path === '' ? [] : [{ path }] };
  }

  async prepare(
    { path, content, line_count, mode }: z.infer<typeof schema>,
    context: TaskContext,
  ): Promise<Preparation<EditPlan>> {
    const file = await readForEdit(path, context);
    // What is appended is no whole file, and takes nothing away.
    if (mode !== 'append') refuseCut(content, line_count, file);
    const text = withFileHabits(withoutFence(withoutMark(content, file), path), file, context.origin);
    return prepareEdit(file, mode === 'append' ? appended(file.text ?? '', text) : text);
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

/** Behind a last line without a break, what is appended begins on a line of its own. */
function appended(before: string, text: string): string {
  const gap = before === '' || before.endsWith('\n') ? '' : usualLineEnd(before);
  return before + gap + text;
}

/** Refuses what is visibly not the whole file. */
function refuseCut(content: string, lineCount: number | undefined, file: EditedFile): void {
  const lines = content.split('\n');
  if (lineCount !== undefined && lines.length < lineCount - Math.max(2, lineCount * 0.1)) {
    throw new ToolError(
      `content has ${lines.length} lines, but line_count says ${lineCount}: it seems to be cut. Send the whole file, or change the part with apply_diff.`,
    );
  }
  if (file.text === null || lines.length >= file.text.split('\n').length) return;
  const omission = omissionIn(lines, file.text);
  if (omission !== undefined) {
    throw new ToolError(
      `content leaves out code: '${omission.trim().slice(0, 100)}'. Writing it would delete that code. Send the whole file, or change the part with apply_diff.`,
    );
  }
}

/** The byte order mark that the file has is put back when it is written; it is not doubled. */
function withoutMark(content: string, file: EditedFile): string {
  return file.bom && content.startsWith('\ufeff') ? content.slice(1) : content;
}

/** Models wrap whole files into a fence; in code that is never meant, and in prose it may be. */
function withoutFence(content: string, path: string): string {
  if (/(\.(md|mdx|mdc|markdown|txt|rst|adoc)|(^|[/\\])[^./\\]+)$/i.test(path)) return content;
  const lines = content.trimEnd().split('\n');
  const isFence = (line: string): boolean => line.startsWith('```');
  const wrapped =
    lines.length > 2 &&
    /^```[^`]*$/.test(lines[0] ?? '') &&
    lines.at(-1)?.trimEnd() === '```' &&
    !lines.slice(1, -1).some(isFence);
  return wrapped ? `${lines.slice(1, -1).join('\n')}\n` : content;
}

/**
 * The file's own line breaks are kept when the model sends plain ones. XML content is written on lines of its own, so its last line
 * break belongs to the tags: a final newline is added, unless the file had none.
 */
function withFileHabits(content: string, file: EditedFile, origin: 'xml' | 'native'): string {
  const carriage = file.text !== null && usualLineEnd(file.text) === '\r\n' && !content.includes('\r\n');
  const text = carriage ? content.replaceAll('\n', '\r\n') : content;
  const hadFinal = file.text === null || file.text === '' || file.text.endsWith('\n');
  return origin === 'xml' && text !== '' && !text.endsWith('\n') && hadFinal
    ? text + (carriage ? '\r\n' : '\n')
    : text;
}
