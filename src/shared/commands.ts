import * as z from 'zod';
import { messageSchema } from './strings.ts';

/** What becomes of a command by itself: it runs, somebody is asked, or it is refused. */
export const commandVerdictSchema = z.enum(['auto', 'ask', 'deny']);
export type CommandVerdict = z.infer<typeof commandVerdictSchema>;

/** One simple command within the whole, for a person to look at. What cannot be seen is written as codes. */
export const commandPartSchema = z.object({
  source: z.string(),
  /** The program and its arguments as they would be given; absent when some of it is only known when it runs. */
  argv: z.array(z.string()).optional(),
  /** The program's file; absent where there is none outside the workspace. */
  program: z.string().optional(),
  verdict: commandVerdictSchema,
  why: z.array(messageSchema),
});
export type CommandPart = z.infer<typeof commandPartSchema>;

/** What is known of a command before it runs. */
export const judgedCommandSchema = z.object({
  verdict: commandVerdictSchema,
  why: z.array(messageSchema),
  /** What a person should know before they say yes: it deletes, it talks to the network… */
  dangers: z.array(messageSchema),
  parts: z.array(commandPartSchema),
  /** Parts that are not in the list, of a very long command. */
  more: z.number().int(),
  /** What "always" could allow and would be honoured: this command, and all that begin so. */
  always: z.object({ exact: z.boolean(), prefix: z.string().optional() }),
});
export type JudgedCommand = z.infer<typeof judgedCommandSchema>;

/** In the sandbox: as programs with their arguments, without a shell, or by a shell. */
export const sandboxedAsSchema = z.enum(['steps', 'shell']);
export type SandboxedAs = z.infer<typeof sandboxedAsSchema>;
