import * as z from 'zod';
import { approvalDecisionSchema, approvalRequestSchema } from './approvals.ts';
import { checkpointIdSchema, restoreProblemSchema } from './checkpoints.ts';
import { messageSchema } from './strings.ts';
import {
  assistantMessageContentSchema,
  blockDeltaSchema,
  resultContentSchema,
  todoItemSchema,
  toolDetailsSchema,
  toolViewSchema,
} from './tools.ts';

export const imageSchema = z.object({ mediaType: z.string(), data: z.string() });
export type Image = z.infer<typeof imageSchema>;

/** A text that the person put beside a message: a dropped file, or what another editor embedded. `name`: as they know it. */
export const attachmentSchema = z.object({ name: z.string().max(1000), text: z.string().max(1_000_000) });
export type Attachment = z.infer<typeof attachmentSchema>;

/** What a person's message mentions, as it was read for the model. */
export const readMentionSchema = z.object({
  /** As it stands in the message, with its @. */
  mention: z.string(),
  kind: z.enum([
    'file',
    'folder',
    'symbol',
    'problems',
    'terminal',
    'git-changes',
    'commit',
    'url',
    'resource',
  ]),
  /** `part`: what was cut is named in the content. */
  outcome: z.enum(['whole', 'part', 'failed']),
  /** Exactly what the model is told. */
  content: z.array(resultContentSchema),
  /** Why it could not be read, for the person. */
  problem: messageSchema.optional(),
});
export type ReadMention = z.infer<typeof readMentionSchema>;

/** The model a task talks to. `profile` is the name of the person's profile that gave it. */
export const modelReferenceSchema = z.object({
  profile: z.string(),
  provider: z.string(),
  model: z.string(),
  protocol: z.enum(['xml', 'native']),
  /** Tokens; absent when nobody knows. */
  contextWindow: z.number().optional(),
});
export type ModelReference = z.infer<typeof modelReferenceSchema>;

/** Tokens as the provider counted them. `inputTokens` includes what was read from and written to its cache. */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().default(0),
  cacheWriteTokens: z.number().default(0),
  reasoningTokens: z.number().default(0),
  /** US dollars; absent when the price is not known. */
  cost: z.number().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

