import * as z from 'zod';
import { checkpointIdSchema } from './checkpoints.ts';
import { attachmentSchema, imageSchema } from './events.ts';
import { taskIdSchema } from './protocol.ts';
import { locales } from './strings.ts';

/** Where a person reads a task that they do not follow to its end, and which rows they opened or closed. */
export const readingSchema = z.object({
  /** The item at the top, pixels of it that are above, and the number of the last entry before what was loaded. */
  place: z.object({ key: z.string(), offset: z.number(), before: z.number().int().nonnegative() }).optional(),
  open: z.record(z.string(), z.boolean()),
});
export type Reading = z.infer<typeof readingSchema>;

/** A proposed file that a person changes: their text of it. */
export const keptChangeSchema = z.object({
  taskId: taskIdSchema,
  callId: z.string(),
  /** As it is shown. */
  path: z.string(),
  text: z.string(),
  /** It is what is seen of the proposal now, rather than set aside. */
  open: z.boolean(),
  /** It was sent as the answer. */
  sent: z.boolean(),
});
export type KeptChange = z.infer<typeof keptChangeSchema>;

/**
 * What the person was writing, by task id, `new` for the next task; and where they read. The editor keeps it beside the page's own
 * state.
 */
export const keptDraftsSchema = z.object({
  drafts: z.record(z.string(), z.string()),
  /** What stands beside the texts, by the same names, as far as it is small. */
  beside: z
    .record(z.string(), z.object({ images: z.array(imageSchema), attachments: z.array(attachmentSchema) }))
    .optional(),
  /** Earlier messages that are being written anew: the number of the entry, and what stood in the composer before. */
  editing: z
    .record(z.string(), z.object({ seq: z.number().int().positive(), before: z.string() }))
    .optional(),
  /** What a person has made of proposed files, as far as it is small, by the ids of the approvals that wait. */
  changes: z.record(z.string(), keptChangeSchema).optional(),
  reading: z.record(z.string(), readingSchema).optional(),
  mode: z.string().optional(),
  /** When it was written, in epoch milliseconds: the newer one of two counts. */
  at: z.number(),
});
export type KeptDrafts = z.infer<typeof keptDraftsSchema>;

/** Lines from 1, both ends included. */
const linesSchema = z.object({ first: z.number().int().positive(), last: z.number().int().positive() });

/** Characters that the editor puts into the composer at most. */
export const LONGEST_COMPOSED = 50_000;

