import * as z from 'zod';
import { messageSchema } from './strings.ts';

/** Where a server's entry stands. Only the person's own file can make calls automatic. */
export const mcpSourceSchema = z.object({
  kind: z.enum(['user', 'project', 'client']),
  /** Absolute path of the file; empty for what a client handed over. */
  path: z.string(),
});
export type McpSource = z.infer<typeof mcpSourceSchema>;

/** What a server is doing. Only `ready` has a connection. */
export const mcpStateSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('disabled') }),
  /** The workspace is not trusted: nothing starts. */
  z.object({ type: z.literal('untrusted') }),
  /** A person has to say yes to what would be started, or to what its tools have become. */
  z.object({ type: z.literal('needs_consent') }),
  z.object({ type: z.literal('connecting') }),
  /** The server wants the person to sign in. */
  z.object({ type: z.literal('needs_sign_in') }),
  z.object({ type: z.literal('ready') }),
  /** The next try is at `retryAt`, epoch milliseconds; a call tries at once. */
  z.object({
    type: z.literal('waiting'),
    attempt: z.number(),
    retryAt: z.number(),
    problem: messageSchema,
  }),
  z.object({ type: z.literal('failed'), problem: messageSchema }),
]);
export type McpState = z.infer<typeof mcpStateSchema>;

const jsonObject = z.record(z.string(), z.unknown());

/** A tool as its server describes it. Its words and hints are the server's own: never a reason to trust it. */
export const mcpToolSchema = z.object({
  /** The server's own name. */
  name: z.string(),
  /** What the model calls it: letters, digits, `_`, `-`, `.`; at most 64; unique in its server. */
  id: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** JSON schema, as it came. */
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  hints: z
    .object({
      readOnly: z.boolean().optional(),
      destructive: z.boolean().optional(),
      idempotent: z.boolean().optional(),
      openWorld: z.boolean().optional(),
    })
    .optional(),
  /** A small PNG as a `data:` address. */
  icon: z.string().optional(),
  enabled: z.boolean(),
  /** The person's own file makes calls of it automatic. */
  automatic: z.boolean(),
  /** It is not what it was when the person last agreed to it. */
  changed: z.boolean(),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

export const mcpResourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  /** Bytes. */
  size: z.number().optional(),
});
export type McpResource = z.infer<typeof mcpResourceSchema>;

export const mcpResourceTemplateSchema = z.object({
  uriTemplate: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});
export type McpResourceTemplate = z.infer<typeof mcpResourceTemplateSchema>;

export const mcpPromptSchema = z.object({
  name: z.string(),
  /** How a person writes it behind `/server:`: letters, digits, `_`, `-`, `.`; at most 64; unique in its server. */
  id: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().optional(), required: z.boolean() }),
  ),
});
export type McpPrompt = z.infer<typeof mcpPromptSchema>;

/** What a person must see before they say yes to a server: what would run or be asked, with nothing cut. */
export const mcpConsentSchema = z.object({
  server: z.string(),
  source: mcpSourceSchema,
  /** What the yes is given to; an answer with another one grants nothing. */
  hash: z.string(),
  target: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('command'),
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      /** Names only. */
      environment: z.array(z.string()),
    }),
    z.object({
      type: z.literal('address'),
      url: z.string(),
      /** Names only. */
      headers: z.array(z.string()),
    }),
  ]),
  /** Tools that are not what the person agreed to. */
  changedTools: z.array(z.string()),
  /** What each of them says of itself now, and the names of its arguments: the person's to judge, and not told to the model before. */
  changedWords: z
    .array(z.object({ tool: z.string(), description: z.string(), inputs: z.array(z.string()) }))
    .optional(),
});
export type McpConsent = z.infer<typeof mcpConsentSchema>;

export const mcpServerSchema = z.object({
  /** The name in the configuration. */
  name: z.string(),
  /** What the model calls it: letters, digits, `_`, `-`, `.`; at most 64; unique. */
  id: z.string(),
  source: mcpSourceSchema,
  transport: z.enum(['stdio', 'http', 'sse']),
  state: mcpStateSchema,
  /** What waits for the person's yes: this server, or one of the same name in the project. */
  consent: mcpConsentSchema.optional(),
  protocolVersion: z.string().optional(),
  /** The server's own name and version. */
  implementation: z
    .object({
      ...{ name: z.string(), version: z.string(), title: z.string().optional() },
      /** A small PNG as a `data:` address. */
      icon: z.string().optional(),
    })
    .optional(),
  instructions: z.string().optional(),
  tools: z.array(mcpToolSchema),
  resources: z.array(mcpResourceSchema),
  resourceTemplates: z.array(mcpResourceTemplateSchema),
  prompts: z.array(mcpPromptSchema),
  /** What is wrong although it works: tools left out, endless lists. */
  problems: z.array(messageSchema),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

/** A server as a screen shows it: the schemas of its tools are the model's. */
export const mcpServerRowSchema = mcpServerSchema.extend({
  tools: z.array(mcpToolSchema.omit({ inputSchema: true, outputSchema: true })),
});
export type McpServerRow = z.infer<typeof mcpServerRowSchema>;

/** A file that could not be used, or an entry in it. The others are not touched by it. */
export const mcpConfigProblemSchema = z.object({ path: z.string(), problem: messageSchema });
export type McpConfigProblem = z.infer<typeof mcpConfigProblemSchema>;

export const mcpLogLineSchema = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** `server` is what the server logged, `stderr` and `stdout` what it printed, `lathe` what we did. */
  from: z.enum(['server', 'stderr', 'stdout', 'lathe']),
  level: z.enum(['debug', 'info', 'warning', 'error']),
  text: z.string(),
});
export type McpLogLine = z.infer<typeof mcpLogLineSchema>;

/** One piece of what a server answered. Binary data is base64. */
export const mcpContentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), forPersonOnly: z.boolean().optional() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
  z.object({ type: z.literal('audio'), mediaType: z.string(), data: z.string() }),
  z.object({
    type: z.literal('link'),
    uri: z.string(),
    name: z.string(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
  z.object({
    type: z.literal('resource'),
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional(),
  }),
]);
export type McpContent = z.infer<typeof mcpContentSchema>;

/**
 * What came of a call. A `result` with `isError` is the tool's own word; the others never reached it or came back wrong:
 * `protocol` is the server's refusal, `transport` the way there, `validation` our own check of what went in or came out.
 */
export type McpOutcome =
  | {
      type: 'result';
      isError: boolean;
      content: McpContent[];
      structured?: unknown;
      /** The result is not what the tool's own schema promises; said to the model beside it. */
      mismatch?: string;
    }
  | {
      type: 'failure';
      class: 'protocol' | 'transport' | 'validation';
      /** For the model: what happened. */
      message: string;
      /** Whether the server may have done it all the same. */
      mayHaveRun: boolean;
    };

/** What a prompt stands for, or why it could not be had. */
export type McpPromptOutcome =
  | { type: 'prompt'; messages: { role: 'user' | 'assistant'; content: McpContent[] }[] }
  | Extract<McpOutcome, { type: 'failure' }>;

/** How far a call is. `total` is absent when the server does not know. */
export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}
