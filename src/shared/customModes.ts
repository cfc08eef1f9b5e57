import * as z from 'zod';
import { modeConfigSchema } from './modes.ts';
import { messageSchema } from './strings.ts';

/** Whose file says it: the workspace's, or the person's own in LATHE_HOME. */
export const scopeSchema = z.enum(['project', 'global']);
export type Scope = z.infer<typeof scopeSchema>;

/** What is wrong in a file that a person wrote, and where: 1-based. */
export const fileProblemSchema = z.object({
  /** Absolute. */
  path: z.string(),
  line: z.number().int().positive().optional(),
  problem: messageSchema,
});
export type FileProblem = z.infer<typeof fileProblemSchema>;

/**
 * A mode and where it comes from. `used`: its slug means this one. `hidden`: another file's mode of that slug counts.
 * `asks`: a file of the workspace gives another meaning to a slug that there is; it counts once the person agreed to exactly this.
 */
export const modeRowSchema = z.object({
  mode: modeConfigSchema,
  source: z.enum(['builtIn', 'project', 'global']),
  state: z.enum(['used', 'hidden', 'asks']),
  /** The file, absolute, and the line where it begins; of built-in modes none. */
  path: z.string().optional(),
  line: z.number().int().positive().optional(),
  /** SHA-256 of the mode, hex: what consent is given to. */
  hash: z.string(),
  /** The person agreed to it, and can take that back. */
  agreed: z.boolean(),
});
export type ModeRow = z.infer<typeof modeRowSchema>;

export const modeOverviewSchema = z.object({
  modes: z.array(modeRowSchema),
  problems: z.array(fileProblemSchema),
  /** Absolute. `project` is absent where no folder is open, or its files do not count. */
  files: z.object({ global: z.string(), project: z.string().optional() }),
});
export type ModeOverview = z.infer<typeof modeOverviewSchema>;

/** A command that a file defines: `/name` in a message stands for the file's words. */
export const slashCommandSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  argumentHint: z.string().optional(),
  /** The mode that it is carried out in. */
  mode: z.string().optional(),
  source: scopeSchema,
  /** Absolute. */
  path: z.string(),
});
export type SlashCommand = z.infer<typeof slashCommandSchema>;

/** A file of rules that the model is given, or would be. */
export const ruleRowSchema = z.object({
  /** As the model is told: relative to the workspace, or `rules/…` of LATHE_HOME. */
  origin: z.string(),
  /** Absolute: what is switched off is named by it. */
  path: z.string(),
  source: scopeSchema,
  /** The mode that it is for; for all without. */
  mode: z.string().optional(),
  bytes: z.number().int().nonnegative(),
  on: z.boolean(),
  /** Why it is not given, or not as it stands. */
  problem: messageSchema.optional(),
});
export type RuleRow = z.infer<typeof ruleRowSchema>;