/** What the sidebar asks of the editor itself; everything about tasks is in protocol.ts. */
export const editorMethods = {
  /** The handshake: the webview is up and listens. Nothing is sent to it before. */
  'editor/ready': {
    params: z.object({}),
    result: z.object({
      locale: z.enum(locales),
      workspace: z.string().optional(),
      trusted: z.boolean(),
      /** The task that was open before a reload. */
      taskId: taskIdSchema.optional(),
      version: z.string(),
      /** What was kept last: after a crash it is newer than the page's own state. */
      kept: keptDraftsSchema.optional(),
    }),
  },
  /** Keeps the drafts where a crash of page or host does not reach them. */
  'editor/keepDrafts': { params: keptDraftsSchema, result: z.object({}) },
  /** Which task is open, so that commands, badges and the next start know. */
  'editor/opened': { params: z.object({ taskId: taskIdSchema.optional() }), result: z.object({}) },
  /** Whether the page has the focus: no `when` context of the editor's own says that of a view like this one. */
  'editor/focused': { params: z.object({ focused: z.boolean() }), result: z.object({}) },
  'editor/openFile': {
    params: z.object({ path: z.string(), line: z.number().int().positive().optional() }),
    result: z.object({}),
  },
  /** Shows the change that a finished or waiting edit call made, in the native diff editor. */
  'editor/openDiff': { params: z.object({ taskId: taskIdSchema, callId: z.string() }), result: z.object({}) },
  /** Shows a file now and as it would be after a checkpoint is restored, in the native diff editor. */
  'editor/openCheckpointDiff': {
    params: z.object({ taskId: taskIdSchema, checkpointId: checkpointIdSchema, path: z.string().max(4096) }),
    result: z.object({}),
  },
  'editor/showTerminal': {
    params: z.object({ taskId: taskIdSchema, callId: z.string() }),
    result: z.object({}),
  },
  /** http and https only. */
  'editor/openExternal': { params: z.object({ url: z.string() }), result: z.object({}) },
  'editor/openSettings': { params: z.object({ query: z.string().optional() }), result: z.object({}) },
  /** What a person can see of the program itself, and what a report of a fault begins with. */
  'editor/about': {
    params: z.object({}),
    result: z.object({
      version: z.string(),
      /** Name of its licence. */
      license: z.string(),
      /** The editor's name and version. */
      editor: z.string(),
      /** Operating system and processor. */
      platform: z.string(),
      /** The folder of tasks and settings; absolute. */
      data: z.string(),
      /** Where the program is at home in the web, as far as it is. */
      links: z.object({ source: z.url().optional(), issues: z.url().optional() }),
    }),
  },
  /** Opens what belongs to the program: a text that came with it, its log, its data folder, the walkthrough. */
  'editor/show': {
    params: z.object({
      what: z.enum(['readme', 'changelog', 'license', 'notices', 'log', 'data', 'walkthrough']),
    }),
    result: z.object({}),
  },
  /** Files and folders of the workspace by parts of their paths, best first; with nothing to look for, the open editors. */
  'editor/findPaths': {
    params: z.object({ query: z.string().max(200) }),
    result: z.object({
      paths: z.array(z.object({ path: z.string(), kind: z.enum(['file', 'folder']) })).max(50),
    }),
  },
  /** Definitions of the workspace by parts of their names, best first. Empty where no language of the editor's knows any. */
  'editor/findSymbols': {
    params: z.object({ query: z.string().max(200) }),
    result: z.object({
      symbols: z
        .array(
          z.object({
            name: z.string(),
            /** The class or the like that it lies in; empty for none. */
            container: z.string(),
            path: z.string(),
            /** From 1. */
            line: z.number().int().positive(),
            kind: z.enum(['class', 'interface', 'enum', 'method', 'function', 'variable', 'other']),
          }),
        )
        .max(50),
    }),
  },
  /** What can be mentioned besides paths, and how much of it there is. Nothing is read of it. */
  'editor/mentionable': {
    params: z.object({}),
    result: z.object({
      /** Errors and warnings in the workspace, and files that have some; absent where nobody looks for them. */
      problems: z.object({ count: z.number().int(), files: z.number().int() }).optional(),
      /** The terminal in front, by its name. */
      terminal: z.string().optional(),
      /** Of the workspace's repository, where there is one: changed files, and the newest commits. */
      git: z
        .object({
          changed: z.number().int(),
          commits: z.array(z.object({ hash: z.string(), subject: z.string() })).max(100),
        })
        .optional(),
    }),
  },
  /** What the person has in view, for suggestions: nothing is read of it. */
  'editor/surroundings': {
    params: z.object({}),
    result: z.object({
      /** The file in front, relative to the workspace, and the lines that are selected in it. */
      file: z.string().optional(),
      lines: linesSchema.optional(),
      /** The file with the most errors, and how many. */
      problems: z.object({ path: z.string(), count: z.number().int().positive() }).optional(),
    }),
  },
  /** Asks the person where to, then writes. `saved`: they chose a place. */
  'editor/saveText': {
    params: z.object({ name: z.string().max(120), text: z.string() }),
    result: z.object({ saved: z.boolean() }),
  },
} as const;
export type EditorMethods = typeof editorMethods;

/** What the editor tells the sidebar: a palette command or a key, and what changed around it. */
export const editorNotifications = {
  'editor/command': z.object({
    command: z.enum([
      'newTask',
      'stop',
      'approve',
      'reject',
      'switchMode',
      'history',
      'settings',
      'mcp',
      'about',
      'focusComposer',
    ]),
  }),
  'editor/openTask': z.object({ taskId: taskIdSchema }),
  /** Words for the composer, behind what stands there; of a new task, or of the one that is open. */
  'editor/compose': z.object({ text: z.string().min(1).max(LONGEST_COMPOSED), newTask: z.boolean() }),
  /** The file in front, relative to the workspace, and the lines selected in it, are others now. */
  'editor/inView': z.object({ file: z.string().optional(), lines: linesSchema.optional() }),
  'editor/trusted': z.object({ trusted: z.boolean() }),
  'editor/locale': z.object({ locale: z.enum(locales) }),
} as const;
export type EditorNotifications = typeof editorNotifications;
