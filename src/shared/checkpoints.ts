import * as z from 'zod';

export const checkpointIdSchema = z.string().regex(/^[0-9a-z-]{1,40}$/);

/** A state of the workspace that is kept: before a step of the agent, or before files were restored. */
export const checkpointRowSchema = z.object({
  id: checkpointIdSchema,
  /** Epoch milliseconds. */
  at: z.number(),
  reason: z.enum(['step', 'restore']),
  /** The call that came next. */
  callId: z.string().optional(),
  /** What it is called with, and on what. */
  tool: z.string().optional(),
  subject: z.string().optional(),
  /** Files that the step changed; absent while that is not known. */
  changed: z.number().optional(),
});
export type CheckpointRow = z.infer<typeof checkpointRowSchema>;

/** Why something of the workspace is in no checkpoint. */
export const leftOutReasonSchema = z.enum([
  'ignored',
  'hidden',
  'cache',
  'secret',
  'too_large',
  'unreadable',
  'special',
]);

/** What would become of one path, seen from how it is now. */
export const checkpointChangeSchema = z.object({
  /** Relative to the workspace, with `/`. */
  path: z.string(),
  change: z.enum(['created', 'deleted', 'changed']),
  folder: z.boolean(),
  /** Somebody else than this task has changed it since. */
  outside: z.boolean(),
  /** An editor holds unsaved changes of it. */
  unsaved: z.boolean(),
  /** Lines; absent where they were not counted. */
  added: z.number().optional(),
  removed: z.number().optional(),
});
export type CheckpointChange = z.infer<typeof checkpointChangeSchema>;

/** What a restore would do: the first of the changes by name, and how many there are. */
export const checkpointDifferenceSchema = z.object({
  files: z.array(checkpointChangeSchema),
  count: z.number(),
  leftOut: z.object({
    files: z.array(z.object({ path: z.string(), reason: leftOutReasonSchema })),
    count: z.number(),
  }),
});
export type CheckpointDifference = z.infer<typeof checkpointDifferenceSchema>;

/** One file now (`before`) and as it would be (`after`), where both are text. */
export const checkpointFileSchema = z.discriminatedUnion('text', [
  z.object({
    text: z.literal(true),
    path: z.string(),
    before: z.string(),
    after: z.string(),
    /** Unified, capped. */
    patch: z.string(),
  }),
  z.object({ text: z.literal(false), path: z.string() }),
]);
export type CheckpointFile = z.infer<typeof checkpointFileSchema>;

/** What a restore could not do, and left as it was. */
export const restoreProblemSchema = z.object({
  path: z.string(),
  /** `changed`: it was not what it was when the difference was taken. `holds_more`: a folder with something in it that is in no checkpoint. */
  reason: z.enum(['changed', 'holds_more', 'failed']),
  detail: z.string(),
});
export type RestoreProblem = z.infer<typeof restoreProblemSchema>;
