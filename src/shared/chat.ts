import * as z from 'zod';
import { taskIdSchema } from './taskId.ts';

/** The shapes of `lathe serve`: what its clients send and get, and the rows of its database. A session is a task, and has its id. */

/** Characters of one message, bytes of one attachment as base64, and attachments of one message. */
const LONGEST_MESSAGE = 1_000_000;
const LARGEST_ATTACHMENT = 14_000_000;
const MOST_ATTACHMENTS = 20;

/** `data`: base64, or a data: URL. Pictures go to the model as such, everything else as text. */
export const chatAttachmentSchema = z.object({
  name: z.string().min(1).max(1000),
  mime_type: z.string().min(1).max(200),
  data: z.string().max(LARGEST_ATTACHMENT),
});

export const chatRequestSchema = z.object({
  session_id: taskIdSchema,
  message: z.string().min(1).max(LONGEST_MESSAGE),
  attachments: z.array(chatAttachmentSchema).max(MOST_ATTACHMENTS).nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** The subtask that a call began. */
export const spawnedTaskSchema = z.object({
  id: taskIdSchema,
  title: z.string(),
  mode: z.string(),
  status: z.string(),
});
export type SpawnedTask = z.infer<typeof spawnedTaskSchema>;

export const chatToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  result: z.string().nullable(),
  error: z.string().nullable(),
  /** `unknown`: it had begun when its process ended, and nobody can say what it did. */
  status: z.enum(['running', 'success', 'error', 'unknown']),
  /** Milliseconds; null until it has ended. */
  duration: z.number().int().nullable(),
  spawn_task: spawnedTaskSchema.nullable(),
});
export type ChatToolCall = z.infer<typeof chatToolCallSchema>;

export const chatMessageSchema = z.object({
  /** The number of an entry in the session's journal: it grows, and is unique within the session. */
  id: z.number().int().positive(),
  session_id: taskIdSchema,
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  tool_calls: z.array(chatToolCallSchema),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

export const chatSessionSchema = z.object({
  id: taskIdSchema,
  title: z.string(),
  mode: z.string(),
  status: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ChatSession = z.infer<typeof chatSessionSchema>;

/** A row of `messages`. The assistant's message answers the user's with the id `answers`. */
export interface MessageRow {
  session_id: string;
  id: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: string;
  answers: number | null;
}

/** A row of `tool_conversations`. `message_id` is the user's message; `arguments` is JSON text. */
export interface ToolConversationRow {
  id: string;
  session_id: string;
  tool_name: string;
  arguments: string;
  result: string | null;
  error: string | null;
  duration_ms: number | null;
  /** When it began: ISO 8601, UTC. */
  timestamp: string;
  user_message: string;
  message_id: number;
}

/** What is new in the rows of one session. Rows with a key that is there take its place. */
export interface SessionChanges {
  sessionId: string;
  /** The last entry of the session's journal that these rows hold. */
  lastSeq: number;
  messages: readonly MessageRow[];
  toolConversations: readonly ToolConversationRow[];
  /** Call → the subtask that it began. */
  spawnedTasks: readonly { toolConversationId: string; taskId: string }[];
}

export interface SessionRows {
  lastSeq: number;
  messages: MessageRow[];
  toolConversations: ToolConversationRow[];
  spawnedTasks: { toolConversationId: string; taskId: string }[];
}

/** Where the rows are kept. They can be made again from the journals at any time. */
export interface ChatDatabase {
  /**
   * All of it lands, in one transaction, or nothing. Changes that end before the last entry whose rows are there change nothing: they
   * are there too, written by another server.
   */
  write(changes: readonly SessionChanges[]): Promise<void>;
  /** Messages by their number, calls in the order in which they began. Undefined for a session without rows. */
  read(sessionId: string): Promise<SessionRows | undefined>;
  /** Takes every row away. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
