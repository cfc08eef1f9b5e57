import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { Question, TaskContext } from './TaskContext.ts';

const suggestionSchema = z.union([z.string(), z.object({ text: z.string(), mode: z.string().nullish() })]);
const schema = z.object({
  question: z.string().trim().min(1),
  follow_up: z.array(suggestionSchema).max(8).optional(),
});

export class AskFollowupQuestionTool extends BaseTool<'ask_followup_question', typeof schema, Question> {
  readonly name = 'ask_followup_question';
  readonly schema = schema;
  override readonly verbatim = ['question', 'follow_up'] as const;

  describe(): ToolDescription {
    return {
      purpose: 'Ask the person what only they can know or decide. Not for what you can find out with a tool.',
      parameters: {
        question: 'clear, and answerable without scrolling back',
        follow_up:
          '2 to 4 complete answers to pick from, likeliest first; mode (optional) switches to that mode when picked',
      },
      xmlParameters: {
        question: 'clear, and answerable without scrolling back',
        follow_up:
          '2 to 4 complete answers to pick from, each in <suggest>, likeliest first; <suggest mode="code"> also switches to that mode',
      },
      example:
        '<ask_followup_question>\n<question>Which database should the service use?</question>\n<follow_up>\n<suggest>SQLite, as the tests do</suggest>\n<suggest>PostgreSQL</suggest>\n</follow_up>\n</ask_followup_question>',
    };
  }

  view({ question = '' }: Readonly<Record<string, string>>): ToolView {
    return { kind: 'think', subject: question, locations: [] };
  }

  override fromXml({ question, follow_up }: Readonly<Record<string, string>>): Record<string, unknown> {
    return {
      ...(question === undefined ? {} : { question: question.trim() }),
      ...(follow_up === undefined ? {} : { follow_up: suggestionsOf(follow_up) }),
    };
  }

  prepare({ question, follow_up = [] }: z.infer<typeof schema>): Promise<Preparation<Question>> {
    const suggestions = follow_up
      .map((one) =>
        typeof one === 'string'
          ? { text: one.trim() }
          : { text: one.text.trim(), ...(one.mode ? { mode: one.mode } : {}) },
      )
      .filter(({ text }) => text !== '');
    return Promise.resolve({ actions: [], plan: { question, suggestions } });
  }

  async execute(question: Question, context: TaskContext): Promise<ToolResponse> {
    const answer = await context.ask(question);
    if (answer === undefined)
      return {
        content: 'The question was put to the person; their answer comes as the next message.',
        ends: { reason: 'question', result: question.question },
      };
    if (answer.mode !== undefined && answer.mode !== context.mode.slug)
      await context.modes.switchTo(answer.mode);
    const images = (answer.images ?? []).map((image) => ({ type: 'image' as const, ...image }));
    return { content: [{ type: 'text', text: `<answer>\n${answer.answer}\n</answer>` }, ...images] };
  }
}

/**
 * `<suggest>` elements, also where one is not closed; else a JSON array; else one answer a line. Text is taken as it is: no entity is
 * decoded, and other tags are text.
 */
function suggestionsOf(text: string): unknown {
  const elements = [...text.matchAll(/<suggest(\s[^>]*)?>([^]*?)(?=<\/suggest>|<suggest[\s>]|$)/g)];
  if (elements.length > 0)
    return elements.map(([, attributes = '', content = '']) => {
      const mode = /\bmode\s*=\s*["']([^"']+)["']/.exec(attributes)?.[1];
      return { text: content, ...(mode === undefined ? {} : { mode }) };
    });
  return (
    jsonArray(text) ??
    text
      .split('\n')
      .map((line) => line.replace(/^\s*([-*]|\d+\.)\s+/, ''))
      .filter((line) => line.trim() !== '')
  );
}

function jsonArray(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // A line that begins with a bracket and is no JSON is an answer as any other.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
