import * as z from 'zod';
import { judgedCommandSchema, sandboxedAsSchema } from './commands.ts';
import { toolDetailsSchema } from './tools.ts';
import { messageSchema } from './strings.ts';

/**
 * Where an address leads. `unreachable`: a place that no page has business with, such as the metadata service of a cloud machine.
 * A name is looked up; one that leads to several places counts as the most private of them.
 */
export const networkPlaceSchema = z.enum(['public', 'loopback', 'private', 'unreachable']);
export type NetworkPlace = z.infer<typeof networkPlaceSchema>;

/** What a call would do, as approval sees it. Paths are real paths after links are resolved. */
export const actionSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('read'),
    path: z.string(),
    insideWorkspace: z.boolean(),
    protected: z.boolean(),
  }),
  z.object({
    type: z.literal('edit'),
    path: z.string(),
    insideWorkspace: z.boolean(),
    protected: z.boolean(),
    created: z.boolean(),
  }),
  z.object({
    type: z.literal('delete'),
    path: z.string(),
    insideWorkspace: z.boolean(),
    protected: z.boolean(),
  }),
  z.object({
    type: z.literal('command'),
    command: z.string(),
    cwd: z.string(),
    insideWorkspace: z.boolean(),
    judged: judgedCommandSchema.optional(),
    /** It would run in the sandbox, in this way; absent where it would run as the person's own commands do. */
    sandboxed: sandboxedAsSchema.optional(),
    /** It would run by itself and reach the network, behind content that is not the person's: then it asks. */
    afterUntrusted: z.boolean().optional(),
  }),
  z.object({ type: z.literal('switch_mode'), mode: z.string() }),
  z.object({
    type: z.literal('note'),
    operation: z.enum(['add', 'update', 'delete']),
    /** The note as it would be, or the one that would go. */
    text: z.string(),
    /** What an update takes the place of. */
    before: z.string().optional(),
    /** It would be written behind content that is not the person's: then it asks though notes are automatic. */
    afterUntrusted: z.boolean().optional(),
  }),
  /** A report on Lathe is written down, or opened as a form at this address. */
  z.object({ type: z.literal('report'), address: z.string().optional() }),
  z.object({
    type: z.literal('browse'),
    /** What is opened, or the page that is acted on. */
    url: z.string(),
    /** Its host, and its port where it is not the usual one: what a person says yes to. */
    site: z.string(),
    place: networkPlaceSchema,
    /** The person said yes to this site since the browser was opened. */
    granted: z.boolean(),
    /** Content from outside came to the model since the person spoke last: what it does now may be that content's wish. */
    afterUntrusted: z.boolean(),
  }),
  z.object({
    type: z.literal('mcp'),
    server: z.string(),
    /** Path of the configuration that names the server: another file's server of that name is another server. */
    source: z.string(),
    operation: z.enum(['call', 'read']),
    /** The tool, or the resource's address. */
    target: z.string(),
    /** The person's own file makes it automatic. */
    automatic: z.boolean(),
    /** The tool is not what it was when the person last agreed to it. */
    changed: z.boolean(),
    /** It may change something there, behind content that is not the person's: then it asks though it is automatic. */
    afterUntrusted: z.boolean().optional(),
  }),
]);
export type Action = z.infer<typeof actionSchema>;

/** ACP's option kinds. */
export const approvalOptionKindSchema = z.enum([
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
]);

/** What an `allow_always` would keep: narrowest first. Kept per user, outside the workspace. */
export const approvalRuleSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), command: z.string(), cwd: z.string() }),
  /** Commands that begin with these words, with arguments that are known to be harmless. */
  z.object({ type: z.literal('command_prefix'), prefix: z.string(), workspace: z.string() }),
  z.object({ type: z.literal('file'), access: z.enum(['read', 'edit']), path: z.string() }),
  z.object({ type: z.literal('folder'), access: z.enum(['read', 'edit']), path: z.string() }),
  z.object({ type: z.literal('site'), site: z.string() }),
  /** One tool of a server, or without `tool` the reading of its resources. */
  z.object({
    type: z.literal('mcp'),
    server: z.string(),
    source: z.string(),
    tool: z.string().optional(),
  }),
  z.object({
    type: z.literal('kind'),
    kind: z.enum(['read', 'edit', 'switch_mode', 'note']),
    workspace: z.string(),
  }),
]);
export type ApprovalRule = z.infer<typeof approvalRuleSchema>;

