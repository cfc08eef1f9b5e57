import * as z from 'zod';
import { approvalDecisionSchema } from './approvals.ts';
import { taskIdSchema } from './taskId.ts';

/** Characters of a proposed file that can be given back changed, and of what takes its place. */
export const MAX_CHANGED_TEXT = 500_000;

const approval = z.object({ taskId: taskIdSchema, approvalId: z.string() });

/** Answering what asks. */
export const approvalMethods = {
  'approval/respond': {
    params: approval.extend({
      decision: approvalDecisionSchema,
      /**
       * With a yes, what is written in the place of the text that approval/proposal gave; its path is the proposal's. Line breaks that
       * are all `\n` become those of the proposal. Refused, and nothing is answered, where there is no such text.
       */
      text: z.string().max(MAX_CHANGED_TEXT).optional(),
    }),
    result: z.object({ accepted: z.boolean() }),
  },
  /**
   * The one file that a waiting call would write, whole. `unavailable` where it is none, several, too large, or open in a diff editor
   * that takes changes itself.
   */
  'approval/proposal': {
    params: approval,
    result: z.object({ path: z.string(), text: z.string() }),
  },
} as const;