export const stopReasonSchema = z.enum([
  'end',
  'tool_calls',
  'max_tokens',
  'refusal',
  'cut',
  'aborted',
  'error',
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/**
 * An answer as it came, so that it can be read again: SHA-256 of its pieces, hex, and the pieces where they do not follow from the
 * message's blocks. A piece is text, the text of a block or of one of its parameters, or the arguments of a native call (`open`:
 * it never came to its end).
 */
export const recordedAnswerSchema = z.object({
  hash: z.string(),
  pieces: z
    .array(
      z.union([
        z.string(),
        z.object({ block: z.number(), param: z.string().optional() }),
        z.object({ call: z.number(), arguments: z.string(), open: z.literal(true).optional() }),
      ]),
    )
    .optional(),
});
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;

/** An error of a model request, worded for a person; `retryable` says whether sending the same again makes sense. */
export const requestErrorSchema = z.object({
  message: messageSchema,
  retryable: z.boolean(),
  status: z.number().optional(),
  /** Milliseconds the provider asked to wait. */
  retryAfter: z.number().optional(),
});
export type RequestError = z.infer<typeof requestErrorSchema>;

/** Where a result's content comes from when it is neither the person's nor the workspace's; `subtask`: from such content in a subtask. */
export const contentOriginSchema = z.enum(['web', 'mcp', 'subtask']);
export type ContentOrigin = z.infer<typeof contentOriginSchema>;

export const toolOutcomeSchema = z.enum([
  'done',
  'failed',
  'rejected',
  'skipped',
  'cut_off',
  'stopped',
  'unknown',
]);
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;

export const finishReasonSchema = z.enum([
  'completed',
  'answered',
  'question',
  'cancelled',
  'failed',
  'refusal',
  'max_turn_requests',
]);
export type FinishReason = z.infer<typeof finishReasonSchema>;

const factSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('task_started'),
    /** Version of the journal's format. */
    version: z.literal(1),
    taskId: z.string(),
    cwd: z.string(),
    mode: z.string(),
    model: modelReferenceSchema.optional(),
    /** The call that this task is the subtask of, and how deep: 1 below a task that a person began. */
    parent: z
      .object({
        taskId: z.string(),
        callId: z.string(),
        depth: z.number().int().positive(),
        /** Its first words were written behind content from outside. */
        afterUntrusted: z.boolean().optional(),
      })
      .optional(),
    /** The task whose history this one begins with, up to but without its entry `seq`. */
    branchOf: z.object({ taskId: z.string(), seq: z.number().int().positive() }).optional(),
  }),
  z.object({
    type: z.literal('user_message'),
    text: z.string(),
    images: z.array(imageSchema).optional(),
    /** The slash command that the text calls: the model reads these words in place of the text. */
    command: z
      .object({ name: z.string(), text: z.string(), origin: contentOriginSchema.optional() })
      .optional(),
    attachments: z.array(attachmentSchema).optional(),
    /** The name that whoever sent it gave it, by which a message that is sent again is known. */
    messageId: z.string().optional(),
    /** The volatile block that went to the model with this message. */
    environment: z.string().optional(),
    /** Written by Lathe, not the person: a reminder, a continuation. Shown folded. */
    automatic: z.boolean().optional(),
    /** Files that the model is told have changed since it read them, as they were then; `hash` is null for one that is gone. */
    changedFiles: z.array(z.object({ path: z.string(), hash: z.string().nullable() })).optional(),
  }),
  /** What the person mentioned in the entry `of`: their message, or their words with an answer. */
  z.object({
    type: z.literal('mentions_read'),
    of: z.number().int().positive(),
    mentions: z.array(readMentionSchema),
  }),
  z.object({
    type: z.literal('request_started'),
    requestId: z.string(),
    model: modelReferenceSchema,
    /** SHA-256 of the rendered request, hex. */
    hash: z.string(),
    /** All of the request but its messages, where it is not as in the request before: with it any machine can render it again. */
    head: z.record(z.string(), z.unknown()).optional(),
    /** The tools that the model was offered, where they are not those of the request before. */
    offered: z.array(z.string()).optional(),
    /** `condense`: its answer is a summary of the task, not a message in it. */
    purpose: z.literal('condense').optional(),
    /** What a summary was asked of: entries up to `through`, their results trimmed or not, without so many messages behind the first. */
    summary: z
      .object({
        through: z.number(),
        guidance: z.string().optional(),
        trimmed: z.boolean(),
        dropped: z.number().int().nonnegative(),
      })
      .optional(),
  }),
  z.object({
    type: z.literal('request_finished'),
    requestId: z.string(),
    stopReason: stopReasonSchema,
    usage: usageSchema.optional(),
    error: requestErrorSchema.optional(),
    durationMs: z.number(),
  }),
  z.object({
    type: z.literal('assistant_message'),
    requestId: z.string(),
    content: z.array(assistantMessageContentSchema),
    answer: recordedAnswerSchema.optional(),
    reasoning: z
      .object({
        text: z.string(),
        durationMs: z.number(),
        /** What the provider wants back with it (signatures). Opaque, one entry a reasoning part. */
        parts: z.array(
          z.object({ text: z.string(), providerMetadata: z.record(z.string(), z.unknown()).optional() }),
        ),
      })
      .optional(),
  }),
  z.object({ type: z.literal('approval_requested'), request: approvalRequestSchema }),
  z.object({
    type: z.literal('approval_resolved'),
    approvalId: z.string(),
    decision: approvalDecisionSchema,
  }),
  /** The intent, written before the call acts. Without its tool_finished the outcome is unknown. */
  z.object({ type: z.literal('tool_started'), callId: z.string(), tool: z.string(), view: toolViewSchema }),
  z.object({
    type: z.literal('tool_finished'),
    callId: z.string(),
    tool: z.string(),
    outcome: toolOutcomeSchema,
    view: toolViewSchema,
    /** Exactly what the model is told. */
    content: z.array(resultContentSchema),
    /** Absent where the content is the workspace's, or our own words. */
    origin: contentOriginSchema.optional(),
    details: toolDetailsSchema.optional(),
    feedback: z.string().optional(),
    durationMs: z.number(),
    /** Files that the model knows from this call: absolute path, and SHA-256 of the bytes, hex; null for one that it deleted. */
    files: z.array(z.object({ path: z.string(), hash: z.string().nullable() })).optional(),
  }),
  /**
   * The call has this subtask, which begins with these words; written before the subtask's own journal is. Until the call's
   * tool_finished its turn waits for the subtask's end, whichever process comes to see it.
   */
  z.object({
    type: z.literal('subtask_started'),
    callId: z.string(),
    taskId: z.string(),
    mode: z.string(),
    message: z.string(),
    todos: z.array(todoItemSchema).optional(),
  }),
  z.object({
    type: z.literal('mode_changed'),
    mode: z.string(),
    by: z.enum(['person', 'model']),
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal('model_changed'), model: modelReferenceSchema }),
  z.object({
    type: z.literal('todos_updated'),
    todos: z.array(todoItemSchema),
    by: z.enum(['person', 'model']),
  }),
  /** From here on requests begin with the summary in place of the entries up to `through`. The entries stay where they are. */
  z.object({
    type: z.literal('context_condensed'),
    summary: z.string(),
    through: z.number(),
    by: z.enum(['person', 'model', 'limit', 'overflow']).optional(),
    /** Characters of the person's own messages up to `through` that stay word for word beside the summary. */
    personCharacters: z.number().int().nonnegative().optional(),
    /** Tokens of the next request, estimated, without this and with it. */
    tokensBefore: z.number().optional(),
    tokensAfter: z.number().optional(),
  }),
  /** From here on requests hold the results of calls up to `through` shortened. */
  z.object({
    type: z.literal('results_trimmed'),
    through: z.number(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
  }),
  /** The state of the workspace's files is kept: before the call acts, or before files are restored. */
  z.object({
    type: z.literal('checkpoint_saved'),
    checkpointId: checkpointIdSchema,
    reason: z.enum(['step', 'restore']),
    callId: z.string().optional(),
  }),
  /** The files are as they were at the checkpoint, but for what is named. `undoId`: as they were right before. */
  z.object({
    type: z.literal('checkpoint_restored'),
    checkpointId: checkpointIdSchema,
    undoId: checkpointIdSchema,
    /** When the checkpoint was saved, epoch milliseconds. */
    savedAt: z.number(),
    written: z.number(),
    removed: z.number(),
    problems: z.array(restoreProblemSchema),
  }),
  z.object({ type: z.literal('title_changed'), title: z.string() }),
  z.object({
    type: z.literal('notice'),
    level: z.enum(['info', 'warning', 'error']),
    message: messageSchema,
  }),
  z.object({
    type: z.literal('task_finished'),
    reason: finishReasonSchema,
    /** attempt_completion's result, or why it failed. */
    result: z.string().optional(),
    error: messageSchema.optional(),
  }),
]);
export type Fact = z.infer<typeof factSchema>;

