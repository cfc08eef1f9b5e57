import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { TaskContext } from './TaskContext.ts';

const schema = z.object({ message: z.string().trim().min(1) });

export class CondenseTool extends BaseTool<'condense', typeof schema, string> {
  readonly name = 'condense';
  readonly schema = schema;
  override readonly verbatim = ['message'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'Put your summary in the place of the conversation so far, when the person asks for it. Send it alone. Room is made without it when it is needed.',
      parameters: {
        message:
          'the summary, all that you go on with: the task and what the person decided, what is done and where, what you know and still need, what failed, next steps',
      },
      example:
        '<condense>\n<message>\nTask: sum() must add. Done: src/sum.js:4 mended, npm test passes.\nNext: the same in src/total.js.\n</message>\n</condense>',
    };
  }

  view(): ToolView {
    return { kind: 'think', subject: '', locations: [] };
  }

  prepare({ message }: z.infer<typeof schema>): Promise<Preparation<string>> {
    return Promise.resolve({ actions: [], plan: message });
  }

  async execute(summary: string, context: TaskContext): Promise<ToolResponse> {
    return { content: await context.condense(summary) };
  }
}
