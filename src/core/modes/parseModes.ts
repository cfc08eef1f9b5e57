import { createHash } from 'node:crypto';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import * as z from 'zod';
import { groupEntrySchema, modeConfigSchema, type ModeConfig } from '../../shared/modes.ts';
import { message, type Message } from '../../shared/strings.ts';
import { toolGroupNames } from '../../shared/tools.ts';
import { groupName, LONGEST_EXPRESSION } from './toolsForMode.ts';

/** A mode as a file gives it. */
export interface WrittenMode {
  mode: ModeConfig;
  /** Where it begins, 1-based. */
  line: number;
  /** SHA-256 of what it says, hex. */
  hash: string;
}

export interface ModeProblem {
  line: number;
  problem: Message;
}

export interface ParsedModes {
  modes: WrittenMode[];
  problems: ModeProblem[];
}

/** What a mode's file may say: the contract's shape, and nothing that could not hold. */
const writtenModeSchema = modeConfigSchema.extend({
  groups: z.array(groupEntrySchema).superRefine((groups, context) => {
    const seen = new Set<string>();
    for (const [index, entry] of groups.entries()) {
      const name = groupName(entry);
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index], params: { kind: 'twice', group: name } });
      seen.add(name);
      const fileRegex = typeof entry === 'string' ? undefined : entry[1].fileRegex;
      const reason = fileRegex === undefined ? undefined : expressionProblem(fileRegex);
      if (reason !== undefined)
        context.addIssue({
          code: 'custom',
          path: [index, 1, 'fileRegex'],
          params: { kind: 'expression', reason },
        });
    }
  }),
});

/** Modes in one file at most. */
const MOST_MODES = 100;

/**
 * The modes of a file's text, YAML or JSON, under `customModes`. What is wrong with one mode is a problem with its line and leaves the
 * others as they are; so does a slip of the pen in a list that is written as lines, where every mode is then read by itself.
 */
export function parseModes(text: string): ParsedModes {
  const whole = parseText(text);
  const [slip] = whole.document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
  if (!slip) return modesOf(whole);
  const problem = { line: whole.line(slip.pos[0]), problem: syntaxProblem(slip.message) };
  const chunks = itemsOf(text);
  if (chunks.length === 0) return { modes: [], problems: [problem] };
  const parsed = chunks.map((chunk): ParsedModes => {
    const item = parseText(chunk);
    const [wrong] = item.document.errors;
    return wrong
      ? { modes: [], problems: [{ line: item.line(wrong.pos[0]), problem: syntaxProblem(wrong.message) }] }
      : modesOf(item);
  });
  const joined = joinedModes(parsed);
  // What is wrong lies outside of every mode.
  return joined.problems.length > 0 ? joined : { ...joined, problems: [problem] };
}

/** The hash that consent to a mode is given to. */
export function hashOfMode(mode: ModeConfig): string {
  return createHash('sha256')
    .update(JSON.stringify(modeConfigSchema.parse(mode)))
    .digest('hex');
}

/** What is wrong with a mode that a person filled in; undefined when nothing is. */
export function modeProblem(mode: ModeConfig): Message | undefined {
  const parsed = writtenModeSchema.safeParse(mode);
  const [issue] = parsed.success ? [] : parsed.error.issues;
  return issue && fieldProblem(issue, mode.slug, mode);
}

export interface ReadText {
  document: Document.Parsed;
  /** Of an offset, 1-based. */
  line: (offset: number) => number;
}

/** A text as YAML or JSON, whatever is wrong with it. */
export function parseText(text: string): ReadText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  return { document, line: (offset) => Math.max(1, lineCounter.linePos(offset).line) };
}

function modesOf({ document, line }: ReadText): ParsedModes {
  if (document.contents === null) return { modes: [], problems: [] };
  const list = isMap(document.contents) ? document.contents.get('customModes', true) : undefined;
  if (isScalar(list) && list.value === null) return { modes: [], problems: [] };
  if (!isSeq(list)) {
    const at = (isNode(list) ? list.range : document.contents.range)?.[0] ?? 0;
    return { modes: [], problems: [{ line: line(at), problem: message('modes.problem.noList') }] };
  }
  const parsed = list.items.slice(0, MOST_MODES).map((item, index): ParsedModes => {
    const [start, end] = isNode(item) && item.range ? item.range : [0, 0];
    const twice = document.errors.find(({ pos }) => pos[0] >= start && pos[0] < end);
    if (twice)
      return { modes: [], problems: [{ line: line(twice.pos[0]), problem: syntaxProblem(twice.message) }] };
    return modeAt(document, index, line, start);
  });
  if (list.items.length > MOST_MODES)
    parsed.push({
      modes: [],
      problems: [
        {
          line: line(list.range?.[0] ?? 0),
          problem: message('modes.problem.tooMany', { count: MOST_MODES }),
        },
      ],
    });
  return joinedModes(parsed);
}

