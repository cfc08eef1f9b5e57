import { setFlagsFromString } from 'node:v8';
import * as z from 'zod';
import { escapeHidden } from '../../core/approval/commands/characters.ts';
import { loadGrammars, shellOf } from '../../core/approval/commands/grammars.ts';
import { judgeCommand, type Judgement } from '../../core/approval/commands/judgeCommand.ts';
import { message, translate, type Locale, type Message } from '../../shared/strings.ts';
import { UsageError, type CommandLine } from './commandLine.ts';

// V8 would compile the grammars a second time, better, and the process would wait for that at its end: it takes far longer than
// the commands do. This process runs nothing else that is compiled.
setFlagsFromString('--liftoff-only');

/** A command with the rules to judge it by. Other fields are left alone. */
const rowSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  cmd: z.string(),
  shell: z.string().default('bash'),
  allow: z.array(z.string()).default([]),
  deny: z.array(z.string()).default([]),
});

export interface Explanation {
  locale: Locale;
  input: AsyncIterable<Uint8Array | string>;
  output: (text: string) => void;
}

/** `lathe explain`. Runs nothing. @throws UsageError naming the line of the input that is no row */
export async function explain(
  commandLine: Extract<CommandLine, { command: 'explain' | 'explain-rows' }>,
  explanation: Explanation,
): Promise<void> {
  if (commandLine.command === 'explain') await explainCommand(commandLine, explanation);
  else await explainRows(explanation);
}

/** Says for a person whether the command would run by itself, and why. */
async function explainCommand(
  { text: command, allow, deny, shell }: Extract<CommandLine, { command: 'explain' }>,
  { locale, output }: Explanation,
): Promise<void> {
  const judged = judgeCommand(command, { allow, deny, shell: shellOf(shell) }, await loadGrammars());
  const say = (text: Message): string => translate(locale, text);
  const lines = [
    say(message(`command.verdict.${judged.verdict}`)),
    ...judged.why.map((why) => `  ${say(why)}`),
  ];
  for (const { source, argv, verdict, why } of judged.parts)
    lines.push(
      '',
      escapeHidden(source).trimEnd(),
      ...(argv ? [`  ${JSON.stringify(argv)}`] : []),
      `  ${[say(message(`command.verdict.${verdict}`)), ...why.map(say)].join(' ')}`,
    );
  output(`${lines.join('\n')}\n`);
}

/**
 * Reads rows of JSON, one a line (`cmd`, `shell`, `allow`, `deny`), and writes one a line with `verdict`, `argv` (the programs with
 * their arguments, in order), `why` in words, and the parts.
 */
async function explainRows({ locale, input, output }: Explanation): Promise<void> {
  const grammars = await loadGrammars();
  let number = 0;
  for await (const line of linesOf(input)) {
    number++;
    if (line.trim() === '') continue;
    const { id, cmd, shell, allow, deny } = parseRow(line, number);
    const judged = judgeCommand(cmd, { allow, deny, shell: shellOf(shell) }, grammars);
    output(`${JSON.stringify({ ...(id === undefined ? {} : { id }), cmd, ...inWords(judged, locale) })}\n`);
  }
}

function inWords({ verdict, argv, why, parts }: Judgement, locale: Locale) {
  const say = (messages: readonly Message[]): string =>
    messages.map((one) => translate(locale, one)).join(' ');
  return { verdict, argv, why: say(why), parts: parts.map((part) => ({ ...part, why: say(part.why) })) };
}

function parseRow(line: string, number: number): z.infer<typeof rowSchema> {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch (error) {
    throw new UsageError(
      `Line ${number} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const parsed = rowSchema.safeParse(row);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message: text }) => `${path.join('.')}: ${text}`);
  throw new UsageError(`Line ${number}: ${issues.join('; ')}`);
}

/** Lines end at a line feed alone: other breaks may stand in a command as they are. */
async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest + decoder.decode();
}