/** One line of a task's journal: a fact with its number (from 1, without gaps) and its time (epoch milliseconds). */
export const journalEntrySchema = z.intersection(
  z.object({ seq: z.number().int().positive(), at: z.number() }),
  factSchema,
);
export type JournalEntry = { seq: number; at: number } & Fact;

/** What is shown while it happens and need not survive: losing one loses nothing, the next entry says it whole. */
export const taskDeltaSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('block'), requestId: z.string(), delta: blockDeltaSchema }),
  z.object({ type: z.literal('reasoning'), requestId: z.string(), text: z.string() }),
  z.object({ type: z.literal('tool_view'), requestId: z.string(), block: z.number(), view: toolViewSchema }),
  /** Output of a running command, as it came (control sequences removed). */
  z.object({ type: z.literal('tool_output'), callId: z.string(), text: z.string() }),
  /** A retry is coming (`retryAt`, epoch milliseconds), or the request goes on (`error` null). */
  z.object({
    type: z.literal('request_status'),
    requestId: z.string(),
    error: requestErrorSchema.nullable(),
    attempt: z.number(),
    retryAt: z.number().optional(),
  }),
  /** The turn ended and even that could not be written (disk full, another window writes). `unsent`: what was not taken. */
  z.object({ type: z.literal('turn_failed'), error: messageSchema, unsent: z.array(z.string()) }),
]);
export type TaskDelta = z.infer<typeof taskDeltaSchema>;

export const taskEventSchema = z.union([
  z.object({ kind: z.literal('entry'), entry: journalEntrySchema }),
  z.object({ kind: z.literal('delta'), delta: taskDeltaSchema }),
]);
export type TaskEvent = { kind: 'entry'; entry: JournalEntry } | { kind: 'delta'; delta: TaskDelta };
