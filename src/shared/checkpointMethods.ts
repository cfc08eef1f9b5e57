import * as z from 'zod';
import {
  checkpointDifferenceSchema,
  checkpointFileSchema,
  checkpointIdSchema,
  checkpointRowSchema,
} from './checkpoints.ts';
import { taskIdSchema } from './taskId.ts';

const task = z.object({ taskId: taskIdSchema });

/** The part of the protocol's methods that is about checkpoints. */
export const checkpointMethods = {
  /** The task's checkpoints that are still kept, oldest first. */
  'checkpoint/list': {
    params: task,
    result: z.object({
      checkpoints: z.array(checkpointRowSchema),
      /** A restore was cut off: some files are as they were, others as they are. Restoring again mends it. */
      interrupted: z.boolean(),
    }),
  },
  /** What restoring a checkpoint would do to the files, seen from how they are now. */
  'checkpoint/diff': {
    params: task.extend({ checkpointId: checkpointIdSchema }),
    result: checkpointDifferenceSchema,
  },
  /** One of these files, now and as it would be. */
  'checkpoint/file': {
    params: task.extend({ checkpointId: checkpointIdSchema, path: z.string().max(4096) }),
    result: checkpointFileSchema,
  },
  /**
   * Goes back to a checkpoint. `files`: the workspace's, but for the paths in `leave`; a checkpoint is saved before. `task`: a new task
   * with the conversation up to there; nothing of this one changes. `taskId` of the result is the task to go on with.
   */
  'checkpoint/restore': {
    params: task.extend({
      checkpointId: checkpointIdSchema,
      what: z.enum(['files', 'task', 'both']),
      leave: z.array(z.string().max(4096)).max(10_000).default([]),
    }),
    result: task,
  },
} as const;
