import * as z from 'zod';

/** Characters of one note, and of all notes of a workspace together; how many they may be. */
export const MAX_NOTE = 1000;
export const MAX_NOTES_TEXT = 8000;
export const MAX_NOTES = 100;

/** What is kept about a workspace for later tasks. */
export const noteSchema = z.object({
  /** Follows from the text: a note that was changed has another. */
  id: z.string(),
  text: z.string(),
  /** It was written behind content from outside (a web page, an MCP server), and no person has made it theirs since. */
  outside: z.boolean(),
});
export type Note = z.infer<typeof noteSchema>;

/** The part of the protocol's methods that is about the notes of the open workspace. */
export const noteMethods = {
  /** `file` is where they stand, absolute; a person may edit it. */
  'memory/list': {
    params: z.object({}),
    result: z.object({ notes: z.array(noteSchema), file: z.string() }),
  },
  /**
   * A new note, or these words in the place of the note `id`. What a person saves is theirs, unless it begins with the mark `[outside]`.
   * Too long a text is refused with words of its own.
   */
  'memory/save': {
    params: z.object({
      id: z.string().optional(),
      text: z
        .string()
        .trim()
        .min(1)
        .max(2 * MAX_NOTE),
    }),
    result: z.object({ id: z.string() }),
  },
  'memory/delete': { params: z.object({ id: z.string() }), result: z.object({}) },
} as const;
