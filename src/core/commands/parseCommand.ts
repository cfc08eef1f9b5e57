import { LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { message, type Message } from '../../shared/strings.ts';

/** What a command's file says. */
export interface ParsedCommand {
  description?: string;
  argumentHint?: string;
  mode?: string;
  /** The words that the command stands for. */
  body: string;
  /** What of its head cannot be used, with the line; the rest counts all the same. */
  problem?: { line: number; problem: Message };
}

const headSchema = z.looseObject({
  description: z.coerce.string().optional(),
  'argument-hint': z
    .union([z.string(), z.array(z.unknown()).transform((list) => `[${list.join(', ')}]`)])
    .optional(),
  mode: z.string().optional(),
});

/** Where what was written behind the name goes. */
const PLACE = /\$(ARGUMENTS\b|[1-9](?!\d))/g;

/** Markdown, with a head of YAML between two lines of `---` or without. */
export function parseCommand(text: string): ParsedCommand {
  const match = /^---[ \t]*\n([^]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  if (!match) return { body: text.trim() };
  const body = text.slice(match[0].length).trim();
  const lineCounter = new LineCounter();
  const document = parseDocument(match[1] ?? '', { lineCounter, prettyErrors: false });
  const [slip] = document.errors;
  if (slip)
    return {
      body,
      problem: {
        line: lineCounter.linePos(slip.pos[0]).line + 1,
        problem: message('slash.problem.head', { reason: slip.message }),
      },
    };
  if (document.contents === null) return { body };
  const read: unknown = document.toJS({ maxAliasCount: 10 });
  const head = headSchema.safeParse(read);
  if (!head.success) {
    const reason = head.error.issues[0]?.path.join('.') ?? '';
    return { body, problem: { line: 1, problem: message('slash.problem.head', { reason }) } };
  }
  const { description, 'argument-hint': argumentHint, mode } = head.data;
  return {
    ...(description === undefined ? {} : { description: firstLine(description) }),
    ...(argumentHint === undefined ? {} : { argumentHint: firstLine(argumentHint) }),
    ...(mode === undefined ? {} : { mode }),
    body,
  };
}

/** The words with what was written behind the name: at `$ARGUMENTS` and `$1` to `$9`, or behind them all where neither stands. */
export function withArguments(body: string, given: string): string {
  const words = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  const text = body.replace(PLACE, (_place, which: string) =>
    which === 'ARGUMENTS' ? given : (words[Number(which) - 1] ?? ''),
  );
  return given === '' || body.search(PLACE) >= 0 ? text : `${text}\n\nThe person added: ${given}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.slice(0, 300);
}
