import * as z from 'zod';
import { approvalMethods } from './approvalMethods.ts';
import { approvalPolicySchema, approvalRuleSchema } from './approvals.ts';
import { checkpointMethods } from './checkpointMethods.ts';
import { judgedCommandSchema, sandboxedAsSchema } from './commands.ts';
import {
  attachmentSchema,
  finishReasonSchema,
  imageSchema,
  journalEntrySchema,
  modelReferenceSchema,
  taskEventSchema,
  usageSchema,
} from './events.ts';
import {
  fileProblemSchema,
  modeOverviewSchema,
  ruleRowSchema,
  scopeSchema,
  slashCommandSchema,
} from './customModes.ts';
import { mcpConfigProblemSchema, mcpLogLineSchema, mcpServerRowSchema, mcpSourceSchema } from './mcp.ts';
import { modeConfigSchema } from './modes.ts';
import { profileSchema, providerIdSchema } from './settings.ts';
import { noteMethods } from './notes.ts';
import { messageSchema } from './strings.ts';
import { taskIdSchema } from './taskId.ts';
import { todoItemSchema } from './tools.ts';

export { taskIdSchema };

export const taskSummarySchema = z.object({
  id: taskIdSchema,
  /** The task that this one is a subtask of; it may be deleted. */
  parent: taskIdSchema.optional(),
  title: z.string(),
  cwd: z.string(),
  mode: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  usage: usageSchema,
  /** What it is doing now, or how its last turn ended. `interrupted`: its process ended in the middle of a turn. */
  state: z.union([z.enum(['running', 'waiting', 'interrupted', 'new']), finishReasonSchema]),
});
export type TaskSummary = z.infer<typeof taskSummarySchema>;

/** A profile as a front end may see it: whether a key is there, never the key. */
export const profileStateSchema = profileSchema.extend({ hasKey: z.boolean() });
export type ProfileState = z.infer<typeof profileStateSchema>;

/** A model service that was found without being set up. */
export const foundServiceSchema = z.object({
  provider: providerIdSchema,
  baseUrl: z.string().optional(),
  models: z.array(z.string()),
});
export type FoundService = z.infer<typeof foundServiceSchema>;

/** What a task had come to before a page of its journal: what a view of the page begins with. */
export const pageBaseSchema = z.object({
  taskId: z.string(),
  /** The task that this one is a subtask of. */
  parent: taskIdSchema.optional(),
  title: z.string(),
  cwd: z.string(),
  mode: z.string(),
  model: modelReferenceSchema.optional(),
  todos: z.array(todoItemSchema),
  usage: usageSchema,
  contextTokens: z.number(),
  /** The last entry before the page; 0 when the page begins with the task. */
  lastSeq: z.number().int().nonnegative(),
});
export type PageBase = z.infer<typeof pageBaseSchema>;

/** Longest title that a person may give. */
export const MAX_TITLE = 200;

/** Characters that a text may be written from. */
export const MAX_GIVEN_TEXT = 100_000;

/** Characters of a text with modes. */
export const MAX_MODES_TEXT = 262_144;

/** The process that runs a task, when it is not the one that was asked: here the task can be read. */
export const writerSchema = z.object({ pid: z.number().int(), host: z.string() });
export type Writer = z.infer<typeof writerSchema>;

/** Longest command that is explained. */
export const MAX_EXPLAINED_COMMAND = 10_000;

export const commandExplanationSchema = judgedCommandSchema
  .pick({ verdict: true, parts: true, more: true })
  .extend({
    /** Why, for the verdict as a whole. */
    why: z.array(messageSchema),
    /** It would run in the sandbox, in this way; absent where it would run as the person's own commands do. */
    sandboxed: sandboxedAsSchema.optional(),
  });
export type CommandExplanation = z.infer<typeof commandExplanationSchema>;

const none = z.object({});
const task = z.object({ taskId: taskIdSchema });
/** A server by the name that the configuration gives it, or by its id. */
const mcpServer = z.object({ server: z.string().min(1) });

