import { extname } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import type { ResultContent, ToolDetails, ToolView } from '../../shared/tools.ts';
import { languageOf } from '../../services/definitions/languages.ts';
import { TextLines } from '../diff/lines.ts';
import {
  BaseTool,
  type DescribeArguments,
  type Preparation,
  type ToolDescription,
  type ToolResponse,
} from './BaseTool.ts';
import { asToolError } from './fileErrors.ts';
import { LARGEST_PARSED, outlineOfText, rowsBehind } from './outline.ts';
import { readLines, type ReadLines } from './readLines.ts';
import type { ResolvedPath, TaskContext } from './TaskContext.ts';
import { pictureType } from './pictureType.ts';
import { ToolError } from './ToolError.ts';

const rangeSchema = z.union([
  z.string().regex(/^\s*\d+\s*-\s*\d+\s*$/, 'expected a range such as 10-80'),
  z.tuple([z.number().int().positive(), z.number().int().positive()]),
]);
const fileSchema = z.object({
  path: z.string().min(1),
  line_range: z.union([rangeSchema, z.array(rangeSchema)]).optional(),
});
const schema = z.object({
  path: z.string().min(1).optional(),
  paths: z.array(z.string().min(1)).optional(),
  args: z.union([z.array(fileSchema), fileSchema]).optional(),
  start_line: z.number().int().positive().optional(),
  end_line: z.number().int().positive().optional(),
  show_line_numbers: z.boolean().optional(),
});

interface WantedFile {
  path: string;
  /** 1-based, inclusive. */
  ranges: { start: number; end: number }[];
}

interface ReadPlan {
  files: { wanted: WantedFile; resolved: ResolvedPath }[];
  numbers: boolean;
}

const IMAGES: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);
const LARGEST_IMAGE = 5 * 1024 * 1024;
/** Characters of text that a token stands for, roughly, for the read budget. */
const CHARACTERS_A_TOKEN = 4;
/** Characters of one read where the model's context window is not known. */
const UNKNOWN_WINDOW_BUDGET = 200_000;
const LEAST_BUDGET = 4000;
/** Characters that a line's number takes at least in a native result. */
const NATIVE_WIDTH = 2;
/** Characters of the outline of what is not shown of a file, and milliseconds that a read waits for it. */
const LONGEST_OUTLINE = 6000;
const OUTLINE_WAIT = 10_000;

export class ReadFileTool extends BaseTool<'read_file', typeof schema, ReadPlan> {
  readonly name = 'read_file';
  readonly schema = schema;

  describe({ settings, singleFileRead }: DescribeArguments): ToolDescription {
    const limit = `a file is cut after ${settings.readMaximumLines} lines unless a range is given`;
    const one = {
      path: 'file, relative to the workspace',
      start_line: 'optional, first line, from 1',
      end_line: 'optional, last line',
    };
    const example = '<read_file>\n<path>src/app.ts</path>\n</read_file>';
    if (singleFileRead)
      return { purpose: `Read a file with line numbers; ${limit}.`, parameters: one, example };
    return {
      purpose: `Read up to ${settings.readMaximumFiles} files with line numbers, in one call when they belong together; ${limit}. PDF, Word, Excel and notebook files are read as text. Pictures are shown if you can see.`,
      parameters: {
        ...one,
        paths: 'instead of path: several files, of each the same lines',
        show_line_numbers: 'optional, default true',
      },
      xmlParameters: {
        args: 'one <file> for each file, with <path> (relative to the workspace) and optional <line_range>first-last</line_range>, as often as needed',
      },
      example:
        '<read_file>\n<args>\n<file><path>src/app.ts</path></file>\n<file><path>src/big.ts</path><line_range>200-280</line_range></file>\n</args>\n</read_file>',
    };
  }

