import * as z from 'zod';
import type { ToolView } from '../../shared/tools.ts';
import { BaseTool, type Preparation, type ToolDescription, type ToolResponse } from './BaseTool.ts';
import type { TaskContext } from './TaskContext.ts';
import { ToolError } from './ToolError.ts';

const schema = z.object({ result: z.string().trim().min(1) });

export class AttemptCompletionTool extends BaseTool<'attempt_completion', typeof schema, string> {
  readonly name = 'attempt_completion';
  readonly schema = schema;
  override readonly verbatim = ['result'] as const;

  describe(): ToolDescription {
    return {
      purpose:
        'End the task with its result, once you have seen that every call before worked. It ends the turn.',
      parameters: { result: 'what was done and how it was checked; final, without a question or an offer' },
      example:
        '<attempt_completion>\n<result>\nsum() now adds; its three tests pass.\n</result>\n</attempt_completion>',
    };
  }

  view(): ToolView {
    return { kind: 'other', subject: '', locations: [] };
  }

  prepare({ result }: z.infer<typeof schema>, context: TaskContext): Promise<Preparation<string>> {
    if (context.failedInMessage.length > 0) {
      throw new ToolError(
        `Not completed: ${context.failedInMessage.join(', ')} failed in the same message. See to that first, then complete.`,
      );
    }
    return Promise.resolve({ actions: [], plan: result });
  }

  execute(result: string): Promise<ToolResponse> {
    return Promise.resolve({ content: 'The task is complete.', ends: { reason: 'completed', result } });
  }
}