export const approvalOptionSchema = z.object({
  id: z.string(),
  kind: approvalOptionKindSchema,
  rule: approvalRuleSchema.optional(),
});
export type ApprovalOption = z.infer<typeof approvalOptionSchema>;

const approvalBase = {
  /** One-time, random: an answer with another id grants nothing. */
  id: z.string(),
  taskId: z.string(),
};

/**
 * Everything that waits for a person is one object with another reason: a tool call, a question, a finished task,
 * a failed request, too many mistakes.
 */
export const approvalRequestSchema = z.discriminatedUnion('reason', [
  z.object({
    ...approvalBase,
    reason: z.literal('tool'),
    callId: z.string(),
    tool: z.string(),
    actions: z.array(actionSchema),
    /** Why it asks; also said in words above the buttons when `dangerous`. */
    why: z.array(messageSchema),
    /** Protected path, outside the workspace…: Approve then needs a click, not a key. */
    dangerous: z.boolean(),
    options: z.array(approvalOptionSchema),
    details: toolDetailsSchema.optional(),
    /** True while the proposal is open as an editable diff whose right side the person may change. */
    review: z.boolean(),
  }),
  z.object({
    ...approvalBase,
    reason: z.literal('question'),
    callId: z.string(),
    question: z.string(),
    suggestions: z.array(z.object({ text: z.string(), mode: z.string().optional() })),
  }),
  z.object({ ...approvalBase, reason: z.literal('completion'), callId: z.string(), result: z.string() }),
  z.object({ ...approvalBase, reason: z.literal('request_failed'), error: messageSchema }),
  z.object({ ...approvalBase, reason: z.literal('mistake_limit'), count: z.number() }),
]);
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

/**
 * The answer. `optionId` is one of the request's options (tool); `outcome` sums it up for every reason.
 * `feedback` rides along with a yes or a no; for a question it is the answer.
 */
export const approvalDecisionSchema = z.object({
  outcome: z.enum(['allow', 'reject', 'cancelled']),
  optionId: z.string().optional(),
  feedback: z.string().optional(),
  images: z.array(z.object({ mediaType: z.string(), data: z.string() })).optional(),
  /** The mode of the suggestion that was picked. */
  mode: z.string().optional(),
  /** The person's own version of proposed files: path → whole text. Set by the host that shows the diff. */
  edited: z.record(z.string(), z.string()).optional(),
  by: z.enum(['person', 'policy', 'client']).default('person'),
});
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** What is automatic without asking, by kind. Reads inside the workspace by default; all else asks. */
export const autoApprovalSchema = z.object({
  read: z.boolean().default(true),
  edit: z.boolean().default(false),
  switchMode: z.boolean().default(false),
  /** Opening pages, those of private networks excepted. Absent is no. */
  browser: z.boolean().optional(),
  /** Every command that runs in the sandbox. Absent is no. Only from the command line. */
  sandboxed: z.boolean().optional(),
  /** The person's standing yes to everything, commands and protected paths included. Only from the command line. */
  all: z.boolean().default(false),
});
export type AutoApproval = z.infer<typeof autoApprovalSchema>;

/** The person's policy: what is automatic, and the rules that "Approve always" and "Reject always" kept. */
export const approvalPolicySchema = z.object({
  auto: autoApprovalSchema.prefault({}),
  allow: z.array(approvalRuleSchema).default([]),
  deny: z.array(approvalRuleSchema).default([]),
});
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;