  view({ path = '', paths = '', args = '' }: Readonly<Record<string, string>>): ToolView {
    const nested = [...args.matchAll(/<path>([^<]+)<\/path>/g)].map((match) => (match[1] ?? '').trim());
    const listed = [...paths.matchAll(/"((?:[^"\\]|\\.)+)"/g)].map((match) => match[1] ?? '');
    const all = [path, ...nested, ...listed].filter((one) => one !== '');
    return { kind: 'read', subject: all.join(', '), locations: all.map((one) => ({ path: one })) };
  }

  override fromXml(params: Readonly<Record<string, string>>): Record<string, unknown> {
    const { args, ...flat } = params;
    if (args === undefined) return super.fromXml(flat);
    return { ...super.fromXml(flat), args: filesOf(args) };
  }

  async prepare(params: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<ReadPlan>> {
    const wanted = wantedFiles(params);
    const { readMaximumFiles } = context.settings;
    if (wanted.length === 0)
      throw new ToolError('read_file needs a path. Send the call again with the file to read.');
    if (wanted.length > readMaximumFiles) {
      throw new ToolError(
        `One read takes at most ${readMaximumFiles} files, and ${wanted.length} were asked for. Read the most important first.`,
      );
    }
    const files = [];
    for (const file of wanted)
      files.push({ wanted: file, resolved: await context.resolve(file.path, 'read') });
    return {
      actions: files.map(({ resolved }) => ({
        type: 'read',
        path: resolved.real,
        insideWorkspace: resolved.insideWorkspace,
        protected: resolved.protected,
      })),
      plan: { files, numbers: params.show_line_numbers ?? true },
    };
  }

  async execute({ files, numbers }: ReadPlan, context: TaskContext): Promise<ToolResponse> {
    const { contextLeft, settings } = context;
    let budget =
      contextLeft === undefined
        ? UNKNOWN_WINDOW_BUDGET
        : Math.max(LEAST_BUDGET, contextLeft * settings.readContextShare * CHARACTERS_A_TOKEN);
    const parts: string[] = [];
    const images: ResultContent[] = [];
    const details: Extract<ToolDetails, { type: 'files' }> = { type: 'files', files: [] };
    for (const { wanted, resolved } of files) {
      context.signal.throwIfAborted();
      try {
        if (IMAGES.has(extname(resolved.real).toLowerCase())) {
          images.push(await readImage(resolved, context));
          parts.push(rendered(context, wanted.path, undefined, numbers, 'The picture follows.'));
          details.files.push({ path: resolved.shown });
          continue;
        }
        const read = await readLines(resolved, wanted.ranges, Math.floor(budget), context);
        budget = Math.max(LEAST_BUDGET / 2, budget - read.characters);
        const outline = await outlineBehind(resolved, read, Math.min(LONGEST_OUTLINE, budget), context);
        budget = Math.max(LEAST_BUDGET / 2, budget - outline.join('\n').length);
        parts.push(rendered(context, wanted.path, read, numbers, read.notice, outline));
        details.files.push({ path: resolved.shown, ...(read.shown === '' ? {} : { lines: read.shown }) });
      } catch (error) {
        const words = await asToolError(error, resolved.shown, resolved.real, context.host.files);
        if (!(words instanceof ToolError)) throw words;
        if (files.length === 1) throw words;
        parts.push(failed(context, wanted.path, words.message));
        details.files.push({ path: resolved.shown, error: words.message });
      }
    }
    const text = context.origin === 'xml' ? `<files>\n${parts.join('\n')}\n</files>` : parts.join('\n\n');
    return { content: [{ type: 'text', text }, ...images], details };
  }
}

function wantedFiles({
  path,
  paths = [],
  args = [],
  start_line: start,
  end_line: end,
}: z.infer<typeof schema>): WantedFile[] {
  const listed = Array.isArray(args) ? args : [args];
  const range =
    start === undefined && end === undefined
      ? []
      : [{ start: start ?? 1, end: end ?? Number.MAX_SAFE_INTEGER }];
  const wanted: WantedFile[] = [
    ...listed.map((file) => ({ path: file.path.trim(), ranges: rangesOf(file.line_range) })),
    ...(path === undefined ? [] : [{ path, ranges: range }]),
    ...paths.map((one) => ({ path: one, ranges: range })),
  ];
  for (const { path: name, ranges } of wanted) {
    const wrong = ranges.find((one) => one.end < one.start);
    if (wrong)
      throw new ToolError(
        `${name}: the range ${wrong.start}-${wrong.end} ends before it starts. Give the first line first.`,
      );
  }
  return wanted;
}

function rangesOf(value: z.infer<typeof fileSchema>['line_range']): { start: number; end: number }[] {
  if (value === undefined) return [];
  const pair = (one: z.infer<typeof rangeSchema>): { start: number; end: number } => {
    const [start = 1, end = 1] = typeof one === 'string' ? one.split('-').map(Number) : one;
    return { start: Math.max(1, start), end };
  };
  const isPair = (one: unknown): one is [number, number] => Array.isArray(one) && typeof one[0] === 'number';
  return Array.isArray(value) && !isPair(value) ? value.map((one) => pair(one)) : [pair(value)];
}