function modeAt(
  document: Document.Parsed,
  index: number,
  line: (offset: number) => number,
  start: number,
): ParsedModes {
  const path = ['customModes', index];
  const node = document.getIn(path, true);
  let value: unknown;
  try {
    value = isNode(node) ? node.toJS(document, { maxAliasCount: 50 }) : undefined;
  } catch (error) {
    // An alias of nothing, or of far too much.
    if (!(error instanceof ReferenceError)) throw error;
    return { modes: [], problems: [{ line: line(start), problem: syntaxProblem(error.message) }] };
  }
  const parsed = writtenModeSchema.safeParse(value);
  if (parsed.success)
    return {
      modes: [{ mode: parsed.data, line: line(start), hash: hashOfMode(parsed.data) }],
      problems: [],
    };
  const slug = z.looseObject({ slug: z.string() }).safeParse(value).data?.slug ?? '';
  const problems = parsed.error.issues.map((issue) => ({
    line: line(offsetOf(document, [...path, ...issue.path], start)),
    problem: fieldProblem(issue, slug, value),
  }));
  return { modes: [], problems };
}

/** Where the thing, or what it is missing from, begins. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[], otherwise: number): number {
  for (let length = path.length; length > 2; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return otherwise;
}

/** A slug counts once in a file: the first. */
function joinedModes(parsed: readonly ParsedModes[]): ParsedModes {
  const modes = new Map<string, WrittenMode>();
  const problems = parsed.flatMap((part) => part.problems);
  for (const written of parsed.flatMap((part) => part.modes)) {
    const { slug } = written.mode;
    const first = modes.get(slug);
    if (first)
      problems.push({
        line: written.line,
        problem: message('modes.problem.twice', { mode: slug, line: first.line }),
      });
    else modes.set(slug, written);
  }
  return { modes: [...modes.values()], problems: problems.sort((a, b) => a.line - b.line) };
}

/**
 * The items of a list that is written as lines, each as a text of its own that is empty where the others stand, so that lines keep
 * their numbers.
 */
function itemsOf(text: string): string[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /^customModes\s*:\s*(#.*)?\r?$/.test(line));
  if (head < 0) return [];
  const first = lines.findIndex((line, index) => index > head && /^\s*- /.test(line));
  const indent = /^\s*/.exec(lines[first] ?? '')?.[0] ?? '';
  if (first < 0) return [];
  const starts = lines.flatMap((line, index) =>
    index >= first && line.startsWith(`${indent}- `) ? [index] : [],
  );
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? lines.length;
    return lines
      .slice(0, end)
      .map((line, at) => (at === head || at >= start ? line : ''))
      .join('\n');
  });
}

function syntaxProblem(reason: string): Message {
  return message('modes.problem.syntax', { reason });
}

const kindSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('twice'), group: z.string() }),
  z.object({ kind: z.literal('expression'), reason: z.string() }),
]);

function fieldProblem(issue: z.core.$ZodIssue, mode: string, value: unknown): Message {
  const field = issue.path.join('.');
  if (issue.code === 'custom') {
    const custom = kindSchema.parse(issue.params);
    return custom.kind === 'twice'
      ? message('modes.problem.groupTwice', { mode, group: custom.group })
      : message('modes.problem.expression', { mode, reason: custom.reason });
  }
  if (issue.path[0] === 'groups' && issue.path.length > 1)
    return message('modes.problem.group', { mode, groups: toolGroupNames.join(', ') });
  if (issue.path.length === 0) return message('modes.problem.noMode');
  if (issue.path[0] === 'slug' && issue.code === 'invalid_format')
    return message('modes.problem.slug', { mode });
  if (typeof value === 'object' && value !== null && !(field in value))
    return message('modes.problem.missing', { mode, field });
  return message('modes.problem.field', { mode, field, reason: issue.message });
}

function expressionProblem(expression: string): string | undefined {
  if (expression.length > LONGEST_EXPRESSION) return `${expression.length} > ${LONGEST_EXPRESSION}`;
  try {
    new RegExp(expression);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}