/** Every request that any front end can make of the agent: name → shape of its parameters and of its result. */
export const methods = {
  'task/create': {
    params: z.object({
      text: z.string(),
      images: z.array(imageSchema).optional(),
      attachments: z.array(attachmentSchema).max(20).optional(),
      /** Comes again in the journal's user_message. */
      messageId: z.string().max(100).optional(),
      taskId: taskIdSchema.optional(),
      cwd: z.string().optional(),
      mode: z.string().optional(),
      profile: z.string().optional(),
    }),
    result: task,
  },
  /** A message into a task: starts its next turn, or waits in the queue while one runs. */
  'task/send': {
    params: task.extend({
      text: z.string(),
      images: z.array(imageSchema).optional(),
      attachments: z.array(attachmentSchema).max(20).optional(),
      messageId: z.string().max(100).optional(),
    }),
    result: none,
  },
  /**
   * The journal from entry `since` + 1 on; events follow as notifications until task/unsubscribe. With `bytes` only its end, about
   * that much of it, where more is there: then `base` says what came before, and task/page gets it.
   */
  'task/subscribe': {
    params: task.extend({
      since: z.number().int().nonnegative().default(0),
      bytes: z.number().int().positive().optional(),
    }),
    result: z.object({
      base: pageBaseSchema.optional(),
      entries: z.array(journalEntrySchema),
      running: z.boolean(),
      queued: z.array(z.string()),
      /** Another process writes it now; its entries follow, and whoever changes something is refused with `busy`. */
      elsewhere: writerSchema.optional(),
    }),
  },
  /** The page of the journal, about so many bytes of it, that ends before the entry `before`. */
  'task/page': {
    params: task.extend({ before: z.number().int().positive(), bytes: z.number().int().positive() }),
    result: z.object({ base: pageBaseSchema, entries: z.array(journalEntrySchema) }),
  },
  'task/unsubscribe': { params: task, result: none },
  'task/cancel': { params: task, result: none },
  /**
   * Puts a summary in the place of what the model has read so far: at once, or before the next request of a running turn. It comes as
   * an event, or a notice says why not; task/cancel stops it. `guidance`: what the summary must hold on to.
   */
  'task/condense': {
    params: task.extend({ guidance: z.string().trim().min(1).max(MAX_GIVEN_TEXT).optional() }),
    result: none,
  },
  /** Goes on with a turn that was interrupted. */
  'task/resume': { params: task, result: none },
  'task/get': { params: task, result: taskSummarySchema },
  'task/list': { params: z.object({ cwd: z.string().optional() }), result: z.array(taskSummarySchema) },
  /** Tasks that say all these words somewhere, newest first, each with the place where they say the first. */
  'task/search': {
    params: z.object({
      query: z.string().min(1).max(200),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    result: z.array(z.object({ taskId: taskIdSchema, excerpt: z.string() })),
  },
  'task/rename': { params: task.extend({ title: z.string().trim().min(1).max(MAX_TITLE) }), result: none },
  /** The whole task as one text, and a name for its file. */
  'task/export': {
    params: task.extend({ format: z.enum(['markdown', 'json']) }),
    result: z.object({ name: z.string(), text: z.string() }),
  },
  /**
   * A new task that begins with this one's history up to, and without, the person's message with the number `seq`, and goes on with
   * this message in its place. Nothing of the old one changes; nor do files.
   */
  'task/branch': {
    params: task.extend({
      seq: z.number().int().positive(),
      text: z.string(),
      images: z.array(imageSchema).optional(),
      attachments: z.array(attachmentSchema).max(20).optional(),
    }),
    result: task,
  },
  /** Takes a message back out of the queue, to edit or drop it. `text` must be what waits at this place. */
  'task/unqueue': {
    params: task.extend({ index: z.number().int().nonnegative(), text: z.string() }),
    result: z.object({
      text: z.string(),
      images: z.array(imageSchema).optional(),
      attachments: z.array(attachmentSchema).optional(),
    }),
  },
  /** Into the trash, where task/restore finds it. */
  'task/delete': { params: task, result: none },
  'task/restore': { params: task, result: none },
  ...approvalMethods,
  'command/stop': { params: task.extend({ callId: z.string() }), result: none },
  'command/background': { params: task.extend({ callId: z.string() }), result: none },
  /** What would become of this command if the model called for it in the open workspace, and why. Runs nothing. */
  'command/explain': {
    params: z.object({ command: z.string().min(1).max(MAX_EXPLAINED_COMMAND) }),
    result: commandExplanationSchema,
  },
  ...checkpointMethods,
  ...noteMethods,
  'mode/list': { params: none, result: z.array(modeConfigSchema) },
  /** Every mode of every file with where it comes from, and what is wrong in the files. */
  'mode/overview': { params: none, result: modeOverviewSchema },
  /** Writes a mode into a file: the one that has `replaces` (a slug) in that scope, or a new one. */
  'mode/save': {
    params: z.object({ scope: scopeSchema, mode: modeConfigSchema, replaces: z.string().optional() }),
    result: none,
  },
  'mode/delete': { params: z.object({ scope: scopeSchema, slug: z.string() }), result: none },
  /** A yes to exactly this mode of the workspace taking the place of the one of that slug; or the yes taken back. */
  'mode/consent': {
    params: z.object({ slug: z.string(), hash: z.string(), agreed: z.boolean() }),
    result: none,
  },
  /** One mode as a file that mode/import and other agents take. */
  'mode/export': {
    params: z.object({ slug: z.string() }),
    result: z.object({ name: z.string(), text: z.string() }),
  },
  /** Adds the modes of a text; those of a slug that is there in that scope take its place. */
  'mode/import': {
    params: z.object({ scope: scopeSchema, text: z.string().max(MAX_MODES_TEXT) }),
    result: z.object({ slugs: z.array(z.string()), problems: z.array(fileProblemSchema) }),
  },
  /** Commands that files define, by name; the ones that count. */
  'command/list': {
    params: none,
    result: z.object({ commands: z.array(slashCommandSchema), problems: z.array(fileProblemSchema) }),
  },
  /** Every file of rules, whatever mode it is for. */
  'rule/list': { params: none, result: z.array(ruleRowSchema) },
  /** Gives a file to the model, or not. `path` is one that rule/list named. */
  'rule/set': { params: z.object({ path: z.string(), on: z.boolean() }), result: none },
  'mode/set': { params: z.object({ taskId: taskIdSchema.optional(), mode: z.string() }), result: none },
  'profile/list': {
    params: none,
    result: z.object({ profiles: z.array(profileStateSchema), active: z.string().optional() }),
  },
  'profile/save': { params: z.object({ profile: profileSchema, key: z.string().optional() }), result: none },
  'profile/delete': { params: z.object({ name: z.string() }), result: none },
  'profile/select': { params: z.object({ taskId: taskIdSchema.optional(), name: z.string() }), result: none },
  'profile/test': {
    params: z.object({ profile: profileSchema, key: z.string().optional() }),
    result: z.object({ ok: z.boolean(), error: messageSchema.optional() }),
  },
  'service/find': { params: none, result: z.array(foundServiceSchema) },
  /**
   * A text by the active profile's model, outside of any task: it is sent with a fixed instruction and without tools, and nothing is
   * kept. `commit_message`: from a diff and what else says what the commit is. `better_prompt`: from the draft of a message.
   */
  'text/write': {
    params: z.object({
      /** For text/cancel. */
      id: taskIdSchema,
      purpose: z.enum(['commit_message', 'better_prompt']),
      text: z.string().trim().min(1).max(MAX_GIVEN_TEXT),
    }),
    result: z.object({ text: z.string() }),
  },
  'text/cancel': { params: z.object({ id: taskIdSchema }), result: none },
  'approval/policy': { params: none, result: approvalPolicySchema },
  'approval/setAutomatic': {
    // Without defaults: what is not named stays as it is.
    params: z.object({
      read: z.boolean().optional(),
      edit: z.boolean().optional(),
      switchMode: z.boolean().optional(),
      browser: z.boolean().optional(),
    }),
    result: approvalPolicySchema,
  },
  'approval/revoke': { params: z.object({ rule: approvalRuleSchema }), result: approvalPolicySchema },
  /** The MCP servers of this workspace, what of their configuration is wrong, and the person's own file. */
  'mcp/list': {
    params: none,
    result: z.object({
      servers: z.array(mcpServerRowSchema),
      problems: z.array(mcpConfigProblemSchema),
      userFile: z.string(),
    }),
  },
  'mcp/logs': { params: mcpServer, result: z.array(mcpLogLineSchema) },
  /** A yes to what a server's `consent` showed: `given` is false when that is no longer what would run. */
  'mcp/consent': {
    params: mcpServer.extend({ hash: z.string() }),
    result: z.object({ given: z.boolean() }),
  },
  /** Takes the yes back: the server ends. */
  'mcp/revoke': { params: mcpServer, result: none },
  'mcp/restart': { params: mcpServer, result: none },
  /** Resolves when the person has signed in, or says why not. */
  'mcp/signIn': { params: mcpServer, result: none },
  'mcp/signOut': { params: mcpServer, result: none },
  /** How a server is written in its file, as JSON in lines. */
  'mcp/entry': { params: mcpServer, result: z.object({ source: mcpSourceSchema, text: z.string() }) },
  /** Writes an entry; a new one goes into the person's own file. `server` is its name until now. */
  'mcp/save': {
    params: z.object({
      name: z.string().max(200),
      text: z.string().max(100_000),
      server: mcpServer.shape.server.optional(),
    }),
    result: none,
  },
  'mcp/remove': { params: mcpServer, result: none },
  'mcp/setDisabled': { params: mcpServer.extend({ disabled: z.boolean() }), result: none },
  /** Whether the model may call a tool; `automatic` only for servers of the person's own file. */
  'mcp/setTool': {
    params: mcpServer.extend({
      tool: z.string(),
      enabled: z.boolean().optional(),
      automatic: z.boolean().optional(),
    }),
    result: none,
  },
  /** What an argument of a prompt could be, by what is written of it; `given` are its other arguments so far. None where none is known. */
  'mcp/complete': {
    params: mcpServer.extend({
      prompt: z.string(),
      argument: z.string(),
      value: z.string().max(1000),
      given: z.record(z.string(), z.string()),
    }),
    result: z.object({ values: z.array(z.string()) }),
  },
  /** What a variable of a resource template could be, by what is written of it; `given` are those before it. None where none is known. */
  'mcp/completeResource': {
    params: mcpServer.extend({
      uriTemplate: z.string().max(2000),
      variable: z.string(),
      value: z.string().max(1000),
      given: z.record(z.string(), z.string()),
    }),
    result: z.object({ values: z.array(z.string()) }),
  },
} as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type MethodParams<M extends MethodName> = z.infer<Methods[M]['params']>;
export type MethodInput<M extends MethodName> = z.input<Methods[M]['params']>;
export type MethodResult<M extends MethodName> = z.infer<Methods[M]['result']>;

/** What the agent tells every front end without being asked. */
export const notifications = {
  /** Events of a subscribed task, coalesced: entries in order, deltas of one frame merged. `parent`: whose subtask it is. */
  'task/events': z.object({
    taskId: taskIdSchema,
    parent: taskIdSchema.optional(),
    events: z.array(taskEventSchema),
  }),
  'task/queue': z.object({ taskId: taskIdSchema, queued: z.array(z.string()) }),
  /** Another process has begun to write the task, or, without `writer`, has let go of it. */
  'task/elsewhere': z.object({ taskId: taskIdSchema, writer: writerSchema.optional() }),
  'task/listChanged': z.object({}),
  'profile/changed': z.object({ active: z.string().optional() }),
  'policy/changed': z.object({ policy: approvalPolicySchema }),
  'mode/changed': z.object({ mode: z.string() }),
  /** A file with modes, commands or rules is another, or what the person said of it. */
  'mode/listChanged': z.object({}),
  /** The notes of a workspace are not what `memory/list` said. */
  'memory/changed': z.object({}),
  /** A server, its state or what it offers is not what `mcp/list` said. */
  'mcp/changed': z.object({}),
} as const;
export type Notifications = typeof notifications;
export type NotificationName = keyof Notifications;
export type NotificationParams<N extends NotificationName> = z.infer<Notifications[N]>;

/** An error that crosses a boundary: a code to act on and a sentence for the person. */
export const protocolErrorSchema = z.object({
  code: z.enum(['invalid_params', 'not_found', 'busy', 'not_trusted', 'unavailable', 'internal']),
  message: messageSchema,
});
export type ProtocolErrorData = z.infer<typeof protocolErrorSchema>;