/** The nested form. Names are taken as they are: no entity is decoded. */
function filesOf(args: string): unknown {
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    processEntities: false,
    isArray: (name) => name === 'file' || name === 'line_range',
  });
  try {
    const { file, ...alone } = parser.parse(args) as { file?: unknown[]; path?: unknown };
    const files = file ?? (alone.path === undefined ? [] : [alone]);
    return files.map((one) => (typeof one === 'string' ? { path: one } : withoutEmptyRanges(one)));
  } catch (error) {
    throw new ToolError(
      `args could not be read: ${error instanceof Error ? error.message : String(error)}. Write <file><path>…</path></file> for each file.`,
      { cause: error },
    );
  }
}

function withoutEmptyRanges(file: unknown): unknown {
  if (typeof file !== 'object' || file === null || !('line_range' in file)) return file;
  const { line_range: ranges, ...rest } = file;
  const given = Array.isArray(ranges) ? ranges.filter((range) => range !== '') : [];
  return given.length === 0 ? rest : { ...rest, line_range: given };
}

/** The definitions of the part of a file that was cut off, so that the next read can be of the right lines; none where there is no grammar. */
async function outlineBehind(
  path: ResolvedPath,
  { cutText: text, lines: shown }: ReadLines,
  most: number,
  { host, signal }: TaskContext,
): Promise<string[]> {
  if (text === undefined || text.length > LARGEST_PARSED || languageOf(path.real) === undefined) return [];
  const clock = AbortSignal.timeout(OUTLINE_WAIT);
  try {
    const outline = await outlineOfText(text, path, host.files, AbortSignal.any([signal, clock]));
    const lines = new TextLines(text);
    return rowsBehind(outline, shown.at(-1)?.number ?? 0, (line) => lines.line(line - 1), most);
  } catch (error) {
    signal.throwIfAborted();
    // The lines were read all the same: the outline is only help for the next call.
    if (error instanceof ToolError || clock.aborted) return [];
    throw error;
  }
}

async function readImage(resolved: ResolvedPath, context: TaskContext): Promise<ResultContent> {
  if (!context.model.images)
    throw new ToolError(`'${resolved.shown}' is a picture, and this model does not see pictures.`);
  const { bytes } = await context.host.files.read(resolved.real, {
    limit: LARGEST_IMAGE,
    signal: context.signal,
  });
  const actual = pictureType(bytes);
  if (actual === undefined)
    throw new ToolError(
      `'${resolved.shown}' is no picture in spite of its name. Look at it with a command, if the task needs it.`,
    );
  return { type: 'image', mediaType: actual, data: Buffer.from(bytes).toString('base64') };
}

function rendered(
  context: TaskContext,
  path: string,
  read: ReadLines | undefined,
  numbers: boolean,
  notice: string,
  outline: readonly string[] = [],
): string {
  if (context.origin === 'native') {
    const body =
      read?.lines.map(({ number, text }) =>
        numbers ? `${String(number).padStart(NATIVE_WIDTH)}| ${text}` : text,
      ) ?? [];
    return [
      `[File: ${path} | Lines: ${read?.total ?? read?.shown ?? 0}]`,
      ...body,
      ...(notice === '' ? [] : [`(${notice})`]),
      ...(outline.length === 0 ? [] : ['Definitions in the lines that are not shown:', ...outline]),
    ].join('\n');
  }
  const width = String(read?.lines.at(-1)?.number ?? 1).length;
  const body = read?.lines
    .map(({ number, text }) => (numbers ? `${String(number).padStart(width)} | ${text}` : text))
    .join('\n');
  const content =
    read === undefined
      ? ''
      : body === '' || read.lines.length === 0
        ? '<content/>'
        : `<content lines="${read.shown}">\n${body ?? ''}\n</content>`;
  return [
    '<file>',
    `<path>${path}</path>`,
    ...(content === '' ? [] : [content]),
    ...(notice === '' ? [] : [`<notice>${notice}</notice>`]),
    ...(outline.length === 0
      ? []
      : ['<definitions in="lines that are not shown">', ...outline, '</definitions>']),
    '</file>',
  ].join('\n');
}

function failed(context: TaskContext, path: string, error: string): string {
  return context.origin === 'native'
    ? `[File: ${path}]\nError: ${error}`
    : `<file>\n<path>${path}</path>\n<error>${error}</error>\n</file>`;
}
