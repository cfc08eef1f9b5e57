import * as z from 'zod';
import { approvalPolicySchema } from './approvals.ts';
import { DEFAULT_MODE } from './modes.ts';

/** Wire APIs and the well-known services that speak one of them. */
export const providerIds = [
  'tour',
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'deepseek',
  'groq',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
  'openai-compatible',
  'vscode-lm',
] as const;
export const providerIdSchema = z.enum(providerIds);
export type ProviderId = (typeof providerIds)[number];

/** A model that a person set up. Its key is not here: it is in the secret store under `lathe.key.<name>`. */
export const profileSchema = z.object({
  name: z.string().min(1).max(64),
  provider: providerIdSchema,
  model: z.string().min(1),
  baseUrl: z.url().optional(),
  protocol: z.enum(['auto', 'xml', 'native']).default('auto'),
  maxOutputTokens: z.number().int().positive().optional(),
  contextWindow: z.number().int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  reasoningEffort: z.enum(['low', 'medium', 'high']).optional(),
  /** A short system prompt with the eight tools that matter, for small local models. */
  compactPrompt: z.boolean().optional(),
  /** Offer only the simple, one-file form of read_file. */
  singleFileRead: z.boolean().optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/**
 * Interface and limits: the editor's `lathe.*` settings, generated into package.json from here.
 * All are machine-scoped or narrowing; none can widen what is allowed.
 */
export const editorSettingsSchema = z.object({
  language: z.enum(['auto', 'en', 'zh-cn']).default('auto').describe('Language of Lathe’s interface.'),
  notifications: z
    .boolean()
    .default(true)
    .describe('Tell you when Lathe waits for you or is done while the window is not in front.'),
  todoList: z.boolean().default(true).describe('Let the model keep a todo list.'),
  memory: z
    .boolean()
    .default(true)
    .describe(
      'Let the model keep notes on a workspace, which you are asked about, and give them to later tasks.',
    ),
  slashCommandTool: z
    .boolean()
    .default(false)
    .describe('Let the model run slash commands by itself (an experiment).'),
  fastApplyProfile: z
    .string()
    .default('')
    .describe(
      'Name of the model profile that merges edits (a fast-apply model, such as Morph’s or Relace’s); empty for none. Files that are edited are sent to it before you are asked.',
    ),
  imageProfile: z
    .string()
    .default('')
    .describe(
      'Experiment: name of the model profile that makes pictures (OpenAI’s image API, or OpenRouter’s); empty for none. What a picture shall show, and a picture to start from, are sent to it.',
    ),
  readMaximumFiles: z.number().int().min(1).max(50).default(5).describe('Files that one read may name.'),
  readMaximumLines: z
    .number()
    .int()
    .min(10)
    .default(500)
    .describe('Lines of a file that one read returns unless it asks for a range.'),
  readContextShare: z
    .number()
    .min(0.05)
    .max(1)
    .default(0.6)
    .describe('Share of the context left that one read may fill.'),
  condenseAtPercent: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      'Percentage of the model’s context window at which the conversation is condensed. 0: as late as leaves room for an answer.',
    ),
  tellTime: z.boolean().default(false).describe('Tell the model the time with each of your messages.'),
  tellCost: z
    .boolean()
    .default(false)
    .describe('Tell the model what the task has cost so far with each of your messages.'),
  listMaximumEntries: z.number().int().min(10).default(200).describe('Entries that a listing returns.'),
  searchMaximumResults: z.number().int().min(10).default(300).describe('Matches that a search returns.'),
  searchMaximumLineLength: z
    .number()
    .int()
    .min(80)
    .default(500)
    .describe('Characters of a matching line that are kept.'),
  commandMaximumLines: z
    .number()
    .int()
    .min(20)
    .default(500)
    .describe('Lines of a command’s output that are kept for the model.'),
  commandMaximumCharacters: z
    .number()
    .int()
    .min(1000)
    .default(50_000)
    .describe('Characters of a command’s output that are kept for the model.'),
  commandTimeoutSeconds: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Seconds after which a command is stopped; 0 means never.'),
  sandbox: z
    .enum(['automatic', 'all', 'off'])
    .default('automatic')
    .describe(
      'Commands that run in the sandbox: those that run by themselves, all, or none. Off: every command asks.',
    ),
  sandboxNetwork: z
    .boolean()
    .default(false)
    .describe('Let commands in the sandbox use the network. They can then send away what they read.'),
  browser: z
    .string()
    .default('')
    .describe(
      'The browser that Lathe may drive: path of a Chrome, Chromium or Edge, or the address of a running one (http://127.0.0.1:9222). Empty: one that is installed.',
    ),
  browserSandbox: z
    .boolean()
    .default(true)
    .describe(
      'Keep the pages of that browser in its sandbox. Without it a page that breaks out can do what you can.',
    ),
  checkpoints: z
    .boolean()
    .default(true)
    .describe(
      'Keep the state of the workspace’s files before each step that may change them, so that they can be restored. Kept in Lathe’s own folder; your repository is not touched.',
    ),
  checkpointMegabytes: z
    .number()
    .int()
    .min(50)
    .default(1000)
    .describe('Megabytes that the checkpoints of one workspace may take; the oldest go first.'),
  mistakeLimit: z
    .number()
    .int()
    .min(1)
    .default(3)
    .describe('Failed tool calls in a row after which Lathe asks you.'),
  requestLimit: z
    .number()
    .int()
    .min(1)
    .default(200)
    .describe('Model requests in one turn after which Lathe stops.'),
  idleTimeoutSeconds: z
    .number()
    .int()
    .min(5)
    .default(120)
    .describe('Seconds without a byte from the model after which a request counts as stalled.'),
  retryLimit: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe('How often a failed request is sent again before Lathe asks you.'),
  embedderUrl: z
    .string()
    .default('')
    .describe(
      'Address of an embeddings service with OpenAI’s API, such as http://127.0.0.1:11434/v1 for Ollama. The code of the workspace is sent there, and codebase_search finds by meaning too. Empty: none.',
    ),
  embedderModel: z
    .string()
    .default('')
    .describe('Model of the embeddings service, such as nomic-embed-text.'),
});
export type EditorSettings = z.infer<typeof editorSettingsSchema>;

/** LATHE_HOME/settings.json (mode 0600): what belongs to the person and no workspace can touch. */
export const userSettingsSchema = z.object({
  profiles: z.array(profileSchema).default([]),
  activeProfile: z.string().optional(),
  mode: z.string().default(DEFAULT_MODE),
  approval: approvalPolicySchema.prefault({}),
  /** Modes of workspaces that may take the place of one of that slug, each with the SHA-256 of what was agreed to. */
  modeConsents: z.array(z.object({ workspace: z.string(), slug: z.string(), hash: z.string() })).default([]),
  /** Absolute paths of files of rules that the model is not given. */
  rulesOff: z.array(z.string()).default([]),
});
export type UserSettings = z.infer<typeof userSettingsSchema>;
